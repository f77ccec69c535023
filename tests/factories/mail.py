"""A mail server by its URL."""

from typing import Any

from survey_site.settings.mail import mail_settings

BESIDE = {"CONCORD_SITE_URL": "https://concord.example.org", "CONCORD_MAIL_FROM": "concord@example.org"}
NOBODY = "smtp://127.0.0.1:9"
"""The port of discarding, where nobody listens."""


def name_mail_server(settings: Any, url: str | None) -> None:
    """Let the test's site send its mails there, by the settings that this Django has for it."""
    for name, value in mail_settings({"CONCORD_MAIL_URL": url, **BESIDE}).items():
        setattr(settings, name, value)
