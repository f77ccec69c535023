"""How often somebody may do something, so that one machine cannot fill a survey or keep the site busy.

Counts live in a cache (of the process, or one that processes share), for one window, and never in the
database. A network address is only ever a key there, hashed with a salt that is drawn for the window and
forgotten with it. While a shared cache cannot be reached nothing is counted: no rater waits for it.
"""

import hashlib
import logging
import math
import secrets
from dataclasses import dataclass
from datetime import datetime
from http import HTTPStatus

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.utils.translation import gettext, gettext_lazy, ngettext
from redis.exceptions import RedisError

from survey_site.common.errors import ApplicationError

log = logging.getLogger(__name__)


class TooManyRequestsError(ApplicationError):
    """More than anybody would send by hand."""

    status = HTTPStatus.TOO_MANY_REQUESTS
    title = gettext_lazy("Please wait a moment")

    def __init__(self, retry_after: int) -> None:
        super().__init__(
            gettext(
                "More requests came from here than we can take at once. Nothing is lost that was saved "
                "before."
            ),
            action=ngettext("Try again in %(count)s second.", "Try again in %(count)s seconds.", retry_after)
            % {"count": retry_after},
        )
        self.retry_after = retry_after


@dataclass(frozen=True)
class _Window:
    """A span of time in which requests are counted."""

    seconds: int
    number: int
    left: int


@dataclass(frozen=True)
class Allowance:
    """What is left of `most` requests in `seconds`, until the window ends in `ends_in` seconds."""

    most: int
    seconds: int
    left: int
    ends_in: int


def count_request(*parts: str, seconds: int, most: int, now: datetime) -> Allowance:
    """Count a request of whom or what `parts` name. Raises TooManyRequestsError past `most` in `seconds`."""
    window = _window(seconds, now)
    try:
        count = _count(window, _hashed(window, *parts))
    except RedisError:
        log.exception("Requests are not counted: the cache of CONCORD_LIMITS_URL fails")
        count = 0
    if count > most:
        raise TooManyRequestsError(window.left)
    return Allowance(most, seconds, most - count, window.left)


def _window(seconds: int, now: datetime) -> _Window:
    number, elapsed = divmod(now.timestamp(), seconds)
    return _Window(seconds, int(number), max(1, math.ceil(seconds - elapsed)))


def _count(window: _Window, key: str) -> int:
    cache = caches["limits"]
    cache.add(key, 0, timeout=window.seconds)
    try:
        return int(cache.incr(key))
    except ValueError:  # the cache dropped the key since
        return 0


def _hashed(window: _Window, *parts: str) -> str:
    salt_key = f"salt/{window.seconds}/{window.number}"
    salt = caches["limits"].get_or_set(salt_key, secrets.token_hex, timeout=window.seconds)
    return hashlib.sha256("/".join((str(salt), *parts)).encode()).hexdigest()


def address_of(request: HttpRequest) -> str:
    """The other end's address; behind a proxy the one that the proxy saw, which it puts last."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    if settings.SECURE_PROXY_SSL_HEADER and forwarded:
        return str(forwarded.rpartition(",")[2].strip())
    return str(request.META.get("REMOTE_ADDR", ""))
