"""Compute scores once: request a run (a row keyed by what it computes), execute it, keep its results."""

import logging
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils import timezone

from meta_eval.arrays import Progress
from meta_eval.corpus import documents as values
from meta_eval.distances.computing import Normalise
from meta_eval.distances.store.distance_store import StoreError
from meta_eval.errors import MetaEvalError
from meta_eval.measures import Measure
from meta_eval.scores.automatic import AutomaticScores, score_stream
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import HumanScores, score_humans
from meta_eval.scores.penalties import AccuracyPenalty
from survey_site.batches.models import Batch
from survey_site.common.errors import ApplicationError
from survey_site.common.locking import lock_row
from survey_site.corpus.models import Corpus
from survey_site.corpus.queries import load_corpus
from survey_site.scoring import adapters, jobs
from survey_site.scoring.given.measures import with_given_of
from survey_site.scoring.models import JobStatus, RatingSet, RunKind, ScoreRun
from survey_site.scoring.parts.cutting import stream_of
from survey_site.scoring.parts.joining import LeftToOthersError, finish_parts, go_on
from survey_site.scoring.parts.services import requeue_failed_parts
from survey_site.scoring.parts.working import require_same_signature
from survey_site.scoring.rating_sets import (
    are_for_workers,
    read_while_people_go_on,
    record_and_read,
    record_ratings,
)
from survey_site.scoring.storage import distance_store, has_contributions, kept_scores, save_contributions
from survey_site.scoring.validators import validate_min_raters
from survey_site.survey.rating.changes import changes_of

log = logging.getLogger(__name__)
Scores = AutomaticScores | HumanScores
PROGRESS_SECONDS = 1.0


def request_automatic(
    *,
    corpus_row: Corpus,
    choice: adapters.MeasureChoice,
    normalise: Normalise = "document",
    options: ScoreOptions | None = None,
    now: datetime,
) -> ScoreRun:
    """The run of these scores, created if it is new. Raises MeasureError for an unknown measure."""
    measure = choice.make(corpus_row)
    score = adapters.options_as_json(replace(options or ScoreOptions(), edp_readers="document"))
    key = adapters.run_key(
        kind=RunKind.AUTOMATIC,
        content_hash=corpus_row.content_hash,
        measure=measure,
        normalise=normalise,
        score=score,
        copy=_number_of_copy(corpus_row),
    )
    run, _ = ScoreRun.objects.get_or_create(
        key=key,
        defaults={
            "kind": RunKind.AUTOMATIC,
            "corpus": corpus_row,
            "options": {**_measure_options(choice), "normalise": normalise, "score": score},
            **_measure_columns(choice, measure, now),
        },
    )
    return run


def _number_of_copy(corpus: Corpus) -> int | None:
    """None for the first corpus of this content, the key of any later one: it is another project's.

    So that each has runs of its own, and none of a project's is handed to another.
    """
    earlier = Corpus.objects.filter(content_hash=corpus.content_hash, pk__lt=corpus.pk)
    return corpus.pk if earlier.exists() else None


def request_human(
    *,
    rating_set: RatingSet,
    choice: adapters.MeasureChoice,
    normalise: Normalise = "document",
    min_raters: int | None = None,
    options: ScoreOptions | None = None,
    now: datetime,
) -> ScoreRun:
    """The run of human scores from these ratings, created if it is new.

    Raises ValidationError where a pair would need more ratings than the batch plans.
    """
    measure = choice.make(rating_set.batch.corpus)
    wanted = _human_columns(
        rating_set.batch,
        choice,
        measure,
        normalise=normalise,
        min_raters=min_raters,
        options=options,
        now=now,
    )
    key = adapters.human_key(ScoreRun(**wanted), measure, ratings=rating_set.content_hash)
    run, _ = ScoreRun.objects.get_or_create(key=key, defaults={**wanted, "rating_set": rating_set})
    return run


