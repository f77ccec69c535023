"""Which account belongs to whom the provider vouches for. No account is made, or gets rights, unasked."""

import re
from datetime import datetime

from django.conf import settings
from django.db import IntegrityError, transaction
from django.http import Http404

from survey_site.accounts.audit import record_action
from survey_site.accounts.links import accept_invitation
from survey_site.accounts.models import ExternalLogin, User
from survey_site.accounts.openid import Identity, OpenIdError, provider_name
from survey_site.accounts.sessions import end_sessions
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row

ID_TOKEN = "openid-token"  # noqa: S105 - the name under which a session keeps it
NAME_LENGTH = 140


def login_of(user: User) -> ExternalLogin | None:
    """How the provider that is set knows this person."""
    if not provider_name():
        return None
    return user.external_logins.filter(issuer=settings.CONCORD_OIDC_ISSUER).first()


def must_log_in_there(user: User) -> bool:
    """Whether the person's password is no way in, by CONCORD_OIDC_PASSWORDS."""
    return not settings.CONCORD_OIDC_PASSWORDS and login_of(user) is not None


def account_of(identity: Identity, *, now: datetime) -> tuple[User, bool]:
    """The account that is linked, or that the settings let link or make here; and whether an account that was
    there before is linked only now. Raises OpenIdError for none.
    """
    known = _linked(identity)
    linked_now = None if known else _linked_by_email(identity, now=now)
    found = known or linked_now or _made(identity, now=now)
    if found is None:
        raise OpenIdError(
            f"No account here is linked with this account of {provider_name()}.",
            action="Log in with your password and link it on Your account, or ask an admin to invite you.",
        )
    if not found.is_active:
        raise OpenIdError("Your account here is closed.", action="Ask an admin to open it again.")
    return found, linked_now is not None


def link_account(*, user: User, identity: Identity, how: str, now: datetime) -> None:
    """Let the provider's word log this person in. Raises ConflictError where either is linked already."""
    try:
        with transaction.atomic():
            lock_row(User.objects.filter(pk=user.pk))
            ExternalLogin.objects.create(
                user=user, issuer=identity.issuer, subject=identity.subject, linked_at=now
            )
            record_action(action="log-in linked", subject=user, by=user, now=now, detail={"by": how})
    except IntegrityError as error:
        raise ConflictError(
            f"This account, or that of {provider_name()}, is linked already.", action="Unlink it first."
        ) from error


def accept_with(*, secret_hash: str, identity: Identity, now: datetime) -> User:
    """Make the account that an invitation is for, without a password, and link it. Raises GoneError too."""
    with transaction.atomic():
        user = accept_invitation(
            secret_hash=secret_hash, username=_free_name(identity.name), password=None, now=now
        )
        link_account(user=user, identity=identity, how="an invitation", now=now)
        return user


def unlink_account(*, user: User, by: User, now: datetime, but: str | None = None) -> None:
    """End the link, and every log-in but that with this session's key.

    Raises ConflictError without one, and for one's own where there is no password to log in with.
    """
    if by == user and not user.has_usable_password():
        raise ConflictError(
            "Without a password you could not log in.", action="Ask an admin for a link to one."
        )
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        if not user.external_logins.filter(issuer=settings.CONCORD_OIDC_ISSUER).delete()[0]:
            raise ConflictError(f"“{user}” is not linked.", action="There is nothing to change.")
        end_sessions(user, but=but)
        record_action(action="log-in unlinked", subject=user, by=by, now=now)


def _linked(identity: Identity) -> User | None:
    return User.objects.filter(
        external_logins__issuer=identity.issuer, external_logins__subject=identity.subject
    ).first()


def _linked_by_email(identity: Identity, *, now: datetime) -> User | None:
    """The one open account with that verified address, where the settings trust the provider with them.

    Capitals of the 26 letters alone make no difference. A database finds more alike (PostgreSQL `ı` and `i`),
    and whoever had such an address would become somebody else.
    """
    if not settings.CONCORD_OIDC_BY_EMAIL or not identity.email:
        return None
    like = User.objects.filter(email__iexact=identity.email, is_active=True)
    same = [one for one in like if one.email.encode().lower() == identity.email.encode().lower()]
    if len(same) != 1 or login_of(same[0]):
        return None
    link_account(user=same[0], identity=identity, how="verified e-mail address", now=now)
    return same[0]


def _made(identity: Identity, *, now: datetime) -> User | None:
    """A new account with the role of CONCORD_OIDC_NEW_ROLE, of no project; none where that is none."""
    if settings.CONCORD_OIDC_NEW_ROLE == "none":
        return None
    role = settings.CONCORD_OIDC_NEW_ROLE
    try:
        return _make(identity, role, now)
    except IntegrityError as error:
        raise ConflictError(
            "Somebody else was just given the same user name.", action="Log in once more."
        ) from error


def _make(identity: Identity, role: str, now: datetime) -> User:
    with transaction.atomic():
        user = User(username=_free_name(identity.name), email=identity.email, role=role)
        user.set_unusable_password()
        user.save()
        record_action(
            action="account made by a log-in", subject=user, by=user, now=now, detail={"role": role}
        )
        link_account(user=user, identity=identity, how="its first log-in", now=now)
        return user


def _free_name(wished: str) -> str:
    """A user name that nobody has, as near as can be to what the provider calls the person."""
    name = re.sub(r"[^\w.@+-]", "", wished)[:NAME_LENGTH] or "person"
    taken = set(User.objects.filter(username__istartswith=name).values_list("username", flat=True))
    lower = {one.casefold() for one in taken}
    numbered = (f"{name}{number}" for number in range(2, len(lower) + 3))
    return (
        name if name.casefold() not in lower else next(one for one in numbered if one.casefold() not in lower)
    )


def require_provider() -> None:
    """Raises Http404 where the site has none: then no page of one is there."""
    if not provider_name():
        raise Http404
