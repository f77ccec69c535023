"""Make, change and delete endpoints, send a test event, replay a delivery: for pages and for programs."""

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import User
from survey_site.accounts.permissions import Right, may
from survey_site.common.errors import ConflictError, InvalidInputError, NotAllowedError
from survey_site.common.locking import lock_row, lock_whole_row, locked
from survey_site.notices.services import forget_notices_to_owner
from survey_site.webhooks.events import body_of
from survey_site.webhooks.models import (
    CHOSEN,
    Attempt,
    Delivery,
    DeliveryState,
    Endpoint,
    Event,
    EventKind,
    make_nonce,
)
from survey_site.webhooks.targets import check_address, site_of

MOST_ENDPOINTS = 20
BOTH_SECRETS = timedelta(days=1)
"""For how long the secret before signs too."""


def make_endpoint(*, owner: User, address: str, events: Sequence[str], now: datetime) -> Endpoint:
    """An endpoint of that person, switched on."""
    if not may(owner, Right.RESEARCH):
        raise NotAllowedError("Your account reads and changes nothing.", action="Ask an admin to do it.")
    address, events = check_address(address), _checked_events(events)
    with transaction.atomic():
        lock_row(User.objects.filter(pk=owner.pk))
        if Endpoint.objects.filter(owner=owner).count() >= MOST_ENDPOINTS:
            raise ConflictError(
                f"You have {MOST_ENDPOINTS} webhooks.", action="Delete one that you do not use."
            )
        endpoint = Endpoint.objects.create(owner=owner, address=address, events=events, made_at=now)
        _record("webhook made", endpoint, owner, now, {"site": site_of(address), "events": ", ".join(events)})
        return endpoint


def change_endpoint(
    *, endpoint: Endpoint, address: str, events: Sequence[str], by: User, now: datetime
) -> Endpoint:
    """Send elsewhere, or other kinds of events, from now on; what waits goes to the new address."""
    address, events = check_address(address), _checked_events(events)
    with transaction.atomic():
        endpoint = lock_row(Endpoint.objects.filter(pk=endpoint.pk))
        endpoint.address, endpoint.events = address, events
        endpoint.save(update_fields=["address", "events"])
        _record("webhook changed", endpoint, by, now, {"site": site_of(address), "events": ", ".join(events)})
        return endpoint


def switch_endpoint(*, endpoint: Endpoint, on: bool, by: User, now: datetime) -> None:
    """On: forget that it failed. Off: what waits is given up. Twice changes nothing."""
    with transaction.atomic():
        endpoint = lock_row(Endpoint.objects.filter(pk=endpoint.pk))
        if endpoint.is_active == on:
            return
        endpoint.is_active, endpoint.failing_since = on, None
        endpoint.off_because = "" if on else f"Switched off by {by.username}."
        endpoint.save(update_fields=["is_active", "failing_since", "off_because"])
        if not on:
            give_up_waiting(endpoint)
        _record(f"webhook switched {'on' if on else 'off'}", endpoint, by, now, {})


def change_some(*, endpoint: Endpoint, asked: Mapping[str, Any], by: User, now: datetime) -> None:
    """What is asked for of `address`, `events` and `is_active`; what is left out stays."""
    with transaction.atomic():
        if {"address", "events"} & set(asked):
            kept = {"address": endpoint.address, "events": endpoint.events}
            wanted = {name: asked.get(name, value) for name, value in kept.items()}
            change_endpoint(endpoint=endpoint, by=by, now=now, **wanted)
        if "is_active" in asked:
            switch_endpoint(endpoint=endpoint, on=asked["is_active"], by=by, now=now)


def rotate_secret(*, endpoint: Endpoint, by: User, now: datetime) -> Endpoint:
    """A new secret; for a day requests are signed with both."""
    with transaction.atomic():
        endpoint = lock_row(Endpoint.objects.filter(pk=endpoint.pk))
        endpoint.previous_nonce, endpoint.previous_until = endpoint.nonce, now + BOTH_SECRETS
        endpoint.nonce = make_nonce()
        endpoint.save(update_fields=["nonce", "previous_nonce", "previous_until"])
        _record("webhook secret changed", endpoint, by, now, {})
        return endpoint


def delete_endpoint(*, endpoint: Endpoint, by: User, now: datetime) -> None:
    """Delete it with its log. Events stay for the other endpoints."""
    with transaction.atomic():
        endpoint = lock_whole_row(Endpoint.objects.filter(pk=endpoint.pk))
        Attempt.objects.filter(delivery__endpoint=endpoint).delete()
        endpoint.deliveries.all().delete()
        forget_notices_to_owner(subject=str(endpoint.pk))
        _record("webhook deleted", endpoint, by, now, {"site": site_of(endpoint.address)})
        endpoint.delete()


def send_test(*, endpoint: Endpoint, by: User, now: datetime) -> Delivery:
    """An event that tells of nothing, for this endpoint alone; a worker sends it within seconds."""
    with transaction.atomic():
        endpoint = lock_row(Endpoint.objects.filter(pk=endpoint.pk))
        _require_active(endpoint)
        body = body_of(EventKind.TEST, {"webhook": endpoint.pk}, now)
        _record("webhook tested", endpoint, by, now, {})
        event = Event.objects.create(kind=EventKind.TEST, body=body, at=now, spread_at=now)
        return Delivery.objects.create(event=event, endpoint=endpoint, due_at=now)


def replay(*, delivery: Delivery, by: User, now: datetime) -> Delivery:
    """Send it again, under the same id, with as many tries as at first; the log keeps the earlier ones."""
    with transaction.atomic():
        endpoint = lock_row(Endpoint.objects.filter(pk=delivery.endpoint_id))
        _require_active(endpoint)
        if locked(Event.objects.filter(pk=delivery.event_id)).first() is None:
            raise ConflictError("The event is deleted.", action="Look at the log again.")
        delivery = Delivery.objects.select_related("event").get(pk=delivery.pk)
        delivery.state, delivery.due_at, delivery.tries = DeliveryState.WAITING, now, 0
        delivery.save(update_fields=["state", "due_at", "tries"])
        _record("webhook delivery replayed", endpoint, by, now, {"event": delivery.event.uid})
        return delivery


def give_up_waiting(endpoint: Endpoint) -> None:
    """What waits for an endpoint that is switched off is not sent; each can be sent again from the log."""
    waiting = endpoint.deliveries.filter(state=DeliveryState.WAITING)
    waiting.order_by().update(state=DeliveryState.GIVEN_UP, due_at=None)


def _require_active(endpoint: Endpoint) -> None:
    if not endpoint.is_active:
        raise ConflictError("This webhook is switched off.", action="Switch it on first.")


def _checked_events(events: Sequence[str]) -> list[str]:
    known = [name for name, _ in CHOSEN]
    if not events or set(events) - set(known):
        words = f"Choose one or more of {', '.join(known)}."
        raise InvalidInputError("These are no kinds of events.", action=words, fields={"events": [words]})
    return [name for name in known if name in events]


def _record(action: str, endpoint: Endpoint, by: User, now: datetime, detail: dict[str, object]) -> None:
    record_action(action=action, subject=endpoint, by=by, now=now, detail=detail)
