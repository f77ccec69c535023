"""Mail, where a server is set: plain text, with the site's name in front of the subject."""

import logging
from smtplib import SMTPException
from typing import Any

from django import VERSION
from django.conf import settings
from django.core import mail
from django.core.mail import EmailMessage

log = logging.getLogger(__name__)


class MailFailedError(Exception):
    """The server did not take a mail; the text says why."""


def mails_are_sent() -> bool:
    return bool(settings.CONCORD_MAILS)


def mail_server() -> Any:
    """Django's mail backend, which connects where it is entered."""
    return mail.mailers.default if VERSION >= (6, 1) else mail.get_connection()


def absolute(path: str) -> str:
    """The address of one of the site's pages for a mail."""
    return f"{settings.CONCORD_SITE_URL}{path}"


def send_mail(*, to: str, subject: str, text: str) -> None:
    """Hand one mail to the server. Raises MailFailedError, whose reason names nobody."""
    message = EmailMessage(subject=f"Concord: {' '.join(subject.split())}", body=text, to=[to])
    try:
        message.send()
    except (OSError, SMTPException, ValueError) as error:
        log.warning("A mail was not sent: %s", type(error).__name__)
        raise MailFailedError(type(error).__name__) from error
