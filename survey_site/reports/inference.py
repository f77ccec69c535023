"""The inference of a report: the library's function on the stored scores and the ratings of its runs."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from meta_eval.corpus import documents as values
from meta_eval.ratings.rating import Rating
from meta_eval.report import building
from meta_eval.report.inference.infer import (
    InferenceInputs,
    InferenceProgress,
    failed_inference,
    infer_report,
)
from meta_eval.report.options import ASKED, InferenceOptions
from meta_eval.scores.human import HumanScores, score_humans
from survey_site.reports.models import Report
from survey_site.scoring import adapters
from survey_site.scoring.models import RunKind, ScoreRun
from survey_site.scoring.storage import distance_store, load_contributions

log = logging.getLogger(__name__)


def options_of(report: Report) -> InferenceOptions:
    return InferenceOptions(**{name: report.options[name] for name in ASKED if name in report.options})


def infer(
    report: Report, corpus: values.Corpus, runs: Sequence[ScoreRun], *, progress: InferenceProgress
) -> dict[str, Any]:
    """How sure the report is; what goes wrong is said in the result and does not take the rest with it."""
    options = options_of(report)
    try:
        inputs = gather_inputs(corpus, [run for run in runs if run.is_done])
    except Exception as error:
        log.exception("The inputs for the inference of report %s could not be had", report.pk)
        return failed_inference(options, error)
    return infer_report(inputs, options=options, progress=progress)


def gather_inputs(corpus: values.Corpus, runs: Sequence[ScoreRun]) -> InferenceInputs:
    """Contributions as stored; the surrogates' and the rated pairs' distances, from the distance store."""
    people = [run for run in runs if run.kind == RunKind.HUMAN]
    machines = [run for run in runs if run.kind == RunKind.AUTOMATIC]
    return building.gather_inputs(
        corpus,
        automatic={_measure(run): load_contributions(run.contributions) for run in machines},
        human={_measure(run): _score_humans(run, corpus) for run in people},
        measures={_measure(run): adapters.measure_of(run) for run in machines},
        ratings=[rating for run in people[:1] for rating in _ratings(run)],
        normalise=adapters.normalise_of(runs[0]) if runs else "document",
        store=distance_store(),
    )


def _ratings(run: ScoreRun) -> list[Rating]:
    return adapters.ratings_of(run.rating_set) if run.rating_set else []


def _measure(run: ScoreRun) -> str:
    """As the run's records name it."""
    name: str = run.signature["measure"]
    return name


def _score_humans(run: ScoreRun, corpus: values.Corpus) -> HumanScores:
    return score_humans(
        corpus,
        adapters.divergences_of(run),
        adapters.measure_of(run),
        normalise=adapters.normalise_of(run),
        options=adapters.score_options_of(run),
        store=distance_store(),
    )


def stored_progress(report: Report, progress: Callable[[str, int, int], None] | None) -> InferenceProgress:
    """Progress into the row, and on to the caller."""

    def store(_part: str, done: int, total: int) -> None:
        report.inference_done, report.inference_total = done, total
        report.save(update_fields=["inference_done", "inference_total"])
        if progress:
            progress("statistics", done, total)

    return store
