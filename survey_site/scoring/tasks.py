"""Thin background tasks: fixed names, ids only. Whoever commits the row enqueues the task."""

import logging

from celery import Task, shared_task
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone
from kombu.exceptions import OperationalError

from survey_site.scoring.jobs import Row, is_at_work, note_unsent
from survey_site.scoring.models import Job, ScoreRun
from survey_site.scoring.parts.joining import may_join, run_ended
from survey_site.scoring.parts.turns import work_waits
from survey_site.scoring.parts.waking import JOIN, TASK, let_pass, send_wakes, wake_joiner
from survey_site.scoring.parts.working import work_on
from survey_site.scoring.services import execute_run

log = logging.getLogger(__name__)


def enqueue_run(run: ScoreRun) -> None:
    """Hand the run to the workers once the transaction is committed."""
    send_on_commit(execute_run_task, run)


def send_on_commit(task: Task, job: Job) -> None:
    """Enqueue on commit. Without a broker the row stays queued, and `requeue_stale` sends it again."""
    transaction.on_commit(lambda: _send(task, job))


def _send(task: Task, job: Job) -> None:
    try:
        task.delay(job.pk)
    except OperationalError as error:
        log.warning("%s %s waits: no broker can be reached (%s).", task.name, job.pk, error)
        note_unsent(job)


def find_unfinished(jobs: "QuerySet[Row]", row_id: int) -> Row | None:
    """The job that a message names; None where it is gone, or over: then the message was left over."""
    job = jobs.filter(pk=row_id).first()
    if job is None:
        log.warning("%s %s is gone; nothing to do.", jobs.model.__name__, row_id)
    return job if job and job.is_unfinished else None


@shared_task(name=JOIN, acks_late=True)  # type: ignore[untyped-decorator]
def execute_run_task(run_id: int) -> None:
    run = ScoreRun.objects.filter(pk=run_id).first()
    if run is None:
        log.warning("Score run %s is gone; nothing to do.", run_id)
        return
    if run.is_failed:
        return  # a message that was left over; whoever tries it again puts it into the queue first
    # A message sent twice must not keep a worker waiting, nor must parts that others compute.
    if not is_at_work(run, now=timezone.now()) and may_join(run):
        ended = execute_run(run=run, may_leave=True)
        wake_joiner(run)
        if not ended.is_unfinished:
            run_ended.send(sender=ScoreRun, run=run)


@shared_task(name=TASK, acks_late=True)  # type: ignore[untyped-decorator]
def compute_shards_task(queue: str, passed: bool = False) -> None:
    """Compute parts that wait in a queue; after a while other tasks have their turn before the rest.

    Many of these messages may lie before one of work that nobody has begun: each lets it pass, but once alone
    (`passed`), so that parts go on where the message of that work was lost.
    """
    if not passed and work_waits():
        let_pass(queue)
        return
    if work_on(queue, clock=timezone.now, ended=wake_joiner):
        send_wakes(queue)
