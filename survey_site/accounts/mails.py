"""What is mailed about accounts: links, each to the one person they are for, and that an address changed."""

from contextlib import suppress
from datetime import datetime

from django.urls import reverse

from survey_site.accounts.links import NewLink, make_reset_link
from survey_site.accounts.models import User
from survey_site.accounts.openid import provider_name
from survey_site.accounts.openid_links import login_of
from survey_site.common.mail import MailFailedError, absolute, mails_are_sent, send_mail
from survey_site.common.moments import in_words


def mail_link(made: NewLink) -> str:
    """Mail the link to whom it is for. Returns why not, where it was not sent; empty where it was."""
    link = made.link
    to = link.email if link.is_invitation else (link.user.email if link.user else "")
    if not mails_are_sent() or not to:
        return "no mail server is set" if to else "no e-mail address is known"
    try:
        send_mail(to=to, subject=_subject(made), text=_text(made))
    except MailFailedError as error:
        return f"the mail server did not take it ({error})"
    return ""


def mail_forgotten(*, email: str, now: datetime) -> None:
    """Mail a link to a new password to each open account with that address; to others nothing, silently.

    Nor to one without a password, which logs in by the provider: a mailbox is no way around that.
    """
    for user in User.objects.filter(email__iexact=email, is_active=True):
        if user.has_usable_password() or login_of(user) is None:
            mail_link(make_reset_link(user=user, by=None, now=now))


def mail_changed_address(*, user: User, before: str) -> None:
    """Tell the address from before that it is none of the account's any more, where there was one."""
    if not mails_are_sent() or not before:
        return
    text = (
        f"The account “{user}” of Concord has another e-mail address now; nothing more is mailed to this one."
        "\n\nIf this was not you, ask an admin at once to end the log-ins of the account and to close it.\n"
    )
    with suppress(MailFailedError):  # it is in the log, and the address is changed all the same
        send_mail(to=before, subject="another e-mail address", text=text)


def mail_linked(*, user: User) -> None:
    """Tell somebody that the provider's word logs them in from now on, where their address is known."""
    if not mails_are_sent() or not user.email:
        return
    text = (
        f"Somebody can log in to the account “{user}” of Concord by {provider_name()} now: it was linked "
        "with an account there.\n\nIf this was not you, ask an admin at once to end the link, and the "
        "log-ins of the account.\n"
    )
    with suppress(MailFailedError):  # it is in the log, and the account is linked all the same
        send_mail(to=user.email, subject="another way to log in", text=text)


def mail_second_step_gone(*, user: User) -> None:
    """Tell somebody that logging in asks for no code any more, where their address is known."""
    if not mails_are_sent() or not user.email:
        return
    text = (
        f"Logging in to the account “{user}” of Concord asks for the password alone: its second step was "
        "switched off or reset.\n\nIf you do not know why, ask an admin at once to end the log-ins of the "
        "account and to close it.\n"
    )
    with suppress(MailFailedError):  # it is in the log, and the step is gone all the same
        send_mail(to=user.email, subject="the second step is off", text=text)


def _subject(made: NewLink) -> str:
    return "your invitation" if made.link.is_invitation else "a new password"


def _text(made: NewLink) -> str:
    link = made.link
    if link.is_invitation:
        by = link.made_by.username if link.made_by else "An admin"
        site = absolute(reverse("home"))
        first = f"{by} invites you to Concord, {site}. Choose a user name and a password here:"
        last = "If you do not know why you get this, do nothing: no account is made."
    else:
        first = f"Choose a new password for the account “{link.user}” of Concord here:"
        last = "If you did not ask for this, do nothing: the password stays as it is."
    until = f"The link works once, until {in_words(link.expires_at)}."
    return f"{first}\n\n{absolute(made.path)}\n\n{until}\n{last}\n"
