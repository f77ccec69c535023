"""Reports for tests, requested and built by the services that pages use."""

from typing import Any

from meta_eval.report.schema import CERTAINTY_FIELDS
from survey_site.batches.models import Batch
from survey_site.reports.models import Report
from survey_site.reports.services import build_report, request_report
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch

OPTIONS = {"measures": ["rouge-l", "jsd"], "surrogates": ["rouge-l"]}


def make_report(*, batch: Batch | None = None, built: bool = True, **options: Any) -> Report:
    """A report on a small rated batch with two measures and one surrogate, unless told otherwise."""
    report = request_report(batch=batch or make_rated_batch(), **{**OPTIONS, "now": NOW, **options})
    return build_report(report=report, clock=lambda: NOW) if built else report


def without_statistics(result: dict[str, Any]) -> dict[str, Any]:
    """A stored result as it is where no statistics were asked for."""
    answer = {**result["answer"]}
    answer["ranking"] = [{**entry, "group": None} for entry in answer["ranking"]]
    correlations = [
        {name: value for name, value in row.items() if name not in CERTAINTY_FIELDS}
        for row in result["correlations"]
    ]
    return {**result, "answer": answer, "correlations": correlations, "inference": None}
