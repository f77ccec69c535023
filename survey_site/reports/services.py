"""Request a report (a row keyed by its inputs) and build it from the scores that it joins."""

import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from meta_eval.arrays import Progress
from meta_eval.corpus import documents as values
from meta_eval.errors import MetaEvalError
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.ratings.rating import check_scale
from meta_eval.report.assembling import (
    SCHEMA_VERSION,
    PartFailure,
    ReportFacts,
    assemble_report,
    count_absent_texts,
)
from meta_eval.report.options import REPORT_RESAMPLES, InferenceOptions
from meta_eval.report.published import PublishedTable
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.perseval import PenaltyOptions
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.corpus.queries import load_corpus
from survey_site.reports import validators
from survey_site.reports.inference import infer, stored_progress
from survey_site.reports.models import Report
from survey_site.reports.queries import survey_facts
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice, computing_versions
from survey_site.scoring.models import RatingSet, RunKind, ScoreRun
from survey_site.scoring.services import execute_run, record_ratings, request_automatic, request_human

ReportProgress = Callable[[str, int, int], None]
"""Called with the part at work, its documents done and its documents in all."""

DEFAULT_BETA = PenaltyOptions().beta

log = logging.getLogger(__name__)


def request_report(
    *,
    batch: Batch,
    measures: Sequence[str],
    surrogates: Sequence[str],
    normalise: str = "document",
    min_raters: int | None = None,
    beta: float = DEFAULT_BETA,
    mode: Mode = "paper",
    preprocess: Preprocess | None = None,
    resamples: int = REPORT_RESAMPLES,
    seed: int = 0,
    resampled: str = "documents",
    adjustment: str = "holm",
    coefficients: Sequence[str] = (),
    families: Sequence[str] = (),
    published: Sequence[PublishedTable] = (),
    same_systems: Mapping[str, str] | None = None,
    created_by: User | None = None,
    now: datetime,
) -> Report:
    """The report on the batch's ratings as they are now; the same inputs give the same report.

    `coefficients` come on top of the usual three; `families` are texts such as "personalised = PENS, GTP".
    One that failed, in whole or in part, goes back into the queue. Raises ValidationError by field. The
    caller enqueues the work (`reports.tasks`) or calls `build_report`.
    """
    validators.validate_launched(batch)
    options = {
        "normalise": validators.validate_normalise(normalise, batch),
        "min_raters": validators.validate_min_raters(min_raters, batch),
        "beta": validators.validate_beta(beta),
        "mode": mode,
        "preprocess": preprocess,
        "measures": validators.validate_measures("measures", measures),
        "surrogates": validators.validate_measures("surrogates", surrogates),
        "resamples": validators.validate_resamples(resamples),
        "seed": validators.validate_seed(seed),
        "resampled": validators.validate_resampled(resampled),
        "adjustment": validators.validate_adjustment(adjustment),
        "coefficients": validators.validate_coefficients(coefficients),
        "families": validators.validate_families(families, batch),
        "level": InferenceOptions().level,
        **validators.validate_published(published, same_systems, batch),
    }
    with transaction.atomic():
        rating_set = _record_ratings(batch, now)
        return _store_report(rating_set, options, created_by, now)


def build_report(
    *, report: Report, progress: ReportProgress | None = None, clock: jobs.Clock = timezone.now
) -> Report:
    """Compute what is missing and assemble; the row says how it ended.

    A part that fails is named in the result with its reason and does not take the rest with it; only when
    every part failed has the report failed. A finished report is returned as it is.
    """
    mine = jobs.take_up_or_wait(report, clock=clock)
    if mine is None:
        return report
    try:
        with jobs.heartbeat(mine, clock=clock):
            corpus = load_corpus(mine.batch.corpus)
            requested, unmade = _request_runs(mine, now=clock())
            runs = [
                execute_run(run=run, corpus=corpus, progress=_part_progress(run, progress), clock=clock)
                for run in requested
            ]
            failures = _failures(runs, unmade)
            inference = (
                infer(mine, corpus, runs, progress=stored_progress(mine, progress))
                if len(failures) < len(mine.parts)
                else None
            )
        _finish(mine, corpus, runs, failures, inference, now=clock())
    except Exception as error:
        log.exception("Report %s failed", mine.pk)
        jobs.fail(mine, now=clock(), error=f"Unexpected error ({type(error).__name__}): {error}")
    return mine


def retry_report(*, report: Report, now: datetime) -> Report:
    """Put a report that failed, in whole or in part, back into the queue; any other stays as it is."""
    with transaction.atomic():
        report = lock_row(Report.objects.filter(pk=report.pk))
        if report.is_failed or report.failures or report.inference_failures:
            jobs.requeue(report, now=now)
            report.inference_done = report.inference_total = 0
            report.save(update_fields=["inference_done", "inference_total"])
        return report


