"""Send what happened to whoever asked for it: by the workers, again with growing pauses where it fails.

A worker first spreads events: it makes a delivery for each endpoint that asks for that kind. Then it sends
what is due. A delivery is claimed before it is sent, by moving its time, so that another worker leaves it
alone and no transaction is open while the other side is waited for. A worker that dies in between leaves it
to be sent again: an event may come twice, under one id, and never not at all.
"""

import logging
import random
from collections.abc import Callable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, QuerySet

from survey_site.common.locking import locked
from survey_site.notices.models import NoticeKind
from survey_site.notices.services import notify_owner
from survey_site.webhooks.access import may_be_told
from survey_site.webhooks.events import delete_events
from survey_site.webhooks.models import Attempt, Delivery, DeliveryState, Endpoint, Event
from survey_site.webhooks.sending import Outcome, post
from survey_site.webhooks.services import give_up_waiting
from survey_site.webhooks.signing import headers_of

TRIES = 9
FIRST_PAUSE, FACTOR, JITTER = timedelta(seconds=30), 3, 0.2
"""The pause after the first try, what each is longer than the one before, and by which share it varies: nine
tries within 27 hours, more or less."""
CLAIMED_FOR = timedelta(minutes=2)
"""Longer than a request may take."""
OFF_AFTER = timedelta(days=3)
"""For how long all attempts fail before an endpoint is switched off."""
KEPT_FOR = timedelta(days=30)
AT_ONCE = 100
GONE = 410
log = logging.getLogger(__name__)


def deliver(*, clock: Callable[[], datetime]) -> int:
    """Spread what happened and send what is due; returns how many deliveries were taken.

    What fails is logged and tried the next time; it holds up nothing else. Endpoints that fail come last, and
    one whose request fails is asked no more until the next time.
    """
    spread_events(now=clock())
    _forget_old(clock())
    waiting = _due(clock()).order_by().values("endpoint")
    endpoints = Endpoint.objects.filter(pk__in=waiting).order_by(
        F("failing_since").asc(nulls_first=True), "pk"
    )
    return sum(_send_to(endpoint, clock) for endpoint in list(endpoints))


def spread_events(*, now: datetime) -> None:
    """Make the deliveries of each event that has none yet, in the order in which they happened."""
    for pk in Event.objects.filter(spread_at=None).order_by("at", "pk").values_list("pk", flat=True):
        try:
            _spread(pk, now)
        except Exception:
            log.exception("Event %s was not spread; a worker tries again", pk)


def _forget_old(now: datetime) -> None:
    """Delete what the log keeps no longer."""
    old = Event.objects.filter(at__lt=now - KEPT_FOR)
    if old.exists():
        with transaction.atomic():
            delete_events(old)


def _spread(pk: int, now: datetime) -> None:
    with transaction.atomic():
        endpoints = list(
            locked(Endpoint.objects.filter(is_active=True).select_related("owner").order_by("pk"))
        )
        event = locked(Event.objects.select_related("batch").filter(pk=pk, spread_at=None)).first()
        if event is None:
            return
        made = [
            Delivery(event=event, endpoint=one, due_at=now)
            for one in endpoints
            if event.kind in one.events and one.made_at <= event.at and may_be_told(one.owner, event.batch)
        ]
        Delivery.objects.bulk_create(made)
        Event.objects.filter(pk=pk).update(spread_at=now)


def _due(now: datetime) -> "QuerySet[Delivery]":
    waiting = Delivery.objects.filter(state=DeliveryState.WAITING, due_at__lte=now)
    return waiting.filter(endpoint__is_active=True)


def _send_to(endpoint: Endpoint, clock: Callable[[], datetime]) -> int:
    """Send what is due there, oldest first, until one fails."""
    taken = 0
    rows = _due(clock()).filter(endpoint=endpoint).select_related("event__batch", "endpoint__owner")
    for delivery in rows.order_by("due_at", "pk")[:AT_ONCE]:
        if not _claim(delivery, clock()):
            continue
        try:
            outcome = _attempt(delivery, clock())
            record_attempt(delivery, outcome, now=clock())
        except Exception:
            log.exception("Delivery %s was not sent; a worker tries again", delivery.pk)
            break
        if not outcome.is_delivered:
            break
        taken += 1
    return taken


def _claim(delivery: Delivery, now: datetime) -> bool:
    """Whether it is for this process alone from here on; counted as a try."""
    same = Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING, due_at=delivery.due_at)
    return bool(same.update(due_at=now + CLAIMED_FOR, tries=F("tries") + 1))


def _attempt(delivery: Delivery, now: datetime) -> Outcome:
    endpoint, event = delivery.endpoint, delivery.event
    if not may_be_told(endpoint.owner, event.batch):
        return Outcome(None, "", "Not sent: the owner may not see this any more.", 0)
    body = event.body.encode()
    return post(endpoint.address, body, headers_of(endpoint, event.uid, body, now))


def record_attempt(delivery: Delivery, outcome: Outcome, *, now: datetime) -> None:
    """Write down what came of a try, and what follows from it. Nothing where the delivery is gone."""
    with transaction.atomic():
        endpoint = locked(Endpoint.objects.filter(pk=delivery.endpoint_id)).first()
        event = locked(Event.objects.filter(pk=delivery.event_id)).first()
        row = Delivery.objects.filter(pk=delivery.pk).first()
        if endpoint is None or event is None or row is None:
            return
        Attempt.objects.create(
            delivery=row,
            at=now,
            status=outcome.status,
            milliseconds=outcome.milliseconds,
            answer=outcome.answer,
            fault=outcome.fault,
        )
        if outcome.is_delivered:
            _end(row, DeliveryState.DELIVERED)
            Endpoint.objects.filter(pk=endpoint.pk).update(failing_since=None)
        elif row.state == DeliveryState.WAITING:
            _note_failure(endpoint, row, outcome, now)


def _note_failure(endpoint: Endpoint, row: Delivery, outcome: Outcome, now: datetime) -> None:
    since = endpoint.failing_since or now
    Endpoint.objects.filter(pk=endpoint.pk).update(failing_since=since)
    spell = f"{endpoint.pk} since {since.isoformat()}"
    if outcome.status == GONE:
        _switch_off(endpoint, "It answered 410: gone.", spell, now)
    elif now - since >= OFF_AFTER:
        _switch_off(endpoint, f"All attempts since {since:%d %B %Y} failed.", spell, now)
    elif row.tries >= TRIES:
        _end(row, DeliveryState.GIVEN_UP)
        _tell(NoticeKind.UNSENT, endpoint, spell, now)
    else:
        Delivery.objects.filter(pk=row.pk).update(due_at=now + pause_after(row.tries))


def pause_after(tries: int) -> timedelta:
    """How long to wait after so many tries."""
    longer: int = FACTOR ** (tries - 1)
    return FIRST_PAUSE * longer * (1 + JITTER * random.uniform(-1, 1))  # noqa: S311


def _end(row: Delivery, state: DeliveryState) -> None:
    Delivery.objects.filter(pk=row.pk).update(state=state, due_at=None)


def _switch_off(endpoint: Endpoint, why: str, spell: str, now: datetime) -> None:
    Endpoint.objects.filter(pk=endpoint.pk).update(is_active=False, off_because=why)
    give_up_waiting(endpoint)
    _tell(NoticeKind.SWITCHED_OFF, endpoint, spell, now)


def _tell(kind: NoticeKind, endpoint: Endpoint, spell: str, now: datetime) -> None:
    """Once for each time that it fails."""
    notify_owner(kind=kind, owner=endpoint.owner, key=spell, subject=str(endpoint.pk), now=now)
