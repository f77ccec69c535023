"""Who computes a run that is cut into parts computes some of them, waits for the others, and then joins them.

    cut -> wake workers -> take parts as they do, until none waits -> wait for those of others -> join

Parts of a queue that this process does not serve, such as that for GPUs, may take hours. A worker does not
wait for these: it puts the run back (`LeftToOthersError`), and who computes the last part wakes one to join.
It puts it back too where other work comes first (`turns`): whoever is woken then takes the parts that wait.

The heartbeat of a worker that is killed in the middle of a part stops; the part is put back and taken again.
"""

import time
from contextlib import nullcontext
from datetime import timedelta

from django.conf import settings
from django.db.models import Count, Q
from django.dispatch import Signal

from meta_eval.corpus import documents as values
from survey_site.common.errors import ConflictError
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.queues import may_take, serves
from survey_site.scoring.parts.turns import other_work_comes_first
from survey_site.scoring.parts.waking import wake_workers
from survey_site.scoring.parts.working import SLICE, compute_shard, pairs_done, take_shard_of
from survey_site.settings.queues import DEFAULT

POLL_SECONDS = 0.2
LOOK_EVERY = timedelta(seconds=2)
run_ended = Signal()
"""A run is over, whichever way; sent with `run`. Reports that wait for it are built then."""
CANCELLED = "It was cancelled before its end."


class RunCancelledError(ConflictError):
    """Somebody ended the run; the parts that are done are kept."""

    def __init__(self) -> None:
        super().__init__(CANCELLED, action="What was computed is kept: try again, and it goes on from there.")


class LeftToOthersError(Exception):
    """The parts that are left are for other workers, or for later messages: nobody waits with the run."""


class PartsFailedError(ConflictError):
    """Parts of a run that could not be computed; the others are kept."""


def may_join(run: ScoreRun) -> bool:
    """Whether a worker has something to do for it; not while it waits for parts that are left to messages.

    Those messages come to others, or to this worker too, after what came first. Who ended it meanwhile waits
    for nothing, nor does a part whose queue the settings name no more: the workers of that queue may have
    left for good, and `cut` moves it.
    """
    if run.cancelled_at or not run.waits_for_parts:
        return True
    left = _open_queues(run)
    return not left or not all(_is_left_to_messages(queue) for queue in left)


def _is_left_to_messages(queue: str) -> bool:
    return queue in (DEFAULT, *settings.CONCORD_SHARD_QUEUES) and (serves(queue) or not may_take(queue))


def finish_parts(run: ScoreRun, corpus: values.Corpus, *, clock: jobs.Clock, may_leave: bool = False) -> bool:
    """Have all parts of a run computed; whether it has any. Then all its distances are in the store.

    Raises PartsFailedError where some cannot be computed, and RunCancelledError. may_leave: raise
    LeftToOthersError instead of waiting for parts that this process may not compute, and after SLICE where
    other work comes first.
    """
    go_on(run, done=run.done, waits_for_parts=False)
    stream = stream_of(run, corpus)
    if not cut(run, stream):
        return False
    wake_workers(run)
    looked_at = clock()
    until = looked_at + SLICE
    while True:
        _report(run)
        queue = run.shards.filter(status=JobStatus.QUEUED).values_list("queue", flat=True).first()
        shard = take_shard_of(run.pk, now=clock()) if queue and may_take(queue) else None
        if shard:
            compute_shard(shard, lambda: nullcontext(stream), clock=clock)
        elif not _open_queues(run):
            break
        elif may_leave and _queues_of_others(run):
            raise LeftToOthersError
        else:
            time.sleep(POLL_SECONDS)
        if clock() - looked_at > LOOK_EVERY:
            looked_at = clock()
            jobs.lose_stale(run.shards.all(), now=looked_at)
            if may_leave and looked_at >= until and other_work_comes_first(run):
                wake_workers(run, most=1)  # this one, for its own part of the work
                raise LeftToOthersError
    _report(run)
    _require_all(run)
    return True


def gave_way(run: ScoreRun) -> bool:
    """Whether a run that was put back has parts left that this process may compute, after what came first."""
    waiting = run.shards.filter(status=JobStatus.QUEUED).order_by()
    return any(may_take(queue) for queue in waiting.values_list("queue", flat=True).distinct())


def _open_queues(run: ScoreRun) -> list[str]:
    """The queues of parts that are not over."""
    open_parts = run.shards.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).order_by()
    return list(open_parts.values_list("queue", flat=True).distinct())


def _queues_of_others(run: ScoreRun) -> list[str]:
    """Those of them whose parts this process may not compute."""
    return [queue for queue in _open_queues(run) if not may_take(queue)]


def go_on(run: ScoreRun, **columns: int) -> None:
    """Store how far a run is. Raises RunCancelledError where somebody ended it, or deleted it."""
    for name, value in columns.items():
        setattr(run, name, value)
    if not ScoreRun.objects.filter(pk=run.pk, cancelled_at__isnull=True).update(**columns):
        raise RunCancelledError


def _report(run: ScoreRun) -> None:
    """How many pairs are done. It starts again from 0 only where the run is cut anew."""
    go_on(run, done=pairs_done(run))


def _require_all(run: ScoreRun) -> None:
    counts = run.shards.aggregate(all=Count("pk"), failed=Count("pk", filter=Q(status=JobStatus.FAILED)))
    failed = run.shards.filter(status=JobStatus.FAILED).order_by("number").first()
    if failed:
        raise PartsFailedError(
            f"{counts['failed']} of {counts['all']} parts failed, the first of them, part "
            f"{failed.number + 1}, because: {failed.error}",
            action="The other parts are kept: try the failed parts again.",
        )
