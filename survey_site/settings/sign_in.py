"""How people log in, from the values of the table."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from django.core.exceptions import ImproperlyConfigured

from survey_site.settings.declared import Setting

REQUIRED_OF = ("none", "admins", "all")
NEW_ROLES = ("none", "auditor", "researcher")
ENDPOINTS = ("CONCORD_OIDC_AUTHORIZE_URL", "CONCORD_OIDC_TOKEN_URL", "CONCORD_OIDC_KEYS_URL")
LOCAL = frozenset({"localhost", "127.0.0.1", "::1"})

SIGN_IN: tuple[Setting, ...] = (
    Setting(
        "CONCORD_REQUIRE_SECOND_STEP",
        str,
        "none",
        "CONCORD_REQUIRE_SECOND_STEP",
        "Who has to set up a second step of logging in (codes of an app): none, admins or all.",
    ),
    Setting(
        "CONCORD_OIDC_ISSUER",
        str,
        "",
        "CONCORD_OIDC_ISSUER",
        "Address of an OpenID Connect provider with which people may log in: https://login.example.org/realm.",
        "Default: none, and no page mentions one. If it is set, set CONCORD_OIDC_CLIENT_ID too.",
    ),
    Setting(
        "CONCORD_OIDC_CLIENT_ID",
        str,
        "",
        "CONCORD_OIDC_CLIENT_ID",
        "Name under which that provider knows the site.",
    ),
    Setting(
        "CONCORD_OIDC_CLIENT_SECRET",
        str,
        "",
        "CONCORD_OIDC_CLIENT_SECRET",
        "Secret that the provider gave the site, from environment or file.",
        "Without a secret the site is a public client, protected by PKCE alone.",
    ),
    Setting(
        "CONCORD_OIDC_NAME",
        str,
        "OpenID Connect",
        "CONCORD_OIDC_NAME",
        "What the button on the log-in page calls the provider.",
    ),
    Setting(
        "CONCORD_OIDC_AUTHORIZE_URL",
        str,
        "",
        "CONCORD_OIDC_AUTHORIZE_URL",
        "Where the provider lets people log in.",
        "Default for this and the next two: what the provider says of itself. Set all three or none.",
    ),
    Setting(
        "CONCORD_OIDC_TOKEN_URL",
        str,
        "",
        "CONCORD_OIDC_TOKEN_URL",
        "Where the provider hands out tokens.",
    ),
    Setting(
        "CONCORD_OIDC_KEYS_URL",
        str,
        "",
        "CONCORD_OIDC_KEYS_URL",
        "Where the provider publishes the keys with which its tokens are checked.",
    ),
    Setting(
        "CONCORD_OIDC_BY_EMAIL",
        bool,
        False,
        "CONCORD_OIDC_BY_EMAIL",
        "Link whoever logs in there with a verified e-mail address to the one account that has this address.",
    ),
    Setting(
        "CONCORD_OIDC_NEW_ROLE",
        str,
        "none",
        "CONCORD_OIDC_NEW_ROLE",
        "Role for somebody unknown who logs in there: none (they are not let in), auditor or researcher.",
    ),
    Setting(
        "CONCORD_OIDC_PASSWORDS",
        bool,
        True,
        "CONCORD_OIDC_PASSWORDS",
        "Linked accounts may also log in with their passwords.",
    ),
)


def second_step_required_of(values: Mapping[str, Any]) -> str:
    """Who has to set up a second step. Raises ImproperlyConfigured for what is none of the choices."""
    chosen = str(values["CONCORD_REQUIRE_SECOND_STEP"])
    if chosen not in REQUIRED_OF:
        raise ImproperlyConfigured(
            f"CONCORD_REQUIRE_SECOND_STEP={chosen!r} must be one of: {', '.join(REQUIRED_OF)}."
        )
    return chosen


def openid_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """What the site knows of its provider. Raises ImproperlyConfigured for what does not fit."""
    found = {name: value for name, value in values.items() if name.startswith("CONCORD_OIDC_")}
    issuer = found["CONCORD_OIDC_ISSUER"]
    if found["CONCORD_OIDC_NEW_ROLE"] not in NEW_ROLES:
        raise ImproperlyConfigured(f"CONCORD_OIDC_NEW_ROLE must be one of: {', '.join(NEW_ROLES)}.")
    given = [name for name in ENDPOINTS if found[name]]
    if issuer and not found["CONCORD_OIDC_CLIENT_ID"]:
        raise ImproperlyConfigured("CONCORD_OIDC_ISSUER is set, so CONCORD_OIDC_CLIENT_ID must be set too.")
    if len(given) not in {0, len(ENDPOINTS)}:
        raise ImproperlyConfigured(f"Set all of {', '.join(ENDPOINTS)}, or none of them.")
    for name in ("CONCORD_OIDC_ISSUER", *ENDPOINTS):
        if found[name] and not is_private_way(found[name]):
            raise ImproperlyConfigured(f"{name}={found[name]!r} must begin with https://.")
    return found


def is_private_way(address: str) -> bool:
    """Whether nobody between reads along: TLS, or a provider on the same machine."""
    parts = urlsplit(address)
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in LOCAL)
