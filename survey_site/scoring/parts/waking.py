"""Messages that wake workers: each says which queue's parts to take, and none is needed for long.

A worker that starts, and the look for lost work that every worker takes every few seconds, send them again.
"""

import logging
from collections.abc import Collection
from datetime import datetime

from celery import current_app
from django.db import transaction
from django.db.models import Count
from kombu.exceptions import OperationalError

from survey_site.scoring.jobs import is_due
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.parts.working import waiting_shards

TASK = "scoring.compute_shards"
JOIN = "scoring.execute_run"
MOST_MESSAGES = 32
"""At once; a worker that is woken takes parts as long as there are some."""
log = logging.getLogger(__name__)


def wake_workers(run: ScoreRun, *, most: int = MOST_MESSAGES) -> None:
    """One message for each part that waits, at most so many for each queue."""
    waiting = run.shards.filter(status=JobStatus.QUEUED).values("queue").annotate(count=Count("pk"))
    for row in waiting.order_by("queue"):
        _send_on_commit(row["queue"], min(row["count"], most))


def wake_for_waiting(*, now: datetime, at_once: bool = False, sent: Collection[ScoreRun] = ()) -> None:
    """Wake workers for parts that still wait; `at_once`, for a worker that just came, without a pause.

    sent: runs that were due just now, or of which a part was lost just now; their parts are due as well.
    """
    runs = ScoreRun.objects.filter(pk__in=waiting_shards().order_by().values("run")).order_by("pk")
    for run in runs.defer("records", "signature"):
        if at_once or run in sent or is_due(run, now):
            ScoreRun.objects.filter(pk=run.pk).update(sent_at=now)
            wake_workers(run)


def wake_joiner(run: ScoreRun) -> None:
    """Have a run joined that waited for its last part; to be called after each part, and by who puts it back.

    Both look after they have written, so that one of them sees that nothing is left.
    """
    waits = ScoreRun.objects.filter(pk=run.pk, status=JobStatus.QUEUED, waits_for_parts=True)
    if waits.exists() and not run.shards.filter(status__in=(JobStatus.QUEUED, JobStatus.RUNNING)).exists():
        _send_task(JOIN, run.pk)


def _send_on_commit(queue: str, count: int) -> None:
    transaction.on_commit(lambda: send_wakes(queue, count))


def send_wakes(queue: str, count: int = 1) -> None:
    for _ in range(min(count, MOST_MESSAGES)):
        if not _send_task(TASK, queue, queue=queue):
            return


def let_pass(queue: str) -> None:
    """Send a message to the end of its queue, whose worker takes parts then, whatever else waits."""
    _send_task(TASK, queue, True, queue=queue)


def _send_task(name: str, *args: object, **options: str) -> bool:
    """Whether a broker took it; what was not sent is sent again by the look for lost work."""
    try:
        current_app.send_task(name, args=args, **options)
    except OperationalError as error:
        log.warning("%s %s waits: no broker can be reached (%s).", name, *args, error)
        return False
    return True
