"""Webhooks: where events are sent, what happened, and how each delivery went.

Locks are taken in this order: endpoint, event. Who deletes either locks its whole row first, so that nobody
adds a delivery or an attempt to what is about to go.
"""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

MOST_LETTERS = 500


class EventKind(models.TextChoices):
    LAUNCHED = "batch.launched", "Batch launched"
    QUESTIONNAIRE = "questionnaire.completed", "Questionnaire completed by a rater"
    COMPLETE = "batch.completed", "Batch complete"
    FLAGGED = "rater.flagged", "Rater flagged"
    READY = "report.ready", "Report ready"
    FAILED = "report.failed", "Report failed"
    TEST = "webhook.test", "Test"


CHOSEN = [(str(kind), kind.label) for kind in EventKind if kind != EventKind.TEST]
"""What an endpoint may ask for; a test is sent to one endpoint, when somebody asks for it."""


def make_nonce() -> str:
    return secrets.token_hex(16)


def make_event_id() -> str:
    return f"evt_{secrets.token_hex(16)}"


class Endpoint(models.Model):
    """An address to which some kinds of events are sent, and whose it is.

    nonce: what its secret is derived from (`signing`); previous_nonce: that of the secret before, which
    signs too until `previous_until`. failing_since: when the first of the attempts failed, where all that
    followed failed too.
    """

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="webhooks")
    address = models.CharField(max_length=MOST_LETTERS)
    events = models.JSONField(default=list)
    is_active = models.BooleanField(default=True)
    off_because = models.CharField(max_length=200, blank=True)
    nonce = models.CharField(max_length=32, default=make_nonce, editable=False)
    previous_nonce = models.CharField(max_length=32, blank=True, editable=False)
    previous_until = models.DateTimeField(null=True, editable=False)
    failing_since = models.DateTimeField(null=True, editable=False)
    made_at = models.DateTimeField()

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"webhook No. {self.pk}"

    def get_absolute_url(self) -> str:
        return reverse("webhooks:detail", args=[self.pk])

    @property
    def event_names(self) -> list[str]:
        """What it is told of, as the form has it."""
        return [EventKind(kind).label for kind in self.events]


class Event(models.Model):
    """Something that happened, written in the transaction in which it did: never lost, never of what did not.

    body: what is sent, to the byte. subject: the pseudonym of the rater whom it names, if any. spread_at:
    when deliveries were made of it; None: a worker still has to.
    """

    uid = models.CharField(max_length=40, unique=True, default=make_event_id, editable=False)
    kind = models.CharField(max_length=30, choices=EventKind.choices)
    batch = models.ForeignKey("batches.Batch", on_delete=models.CASCADE, null=True, related_name="+")
    subject = models.CharField(max_length=20, blank=True)
    body = models.TextField()
    at = models.DateTimeField(db_index=True)
    spread_at = models.DateTimeField(null=True, db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(kind__in=EventKind.values), name="event_kind_known")
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.uid}"


class DeliveryState(models.TextChoices):
    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    GIVEN_UP = "given_up", "Given up"


class Delivery(models.Model):
    """An event on its way to an endpoint: tried from `due_at` on as long as it waits, `tries` times."""

    event = models.ForeignKey(Event, on_delete=models.CASCADE, related_name="deliveries")
    endpoint = models.ForeignKey(Endpoint, on_delete=models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=10, choices=DeliveryState.choices, default=DeliveryState.WAITING)
    due_at = models.DateTimeField(null=True, db_index=True)
    tries = models.PositiveSmallIntegerField(default=0)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["event", "endpoint"], name="delivered_once"),
            models.CheckConstraint(
                condition=Q(state="waiting", due_at__isnull=False)
                | Q(state__in=["delivered", "given_up"], due_at__isnull=True),
                name="due_while_it_waits",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.event} to {self.endpoint_id}"


class Attempt(models.Model):
    """One request: what came back, or why nothing did. answer: the first letters of the response."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    milliseconds = models.PositiveIntegerField()
    answer = models.TextField(blank=True)
    fault = models.CharField(max_length=200, blank=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"{self.delivery_id} at {self.at}: {self.status or self.fault}"
