"""Tokens of people's programs: made, revoked, and found again by the secret that a request shows.

A token has some scopes. What it may do is asked again at each request, of the role that its owner has then.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q, QuerySet

from survey_site.accounts.audit import record_action
from survey_site.accounts.links import hash_secret
from survey_site.accounts.models import ApiToken, KeptAnswer, User
from survey_site.accounts.permissions import SCOPES, Scope, may, scopes_of
from survey_site.common.errors import ConflictError, InvalidInputError, NotAllowedError
from survey_site.common.locking import lock_row

PREFIX = "concord_"
"""What every secret begins with, so that people, and programs that look for leaks, know one."""
MOST_DAYS = 365
MOST_TOKENS = 20
USED_EVERY = timedelta(minutes=1)
"""How exact the time of the last use is: each note of it is a write."""
ANSWERS_KEPT = timedelta(hours=24)


@dataclass(frozen=True)
class NewToken:
    """A token that was just made, with its secret, which nobody can read again."""

    token: ApiToken
    secret: str


def make_token(*, user: User, name: str, scopes: Sequence[str], days: int, now: datetime) -> NewToken:
    """A token of that person. Raises InvalidInputError for scopes that the person's role does not have."""
    allowed = scopes_of(user.held_role)
    chosen = [scope for scope in allowed if scope in scopes]
    if not name.strip() or not chosen or set(scopes) - set(chosen):
        raise InvalidInputError(
            "A token needs a name and scopes that your role has.", action=f"Choose from {', '.join(allowed)}."
        )
    if not 1 <= days <= MOST_DAYS:
        raise InvalidInputError(f"A token works for 1 to {MOST_DAYS} days.", action="Choose another number.")
    secret = PREFIX + secrets.token_urlsafe(32)
    with transaction.atomic():
        user = lock_row(User.objects.filter(pk=user.pk))
        if open_tokens(user, now).count() >= MOST_TOKENS:
            raise ConflictError(
                f"You have {MOST_TOKENS} tokens that work.", action="Revoke one that you do not use."
            )
        token = ApiToken.objects.create(
            user=user,
            name=name.strip(),
            secret_hash=hash_secret(secret),
            hint=secret[-4:],
            scopes=[str(scope) for scope in chosen],
            made_at=now,
            expires_at=now + timedelta(days=days),
        )
        detail = {"scopes": ", ".join(token.scopes), "days": days}
        record_action(action="API token made", subject=token, by=user, now=now, detail=detail)
        return NewToken(token, secret)


def revoke_token(*, token: ApiToken, by: User, now: datetime) -> None:
    """Let nobody in with it any more. Twice changes nothing."""
    with transaction.atomic():
        token = lock_row(ApiToken.objects.filter(pk=token.pk))
        if token.revoked_at is None:
            token.revoked_at = now
            token.save(update_fields=["revoked_at"])
            record_action(action="API token revoked", subject=token, by=by, now=now)


def revoke_beyond_role(user: User, *, now: datetime) -> dict[str, object]:
    """Revoke the person's tokens that may do more than the person may now; of a closed account, all.

    Returns the detail of it for the audit log; the caller has locked the person.
    """
    allowed = set(scopes_of(user.held_role)) if user.is_active else set()
    beyond = [one.pk for one in open_tokens(user, now) if set(one.scopes) - allowed]
    ApiToken.objects.filter(pk__in=beyond).update(revoked_at=now)
    return {"API tokens revoked": len(beyond)} if beyond else {}


def tokens_of(user: User) -> "QuerySet[ApiToken]":
    """All that the person ever made, newest first."""
    return ApiToken.objects.filter(user=user)


def open_tokens(user: User, now: datetime) -> "QuerySet[ApiToken]":
    return tokens_of(user).filter(revoked_at=None, expires_at__gt=now)


def find_token(secret: str, *, now: datetime) -> ApiToken | None:
    """The token with that secret and its owner, where it works; its use is noted."""
    rows = ApiToken.objects.select_related("user").filter(secret_hash=hash_secret(secret))
    token = rows.filter(revoked_at=None, expires_at__gt=now, user__is_active=True).first()
    if token and (token.used_at is None or now - token.used_at >= USED_EVERY):
        unseen = Q(used_at=None) | Q(used_at__lte=now - USED_EVERY)
        ApiToken.objects.filter(unseen, pk=token.pk).update(used_at=now)
    return token


def require_scope(token: ApiToken, scope: Scope) -> None:
    """Raises NotAllowedError where the token, or its owner's role by now, does not allow it."""
    if scope not in token.scopes:
        raise NotAllowedError(
            f"This token does not have the scope “{scope}”.",
            action="Make a token with that scope on the page “API tokens” of your account.",
        )
    if not may(token.user, SCOPES[scope]):
        raise NotAllowedError(
            f"Your role, {token.user.role_name.lower()}, does not have the scope “{scope}”.",
            action="Ask an admin to do it for you, or to change the role of your account.",
        )


def stale_answers(now: datetime) -> "QuerySet[KeptAnswer]":
    """Answers to creating calls that are kept no longer: the same key may be used again."""
    return KeptAnswer.objects.filter(made_at__lt=now - ANSWERS_KEPT)
