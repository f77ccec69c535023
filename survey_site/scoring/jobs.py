"""How a background job changes its status, the same for score runs and reports.

    QUEUED --take_up--> RUNNING --finish--> DONE
       ^                 |  |
       |   requeue_stale |  +--fail--> FAILED --requeue--> QUEUED
       +-----------------+

A running job shows that it is alive by its heartbeat. One whose heartbeat stopped was killed: anybody may
take it up, and `requeue_stale`, which every worker calls every few seconds, puts it back into the queue.

What the machinery does to a job (a killed process, a lost connection, a store that is away, a full disk) is
an interruption: the job goes on by itself, until it was interrupted MOST_INTERRUPTIONS times. What is wrong
with its input fails it at once.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError, InterfaceError, OperationalError, connection, models, transaction
from django.db.models import Q

from survey_site.common.locking import lock_row
from survey_site.common.log_lines import about, in_this_context
from survey_site.scoring.machinery import MACHINERY, is_of_machinery, through_a_lost_connection
from survey_site.scoring.models import Job, JobStatus

BEAT_SECONDS = 2.0
POLL_SECONDS = 0.5
STALE_AFTER = timedelta(seconds=10)
"""Without a heartbeat for so long a job's process is taken for dead, and a waiting job's message for lost."""
MOST_INTERRUPTIONS = 5
PAUSES = (1, 2, 4, 4)
"""Seconds before each new try; with a beat of the heart well below STALE_AFTER."""
LOOK = "Look at the server (manage.py doctor), then try again."

Row = TypeVar("Row", bound=Job)
Clock = Callable[[], datetime]
log = logging.getLogger(__name__)


def reason_of(error: Exception) -> str:
    """What went wrong and, where the error knows it, what to do."""
    return f"{error} {getattr(error, 'action', '')}".strip()


def take_up(job: Row, *, now: datetime) -> Row | None:
    """The job, now running and ours; None when it is done, deleted, or another process is at work on it."""
    with transaction.atomic():
        try:
            row = lock_row(type(job)._default_manager.filter(pk=job.pk))
        except ObjectDoesNotExist:
            return None
        if row.is_done or is_at_work(row, now=now):
            return None
        if row.is_failed:
            row.error, row.interruptions = "", 0
        row.interruptions += row.status == JobStatus.RUNNING  # of a process that died
        row.status = JobStatus.RUNNING
        row.started_at = row.heartbeat_at = now
        row.finished_at = None
        taken = ["status", "error", "interruptions", "started_at", "heartbeat_at", "finished_at"]
        row.save(update_fields=taken)
        return row


def take_up_or_wait(job: Row, *, clock: Clock) -> Row | None:
    """The job, now ours, once no other process is at work on it; None when it is done or deleted."""
    while (mine := take_up(job, now=clock())) is None:
        if _is_gone(job):
            return None
        job.refresh_from_db()
        if job.is_done:
            return None
        time.sleep(POLL_SECONDS)
    return mine


def carry_out(
    job: Job,
    compute: Callable[[], dict[str, Any]],
    *,
    clock: Clock,
    expected: tuple[type[Exception], ...] = (),
    reason_of: Callable[[Any], str] = str,
) -> bool:
    """Compute and store the results, again where the machinery failed; returns whether the job is done.

    `compute` gives the columns to store. What is the machinery's is tried again, also where `expected` names
    its class. Any other error in `expected` fails the job with the reason that `reason_of` makes of it; the
    rest is logged, and fails it too. Of a job that was deleted meanwhile there is nothing to store, whatever
    became of it.
    """
    try:
        with about(**{str(job._meta.verbose_name).replace(" ", "_"): job.pk}):
            return _carry_out(job, compute, clock=clock, expected=expected, reason_of=reason_of)
    except Exception:
        if connection.needs_rollback or not _is_gone(job):
            raise
        log.warning("%s %s was deleted while it was computed.", type(job).__name__, job.pk)
        return False


def _carry_out(
    job: Job,
    compute: Callable[[], dict[str, Any]],
    *,
    clock: Clock,
    expected: tuple[type[Exception], ...],
    reason_of: Callable[[Any], str],
) -> bool:
    while True:
        try:
            with heartbeat(job, clock=clock):
                results = compute()
            done = finish(job, now=clock(), **results)
        except Exception as error:
            if is_of_machinery(error):
                if _goes_on(job, error, clock=clock):
                    continue
            elif isinstance(error, expected):
                fail(job, now=clock(), error=reason_of(error))
            else:
                _fail_unexpected(job, error, clock=clock)
            return False
        else:
            return done


def _fail_unexpected(job: Job, error: Exception, *, clock: Clock) -> None:
    """Log it and note it in the row, unless that is another's by now. Raises it where the row is gone."""
    if _is_gone(job):
        raise error
    if not through_a_lost_connection(job.own_rows().exists):
        log.warning("%s %s was taken over while it was computed.", type(job).__name__, job.pk)
        return
    log.exception("%s %s failed", type(job).__name__, job.pk)
    fail(job, now=clock(), error=f"Unexpected error ({type(error).__name__}): {error}")


