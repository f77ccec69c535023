"""Logging in by a provider of OpenID Connect: there, back, and linking it with one's account.

What somebody set out for (to log in, to accept an invitation, to link their account) stands in the session
beside the state of that one journey, so that an answer to one is never taken for an answer to another.
"""

import secrets
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST, require_safe

from survey_site.accounts.forms import PasswordForm
from survey_site.accounts.link_views import KEPT as INVITATION
from survey_site.accounts.login_views import go_on
from survey_site.accounts.mails import mail_linked
from survey_site.accounts.models import User
from survey_site.accounts.openid import Identity, OpenIdError, identity_of, provider_name, send_there
from survey_site.accounts.openid_links import (
    ID_TOKEN,
    accept_with,
    account_of,
    link_account,
    require_provider,
    unlink_account,
)
from survey_site.accounts.own_views import count_old_password, own_page
from survey_site.accounts.permissions import accounts_required, reader_required
from survey_site.common.limits import address_of, count_request

JOURNEY, LINKING = "openid-journey", "openid-linking"
WINDOW_SECONDS = 600
TRIES_PER_ADDRESS = 60
"""Journeys from one network address in ten minutes: each makes the site ask the provider."""
LINKING_WAITS = timedelta(minutes=10)
"""For how long a password that was typed to link an account allows that."""
BACKEND = "django.contrib.auth.backends.ModelBackend"


@require_safe
def start(request: HttpRequest) -> HttpResponse:
    """Set out for the provider."""
    require_provider()
    _count(request)
    journey: dict[str, Any] = {"state": secrets.token_urlsafe(32), "to": _next(request)}
    may_link = _may_link(request)
    if request.user.is_authenticated:
        if not may_link:
            return redirect("home")
        journey["link"] = request.user.pk
    elif "invitation" in request.GET and INVITATION in request.session:
        journey["invitation"] = request.session[INVITATION]
    request.session[JOURNEY] = journey
    back_here = request.build_absolute_uri(reverse("accounts:openid-back"))
    return send_there(request, back=back_here, state=journey["state"])


@require_safe
def back(request: HttpRequest) -> HttpResponse:
    """Come back from there; each journey ends once."""
    require_provider()
    _count(request)
    journey = request.session.pop(JOURNEY, None)
    if not journey or not constant_time_compare(journey["state"], request.GET.get("state", "")):
        raise OpenIdError(
            "This is not the answer to a log-in that was begun here.", action="Log in once more."
        )
    identity = identity_of(request)
    if "link" in journey:
        return _link(request, journey, identity)
    now = timezone.now()
    if "invitation" in journey:
        user = accept_with(secret_hash=journey["invitation"], identity=identity, now=now)
        request.session.pop(INVITATION, None)
        messages.success(request, f"Your account is made. Your user name is {user}.")
    else:
        user, is_new_link = account_of(identity, now=now)
        if is_new_link:
            mail_linked(user=user)
    if request.user.is_authenticated:
        logout(request)
    request.session[ID_TOKEN] = identity.token
    cast(Any, user).backend = BACKEND
    return go_on(request, user, journey["to"])


def _link(request: HttpRequest, journey: dict[str, Any], identity: Identity) -> HttpResponse:
    user = request.user
    if not user.is_authenticated or user.pk != journey["link"]:
        raise OpenIdError("You are not logged in here any more.", action="Log in and link the account again.")
    link_account(user=user, identity=identity, how="the person", now=timezone.now())
    mail_linked(user=user)
    messages.success(request, f"Your account is linked: you can log in by {provider_name()}.")
    return redirect("accounts:own")


@sensitive_post_parameters("typed")
@require_POST
@reader_required
def link_own(request: HttpRequest) -> HttpResponse:
    """The password first, so that nobody at an open screen links an account of theirs."""
    form = _with_password(request)
    if form.errors:
        return own_page(request, provider_form=form)
    until = timezone.now() + LINKING_WAITS
    request.session[LINKING] = {"user": cast(User, request.user).pk, "until": until.isoformat()}
    return render(
        request, "accounts/go_to_provider.html", {"provider": provider_name()}, status=HTTPStatus.OK
    )


@sensitive_post_parameters("typed")
@require_POST
@reader_required
def unlink_own(request: HttpRequest) -> HttpResponse:
    form, user = _with_password(request), cast(User, request.user)
    if form.errors:
        return own_page(request, provider_form=form)
    unlink_account(user=user, by=user, now=timezone.now(), but=str(request.session.session_key))
    messages.success(request, "Unlinked. Every other log-in of yours has ended.")
    return redirect("accounts:own")


@require_POST
@accounts_required
def unlink_person(request: HttpRequest, pk: int) -> HttpResponse:
    require_provider()
    user = get_object_or_404(User, pk=pk)
    if user == request.user:
        return redirect("accounts:own")
    unlink_account(user=user, by=cast(User, request.user), now=timezone.now())
    messages.success(request, f"{user} is unlinked, and every log-in of the account has ended.")
    return redirect("accounts:person", pk)


def _with_password(request: HttpRequest) -> PasswordForm:
    require_provider()
    user = User.objects.get(pk=cast(User, request.user).pk)
    count_old_password(user)
    form = PasswordForm(user, request.POST)
    if form.is_valid():
        request.session.cycle_key()
    return form


def _may_link(request: HttpRequest) -> bool:
    """Whether who is logged in has typed their password for it some minutes ago; it allows one journey."""
    kept = request.session.pop(LINKING, None)
    return (
        bool(kept)
        and kept["user"] == request.user.pk
        and timezone.now() < datetime.fromisoformat(kept["until"])
    )


def _next(request: HttpRequest) -> str:
    asked = request.GET.get(REDIRECT_FIELD_NAME, "")
    is_ours = url_has_allowed_host_and_scheme(asked, {request.get_host()}, request.is_secure())
    return asked if is_ours else reverse("home")


def _count(request: HttpRequest) -> None:
    count_request(
        "openid", address_of(request), seconds=WINDOW_SECONDS, most=TRIES_PER_ADDRESS, now=timezone.now()
    )
