"""Request a report (a row keyed by its inputs) and build it from the scores that it joins."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils import timezone

from meta_eval.corpus import documents as values
from meta_eval.measures.base import Mode, Preprocess
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.report.building import NothingScoredError, ReportProgress, report_on_scores
from meta_eval.report.options import REPORT_RESAMPLES, InferenceOptions, ReportOptions
from meta_eval.report.published.reading import PublishedTable
from meta_eval.report.schema import report_record
from meta_eval.scores.penalties import P_ACC
from meta_eval.scores.perseval import PenaltyOptions
from meta_eval.stats.raters.alternative import EPSILON
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.batches.primary import describe_primary
from survey_site.common.digest import digest
from survey_site.common.locking import lock_row
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters.models import ModelRun
from survey_site.reports import validators
from survey_site.reports.drawing import draw_ahead
from survey_site.reports.facts import tell_survey
from survey_site.reports.inputs import Inputs, program, read_for, read_inputs
from survey_site.reports.models import Report
from survey_site.reports.noticing import notice_report
from survey_site.reports.queries import facts_beside_ratings
from survey_site.reports.scores import (
    StoredScores,
    inference_options,
    stand_in_options,
    stored_progress,
)
from survey_site.scoring import jobs
from survey_site.scoring.given.measures import hold, with_given
from survey_site.scoring.machinery import is_of_machinery
from survey_site.scoring.models import JobStatus
from survey_site.scoring.parts.joining import LeftToOthersError
from survey_site.scoring.rating_sets import are_for_workers
from survey_site.survey.rating.changes import Changes, changes_of

PENALTY = PenaltyOptions()


def request_report(
    *,
    batch: Batch,
    measures: Sequence[str],
    surrogates: Sequence[str],
    normalise: str = "document",
    min_raters: int | None = None,
    beta: float = PENALTY.beta,
    edp_readers: str | None = None,
    alpha: float = PENALTY.alpha,
    gamma: float = PENALTY.gamma,
    p_acc_alpha: float = P_ACC.alpha,
    p_acc_beta: float = P_ACC.beta,
    mode: Mode = "paper",
    preprocess: Preprocess | None = None,
    tokeniser: Tokeniser | None = None,
    resamples: int = REPORT_RESAMPLES,
    seed: int = 0,
    resampled: str = "documents",
    adjustment: str = "holm",
    coefficients: Sequence[str] = (),
    families: Sequence[str] = (),
    stability_replacement: bool = False,
    published: Sequence[PublishedTable] = (),
    same_systems: Mapping[str, str] | None = None,
    model_runs: Sequence[ModelRun] = (),
    epsilon: float = EPSILON,
    mixed: bool = False,
    judge: ModelRun | None = None,
    created_by: User | None = None,
    now: datetime,
) -> Report:
    """The report on the batch's ratings as they are now; the same inputs give the same report.

    Where there are very many ratings a worker reads them: then they are those of the moment when it does.

    `coefficients` come on top of the usual three; `families` are texts such as "personalised = PENS, GTP";
    `stability_replacement`: a sample of the study of stability may hold a document twice;
    of `model_runs`, which are done, the ratings stand beside people's and are never among them, and `epsilon`
    is what a rater's cost is worth in the alternative annotator test of these models; `mixed` asks what few
    ratings of people and many of a model would give together. `judge` is a run that judged summaries in
    readers' places: its scores stand beside the measures.
    One that failed, in whole or in part, goes back into the queue. Raises ValidationError by field. The
    caller enqueues the work (`reports.tasks`) or calls `build_report`.
    """
    validators.validate_launched(batch)
    options = {
        "normalise": validators.validate_normalise(normalise, batch),
        "min_raters": validators.validate_ratings_a_pair(min_raters, batch),
        **validators.validate_penalty(alpha=alpha, beta=beta, gamma=gamma),
        **validators.validate_p_acc(p_acc_alpha, p_acc_beta),
        "edp_readers": validators.validate_edp_readers(edp_readers),
        "mode": mode,
        "preprocess": preprocess,
        "tokeniser": tokeniser,
        **validators.validate_sides(measures, surrogates, batch.corpus),
        "resamples": validators.validate_resamples(resamples),
        "seed": validators.validate_seed(seed),
        "resampled": validators.validate_resampled(resampled),
        "adjustment": validators.validate_adjustment(adjustment),
        "coefficients": validators.validate_coefficients(coefficients),
        "primary": describe_primary(batch),
        "families": validators.validate_families(families, batch),
        "stability_replacement": bool(stability_replacement),
    }
    options = {
        **ReportOptions.from_record(options).asked,
        **InferenceOptions.from_record(options).asked,
        **({"given": options["given"]} if "given" in options else {}),
        **validators.validate_published(published, same_systems, batch),
        **validators.validate_model_runs(model_runs, epsilon, batch, mixed=mixed),
        **validators.validate_judge(judge, batch),
    }
    with transaction.atomic():
        changes = changes_of(batch)
        inputs = None if are_for_workers(changes) else read_inputs(batch, options, now)
        hold(batch.corpus, options.get("given", {}))
        if inputs:
            report = _store_report(inputs, created_by, now)
        else:
            report = _ask_for(batch, options, changes, created_by, now)
        report.model_runs.set([*model_runs, *([judge] if judge else [])])
        return report


def build_report(
    *,
    report: Report,
    progress: ReportProgress | None = None,
    clock: jobs.Clock = timezone.now,
    may_leave: bool = False,
) -> Report:
    """Compute what is missing and assemble; the row says how it ended.

    A part that fails is named in the result with its reason and does not take the rest with it; only when
    every part failed has the report failed. A finished report is returned as it is.
    may_leave: put it back where parts of its scores are for other workers, who have it built once they are
    done (`tasks`).
    """
    mine = jobs.take_up_or_wait(report, clock=clock)
    if mine is None:
        return report

    def compute() -> dict[str, Any]:
        if mine.rating_set is None:
            read_for(mine, clock)
        corpus = mine.batch.corpus
        with with_given(corpus, mine.given):
            try:
                return _compute(mine, load_corpus(corpus), progress, clock, may_leave=may_leave)
            except LeftToOthersError:
                return jobs.put_back(clock())

    expected = (NothingScoredError, ValidationError)
    jobs.carry_out(mine, compute, clock=clock, expected=expected, reason_of=_reason_of)
    notice_report(mine, now=clock())
    return mine


def _compute(
    report: Report,
    corpus: values.Corpus,
    progress: ReportProgress | None,
    clock: jobs.Clock,
    *,
    may_leave: bool,
) -> dict[str, Any]:
    """The columns of a finished report."""
    scores = StoredScores.request(report, corpus, progress=progress, clock=clock)
    if may_leave:
        scores.compute_or_leave()
    result = report_on_scores(
        scores,
        ReportOptions.from_record(report.options),
        inference_options(report),
        tell_survey(report, corpus),
        on_statistics=stored_progress(report, progress),
        stand_in=stand_in_options(report),
        through=is_of_machinery,
    )
    record = report_record(result)
    return {"result": record, "drawings": draw_ahead(record)}


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


def _store_report(inputs: Inputs, created_by: User | None, now: datetime) -> Report:
    report, created = Report.objects.get_or_create(
        key=inputs.key,
        defaults={
            "batch": inputs.rating_set.batch,
            "rating_set": inputs.rating_set,
            "options": inputs.options,
            "survey": inputs.survey,
            "created_by": created_by,
            "created_at": now,
        },
    )
    return report if created else retry_report(report=report, now=now)


def _ask_for(
    batch: Batch, options: dict[str, Any], changes: Changes, created_by: User | None, now: datetime
) -> Report:
    """A report whose ratings a worker is to read, or the one that was asked for while all stood so.

    Also one that still waits to be read: its ratings will be as new as those that are asked for.
    """
    validators.validate_rated(options["min_raters"], batch)
    unread = Report.objects.filter(batch=batch, rating_set=None, status=JobStatus.QUEUED, options=options)
    if waiting := unread.order_by("pk").first():
        return waiting
    state = [changes.submitted, changes.total, facts_beside_ratings(batch)]
    asked = digest({**program(), "batch": batch.pk, "options": options, "state": state})
    report, created = Report.objects.get_or_create(
        asked=asked,
        defaults={
            "key": digest({"asked": asked}),  # until the ratings are read
            "batch": batch,
            "options": options,
            "created_by": created_by,
            "created_at": now,
        },
    )
    return report if created else retry_report(report=report, now=now)


def _reason_of(error: Exception) -> str:
    return " ".join(error.messages) if isinstance(error, ValidationError) else str(error)