def _is_gone(job: Job) -> bool:
    """Whether somebody has deleted it: who was taken for dead may find so. Not where nobody can tell."""
    rows = type(job)._default_manager.filter(pk=job.pk)
    try:
        return not through_a_lost_connection(rows.exists)
    except MACHINERY:
        return False


def _goes_on(job: Job, error: Exception, *, clock: Clock) -> bool:
    """Count an interruption, and wait before the next try; False once there were too many.

    Where the note cannot be stored either, as while a database restarts, the next try comes without it.
    """
    log.warning("%s %s was interrupted: %s", type(job).__name__, job.pk, error)
    if connection.in_atomic_block:
        raise error  # what the transaction did before is lost with it
    connection.close()
    job.interruptions += 1
    count, last = job.interruptions, f"{type(error).__name__}: {error}".strip().rstrip(".")
    if count >= MOST_INTERRUPTIONS:
        said = f"Interrupted {count} times, the last time by {last}. {LOOK}"
        fail(job, now=clock(), error=said, interruptions=count)
        return False
    time.sleep(PAUSES[count - 1])
    note = f"Interrupted {count} time{'s' * (count != 1)}, the last time by {last}."
    try:
        return _update(job, interruptions=count, error=note, heartbeat_at=clock())
    except MACHINERY as again:
        log.warning("%s %s goes on without a note of it: %s", type(job).__name__, job.pk, again)
    return True


def finish(job: Job, *, now: datetime, **results: Any) -> bool:
    """Store the results and the end of the job in one write; whether the job was still this process's."""
    return _update(job, **{"status": JobStatus.DONE, "error": "", "finished_at": now, **results})


def put_back(now: datetime) -> dict[str, Any]:
    """The columns of a job that is not done and waits once more: what `compute` gives instead of results."""
    return {
        "status": JobStatus.QUEUED,
        "sent_at": now,
        "started_at": None,
        "heartbeat_at": None,
        "finished_at": None,
    }


def fail(job: Job, *, now: datetime, error: str, **columns: Any) -> None:
    _update(job, status=JobStatus.FAILED, error=error, finished_at=now, **columns)


def take_key(job: Job, key: str) -> None:
    """Give a job the key of what it computes, now that this is known; where another has it, it keeps its own.

    That other may be stored at this moment, so that to look before would not do.
    """
    with suppress(IntegrityError), transaction.atomic():
        type(job)._default_manager.filter(pk=job.pk).update(key=key)


def requeue(job: Job, *, now: datetime) -> None:
    """Put a job back into the queue, to be computed again."""
    _update(
        job,
        status=JobStatus.QUEUED,
        error="",
        requeued_at=now,
        sent_at=None,
        interruptions=0,
        started_at=None,
        heartbeat_at=None,
        finished_at=None,
    )


