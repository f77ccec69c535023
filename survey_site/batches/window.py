"""The time window of a batch: from when and until when questionnaires are handed out; both are optional."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row


def validate_window(batch: Batch) -> None:
    """Raise ValidationError where the end does not come after the beginning."""
    if batch.opens_at and batch.closes_at and batch.closes_at <= batch.opens_at:
        raise ValidationError({"closes_at": "The end must come after the beginning."})


def move_window(
    *,
    batch: Batch,
    opens_at: datetime | None,
    closes_at: datetime | None,
    now: datetime,
    by: User | None = None,
) -> Batch:
    """Let the window of a live batch begin and end then. Without an end it has none; without a beginning it
    opens now.

    The beginning moves only while it still lies ahead: afterwards it is when raters could first come.
    Raises ValidationError by field for a time that is past, ConflictError where the batch is not live.
    """
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        if not batch.is_live:
            raise ConflictError(
                f"Batch “{batch}” is not live.", action="Only a live batch hands out questionnaires."
            )
        before = {name: getattr(batch, name) for name in _ACTIONS}
        batch.opens_at, batch.closes_at = _moved_beginning(batch, opens_at, now), closes_at
        if closes_at and closes_at <= now:
            raise ValidationError(
                {"closes_at": "This is past. To end the batch now, close it; to stop for a while, pause it."}
            )
        validate_window(batch)
        moved = [name for name in _ACTIONS if getattr(batch, name) != before[name]]
        batch.save(update_fields=moved)
        for name in moved:
            detail = {name: f"{_recorded(before[name])} → {_recorded(getattr(batch, name))}"}
            record_action(action=_ACTIONS[name], subject=batch, by=by, now=now, detail=detail)
        return batch


_ACTIONS = {"opens_at": "beginning moved", "closes_at": "end moved"}


def _moved_beginning(batch: Batch, opens_at: datetime | None, now: datetime) -> datetime | None:
    if opens_at == batch.opens_at:
        return opens_at
    if not batch.is_early(now):
        raise ValidationError(
            {"opens_at": "The batch has opened already. To hand nothing out for a while, pause it."}
        )
    if opens_at and opens_at <= now:
        raise ValidationError({"opens_at": "This is past. Leave it empty to open the batch now."})
    return opens_at or now


def _recorded(moment: datetime | None) -> str:
    return moment.isoformat() if moment else "never"
