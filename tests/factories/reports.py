"""Reports for tests, requested and built by the services that pages use."""

from typing import Any

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
