"""Send what happened to whoever asked for it: by the workers, again with growing pauses where it fails.

A worker first spreads events: it makes a delivery for each endpoint that asks for that kind. Then it sends
what is due. A delivery is claimed before it is sent, by moving its time, so that another worker leaves it
alone and no transaction is open while the other side is waited for. A worker that dies in between leaves it
to be sent again: an event may come twice, under one id, and never not at all.
"""

import logging
import random
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
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
"""Deliveries to one endpoint within one look."""
SIDE_BY_SIDE = 8
SECONDS_FOR_MORE = 10.0
"""For how long an endpoint gets more than one request within one look."""
WITHHELD = Outcome(None, "", "Not sent: the owner may not see this any more.", 0)
GONE = 410
Claims = Iterator[Delivery]
log = logging.getLogger(__name__)


def deliver(*, clock: Callable[[], datetime]) -> int:
    """Spread what happened and send what is due; returns how many deliveries were taken.

    What fails is logged and tried the next time; it holds up nothing else.
    """
    spread_events(now=clock())
    taken = _send_due(clock)
    _forget_old(clock())
    return taken


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


def _send_due(clock: Callable[[], datetime]) -> int:
    """Send to several endpoints at once, to each one after the other; this thread alone uses the database.

    Each endpoint gets one request at least, and more in turn with the others while there is time: one that
    answers slowly holds up nobody. Those that fail come last, and are asked no more until the next look.
    """
    until, taken = time.monotonic() + SECONDS_FOR_MORE, 0
    waiting = deque(_claimed(endpoint, clock) for endpoint in _endpoints_due(clock()))
    under_way: dict[Future[Outcome], tuple[Delivery, Claims]] = {}
    with ThreadPoolExecutor(SIDE_BY_SIDE, thread_name_prefix="webhooks") as pool:
        while waiting or under_way:
            while waiting and len(under_way) < SIDE_BY_SIDE:
                claims = waiting.popleft()
                if delivery := _next_of(claims):
                    under_way[pool.submit(_attempt, delivery, clock())] = delivery, claims
            for ended in wait(under_way, return_when=FIRST_COMPLETED).done:
                delivery, claims = under_way.pop(ended)
                if _note(delivery, ended, clock):
                    taken += 1
                    if time.monotonic() < until:
                        waiting.append(claims)
    return taken


def _endpoints_due(now: datetime) -> list[Endpoint]:
    waiting = _due(now).order_by().values("endpoint")
    failing_last = F("failing_since").asc(nulls_first=True)
    return list(Endpoint.objects.filter(pk__in=waiting).order_by(failing_last, "pk"))


def _claimed(endpoint: Endpoint, clock: Callable[[], datetime]) -> Claims:
    """What is due there, oldest first, each claimed when it is asked for; what the owner may not see is not
    among it.
    """
    rows = _due(clock()).filter(endpoint=endpoint).select_related("event__batch", "endpoint__owner")
    for delivery in rows.order_by("due_at", "pk")[:AT_ONCE]:
        if not _claim(delivery, clock()):
            continue
        if may_be_told(delivery.endpoint.owner, delivery.event.batch):
            yield delivery
        else:
            record_attempt(delivery, WITHHELD, now=clock())


def _next_of(claims: Claims) -> Delivery | None:
    try:
        return next(claims, None)
    except Exception:
        log.exception("What is due for a webhook was not found out; a worker tries again")
        return None


def _note(delivery: Delivery, ended: "Future[Outcome]", clock: Callable[[], datetime]) -> bool:
    """Whether it was taken."""
    try:
        outcome = ended.result()
        record_attempt(delivery, outcome, now=clock())
    except Exception:
        log.exception("Delivery %s was not sent; a worker tries again", delivery.pk)
        return False
    return outcome.is_delivered


def _claim(delivery: Delivery, now: datetime) -> bool:
    """Whether it is for this process alone from here on; counted as a try."""
    same = Delivery.objects.filter(pk=delivery.pk, state=DeliveryState.WAITING, due_at=delivery.due_at)
    return bool(same.update(due_at=now + CLAIMED_FOR, tries=F("tries") + 1))


def _attempt(delivery: Delivery, now: datetime) -> Outcome:
    """One request; it asks nothing of the database."""
    endpoint, event = delivery.endpoint, delivery.event
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
        elif outcome is WITHHELD:
            _end(row, DeliveryState.GIVEN_UP)  # it is no fault of the endpoint
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
