"""What a panel says of its people: a place is freed, and who was rejected is kept out of the scores."""

from datetime import datetime

from django.db import transaction
from django.utils.crypto import salted_hmac

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.batches.models import Batch
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row
from survey_site.quality.models import PanelEvent, PanelStatus
from survey_site.quality.services import exclude_rater
from survey_site.survey.models import Rater
from survey_site.survey.people.identity import panel_secret
from survey_site.survey.people.joining import hash_key
from survey_site.survey.rating.leaving import stop_rating

REASON = "Rejected on the panel"
LEFT = frozenset({PanelStatus.RETURNED, PanelStatus.TIMED_OUT, PanelStatus.REJECTED})


def take_panel_event(
    *, batch: Batch, event_id: str, participant: str, status: str, now: datetime, by: User | None = None
) -> tuple[PanelEvent, bool]:
    """What was done about it, and whether it came before: then nothing is done again.

    participant: the id that came in the address of the link. Whoever returned, timed out or was rejected
    gives back what they have open, as by leaving. What they completed stays and counts, unless they were
    rejected: then all of theirs is excluded, which can be undone, but not in a frozen batch, where nothing
    changes any more. Raises ConflictError where the id of the event came with something else before.
    """
    with transaction.atomic():
        batch = lock_row(Batch.objects.filter(pk=batch.pk))
        rater = Rater.objects.filter(
            batch=batch, key_hash=hash_key(panel_secret(batch, participant)), withdrawn_at=None
        ).first()
        event_hash = _hash_event(batch, event_id)
        before = PanelEvent.objects.select_related("rater").filter(batch=batch, event_hash=event_hash).first()
        if before:
            _require_same(before, status, rater)
            return before, True
        freed, excluded = _apply(batch, rater, status, now, by)
        event = PanelEvent.objects.create(
            batch=batch,
            event_hash=event_hash,
            status=status,
            rater=rater,
            freed=freed,
            excluded=excluded,
            at=now,
        )
        detail = {"status": status, "freed": freed}  # not whom: panels know when they said what of whom
        record_action(action="panel status taken", subject=batch, by=by, now=now, detail=detail)
        return event, False


def forget_panel_events_of(*, rater: Rater, **_signal: object) -> None:
    """Delete what a panel said of somebody who withdraws; in the transaction of the withdrawal."""
    PanelEvent.objects.filter(rater=rater).delete()


def _hash_event(batch: Batch, event_id: str) -> str:
    return salted_hmac("quality.panel_event", f"{batch.pk}:{event_id}", algorithm="sha256").hexdigest()


def _apply(
    batch: Batch, rater: Rater | None, status: str, now: datetime, by: User | None
) -> tuple[int, bool]:
    """How many places were freed, and whether the rater is excluded for it."""
    if rater is None or status not in LEFT:
        return 0, False
    freed = stop_rating(rater=rater)
    excluded = status == PanelStatus.REJECTED and not batch.is_frozen
    if excluded:
        exclude_rater(rater=rater, reason=REASON, now=now, by=by)
    return freed, excluded


def _require_same(before: PanelEvent, status: str, rater: Rater | None) -> None:
    """Who joined, or withdrew, since is no other person for that."""
    is_other = before.rater and rater and before.rater != rater
    if before.status != status or is_other:
        raise ConflictError(
            "An event with this id came before and said something else.",
            action="Send each event with an id of its own.",
        )
