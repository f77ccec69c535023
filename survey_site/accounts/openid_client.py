"""The client of Authlib for the provider that the settings name.

`openid` alone imports this, and only once somebody goes there: a site without a provider loads none of these
libraries.
"""

import time
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from authlib.common.errors import AuthlibBaseError
from authlib.integrations.django_client import OAuth
from django.conf import settings
from joserfc.errors import JoseError
from requests.exceptions import RequestException

from survey_site.settings.sign_in import is_private_way

FAULTS = (AuthlibBaseError, JoseError, RequestException, RuntimeError, ValueError, TypeError, KeyError)
SIGNED = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512"]
"""Signatures by a key that the provider alone has."""
TIMEOUT_SECONDS = (3, 10)
"""How long the provider may take to be reached, and to answer."""
KNOWN_SECONDS = 3600
"""How long what the provider says of itself, and its keys, are believed before they are asked for again."""
_ADDRESSES = ("authorization_endpoint", "token_endpoint", "jwks_uri", "end_session_endpoint")
_SIGNATURES = "id_token_signing_alg_values_supported"


@dataclass(frozen=True)
class _Registration:
    """What the settings say of the provider, and of the site there."""

    issuer: str
    client_id: str
    secret: str
    authorize: str
    token: str
    keys: str


def client() -> Any:
    """The client for the provider that is set now, which knows what the provider says of itself.

    Raises one of FAULTS where the provider does not say it, or names an address without TLS.
    """
    names = ("ISSUER", "CLIENT_ID", "CLIENT_SECRET", "AUTHORIZE_URL", "TOKEN_URL", "KEYS_URL")
    site = _Registration(*(str(getattr(settings, f"CONCORD_OIDC_{name}")) for name in names))
    made = _client_of(site, int(time.time() // KNOWN_SECONDS))
    said = made.load_server_metadata()
    for name in _ADDRESSES:
        if said.get(name) and not is_private_way(said[name]):
            raise ValueError(f"{name} must begin with https://")
    offered = said.get(_SIGNATURES) or (SIGNED if site.authorize else ["RS256"])
    said[_SIGNATURES] = [one for one in offered if one in SIGNED] or ["RS256"]
    return made


@lru_cache(maxsize=4)
def _client_of(site: _Registration, _hour: int) -> Any:
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
