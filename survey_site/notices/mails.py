"""Notices by mail: one mail for all that wait for a person, tried again later where it fails.

A mail is claimed before it is sent, by moving its time: another process leaves it alone meanwhile, and no
transaction is open while the server is waited for. Who dies in between leaves it to be sent again: twice at
worst, never not at all.
"""

import logging
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.db.models import F
from django.urls import reverse

from survey_site.accounts.models import User
from survey_site.common.mail import MailFailedError, absolute, mails_are_sent, send_mail
from survey_site.notices.models import Delivery, Notice
from survey_site.projects.access import visible

CLAIMED_FOR = timedelta(minutes=2)
"""Longer than the mail server is waited for."""
PAUSES = tuple(timedelta(minutes=minutes) for minutes in (2, 10, 60, 360))
"""Before each new try; after the last one nothing is mailed, and the notice stands on its page."""
log = logging.getLogger(__name__)


def send_due_mails(*, now: datetime) -> int:
    """Mail what is due; returns how many mails the server took."""
    if not mails_are_sent():
        return 0
    due = Delivery.objects.filter(sent_at=None, due_at__lte=now)
    waiting = due.order_by().values_list("user", flat=True).distinct()
    return sum(_mail(User.objects.get(pk=pk), now) for pk in sorted(waiting))


def _mail(user: User, now: datetime) -> bool:
    mine = _claim(user, now)
    if not mine:
        return False
    mine = _still_theirs(mine, user)
    if not mine:
        return False
    rows = Delivery.objects.filter(pk__in=[one.pk for one in mine])
    if not (user.is_active and user.notices_by_mail and user.email):
        rows.update(due_at=None)  # they changed their mind since
        return False
    try:
        send_mail(to=user.email, subject=_subject(mine), text=_text(mine))
    except MailFailedError:
        for one in mine:
            pause = PAUSES[one.tries - 1] if one.tries <= len(PAUSES) else None
            Delivery.objects.filter(pk=one.pk).update(due_at=now + pause if pause else None)
        return False
    rows.update(sent_at=now, due_at=None)
    return True


def _claim(user: User, now: datetime) -> list[Delivery]:
    """What is due for that person, for this process alone; counted as a try."""
    found = Delivery.objects.filter(user=user, sent_at=None, due_at__lte=now)
    mine = []
    for one in found.select_related("notice__batch").order_by("notice__at", "pk"):
        taken = Delivery.objects.filter(pk=one.pk, due_at=one.due_at, sent_at=None)
        if taken.update(due_at=now + CLAIMED_FOR, tries=F("tries") + 1):
            one.tries += 1
            mine.append(one)
    return mine


def _still_theirs(mine: Sequence[Delivery], user: User) -> list[Delivery]:
    """Those of projects that the person sees; of what they left since nothing is mailed any more."""
    notices = [one.notice_id for one in mine]
    seen = set(visible(Notice.objects.filter(pk__in=notices), user).values_list("pk", flat=True))
    Delivery.objects.filter(pk__in=[one.pk for one in mine if one.notice_id not in seen]).update(due_at=None)
    return [one for one in mine if one.notice_id in seen]


def _subject(mine: Sequence[Delivery]) -> str:
    return str(mine[0].notice) if len(mine) == 1 else f"{len(mine)} notices"


def _text(mine: Sequence[Delivery]) -> str:
    parts = [
        f"{one.notice}.\n{one.notice.what_to_do}\n{absolute(one.notice.get_absolute_url())}" for one in mine
    ]
    own = absolute(reverse("accounts:own"))
    last = f"You get this because you asked for notices by mail. Change that: {own}"
    return "\n\n".join([*parts, last]) + "\n"