def requeue_stale_reports(*, now: datetime) -> list[Report]:
    """Reports of killed processes, queued again, and those that wait too long; the caller enqueues them."""
    return jobs.requeue_stale(Report.objects.all(), now=now)


def _record_ratings(batch: Batch, now: datetime) -> RatingSet:
    rating_set = record_ratings(batch=batch, now=now)
    if not rating_set.ratings:
        raise ValidationError({"batch": f"Nobody has submitted a questionnaire of “{batch}” yet."})
    return rating_set


def _store_report(
    rating_set: RatingSet, options: dict[str, Any], created_by: User | None, now: datetime
) -> Report:
    survey = survey_facts(rating_set.batch, rating_set)
    inputs = {
        "schema": SCHEMA_VERSION,
        "versions": computing_versions(),
        "batch": rating_set.batch_id,
        "options": options,
        "survey": survey,
    }
    report, created = Report.objects.get_or_create(
        key=digest(inputs),
        defaults={
            "batch": rating_set.batch,
            "rating_set": rating_set,
            "options": options,
            "survey": survey,
            "created_by": created_by,
            "created_at": now,
        },
    )
    return report if created else retry_report(report=report, now=now)


def _request_runs(report: Report, *, now: datetime) -> tuple[list[ScoreRun], list[PartFailure]]:
    """The runs of all parts, kept with the report, and the parts whose measure cannot be made here.

    Only here, where the work is done: a measure may need a model that other machines do not have.
    """
    runs, failures = [], []
    for kind, spec in report.parts:
        try:
            runs.append(_request_run(report, kind, spec, now))
        except MetaEvalError as error:
            failures.append(PartFailure(kind, spec, str(error)))
    report.runs.set(runs)
    return runs, failures


def _request_run(report: Report, kind: RunKind, spec: str, now: datetime) -> ScoreRun:
    options = report.options
    choice = MeasureChoice(spec=spec, mode=options["mode"], preprocess=options["preprocess"])
    shared: dict[str, Any] = {
        "choice": choice,
        "normalise": options["normalise"],
        "options": ScoreOptions(penalty=PenaltyOptions(beta=options["beta"])),
        "now": now,
    }
    if kind == RunKind.AUTOMATIC:
        return request_automatic(corpus_row=report.batch.corpus, **shared)
    return request_human(rating_set=report.rating_set, min_raters=options["min_raters"], **shared)


def _part_progress(run: ScoreRun, progress: ReportProgress | None) -> Progress | None:
    if progress is None:
        return None
    progress(str(run), 0, 0)
    return lambda done, total: progress(str(run), done, total)


def _failures(runs: Sequence[ScoreRun], unmade: Sequence[PartFailure]) -> list[PartFailure]:
    return [*unmade, *(PartFailure(run.kind, run.measure, run.error) for run in runs if run.is_failed)]


def _finish(
    report: Report,
    corpus: values.Corpus,
    runs: Sequence[ScoreRun],
    failures: Sequence[PartFailure],
    inference: dict[str, Any] | None,
    *,
    now: datetime,
) -> None:
    if len(failures) == len(report.parts):
        reasons = dict.fromkeys(failure.reason for failure in failures)
        jobs.fail(report, now=now, error=" ".join(reasons))
        return
    result = assemble_report(
        automatic=_records(runs, RunKind.AUTOMATIC),
        human=_records(runs, RunKind.HUMAN),
        facts=_facts(report, corpus),
        failures=failures,
        inference=inference,
    )
    jobs.finish(report, now=now, result=result)


def _records(runs: Sequence[ScoreRun], kind: RunKind) -> list[dict[str, Any]]:
    return [record for run in runs if run.kind == kind and run.is_done for record in run.records]


def _facts(report: Report, corpus: values.Corpus) -> ReportFacts:
    batch, survey = report.batch, report.survey
    return ReportFacts(
        scale=check_scale(batch.scale),
        subject={
            "batch": batch.name,
            "question": batch.question,
            "corpus": batch.corpus.name,
            "corpus_hash": batch.corpus.content_hash,
            "corpus_documents": len(corpus.documents),
            "seed": None if survey.get("upload") else batch.seed,
            **survey.get("upload", {}),
            **survey.get("frozen", {}),
        },
        plan=survey["plan"],
        ratings=survey["ratings"],
        options=report.options,
        systems=list(batch.systems.order_by("position").values_list("name", flat=True)),
        counts={**count_absent_texts(corpus), **survey["counts"]},
        notes=[*corpus.notes, *batch.plan_notes, *survey.get("exclusions", []), *survey.get("controls", [])],
    )
