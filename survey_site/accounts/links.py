"""Links that work once: an invitation makes an account, a link to a new password sets one.

The secret of a link is shown or mailed once, and only its hash is kept. Whoever opens one has the hash put
into their session and goes on at an address without it, so that neither history nor `Referer` spreads it.
"""

import hashlib
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from axes.utils import reset as end_lockout
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet
from django.urls import reverse

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import AccountLink, LinkPurpose, User
from survey_site.accounts.permissions import Role
from survey_site.accounts.sessions import end_sessions
from survey_site.common.errors import ConflictError, GoneError, InvalidInputError
from survey_site.common.locking import lock_row, locked
from survey_site.projects.models import Project

ASK = "Ask whoever sent it to you for a new one."


@dataclass(frozen=True)
class NewLink:
    """A link that was just made. `path` holds its secret, which nobody can read again."""

    link: AccountLink
    path: str


def hash_secret(secret: str) -> str:
    """The secret has 256 random bits, so its hash needs no salt."""
    return hashlib.sha256(secret.encode()).hexdigest()


def invite(
    *,
    name: str,
    email: str,
    role: str,
    projects: Iterable[Project] | None = None,
    by: User | None,
    now: datetime,
) -> NewLink:
    """A link that makes one account with that role, a member of these projects.

    It takes the place of an open one for the same e-mail. projects: None for the only one that there is, or
    none where there are several.
    """
    if not name and not email:
        raise InvalidInputError("An invitation needs a name or an e-mail address.")
    with transaction.atomic():
        _lock_people(None, by)
        if email:
            open_invitations(now).filter(email__iexact=email).delete()
        made = _make(LinkPurpose.INVITE, by, now, name=name, email=email, role=Role(role))
        few = list(Project.objects.all()[:2])
        chosen = list(projects) if projects is not None else few if len(few) == 1 else []
        made.link.projects.set(chosen)
        detail = {"role": made.link.role, "projects": ", ".join(map(str, chosen)) or "none"}
        record_action(action="person invited", subject=made.link, by=by, now=now, detail=detail)
    return made


def make_reset_link(*, user: User, by: User | None, now: datetime) -> NewLink:
    """A link to a new password; earlier ones of the person end.

    `by` None: somebody asked for it at the log-in page. Who that was nobody knows, so that it ends no link
    that an admin made, and the audit log names nobody.
    """
    with transaction.atomic():
        _lock_people(user, by)
        user = User.objects.get(pk=user.pk)
        if not user.is_active:
            raise ConflictError(
                f"The account “{user}” is closed.", action="Let the person in again before you make a link."
            )
        earlier = _open_links(now).filter(user=user)
        (earlier if by else earlier.filter(made_by=None)).delete()
        made = _make(LinkPurpose.RESET, by, now, user=user)
        detail = {} if by else {"asked for": "at the log-in page"}
        record_action(action="link to a new password made", subject=user, by=by, now=now, detail=detail)
    return made


def open_link(secret_hash: str, *, now: datetime) -> AccountLink:
    """The link with that hash. Raises GoneError where it is used, over, taken back, or none."""
    link = AccountLink.objects.select_related("user").filter(secret_hash=secret_hash).first()
    return _require_open(link, now)


def accept_invitation(*, secret_hash: str, username: str, password: str | None, now: datetime) -> User:
    """Make the account that the link invites to; password: None for one that logs in elsewhere.

    Raises GoneError, or InvalidInputError for a taken name.
    """
    try:
        with transaction.atomic():
            link = _lock(secret_hash, LinkPurpose.INVITE, now)
            user = User(username=username, email=link.email, first_name=link.name, role=link.role)
            user.set_password(password)
            user.save()
            user.projects.set(link.projects.all())
            link.user, link.used_at = user, now
            link.save(update_fields=["user", "used_at"])
            record_action(action="invitation accepted", subject=user, by=user, now=now)
            return user
    except IntegrityError as error:
        raise InvalidInputError(f"The user name “{username}” was just taken. Choose another.") from error


