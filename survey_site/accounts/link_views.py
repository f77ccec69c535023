"""Pages behind a link: accepting an invitation, choosing a new password; and asking for such a link."""

from http import HTTPStatus

from django.contrib import messages
from django.contrib.auth import logout
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_safe

from survey_site.accounts.forms import AcceptForm, ForgottenForm, NewPasswordForm
from survey_site.accounts.links import accept_invitation, hash_secret, open_link, reset_password
from survey_site.accounts.mails import mail_forgotten
from survey_site.accounts.models import AccountLink
from survey_site.accounts.openid import provider_name
from survey_site.common.apart import start_apart
from survey_site.common.errors import GoneError, InvalidInputError
from survey_site.common.limits import address_of, count_request
from survey_site.common.mail import mails_are_sent

KEPT = "account-link"
WINDOW_SECONDS = 600
TRIES_PER_ADDRESS = 60
"""Links opened or used from one network address in ten minutes; mails asked for: a tenth of it."""
HOUR_SECONDS = 3600
MAILS_TO_ONE = 3
"""Links that may be asked for to one e-mail address in an hour, from wherever: nobody is flooded."""


@require_safe
def receive(request: HttpRequest, secret: str) -> HttpResponse:
    """Keep the link's hash in the session and go on without it; looking at a link does not use it up."""
    _count(request, "link", TRIES_PER_ADDRESS)
    open_link(hash_secret(secret), now=timezone.now())
    request.session[KEPT] = hash_secret(secret)
    response = redirect("accounts:link")
    response["Referrer-Policy"] = "no-referrer"
    return response


@require_http_methods(["GET", "HEAD", "POST"])
def link(request: HttpRequest) -> HttpResponse:
    """What the link that was opened is for."""
    kept = str(request.session.get(KEPT, ""))
    if not kept:
        raise GoneError("No link was opened here.", action="Open the link that you were sent once more.")
    found = open_link(kept, now=timezone.now())
    data = request.POST or None
    form = AcceptForm(data) if found.is_invitation else NewPasswordForm(found.user, data)
    if request.method == "POST":
        _count(request, "link", TRIES_PER_ADDRESS)
        if form.is_valid() and (name := _use(found, form)):
            logout(request)
            messages.success(request, f"Your password is set. Log in as {name}.")
            return redirect("accounts:login")
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    context = {"link": found, "form": form, "provider": provider_name()}
    return render(request, "accounts/link.html", context, status=status)


def _use(found: AccountLink, form: AcceptForm | NewPasswordForm) -> str:
    """The user name of the account; empty where the chosen one was just taken, and then the form says so."""
    values, now = form.cleaned_data, timezone.now()
    if not found.is_invitation:
        password = values["new_password1"]
        return reset_password(secret_hash=found.secret_hash, password=password, now=now).username
    try:
        return accept_invitation(
            secret_hash=found.secret_hash, username=values["username"], password=values["password1"], now=now
        ).username
    except InvalidInputError as error:
        form.add_error("username", error.message)
        return ""


@require_http_methods(["GET", "HEAD", "POST"])
def forgotten(request: HttpRequest) -> HttpResponse:
    """Ask for a link to a new password by mail; whether the address has an account is not told.

    Nor does the time of the answer tell it: the link is made and mailed apart.
    """
    if not mails_are_sent():
        raise Http404
    form = ForgottenForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        _count(request, "forgotten", TRIES_PER_ADDRESS // 10)
        email, now = form.cleaned_data["email"], timezone.now()
        count_request(
            "forgotten", "e-mail", email.casefold(), seconds=HOUR_SECONDS, most=MAILS_TO_ONE, now=now
        )
        start_apart(lambda: mail_forgotten(email=email, now=now))
        return render(request, "accounts/forgotten.html", {"asked": True})
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/forgotten.html", {"form": form}, status=status)


def _count(request: HttpRequest, what: str, most: int) -> None:
    count_request(what, address_of(request), seconds=WINDOW_SECONDS, most=most, now=timezone.now())