def request_human_of(
    *,
    batch: Batch,
    choice: adapters.MeasureChoice,
    normalise: Normalise = "document",
    min_raters: int | None = None,
    now: datetime,
) -> ScoreRun:
    """The run of human scores from the batch's ratings as they are now, created if it is new.

    Where there are very many ratings a worker reads them: then they are those of the moment when it does. Who
    asks while the ratings stand as they did when it was asked for gets the same run, and so does who asks
    while it waits to be read: its ratings will be as new as those that are asked for.
    """
    changes = changes_of(batch)
    if not are_for_workers(changes):
        rating_set = record_ratings(batch=batch, now=now)
        return request_human(
            rating_set=rating_set, choice=choice, normalise=normalise, min_raters=min_raters, now=now
        )
    measure = choice.make(batch.corpus)
    wanted = _human_columns(batch, choice, measure, normalise=normalise, min_raters=min_raters, now=now)
    same = {name: value for name, value in wanted.items() if name != "created_at"}
    unread = ScoreRun.objects.filter(**same, rating_set=None, status=JobStatus.QUEUED, cancelled_at=None)
    if waiting := unread.order_by("pk").first():
        return waiting
    asked = adapters.human_key(ScoreRun(**wanted), measure, changes=[changes.submitted, changes.total])
    run, _ = ScoreRun.objects.get_or_create(asked=asked, defaults={**wanted, "key": asked})
    return run


def _human_columns(
    batch: Batch,
    choice: adapters.MeasureChoice,
    measure: Measure,
    *,
    normalise: Normalise,
    min_raters: int | None,
    options: ScoreOptions | None = None,
    now: datetime,
) -> dict[str, Any]:
    """All of a run but its ratings."""
    return {
        "kind": RunKind.HUMAN,
        "corpus": batch.corpus,
        "batch": batch,
        "options": {
            **_measure_options(choice),
            "normalise": normalise,
            "score": adapters.options_as_json(
                replace((options or ScoreOptions()).of_mode(choice.mode), p_acc=AccuracyPenalty())
            ),
            "scale": batch.scale,
            "raters": batch.raters,
            "min_raters": validate_min_raters(min_raters, batch),
        },
        **_measure_columns(choice, measure, now),
    }


def _read_for(run: ScoreRun, clock: jobs.Clock) -> None:
    """Read the ratings of a run that was asked for; from then on it is the run of these.

    Where these ratings have a run already, this one keeps a key of its own, by which its parts and its file
    are told from the other's; the distances of both are computed once. The row is changed, and `run` only
    after the commit: who tries again after a fault begins with what is stored.
    """
    batch = run.batch
    if batch is None:
        raise ValueError(f"run {run.pk} has no batch: it is not one of human scores")
    read = read_while_people_go_on(batch)
    with transaction.atomic():
        lock_row(Batch.objects.filter(pk=batch.pk))
        row = lock_row(ScoreRun.objects.filter(pk=run.pk))
        if row.is_unread:  # else another process has read them, which had been taken for dead
            row.rating_set, _ = record_and_read(batch=batch, now=clock(), read=read)
            row.save(update_fields=["rating_set"])
            measure = adapters.measure_of(row)
            jobs.take_key(row, adapters.human_key(row, measure, ratings=row.rating_set.content_hash))
    run.refresh_from_db(fields=["rating_set", "key"])


def execute_run(
    *,
    run: ScoreRun,
    corpus: values.Corpus | None = None,
    progress: Progress | None = None,
    clock: jobs.Clock = timezone.now,
    may_leave: bool = False,
) -> ScoreRun:
    """As `compute_run`, for those who need the row alone; distances are found by the run's signature."""
    with with_given_of(run):
        return compute_run(run=run, corpus=corpus, progress=progress, clock=clock, may_leave=may_leave)[0]


def compute_run(
    *,
    run: ScoreRun,
    corpus: values.Corpus | None = None,
    progress: Progress | None = None,
    clock: jobs.Clock = timezone.now,
    may_leave: bool = False,
) -> tuple[ScoreRun, Scores | None]:
    """Compute a run unless it is done; the row says how it ended, a failure with its reason.

    Returns the row, and the scores where they were computed just now. `corpus` saves reading the run's corpus
    from the database once more. While another process computes the same run this one waits for it, and takes
    over if it dies. A run that was cancelled stays so until somebody asks for it again.
    may_leave: put it back where its last parts are for other workers, who then have it joined.
    """
    _requeue_without_file(run, now=clock())
    if run.is_failed and run.cancelled_at:
        return run, None
    failed = run.is_failed
    mine = jobs.take_up_or_wait(run, clock=clock)
    if mine is None:
        return run, None
    if failed:
        requeue_failed_parts(mine, now=clock())
    return mine, _compute(mine, corpus, progress, clock, may_leave=may_leave)


