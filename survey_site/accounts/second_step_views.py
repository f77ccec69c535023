"""The pages of one's own second step, and the button by which an admin resets another's."""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

import segno
from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.safestring import SafeString, mark_safe
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST
from django_otp.util import random_hex

from survey_site.accounts.forms import ConfirmForm
from survey_site.accounts.login_views import WRONG_CODE
from survey_site.accounts.mails import mail_second_step_gone
from survey_site.accounts.models import User
from survey_site.accounts.own_views import count_old_password
from survey_site.accounts.permissions import accounts_required, reader_required
from survey_site.accounts.second_step import (
    check_code,
    codes_left,
    must_set_up,
    renew_codes,
    reset_second_step,
    secret_as_text,
    setup_address,
    switch_off,
    switch_on,
)

KEPT = "second-step-secret"
"""Where the session keeps the secret that is being set up: the page shows it again after a wrong code."""
KEPT_FOR = timedelta(hours=1)
"""For how long: who once saw the page open knows nothing of the secret that is set up on another day."""


@sensitive_post_parameters("code", "password")
@require_http_methods(["GET", "HEAD", "POST"])
@reader_required
def second_step(request: HttpRequest) -> HttpResponse:
    """How to set it up, or since when it is on and how to change it; a form that is sent switches it on."""
    if request.method != "POST":
        return _page(request)
    user, now = _person(request), timezone.now()
    count_old_password(user)
    form = ConfirmForm(user, request.POST)
    if not form.is_valid():
        return _page(request, form=form)
    code, session = form.cleaned_data["code"], str(request.session.session_key)
    codes = switch_on(user=user, key=_secret(request), code=code, session=session, now=now)
    if codes is None:
        form.add_error(
            "code", "This is not the code that belongs to the secret. Is the clock of your device right?"
        )
        return _page(request, form=form)
    del request.session[KEPT]
    return _show_codes(request, codes, title="The second step is on")


@sensitive_post_parameters("code", "password")
@require_POST
@reader_required
def new_codes(request: HttpRequest) -> HttpResponse:
    form, user = _confirmed(request), _person(request)
    if form.errors:
        return _page(request, form=form)
    return _show_codes(request, renew_codes(user=user, now=timezone.now()), title="Your new recovery codes")


@sensitive_post_parameters("code", "password")
@require_POST
@reader_required
def off(request: HttpRequest) -> HttpResponse:
    form, user = _confirmed(request), _person(request)
    if form.errors:
        return _page(request, form=form)
    user = switch_off(user=user, session=str(request.session.session_key), now=timezone.now())
    update_session_auth_hash(request, user)
    mail_second_step_gone(user=user)
    messages.success(request, "The second step is off. Every other log-in of yours has ended.")
    return redirect("accounts:second-step" if must_set_up(user) else "accounts:own")


@require_POST
@accounts_required
def reset(request: HttpRequest, pk: int) -> HttpResponse:
    """Of somebody else, who has lost app and codes."""
    user = get_object_or_404(User, pk=pk)
    user = reset_second_step(user=user, by=cast(User, request.user), now=timezone.now())
    mail_second_step_gone(user=user)
    messages.success(
        request, f"{user} logs in with the password alone. Every log-in of the account has ended."
    )
    return redirect("accounts:person", pk)


def _confirmed(request: HttpRequest) -> ConfirmForm:
    """What was sent, with errors where password or code are not right."""
    user = _person(request)
    count_old_password(user)
    form = ConfirmForm(user, request.POST)
    if form.is_valid() and not check_code(user=user, code=form.cleaned_data["code"], now=timezone.now()):
        form.add_error("code", WRONG_CODE)
    return form


def _person(request: HttpRequest) -> User:
    return User.objects.get(pk=cast(User, request.user).pk)


def _secret(request: HttpRequest) -> str:
    """The secret that is being set up here, made when the page is first opened in an hour."""
    kept, now = request.session.get(KEPT), timezone.now()
    if not kept or now >= datetime.fromisoformat(kept["until"]):
        kept = {"secret": random_hex(20), "until": (now + KEPT_FOR).isoformat()}
        request.session[KEPT] = kept
    return str(kept["secret"])


def _picture(address: str) -> SafeString:
    """The QR code as SVG within the page: nobody else is asked to draw the secret."""
    drawn = segno.make(address, micro=False).svg_inline(omitsize=True, dark="#000", light="#fff")
    return mark_safe(drawn)  # noqa: S308 - shapes alone, no text


def _page(request: HttpRequest, form: ConfirmForm | None = None) -> HttpResponse:
    user = _person(request)
    context: dict[str, Any] = {
        "person": user,
        "form": form or ConfirmForm(user),
        "required": must_set_up(user),
    }
    if user.second_step_at:
        context["left"] = codes_left(user)
    else:
        key = _secret(request)
        context |= {"picture": _picture(setup_address(user, key)), "secret": secret_as_text(key)}
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form else HTTPStatus.OK
    return render(request, "accounts/second_step.html", context, status=status)


def _show_codes(request: HttpRequest, codes: list[str], title: str) -> HttpResponse:
    """Once: only their hashes are kept."""
    update_session_auth_hash(request, _person(request))
    return render(request, "accounts/recovery_codes.html", {"codes": codes, "title": title})
