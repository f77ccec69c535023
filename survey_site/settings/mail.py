"""Django's settings of the mail server, from the one URL that names it."""

from collections.abc import Mapping
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

TIMEOUT_SECONDS = 10
"""How long somebody who asked for a link waits for the mail server."""
PORTS = {"EMAIL_USE_TLS": 587, "EMAIL_USE_SSL": 465}
NEEDED = ("CONCORD_SITE_URL", "CONCORD_MAIL_FROM")


def mail_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """Django's EMAIL_ settings. Without a server nothing is mailed."""
    url = values["CONCORD_MAIL_URL"]
    if not url:
        return {"EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"}
    if missing := [name for name in NEEDED if not values[name]]:
        raise ImproperlyConfigured(f"CONCORD_MAIL_URL is set, so {' and '.join(missing)} must be set too.")
    try:
        found: dict[str, Any] = environ.Env.email_url_config(url)
    except (ImproperlyConfigured, ValueError) as error:
        raise ImproperlyConfigured(
            "CONCORD_MAIL_URL names no mail server. Write smtp+tls://user:password@host:587."
        ) from error
    usual = next((port for way, port in PORTS.items() if found.get(way)), 25)
    return {**found, "EMAIL_PORT": found["EMAIL_PORT"] or usual, "EMAIL_TIMEOUT": TIMEOUT_SECONDS}