def requeue_stale_runs(*, now: datetime) -> list[ScoreRun]:
    """Runs of killed processes, back in the queue, and runs that wait too long; the caller enqueues them."""
    return jobs.requeue_stale(ScoreRun.objects.all(), now=now)


def _measure_options(choice: adapters.MeasureChoice) -> dict[str, str | None]:
    return {"mode": choice.mode, "preprocess": choice.preprocess, "tokeniser": choice.tokeniser}


def _measure_columns(choice: adapters.MeasureChoice, measure: Measure, now: datetime) -> dict[str, object]:
    return {"measure": choice.spec, "signature": measure.signature.as_dict(), "created_at": now}


def _requeue_without_file(run: ScoreRun, *, now: datetime) -> None:
    """Results whose file was lost are computed again."""
    with transaction.atomic():
        run.refresh_from_db()
        if run.is_done and not has_contributions(run.contributions):
            jobs.requeue(run, now=now)


def _compute(
    run: ScoreRun,
    corpus: values.Corpus | None,
    progress: Progress | None,
    clock: jobs.Clock,
    *,
    may_leave: bool,
) -> Scores | None:
    """Compute and store; whatever goes wrong is recorded in the row."""
    scores: Scores | None = None

    def compute() -> dict[str, Any]:
        nonlocal scores
        require_same_signature(run)
        if run.is_unread:
            _read_for(run, clock)
        texts = corpus or load_corpus(run.corpus)
        try:
            in_parts = finish_parts(run, texts, clock=clock, may_leave=may_leave)
        except LeftToOthersError:
            return jobs.put_back(clock()) | {"waits_for_parts": True}
        told = _stored_progress(run, progress, in_parts=in_parts)
        scores = COMPUTATIONS[RunKind(run.kind)](run, texts, told)
        name = save_contributions(scores.contributions, key=run.key)
        return {
            "records": scores.records(),
            "contributions": name,
            "done": run.total,
            "cancelled_at": None,  # it came too late
        }

    expected = (MetaEvalError, ApplicationError)
    done = jobs.carry_out(run, compute, clock=clock, expected=expected, reason_of=jobs.reason_of)
    if done and scores:
        _forget_parts(run)
    return scores if done else None


def _score_automatic(run: ScoreRun, corpus: values.Corpus, progress: Progress) -> AutomaticScores:
    """Of parts that workers have scored nothing is computed again."""
    stream = stream_of(run, corpus, progress)
    kept = kept_scores(run.key).read() if run.shards.exists() else {}
    return score_stream(corpus, adapters.measure_of(run), stream, adapters.score_options_of(run), kept)


def _forget_parts(run: ScoreRun) -> None:
    """All is in the file of the run now. What cannot be removed goes when the store is cleaned."""
    try:
        kept_scores(run.key).forget()
    except StoreError as error:
        log.warning("The scores of the parts of run %s stay in the store: %s", run.pk, error)


def score_people(run: ScoreRun, corpus: values.Corpus, progress: Progress | None = None) -> HumanScores:
    """The human scores of a run, from distances that are kept where they are."""
    return score_humans(
        corpus,
        adapters.divergences_of(run),
        adapters.measure_of(run),
        normalise=adapters.normalise_of(run),
        options=adapters.score_options_of(run),
        progress=progress,
        store=distance_store(),
    )


Computation = Callable[[ScoreRun, values.Corpus, Progress], Scores]
COMPUTATIONS: dict[RunKind, Computation] = {
    RunKind.AUTOMATIC: _score_automatic,
    RunKind.HUMAN: score_people,
}


def _stored_progress(run: ScoreRun, progress: Progress | None, *, in_parts: bool = False) -> Progress:
    """Progress into the row, about once a second and at the end, and on to the caller.

    Of a run in parts the row says already that all pairs are done; it is asked whether somebody ended it.
    """
    stored_at = 0.0

    def report(done: int, total: int) -> None:
        nonlocal stored_at
        if done == total or time.monotonic() - stored_at >= PROGRESS_SECONDS:
            go_on(run, **({"done": run.done} if in_parts else {"done": done, "total": total}))
            stored_at = time.monotonic()
        if progress:
            progress(done, total)

    return report
