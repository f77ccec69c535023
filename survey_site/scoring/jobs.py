"""How a background job changes its status, the same for score runs and reports.

    QUEUED --take_up--> RUNNING --finish--> DONE
       ^                 |  |
       |   requeue_stale |  +--fail--> FAILED --requeue--> QUEUED
       +-----------------+

A running job shows that it is alive by its heartbeat. One whose heartbeat stopped was killed: anybody may
take it up, and `requeue_stale`, which every worker calls once a minute, puts it back into the queue.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, TypeVar

from django.db import InterfaceError, OperationalError, connection, models, transaction
from django.db.models import Q
from django.db.models.functions import Coalesce

from survey_site.common.locking import lock_row
from survey_site.scoring.models import Job, JobStatus

BEAT_SECONDS = 10.0
POLL_SECONDS = 0.5
STALE_AFTER = timedelta(seconds=60)

Row = TypeVar("Row", bound=Job)
Clock = Callable[[], datetime]
log = logging.getLogger(__name__)


def take_up(job: Row, *, now: datetime) -> Row | None:
    """The job, now running and ours; None when it is done or another process is at work on it."""
    with transaction.atomic():
        row = lock_row(type(job)._default_manager.filter(pk=job.pk))
        if row.is_done or is_at_work(row, now=now):
            return None
        row.status, row.error = JobStatus.RUNNING, ""
        row.started_at = row.heartbeat_at = now
        row.finished_at = None
        row.save(update_fields=["status", "error", "started_at", "heartbeat_at", "finished_at"])
        return row


def take_up_or_wait(job: Row, *, clock: Clock) -> Row | None:
    """The job, now ours, once no other process is at work on it; None when it is done."""
    while (mine := take_up(job, now=clock())) is None:
        job.refresh_from_db()
        if job.is_done:
            return None
        time.sleep(POLL_SECONDS)
    return mine


def finish(job: Job, *, now: datetime, **results: Any) -> None:
    """Store the results and the end of the job in one write."""
    _update(job, status=JobStatus.DONE, error="", finished_at=now, **results)


def fail(job: Job, *, now: datetime, error: str) -> None:
    _update(job, status=JobStatus.FAILED, error=error, finished_at=now)


def requeue(job: Job, *, now: datetime) -> None:
    """Put a job back into the queue, to be computed again."""
    _update(
        job,
        status=JobStatus.QUEUED,
        error="",
        requeued_at=now,
        started_at=None,
        heartbeat_at=None,
        finished_at=None,
    )


def requeue_stale(jobs: "models.QuerySet[Row]", *, now: datetime) -> list[Row]:
    """Put the running jobs whose heartbeat stopped back into the queue; returns all that wait too long.

    A job that waits since before the limit comes back too: its message to the workers may have been lost.
    Enqueueing one twice does no harm, only one worker can take it up.
    """
    limit = now - STALE_AFTER
    jobs.filter(status=JobStatus.RUNNING).filter(
        Q(heartbeat_at__lt=limit) | Q(heartbeat_at__isnull=True)
    ).update(status=JobStatus.QUEUED, started_at=None, heartbeat_at=None)
    waiting = jobs.filter(status=JobStatus.QUEUED).annotate(since=Coalesce("requeued_at", "created_at"))
    return list(waiting.filter(since__lt=limit).order_by("pk"))


def is_at_work(job: Job, *, now: datetime) -> bool:
    """Whether a process that lives computes it."""
    stale = job.heartbeat_at is None or job.heartbeat_at < now - STALE_AFTER
    return job.status == JobStatus.RUNNING and not stale


@contextmanager
def heartbeat(job: Job, *, clock: Clock) -> Iterator[None]:
    """Renew the job's heartbeat from a thread of its own: a measure may be busy for minutes."""
    stopped = threading.Event()
    beating = threading.Thread(target=_beat, args=(job, clock, stopped), daemon=True)
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
        type(job)._default_manager.filter(pk=job.pk, status=JobStatus.RUNNING).update(heartbeat_at=now)
    except OperationalError as error:
        log.warning("No heartbeat for %s %s: %s", type(job).__name__, job.pk, error)
        connection.close()


def _update(job: Job, **values: Any) -> None:
    for name, value in values.items():
        setattr(job, name, value)
    _through_a_lost_connection(lambda: job.save(update_fields=list(values)))


def _through_a_lost_connection(write: Callable[[], None]) -> None:
    """A computation takes minutes, and its connection may have died meanwhile: a new one, once."""
    try:
        write()
    except (OperationalError, InterfaceError):
        if connection.in_atomic_block:
            raise  # what the transaction did before is lost with it
        connection.close()
        write()
