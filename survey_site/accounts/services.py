"""Writes on accounts. Links to them are in `links`."""

from datetime import datetime

from django.db import transaction

from survey_site.accounts.audit import record_action
from survey_site.accounts.models import AccountLink, User
from survey_site.accounts.permissions import Role
from survey_site.accounts.queries import admins
from survey_site.accounts.sessions import end_sessions
from survey_site.accounts.tokens import revoke_beyond_role
from survey_site.common.errors import ConflictError
from survey_site.common.locking import lock_row


@transaction.atomic
def ensure_user(*, username: str, role: str, password: str) -> User:
    """The account of that name with that role and password; made if it does not exist."""
    user, _ = User.objects.get_or_create(username=username)
    user.role = Role(role)
    if not user.check_password(password):  # setting it anew would end the user's sessions
        user.set_password(password)
    user.full_clean()
    user.save()
    return user


def change_role(*, user: User, role: str, by: User, now: datetime) -> User:
    """Give somebody another role; a superuser who is made something else than admin is none any more.

    Links that somebody made who is no admin any more end, and tokens that may do more than the new role.
    Raises ConflictError for the last admin.
    """
    with transaction.atomic():
        user = lock_beside_admins(user)
        before, after = user.held_role, Role(role)
        if after == before:
            return user
        if before == Role.ADMIN:
            _require_another_admin(user)
        user.role = after
        detail: dict[str, object] = {"role": f"{before.label} → {after.label}"}
        if after != Role.ADMIN:
            user.is_superuser = user.is_staff = False
            detail |= _end_links_made_by(user)
        user.save(update_fields=["role", "is_superuser", "is_staff"])
        detail |= revoke_beyond_role(user, now=now)
        record_action(action="role changed", subject=user, by=by, now=now, detail=detail)
        return user


def close_account(*, user: User, by: User, now: datetime) -> User:
    """Let somebody in no more: every log-in, token and open link of theirs, and that they made, ends.

    What they did stays. Raises ConflictError for the last admin.
    """
    with transaction.atomic():
        user = lock_beside_admins(user)
        if not user.is_active:
            return user
        if user.held_role == Role.ADMIN:
            _require_another_admin(user)
        user.is_active = False
        user.save(update_fields=["is_active"])
        end_sessions(user)
        AccountLink.objects.filter(user=user, used_at=None).delete()
        detail = _end_links_made_by(user) | revoke_beyond_role(user, now=now)
        record_action(action="account closed", subject=user, by=by, now=now, detail=detail)
        return user


def reopen_account(*, user: User, by: User, now: datetime) -> User:
    """Let somebody in again, with the password and role from before."""
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        if not user.is_active:
            user.is_active = True
            user.save(update_fields=["is_active"])
            record_action(action="account opened again", subject=user, by=by, now=now)
        return user


def change_password(*, user: User, password: str, session: str, now: datetime) -> User:
    """Set a person's own new password; every log-in but that with this session's key ends."""
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        user.set_password(password)
        user.save(update_fields=["password"])
        end_sessions(user, but=session)
        record_action(action="password changed", subject=user, by=user, now=now)
        return user


def change_details(*, user: User, email: str, notices_by_mail: bool, now: datetime) -> str:
    """Where a person's mails go, and whether notices are among them.

    Returns the address from before where it is another now, to be told of it; else nothing.
    """
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        before = user.email
        user.email, user.notices_by_mail = email, notices_by_mail
        user.save(update_fields=["email", "notices_by_mail"])
        if email == before:
            return ""
        record_action(action="e-mail address changed", subject=user, by=user, now=now)
        return before


def log_out_elsewhere(*, user: User, by: User, now: datetime, only: str = "", but: str | None = None) -> int:
    """End log-ins of a person: `only` that with the hashed key, all `but` that with the key, or all."""
    with transaction.atomic():
        ended = end_sessions(user, only=only, but=but)
        if ended:
            detail = {"log-ins": ended}
            record_action(action="log-ins ended", subject=user, by=by, now=now, detail=detail)
        return ended


def _end_links_made_by(user: User) -> dict[str, object]:
    """End what somebody made to be handed over: an admin who is none any more has no way back in by it.

    Returns the detail of it for the audit log.
    """
    gone = AccountLink.objects.filter(made_by=user, used_at=None).delete()[1]
    ended = gone.get(AccountLink._meta.label, 0)
    return {"links ended": ended} if ended else {}


def lock_beside_admins(user: User) -> User:
    """The person as they are now, with every admin's row locked: of two who each take the other's role away
    the second waits, and then finds themselves the last one. In the order of the keys, so that none waits for
    the other.
    """
    rows = (admins() | User.objects.filter(pk=user.pk)).select_for_update(no_key=True).order_by("pk")
    return next(one for one in rows if one.pk == user.pk)


def _require_another_admin(user: User) -> None:
    if not admins().exclude(pk=user.pk).exists():
        raise ConflictError(
            f"“{user}” is the last admin: without one nobody could manage accounts.",
            action="Make somebody else an admin first.",
        )
