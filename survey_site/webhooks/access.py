"""Who may see which webhooks, and what may be sent to whom: every page and operation asks here."""

from django.db.models import Q, QuerySet

from survey_site.accounts.models import User
from survey_site.accounts.permissions import Right, is_admin, may
from survey_site.batches.models import Batch
from survey_site.projects.access import visible
from survey_site.webhooks.models import Delivery, Endpoint


def endpoints_for(user: User) -> "QuerySet[Endpoint]":
    """Those that this person may see, change and delete: their own; an admin's are all."""
    rows = Endpoint.objects.select_related("owner").order_by("-pk")
    return rows if is_admin(user) else rows.filter(owner=user)


def deliveries_of(endpoint: Endpoint, user: User) -> "QuerySet[Delivery]":
    """The log of one, newest first: what was sent, and every attempt; nothing of batches that this person may
    not see, or not any more.
    """
    seen = visible(Batch.objects.all(), user).order_by().values("pk")
    rows = endpoint.deliveries.filter(Q(event__batch=None) | Q(event__batch__in=seen))
    return rows.select_related("event").prefetch_related("attempts").order_by("-pk")


def may_be_told(owner: User, batch: Batch | None) -> bool:
    """Whether what happens to that batch may be sent to this person's programs at this moment."""
    if not (owner.is_active and may(owner, Right.RESEARCH)):
        return False
    return batch is None or visible(Batch.objects.filter(pk=batch.pk), owner).exists()
