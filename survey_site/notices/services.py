"""Writes on notices: that something has happened, and that somebody has read of it."""

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from survey_site.accounts.models import User
from survey_site.accounts.queries import people_of
from survey_site.batches.models import Batch
from survey_site.common.locking import lock_whole_rows, locked
from survey_site.common.mail import mails_are_sent
from survey_site.notices.models import Delivery, Notice, NoticeKind, Reading
from survey_site.notices.queries import unread_by
from survey_site.projects.access import project_key


def notify(*, kind: NoticeKind, batch: Batch, key: str, subject: str = "", now: datetime) -> Notice | None:
    """Note that it happened, and for whom it is to be mailed; None where that was noted before.

    Of two processes that find the same at once, the schema lets one write it.
    """
    of = {"kind": kind, "batch": batch, "key": key}
    return _write(of, people_of(project_key(batch)), subject, now)


def notify_owner(*, kind: NoticeKind, owner: User, key: str, subject: str, now: datetime) -> Notice | None:
    """The same for something that one person alone is told of."""
    of = {"kind": kind, "owner": owner, "key": key}
    return _write(of, User.objects.filter(pk=owner.pk), subject, now)


def forget_notices_to_owner(*, subject: str) -> None:
    """Delete what an owner was told of something that is about to go: the page that it leads to goes too."""
    told = Notice.objects.filter(owner__isnull=False, subject=subject)
    lock_whole_rows(told)
    told.delete()


def _write(of: dict[str, Any], people: "QuerySet[User]", subject: str, now: datetime) -> Notice | None:
    try:
        with transaction.atomic():
            notice = Notice.objects.create(**of, subject=subject, at=now)
            if mails_are_sent():
                wanted = people.filter(is_active=True, notices_by_mail=True).exclude(email="")
                Delivery.objects.bulk_create(
                    Delivery(notice=notice, user=user, due_at=now) for user in wanted
                )
            return notice
    except IntegrityError:
        if not Notice.objects.filter(**of).exists():
            raise
        return None


def mark_read(*, notice: Notice, user: User, now: datetime) -> None:
    """Note that somebody has read it; the first time counts. One that is deleted meanwhile is passed over."""
    _mark(Notice.objects.filter(pk=notice.pk), user, now)


def mark_all_read(*, user: User, now: datetime, but: Collection[str] = ()) -> None:
    """but: kinds that whoever asks was not shown."""
    _mark(unread_by(user).exclude(kind__in=but), user, now)


def _mark(notices: "QuerySet[Notice]", user: User, now: datetime) -> None:
    """Under the lock of the notices, in the order in which who deletes them takes it."""
    with transaction.atomic():
        there = locked(notices.order_by("pk")).values_list("pk", flat=True)
        rows = [Reading(notice_id=pk, user=user, at=now) for pk in there]
        Reading.objects.bulk_create(rows, ignore_conflicts=True)
