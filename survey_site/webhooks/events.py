"""Write down what happened, in the transaction in which it does, where anybody wants to be told of it.

Nothing is sent here, and no row of an endpoint is touched: raters' requests wait for nobody.
"""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.transaction import TransactionManagementError

from survey_site.batches.models import Batch
from survey_site.common.locking import lock_whole_rows
from survey_site.webhooks.models import Attempt, Delivery, Endpoint, Event, EventKind


def emit(
    kind: EventKind,
    batch: Batch,
    data: Mapping[str, Any] | Callable[[], Mapping[str, Any]],
    *,
    subject: str = "",
    now: datetime,
) -> Event | None:
    """Note an event of a batch; None where no endpoint asks for that kind.

    data: what is said of it besides the batch, or what finds it out, which is then asked only where somebody
    wants it. subject: the pseudonym of the rater whom it names: it goes when they withdraw.
    """
    if not connection.in_atomic_block:
        raise TransactionManagementError("An event belongs into the transaction of what happened.")
    if not _is_wanted(kind):
        return None
    said = {"batch": batch.pk, **(data() if callable(data) else data)}
    return Event.objects.create(
        kind=kind, batch=batch, subject=subject, body=body_of(kind, said, now), at=now
    )


def body_of(kind: EventKind, data: Mapping[str, Any], now: datetime) -> str:
    """What is sent: type, timestamp and data, as Standard Webhooks recommends."""
    said = {"type": str(kind), "timestamp": now.isoformat().replace("+00:00", "Z"), "data": dict(data)}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":"))


def forget_events_of(batch_id: int, subject: str) -> None:
    """Delete the events that name this rater, sent or not; in the transaction of their withdrawal."""
    delete_events(Event.objects.filter(batch=batch_id, subject=subject))


def delete_events(events: "QuerySet[Event]") -> None:
    """Delete them with their deliveries, under their locks."""
    lock_whole_rows(events)
    Attempt.objects.filter(delivery__event__in=events).delete()
    Delivery.objects.filter(event__in=events).delete()
    events.delete()


def _is_wanted(kind: EventKind) -> bool:
    asked_for = Endpoint.objects.filter(is_active=True).order_by().values_list("events", flat=True)
    return any(kind in events for events in asked_for)
