"""Reads about notices."""

from django.db.models import Exists, OuterRef, Prefetch, QuerySet

from survey_site.accounts.models import User
from survey_site.notices.models import Notice, Reading
from survey_site.projects.access import visible


def _own_readings(user: User) -> "QuerySet[Reading]":
    return Reading.objects.filter(notice=OuterRef("pk"), user=user)


def notices_for(user: User) -> "QuerySet[Notice]":
    """All that this person may see, the newest first, each with whether they have read it and who else."""
    readings = Prefetch("readings", Reading.objects.select_related("user").order_by("at"))
    rows = visible(Notice.objects.all(), user).annotate(is_read=Exists(_own_readings(user)))
    return rows.select_related("batch").prefetch_related(readings).order_by("-at", "-pk")


def unread_by(user: User) -> "QuerySet[Notice]":
    """What this person may see and has not read. What came before their account is not held up to them."""
    return visible(Notice.objects.all(), user).filter(~Exists(_own_readings(user)), at__gte=user.date_joined)