def reset_password(*, secret_hash: str, password: str, now: datetime) -> User:
    """Set the password that the link is for, end every log-in and other link, and end a lockout.

    A lockout of an account with a second step ends by an admin's link alone: else whoever reads the mailbox
    could go on guessing codes after each link that they ask for.
    """
    with transaction.atomic():
        _lock_people(_require_open(_found(secret_hash, LinkPurpose.RESET).first(), now).user)
        link = _lock(secret_hash, LinkPurpose.RESET, now)
        user = User.objects.get(links=link)
        user.set_password(password)
        user.save(update_fields=["password"])
        link.used_at = now
        link.save(update_fields=["used_at"])
        _open_links(now).filter(user=user).delete()
        end_sessions(user)
        record_action(action="password set by link", subject=user, by=user, now=now)
    if link.made_by_id or user.second_step_at is None:
        end_lockout(username=user.username)
    return user


def withdraw_invitation(*, link_id: int, by: User, now: datetime) -> AccountLink:
    """Take an invitation back before it is used. Raises GoneError where it is used, or none."""
    with transaction.atomic():
        try:
            link = lock_row(AccountLink.objects.filter(pk=link_id, purpose=LinkPurpose.INVITE))
        except AccountLink.DoesNotExist:
            raise GoneError("There is no such invitation.") from None
        if link.used_at:
            raise ConflictError("This invitation has been used. Close the account instead.")
        record_action(action="invitation taken back", subject=link, by=by, now=now)
        AccountLink.objects.filter(pk=link.pk).delete()
    return link


def open_invitations(now: datetime) -> "QuerySet[AccountLink]":
    """Invitations that wait to be used."""
    return _open_links(now).filter(purpose=LinkPurpose.INVITE)


def stale_links(now: datetime) -> "QuerySet[AccountLink]":
    """Links that were used or whose time is over: nothing needs the names and addresses in them any more."""
    return AccountLink.objects.filter(Q(used_at__isnull=False) | Q(expires_at__lte=now))


def _open_links(now: datetime) -> "QuerySet[AccountLink]":
    return AccountLink.objects.filter(used_at=None, expires_at__gt=now)


def _make(purpose: LinkPurpose, by: User | None, now: datetime, **columns: object) -> NewLink:
    secret = secrets.token_urlsafe(32)
    link = AccountLink.objects.create(
        purpose=purpose,
        secret_hash=hash_secret(secret),
        made_by=by,
        made_at=now,
        expires_at=now + timedelta(days=settings.CONCORD_LINK_DAYS),
        **columns,
    )
    return NewLink(link, reverse("accounts:open-link", args=[secret]))


def _lock_people(user: User | None, by: User | None = None) -> None:
    """Lock whose link it is and who makes it, in the order of their keys, and before the links.

    That is the order of who closes an account: neither waits for the other for ever, and nobody makes a link
    while they are made no admin, which would leave it open. Raises ConflictError for such a maker.
    """
    keys = [one.pk for one in (user, by) if one]
    rows = {one.pk: one for one in locked(User.objects.filter(pk__in=keys)).order_by("pk")}
    if by and not (rows[by.pk].is_active and rows[by.pk].may_manage_accounts):
        raise ConflictError("You may make no links any more.", action="Ask an admin.")


def _lock(secret_hash: str, purpose: LinkPurpose, now: datetime) -> AccountLink:
    """The open link, locked: of two who use it at once the second finds it used."""
    return _require_open(locked(_found(secret_hash, purpose)).first(), now)


def _found(secret_hash: str, purpose: LinkPurpose) -> "QuerySet[AccountLink]":
    return AccountLink.objects.filter(secret_hash=secret_hash, purpose=purpose)


def _require_open(link: AccountLink | None, now: datetime) -> AccountLink:
    if link is None:
        raise GoneError(
            "This link does not work: it was taken back or replaced, or is not whole.", action=ASK
        )
    if link.used_at:
        raise GoneError("This link has been used.", action="Log in, or ask an admin for a new link.")
    if not link.is_open(now) or (link.user and not link.user.is_active):
        raise GoneError("The time of this link is over.", action=ASK)
    return link
