"""Logging in: the password and, where an account has a second step, a code on a page of its own.

Between the two nobody is logged in. The session only notes whose password was right, for some minutes, so
that no page, Django's own administration included, ever meets a log-in without its second step.
"""

from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_lockout_response
from django.conf import settings
from django.contrib import messages
from django.contrib.auth import REDIRECT_FIELD_NAME, login
from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.signals import user_login_failed
from django.contrib.auth.views import LoginView, LogoutView, redirect_to_login
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from survey_site.accounts.forms import CodeForm
from survey_site.accounts.lockout import WAITING, know_browser
from survey_site.accounts.models import User
from survey_site.accounts.openid import log_out_address, provider_name
from survey_site.accounts.openid_links import ID_TOKEN, must_log_in_there
from survey_site.accounts.second_step import check_code, codes_left
from survey_site.common.locking import lock_row
from survey_site.common.mail import mails_are_sent

WAITS = timedelta(minutes=10)
"""For how long a right password waits for its code."""
FEW_CODES = 3
WRONG_CODE = (
    "This code does not work. Type the one that your app shows now: each works once, for about a minute. "
    "Each recovery code works once, too."
)


class LogInView(LoginView):
    """Django's own, but that a right password of an account with a second step is not the end."""

    template_name = "accounts/login.html"
    redirect_authenticated_user = True
    extra_context = {"mails": mails_are_sent, "provider": provider_name}

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        user = form.get_user()
        if must_log_in_there(user):
            form.add_error(None, f"This account logs in by {provider_name()}, and by no password.")
            return self.form_invalid(form)
        return go_on(self.request, user, self.get_success_url())


class LogOutView(LogoutView):
    """Django's own; who came by a provider is offered to be logged out there, too."""

    def post(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        token = str(request.session.get(ID_TOKEN, ""))
        response = super().post(request, *args, **kwargs)
        address = log_out_address(token, request.build_absolute_uri(reverse("home"))) if token else ""
        if not address:
            return response
        return render(request, "accounts/logged_out.html", {"address": address, "provider": provider_name()})


def go_on(request: HttpRequest, user: User, to: str) -> HttpResponse:
    """Log in whom a backend has let through, or ask for the code first; `to` is where it leads afterwards."""
    if user.second_step_at is None:
        login(request, user)
        return know_browser(redirect(to), user)
    request.session[WAITING] = {
        "user": user.pk,
        "hash": user.get_session_auth_hash(),
        "backend": cast(Any, user).backend,
        "until": (timezone.now() + WAITS).isoformat(),
        "to": to,
    }
    request.session.cycle_key()
    return redirect("accounts:login-code")


@sensitive_post_parameters("code")
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """The code after the password. Wrong ones count as wrong passwords do and pause the account with them."""
    user = _waiting(request)
    if user is None:
        if request.method == "POST":
            messages.error(request, "The code came too late. Log in once more.")
        return redirect("accounts:login")
    form = CodeForm(request.POST or None)
    if request.method == "POST" and form.is_valid():
        is_right = _try_code(request, user, form.cleaned_data["code"])
        if is_right is None:
            return cast(HttpResponse, get_lockout_response(request, credentials=_credentials(user)))
        if is_right:
            return _let_in(request, user)
        form.add_error("code", WRONG_CODE)
    status = HTTPStatus.UNPROCESSABLE_ENTITY if form.errors else HTTPStatus.OK
    return render(request, "accounts/login_code.html", {"form": form}, status=status)


def _try_code(request: HttpRequest, user: User, typed: str) -> bool | None:
    """Whether the code is right; None while the account is paused, and then the code is not looked at.

    The account's row is locked: of many at once each sees the wrong codes that were counted before.
    """
    with transaction.atomic():
        lock_row(User.objects.filter(pk=user.pk))
        if not AxesProxyHandler.is_allowed(request, _credentials(user)):
            return None
        is_right = check_code(user=user, code=typed, now=timezone.now())
        if not is_right:
            user_login_failed.send(sender=__name__, credentials=_credentials(user), request=request)
        return is_right


def _credentials(user: User) -> dict[str, str]:
    """By what wrong passwords and codes are counted."""
    return {"username": user.username}


def _waiting(request: HttpRequest) -> User | None:
    """Whose password was right here some minutes ago; nobody where it or the account has changed since."""
    kept = request.session.get(WAITING)
    if not kept or timezone.now() >= datetime.fromisoformat(kept["until"]):
        return None
    user = User.objects.filter(pk=kept["user"], is_active=True).first()
    if user is None or not constant_time_compare(kept["hash"], user.get_session_auth_hash()):
        return None
    return user


def _let_in(request: HttpRequest, user: User) -> HttpResponse:
    kept = request.session.pop(WAITING)
    login(request, user, backend=kept["backend"])
    left = codes_left(user)
    if left <= FEW_CODES:
        messages.warning(
            request,
            f"You have {left or 'no'} recovery code{'s' * (left != 1)} left: renew them on Your account.",
        )
    return know_browser(redirect(kept["to"]), user)


def admin_login(request: HttpRequest) -> HttpResponse:
    """In place of the log-in that Django's administration has of its own."""
    if request.user.is_authenticated:
        raise PermissionDenied("The pages under /admin/ are for superusers.")
    return redirect_to_login(request.GET.get(REDIRECT_FIELD_NAME, "/admin/"), settings.LOGIN_URL)
