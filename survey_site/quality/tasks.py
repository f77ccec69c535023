"""The background task that finds out about the ratings of a batch, and how a view hands it over."""

import logging

from celery import shared_task
from django.utils import timezone

from survey_site.quality.kept import compute_kept
from survey_site.quality.models import KeptFindings
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
    send_on_commit(find_out_task, row.pk)
