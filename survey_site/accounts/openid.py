"""What is asked of the provider of OpenID Connect that the settings name, and what it answers.

Authlib sends people there (authorization code, PKCE, state, nonce) and checks the signed token with which
they come back. Nothing else here speaks to the provider; where there is none, `provider_name` is empty.
"""

import logging
from dataclasses import dataclass
from functools import lru_cache
from http import HTTPStatus
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from joserfc.errors import JoseError
from requests.exceptions import RequestException

from survey_site.common.errors import ApplicationError

log = logging.getLogger(__name__)
SIGNED = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512")
"""Signatures by a key that the provider alone has."""
TIMEOUT_SECONDS = 10
LEEWAY_SECONDS = 60
"""How far the clocks of the provider and of this site may be apart."""
_FAULTS = (AuthlibBaseError, JoseError, RequestException, RuntimeError, ValueError, TypeError, KeyError)


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
    try:
        answer: HttpResponse = _client().authorize_redirect(request, back, state=state)
    except _FAULTS as error:
        raise _failed(error) from error
    return answer


def identity_of(request: HttpRequest) -> Identity:
    """Whom the provider vouches for by what the browser brings back, which works once. Raises OpenIdError."""
    try:
        client = _client()
        metadata = client.load_server_metadata()
        offered = metadata.get("id_token_signing_alg_values_supported") or ["RS256"]
        metadata["id_token_signing_alg_values_supported"] = [one for one in offered if one in SIGNED]
        token = client.authorize_access_token(request, claims_options=_expected(), leeway=LEEWAY_SECONDS)
        return _identity(token["userinfo"], token["id_token"])
    except _FAULTS as error:
        raise _failed(error) from error


def log_out_address(token: str, back: str) -> str:
    """Where somebody who came with this token is logged out of the provider; empty where that has none."""
    if not provider_name():
        return ""
    try:
        made = _client().create_logout_url(
            back, id_token_hint=token, client_id=settings.CONCORD_OIDC_CLIENT_ID
        )
    except _FAULTS:
        return ""
    return str(made["url"])


def _expected() -> dict[str, Any]:
    return {
        "iss": {"essential": True, "value": settings.CONCORD_OIDC_ISSUER},
        "aud": {"essential": True, "value": settings.CONCORD_OIDC_CLIENT_ID},
        "sub": {"essential": True},
        "exp": {"essential": True},
        "nonce": {"essential": True},
    }


def _identity(claims: dict[str, Any], token: str) -> Identity:
    email = str(claims.get("email", "")) if claims.get("email_verified") is True else ""
    name = str(claims.get("preferred_username") or email.partition("@")[0])
    return Identity(str(claims["iss"]), str(claims["sub"]), email, name, token)


def _failed(error: Exception) -> OpenIdError:
    """The log has the reason; whoever came is told what to do."""
    log.warning("OpenID Connect: %s: %r", type(error).__name__, str(error)[:200])
    return OpenIdError(
        f"{provider_name()} did not say who you are, or what it said could not be believed.",
        action="Log in once more, from the log-in page. If it happens again, tell an admin of this site.",
    )


@dataclass(frozen=True)
class _Registration:
    """What the settings say of the provider, and of the site there."""

    issuer: str
    client_id: str
    secret: str
    authorize: str
    token: str
    keys: str


def _client() -> Any:
    """The client for the provider that is set now; what the provider says of itself is asked for once."""
    names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "AUTHORIZE_URL", "TOKEN_URL", "KEYS_URL")
    return _client_of(_Registration(*(str(getattr(settings, f"CONCORD_OIDC_{name}")) for name in names)))


@lru_cache(maxsize=4)
def _client_of(site: _Registration) -> Any:
    kwargs: dict[str, Any] = {
        "scope": "openid email profile",
        "code_challenge_method": "S256",
        "default_timeout": TIMEOUT_SECONDS,
        "token_endpoint_auth_method": "client_secret_basic" if site.secret else "none",
    }
    said_there = f"{site.issuer.rstrip('/')}/.well-known/openid-configuration"
    where = {"server_metadata_url": said_there}
    if site.authorize:
        where = {"authorize_url": site.authorize, "access_token_url": site.token, "jwks_uri": site.keys}
    return OAuth().register(
        "openid",
        client_id=site.client_id,
        client_secret=site.secret or None,
        client_kwargs=kwargs,
        **where,
    )
