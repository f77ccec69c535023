"""What workers find out about a batch's ratings and its snapshot, and how a view hands it over."""

import logging

from celery import shared_task
from django.utils import timezone

from survey_site.quality.checking import compute_check
from survey_site.quality.freeze_jobs import carry_out_freezing
from survey_site.quality.kept import compute_kept
from survey_site.quality.models import Freezing, KeptFindings, SnapshotCheck
from survey_site.scoring.tasks import send_on_commit

log = logging.getLogger(__name__)


@shared_task(name="quality.find_out", acks_late=True)  # type: ignore[untyped-decorator]
def find_out_task(row_id: int) -> None:
    row = KeptFindings.objects.defer("packed").select_related("batch__corpus").filter(pk=row_id).first()
    if row is None:
        log.warning("Findings %s are gone; nothing to do.", row_id)
        return
    if row.is_unfinished:  # else a message that was left over: whoever looks asks again
        compute_kept(row, clock=timezone.now)


def ask_workers(row: KeptFindings) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(find_out_task, row)


@shared_task(name="quality.check_snapshot", acks_late=True)  # type: ignore[untyped-decorator]
def check_snapshot_task(row_id: int) -> None:
    row = SnapshotCheck.objects.filter(pk=row_id).first()
    if row is None:
        log.warning("Check %s is gone; nothing to do.", row_id)
        return
    if row.is_unfinished:  # else a message that was left over
        compute_check(row, clock=timezone.now)


def ask_for_check(row: SnapshotCheck) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(check_snapshot_task, row)


@shared_task(name="quality.freeze", acks_late=True)  # type: ignore[untyped-decorator]
def freeze_task(row_id: int) -> None:
    row = Freezing.objects.filter(pk=row_id).first()
    if row is None:
        log.warning("Freezing %s is gone; nothing to do.", row_id)
        return
    if row.is_unfinished:  # else a message that was left over
        carry_out_freezing(row, clock=timezone.now)


def ask_to_freeze_later(row: Freezing) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(freeze_task, row)
