"""Django's settings of the mail server, from the one URL that names it."""

from collections.abc import Mapping
from typing import Any

import environ
from django import VERSION
from django.core.exceptions import ImproperlyConfigured

TIMEOUT_SECONDS = 10
"""How long somebody who asked for a link waits for the mail server."""
PORTS = {"use_tls": 587, "use_ssl": 465}
SETTINGS = {
    "host": "EMAIL_HOST",
    "port": "EMAIL_PORT",
    "username": "EMAIL_HOST_USER",
    "password": "EMAIL_HOST_PASSWORD",
    "use_tls": "EMAIL_USE_TLS",
    "use_ssl": "EMAIL_USE_SSL",
    "timeout": "EMAIL_TIMEOUT",
    "file_path": "EMAIL_FILE_PATH",
}
"""Django's setting of each option of a mail backend, before Django 6.1."""
NEEDED = ("CONCORD_SITE_URL", "CONCORD_MAIL_FROM")


def mail_settings(values: Mapping[str, Any]) -> dict[str, Any]:
    """MAILERS, or what stands for it before Django 6.1. Without a server nothing is mailed."""
    backend, options = _backend(values)
    if VERSION >= (6, 1):
        return {"MAILERS": {"default": {"BACKEND": backend, "OPTIONS": options}}}
    return {"EMAIL_BACKEND": backend, **{SETTINGS[name]: value for name, value in options.items()}}


def _backend(values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Django's class that hands mails on, and its options."""
    url = values["CONCORD_MAIL_URL"]
    if not url:
        return "django.core.mail.backends.dummy.EmailBackend", {}
    if missing := [name for name in NEEDED if not values[name]]:
        raise ImproperlyConfigured(f"CONCORD_MAIL_URL is set, so {' and '.join(missing)} must be set too.")
    try:
        found: dict[str, Any] = environ.Env.email_url_config(url)
    except (ImproperlyConfigured, ValueError) as error:
        raise ImproperlyConfigured(
            "CONCORD_MAIL_URL names no mail server. Write smtp+tls://user:password@host:587."
        ) from error
    options = {name: found[setting] for name, setting in SETTINGS.items() if found.get(setting)}
    if "host" in options:
        usual = next((port for way, port in PORTS.items() if way in options), 25)
        options = {"port": usual, "timeout": TIMEOUT_SECONDS, **options}
    return str(found["EMAIL_BACKEND"]), options
