"""What language models said that a report sets beside people: as raters of pairs, and as a judge."""

from typing import TYPE_CHECKING

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.of_models import ModelTable
from survey_site.model_raters.queries import judges_among, model_tables, raters_among
from survey_site.reports.models import Report

if TYPE_CHECKING:
    from meta_eval.studies.perse.runs import PerseRun


def rated_by_models(report: Report) -> tuple[ModelTable, ...]:
    """What each model of the report rated."""
    return model_tables(raters_among(report.model_runs.order_by("pk")))


def judged_run(report: Report, corpus: Corpus) -> "PerseRun | None":
    """The judge in readers' places that the report was asked for, with its replies; None without one."""
    run = judges_among(report.model_runs.select_related("batch")).first()
    if run is None:
        return None
    from survey_site.model_raters.judging import perse_run  # loads what speaks to models

    return perse_run(run, corpus)
