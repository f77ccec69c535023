"""End a run in the middle, and compute again what failed of it."""

from datetime import datetime

from django.db import transaction

from survey_site.common.locking import lock_row
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.scoring.parts.joining import RunCancelledError, run_ended


def cancel_run(*, run: ScoreRun, now: datetime) -> ScoreRun:
    """End a run that waits or is computed: no further part is begun. One that is over stays as it is."""
    with transaction.atomic():
        row = lock_row(ScoreRun.objects.filter(pk=run.pk))
        if row.is_unfinished and row.cancelled_at is None:
            row.cancelled_at = now
            row.save(update_fields=["cancelled_at"])
            if not jobs.is_at_work(row, now=now):
                jobs.fail(row, now=now, error=jobs.reason_of(RunCancelledError()))
                transaction.on_commit(lambda: run_ended.send(sender=ScoreRun, run=row))
        return row


def retry_run(*, run: ScoreRun, now: datetime) -> ScoreRun:
    """Put a run that failed or was cancelled back into the queue, with those of its parts that failed."""
    with transaction.atomic():
        row = lock_row(ScoreRun.objects.filter(pk=run.pk))
        if row.is_failed:
            jobs.requeue(row, now=now)
            row.cancelled_at, row.waits_for_parts = None, False
            row.save(update_fields=["cancelled_at", "waits_for_parts"])
            requeue_failed_parts(row, now=now)
        return row


def requeue_failed_parts(run: ScoreRun, *, now: datetime) -> None:
    ScoreShard.objects.filter(run=run, status=JobStatus.FAILED).update(
        status=JobStatus.QUEUED,
        error="",
        requeued_at=now,
        interruptions=0,
        started_at=None,
        heartbeat_at=None,
        finished_at=None,
    )


def allow_again(run: ScoreRun, *, asked_at: datetime) -> None:
    """Forget that a run was cancelled before somebody asked for it once more."""
    ScoreRun.objects.filter(pk=run.pk, cancelled_at__lt=asked_at).update(cancelled_at=None)
    run.refresh_from_db(fields=["cancelled_at"])