def requeue_stale(jobs: "models.QuerySet[Row]", *, now: datetime) -> list[Row]:
    """Put running jobs whose heartbeat stopped back into the queue; returns all that are to be sent again.

    A job that waits comes back too: its message to the workers may have been lost. Enqueueing one twice does
    no harm, only one worker can take it up; while all are busy it comes back less and less often. A job whose
    process died MOST_INTERRUPTIONS times has failed.
    """
    lose_stale(jobs, now=now)
    due = [job for job in jobs.filter(status=JobStatus.QUEUED).order_by("pk") if is_due(job, now)]
    jobs.filter(pk__in=[job.pk for job in due]).update(sent_at=now)
    return due


def note_unsent(job: Job) -> None:
    """That its message reached no broker: it is sent again at the next look, not after a pause."""
    waiting = type(job)._default_manager.filter(pk=job.pk, status=JobStatus.QUEUED)
    waiting.update(sent_at=None)


def lose_stale(jobs: "models.QuerySet[Row]", *, now: datetime) -> list[Row]:
    """Put running jobs whose heartbeat stopped back into the queue, or fail them after too many losses.

    Returns them.
    """
    lost = list(jobs.filter(status=JobStatus.RUNNING).filter(_is_stale(now)))
    for job in lost:
        _lose_process(job, now=now)
    return lost


def _lose_process(job: Job, *, now: datetime) -> None:
    """Whoever is alive after all, or was quicker, has moved the row on: it is left to them."""
    count = job.interruptions + 1
    said = f"Its process ended {count} time{'s' * (count != 1)} before it was done."
    values: dict[str, Any] = {
        "status": JobStatus.QUEUED,
        "started_at": None,
        "heartbeat_at": None,
        "sent_at": None,
    }
    if count >= MOST_INTERRUPTIONS:
        said = f"{said} The machine may lack memory for it. {LOOK}"
        values = {"status": JobStatus.FAILED, "finished_at": now}
    rows = type(job)._default_manager.filter(pk=job.pk, status=JobStatus.RUNNING).filter(_is_stale(now))
    rows.update(interruptions=count, error=said, **values)


def _is_stale(now: datetime) -> Q:
    return Q(heartbeat_at__lt=now - STALE_AFTER) | Q(heartbeat_at__isnull=True)


def is_due(job: Job, now: datetime) -> bool:
    """Whether workers should be told of it again: after a pause that grows with its age."""
    pause = STALE_AFTER if job.sent_at is None else max(STALE_AFTER, (now - job.waits_since) / 2)
    return now - (job.sent_at or job.waits_since) > pause


def is_at_work(job: Job, *, now: datetime) -> bool:
    """Whether a process that lives computes it."""
    stale = job.heartbeat_at is None or job.heartbeat_at < now - STALE_AFTER
    return job.status == JobStatus.RUNNING and not stale


@contextmanager
def heartbeat(job: Job, *, clock: Clock) -> Iterator[None]:
    """Renew the job's heartbeat from a thread of its own: a measure may be busy for minutes."""
    stopped = threading.Event()
    beating = threading.Thread(target=in_this_context(_beat), args=(job, clock, stopped), daemon=True)
    beating.start()
    try:
        yield
    finally:
        stopped.set()
        beating.join()


def _beat(job: Job, clock: Clock, stopped: threading.Event) -> None:
    try:
        while not stopped.wait(BEAT_SECONDS):
            _beat_once(job, clock())
    finally:
        connection.close()


def _beat_once(job: Job, now: datetime) -> None:
    """A beat that the database could not take is tried again with the next one."""
    try:
        job.own_rows().filter(status=JobStatus.RUNNING).update(heartbeat_at=now)
    except (OperationalError, InterfaceError) as error:
        log.warning("No heartbeat for %s %s: %s", type(job).__name__, job.pk, error)
        connection.close()


def _update(job: Job, **values: Any) -> bool:
    """Store these columns; False where the job is another's by now, and only that one may change it."""
    mine = job.own_rows()
    for name, value in values.items():
        setattr(job, name, value)
    if through_a_lost_connection(lambda: mine.update(**values)):
        return True
    if _is_gone(job):
        raise ObjectDoesNotExist(f"{type(job).__name__} {job.pk} was deleted.")
    log.warning("%s %s was taken over; what came of it here is not noted.", type(job).__name__, job.pk)
    return False
