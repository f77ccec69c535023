"""What workers find out about a batch's ratings and its snapshot, and how a view hands it over."""

from celery import shared_task
from django.utils import timezone

from survey_site.quality.checking import compute_check
from survey_site.quality.freeze_jobs import carry_out_freezing
from survey_site.quality.kept import compute_kept
from survey_site.quality.models import Freezing, KeptFindings, SnapshotCheck
from survey_site.scoring.tasks import find_unfinished, send_on_commit


@shared_task(name="quality.find_out", acks_late=True)  # type: ignore[untyped-decorator]
def find_out_task(row_id: int) -> None:
    rows = KeptFindings.objects.defer("packed").select_related("batch__corpus")
    if row := find_unfinished(rows, row_id):
        compute_kept(row, clock=timezone.now)


def ask_workers(row: KeptFindings) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(find_out_task, row)


@shared_task(name="quality.check_snapshot", acks_late=True)  # type: ignore[untyped-decorator]
def check_snapshot_task(row_id: int) -> None:
    if row := find_unfinished(SnapshotCheck.objects.all(), row_id):
        compute_check(row, clock=timezone.now)


def ask_for_check(row: SnapshotCheck) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(check_snapshot_task, row)


@shared_task(name="quality.freeze", acks_late=True)  # type: ignore[untyped-decorator]
def freeze_task(row_id: int) -> None:
    if row := find_unfinished(Freezing.objects.all(), row_id):
        carry_out_freezing(row, clock=timezone.now)


def ask_to_freeze_later(row: Freezing) -> None:
    """Hand it to the workers once the transaction is committed."""
    send_on_commit(freeze_task, row)
