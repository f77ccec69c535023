"""Your account: password, where one is logged in, where mails go."""

from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.forms import DetailsForm, OwnPasswordForm, PasswordForm
from survey_site.accounts.mails import mail_changed_address
from survey_site.accounts.models import User
from survey_site.accounts.openid import provider_name
from survey_site.accounts.openid_links import login_of
from survey_site.accounts.permissions import reader_required
from survey_site.accounts.services import change_details, change_password, log_out_elsewhere
from survey_site.accounts.sessions import hashed_key, sessions_of
from survey_site.common.limits import count_request
from survey_site.common.mail import mails_are_sent

WINDOW_SECONDS = 600
PASSWORDS_TRIED = 10
"""Old passwords that one person may type in ten minutes: whoever sits at an open screen cannot guess it."""


@require_safe
@reader_required
def own(request: HttpRequest) -> HttpResponse:
    return own_page(request)


@require_POST
@reader_required
def password(request: HttpRequest) -> HttpResponse:
    now, user = timezone.now(), cast(User, request.user)
    count_old_password(user)
    form = OwnPasswordForm(user, request.POST)
    if not form.is_valid():
        return own_page(request, password_form=form)
    new, key = form.cleaned_data["new_password1"], str(request.session.session_key)
    user = change_password(user=user, password=new, session=key, now=now)
    update_session_auth_hash(request, user)
    messages.success(request, "Your password is changed. Every other log-in of yours has ended.")
    return redirect("accounts:own")


@require_POST
@reader_required
def details(request: HttpRequest) -> HttpResponse:
    now, user = timezone.now(), cast(User, request.user)
    if request.POST.get("current_password"):
        count_old_password(user)
    form = DetailsForm(request.POST, instance=User.objects.get(pk=user.pk))
    if not form.is_valid():
        return own_page(request, details_form=form)
    email, by_mail = form.cleaned_data["email"], form.cleaned_data["notices_by_mail"]
    if form.cleaned_data["current_password"]:
        request.session.cycle_key()
    before = change_details(user=user, email=email, notices_by_mail=by_mail, now=now)
    mail_changed_address(user=user, before=before)
    messages.success(request, "Saved.")
    return redirect("accounts:own")


@require_POST
@reader_required
def end_own_sessions(request: HttpRequest) -> HttpResponse:
    """End the log-in whose button was pressed, or all but this one."""
    user, only = cast(User, request.user), request.POST.get("only", "")
    key = str(request.session.session_key)
    ended = log_out_elsewhere(user=user, by=user, only=only, but=key, now=timezone.now())
    messages.success(request, f"{ended} log-in{'s' * (ended != 1)} ended.")
    return redirect("accounts:own")


def count_old_password(user: User) -> None:
    """Count a password, or a code, that somebody who is logged in types to confirm who they are."""
    now = timezone.now()
    count_request("password", str(user.pk), seconds=WINDOW_SECONDS, most=PASSWORDS_TRIED, now=now)


def own_page(request: HttpRequest, **forms: Any) -> HttpResponse:
    """The page, with forms that were sent and are not right in place of fresh ones."""
    user = User.objects.get(pk=cast(User, request.user).pk)
    context = {
        "password_form": OwnPasswordForm(user),
        "details_form": DetailsForm(instance=user),
        "sessions": sessions_of(user, now=timezone.now()),
        "here": hashed_key(str(request.session.session_key)),
        "mails": mails_are_sent(),
        "provider": provider_name(),
        "linked": login_of(user),
        "provider_form": PasswordForm(user),
        **forms,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if forms else HTTPStatus.OK
    return render(request, "accounts/own.html", context, status=status)
