"""Who is kept out after wrong passwords and codes: the sender, and many senders together; not the owner.

Failures are counted for a name and where they come from. That is a browser in which this account was logged
in before, known by a cookie, or else the network. Of a network only 16 bits of a keyed hash are stored, which
tell a few senders apart, and are shared by so many addresses that nobody's can be read out of them.
A name on which many networks guess is closed to all but the browsers that it knows.
"""

import ipaddress
import secrets
from datetime import timedelta
from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.helpers import get_client_username
from axes.models import AccessAttempt
from django.conf import settings
from django.core import signing
from django.db.models import Sum
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from survey_site.accounts.models import User
from survey_site.common.limits import address_of

WAITING = "second-step-of"
"""Where the session notes whose password was right."""
NAME_LIMIT = 30
"""Failures of one name from browsers that it does not know, all networks together."""
COOKIE = "known-browser"
LASTS = timedelta(days=180)
_NETWORK, _BROWSER = "fd00::", "fd01::"
"""What is stored in the column for a network address begins with one of these, which are nobody's address."""


class Handler(AxesDatabaseHandler):  # type: ignore[misc]
    """Counts by name and sender, as settings say, and by name alone with a higher bar."""

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        failures = int(super().get_failures(request, credentials))
        if str(request.axes_ip_address).startswith(_BROWSER):  # type: ignore[attr-defined]
            return failures
        rows = AccessAttempt.objects.filter(
            username=get_client_username(request, credentials),
            ip_address__startswith=_NETWORK,
            attempt_time__gte=get_cool_off_threshold(request),
        )
        of_name = rows.aggregate(sum=Sum("failures_since_start"))["sum"] or 0
        return max(failures, settings.AXES_FAILURE_LIMIT) if of_name >= NAME_LIMIT else failures


def sender_of(request: HttpRequest) -> str:
    """What stands for the sender of a log-in, in the form of an address, which the column wants."""
    browser = _known_browser(request)
    if browser:
        return str(ipaddress.ip_address(_BROWSER) + int(_digest(browser)[:16], 16))
    return str(ipaddress.ip_address(_NETWORK) + int(_digest(_network(address_of(request)))[:4], 16))


def know_browser(response: HttpResponse, user: User) -> HttpResponse:
    """Have the browser remember that this account was logged in there, second step and all."""
    response.set_cookie(
        COOKIE,
        signing.dumps([user.pk, secrets.token_hex(16)], salt=COOKIE),
        max_age=LASTS,
        path="/accounts/",
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )
    return response


def _known_browser(request: HttpRequest) -> str:
    """The browser's own number, where the account that is being logged in to was so there before."""
    try:
        pk, number = signing.loads(request.COOKIES.get(COOKIE, ""), salt=COOKIE, max_age=LASTS)
    except signing.BadSignature:
        return ""
    if (waiting := request.session.get(WAITING)) and "username" not in request.POST:
        return number if waiting["user"] == pk else ""
    name = request.POST.get("username", "")
    return number if User.objects.filter(pk=pk, username=name).exists() else ""


def _network(address: str) -> str:
    """The address; of one in version 6 its network, of which one sender has all addresses."""
    try:
        found = ipaddress.IPv6Address(address)
    except ValueError:
        return address
    return str(found.ipv4_mapped or ipaddress.IPv6Network((int(found), 64), strict=False))


def _digest(value: str) -> str:
    return salted_hmac("lockout", value, algorithm="sha256").hexdigest()
