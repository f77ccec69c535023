"""The time window of a batch: from when and until when questionnaires are handed out; both are optional."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.formats import date_format
from django.utils.timezone import get_current_timezone_name, localtime

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row

FORMAT = "j F Y, H:i"


def in_words(moment: datetime) -> str:
    """A moment in the site's time zone, which it names."""
    return f"{date_format(localtime(moment), FORMAT)} ({get_current_timezone_name()})"


def validate_window(batch: Batch) -> None:
    """Raise ValidationError where the end does not come after the beginning."""
    if batch.opens_at and batch.closes_at and batch.closes_at <= batch.opens_at:
        raise ValidationError({"closes_at": "The end must come after the beginning."})


def move_end(*, batch: Batch, closes_at: datetime | None, now: datetime, by: User | None = None) -> Batch:
    """Let the window of a live batch end then, or never. Raises ValidationError for a time that is past."""
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if not batch.is_live:
            raise ConflictError(
                f"Batch “{batch}” is not live.", action="Only a live batch hands out questionnaires."
            )
        if closes_at and closes_at <= now:
            raise ValidationError(
                {"closes_at": "This is past. To end the batch now, close it; to stop for a while, pause it."}
            )
        before, batch.closes_at = batch.closes_at, closes_at
        validate_window(batch)
        if before != closes_at:
            batch.save(update_fields=["closes_at"])
            detail = {"closes_at": f"{_recorded(before)} → {_recorded(closes_at)}"}
            record_action(action="end moved", subject=batch, by=by, now=now, detail=detail)
        return batch


def _recorded(moment: datetime | None) -> str:
    return moment.isoformat() if moment else "never"
