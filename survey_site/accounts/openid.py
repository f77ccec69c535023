"""What is asked of the provider of OpenID Connect that the settings name, and what it answers.

Authlib sends people there (authorization code, PKCE, state, nonce) and checks the signed token with which
they come back; `openid_client` is its client. Nothing else speaks to the provider; where there is none,
`provider_name` is empty.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http import HTTPStatus
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from survey_site.common.errors import ApplicationError

log = logging.getLogger(__name__)
LEEWAY_SECONDS = 60
"""How far the clocks of the provider and of this site may be apart."""
LONGEST = 255
"""Characters that the provider's name for a person may have (OpenID Connect Core 1.0, section 2)."""
MAX_EMAIL = 254
"""Characters that an account has room for."""
AT_ONCE = 2
"""How many requests of one process may wait for the provider: one that hangs does not hold the whole site."""
WAIT_SECONDS = 2
_waiting = BoundedSemaphore(AT_ONCE)


class OpenIdError(ApplicationError):
    """Logging in by the provider came to nothing."""

    status = HTTPStatus.FORBIDDEN
    title = "Logging in did not work"


@dataclass(frozen=True)
class Identity:
    """Whom the provider vouches for: `subject` is theirs for good; `email` is empty unless it is verified."""

    issuer: str
    subject: str
    email: str
    name: str
    token: str


def provider_name() -> str:
    """What the provider is called; empty where there is none."""
    return str(settings.CONCORD_OIDC_NAME) if settings.CONCORD_OIDC_ISSUER else ""


def send_there(request: HttpRequest, *, back: str, state: str) -> HttpResponse:
    """Lead the browser to the provider, which leads it to the address `back`. Raises OpenIdError."""
    with _asking() as client:
        answer: HttpResponse = client.authorize_redirect(request, back, state=state)
        return answer


def identity_of(request: HttpRequest) -> Identity:
    """Whom the provider vouches for by what the browser brings back, which works once. Raises OpenIdError."""
    with _asking() as client:
        token = client.authorize_access_token(request, claims_options=_expected(), leeway=LEEWAY_SECONDS)
        return _identity(token["userinfo"], token["id_token"])


def log_out_address(token: str, back: str) -> str:
    """Where somebody who came with this token is logged out of the provider; empty where that has none."""
    if not provider_name():
        return ""
    try:
        with _asking() as client:
            if not client.load_server_metadata().get("end_session_endpoint"):
                return ""
            made = client.create_logout_url(
                back, id_token_hint=token, client_id=settings.CONCORD_OIDC_CLIENT_ID
            )
            return str(made["url"])
    except OpenIdError:
        return ""


@contextmanager
def _asking() -> Iterator[Any]:
    """The client, for one of few at a time. Raises OpenIdError for whatever goes wrong in the block."""
    if not _waiting.acquire(timeout=WAIT_SECONDS):
        log.warning("OpenID Connect: %d requests wait for the provider already", AT_ONCE)
        raise OpenIdError(f"{provider_name()} answers slowly.", action="Try again in a minute.")
    try:
        from survey_site.accounts.openid_client import FAULTS, client

        try:
            yield client()
        except FAULTS as error:
            raise _failed(error) from error
    finally:
        _waiting.release()


def _expected() -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": settings.CONCORD_OIDC_ISSUER},
        "aud": {"essential": True, "value": settings.CONCORD_OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "exp": {"essential": True},
        "nonce": {"essential": True},
    }


def _identity(claims: dict[str, Any], token: str) -> Identity:
    subject = str(claims["sub"])
    if not 0 < len(subject) <= LONGEST or "\0" in subject:
        raise ValueError("sub is empty, too long, or no text")
    email = str(claims.get("email", "")) if claims.get("email_verified") is True else ""
    if len(email) > MAX_EMAIL or "\0" in email:
        email = ""
    name = str(claims.get("preferred_username") or email.partition("@")[0])
    return Identity(str(claims["iss"]), subject, email, name, token)


def _failed(error: Exception) -> OpenIdError:
    """The log has the reason; whoever came is told what to do."""
    log.warning("OpenID Connect: %s: %r", type(error).__name__, str(error)[:200])
    return OpenIdError(
        f"{provider_name()} did not say who you are, or what it said could not be believed.",
        action="Log in once more, from the log-in page. If it happens again, tell an admin of this site.",
    )
