"""Log-ins of browsers: Django's sessions, kept under the hash of their key, with whose they are.

The key stands in the cookie alone, so that a copy of the database, or a backup, lets nobody in. Of where
somebody logs in from nothing is kept: the site stores no network address.
"""

import hashlib
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.backends.db import SessionStore as DatabaseStore
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

if TYPE_CHECKING:
    from survey_site.accounts.models import StaffSession, User

BROWSER, BEGAN, SEEN = "browser", "began", "seen"
SEEN_EVERY = timedelta(minutes=10)
"""How exact the time of the last use is: each note of it is a write."""
_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrom": "Chrome", "Safari": "Safari"}
_SYSTEMS = {
    "Windows": "Windows",
    "Android": "Android",
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Mac OS": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}


def hashed_key(key: str) -> str:
    """What the table keeps of a session's key. The key has 32 random characters, so it needs no salt."""
    return hashlib.sha256(key.encode()).hexdigest()


class SessionStore(DatabaseStore):
    """Django's store in the database, but for the name under which a row is kept."""

    @classmethod
    def get_model_class(cls) -> "type[StaffSession]":
        from survey_site.accounts.models import StaffSession

        return StaffSession

    def _get_session_from_db(self) -> "StaffSession | None":
        rows = self.get_model_class().objects.filter(expire_date__gt=timezone.now())
        found = rows.filter(session_key=hashed_key(self.session_key or "")).first()
        if found is None:
            self._session_key = None
        return found

    def exists(self, session_key: str) -> bool:
        return bool(super().exists(hashed_key(session_key)))

    def delete(self, session_key: str | None = None) -> None:
        key = session_key or self.session_key
        if key:
            super().delete(hashed_key(key))

    def create_model_instance(self, data: Mapping[str, Any]) -> "StaffSession":
        row = cast("StaffSession", super().create_model_instance(dict(data)))
        row.session_key = hashed_key(row.session_key)
        row.user_id = data.get(SESSION_KEY)
        row.browser = data.get(BROWSER, "")
        row.began_at, row.seen_at = (_moment(data.get(name)) for name in (BEGAN, SEEN))
        return row


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None


def describe_browser(user_agent: str) -> str:
    """Browser and system by name, without versions: enough to know one's own by."""
    browser = next((name for mark, name in _BROWSERS.items() if mark in user_agent), "")
    system = next((name for mark, name in _SYSTEMS.items() if mark in user_agent), "")
    return " on ".join(name for name in (browser, system) if name)


def note_login(request: HttpRequest, **_signal: Any) -> None:
    """Write into a session that has just begun where and when it did."""
    now = timezone.now().isoformat()
    agent = request.META.get("HTTP_USER_AGENT", "")
    request.session.update({BROWSER: describe_browser(agent), BEGAN: now, SEEN: now})


class SeenMiddleware:
    """Notes when a log-in was last used, every SEEN_EVERY."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and (seen := _moment(request.session.get(SEEN))):
            now = timezone.now()
            if now - seen >= SEEN_EVERY:
                request.session[SEEN] = now.isoformat()
        return self.get_response(request)


def sessions_of(user: "User", *, now: datetime) -> "QuerySet[StaffSession]":
    """The log-ins that have not ended, the last used first."""
    return user.sessions.filter(expire_date__gt=now).order_by("-seen_at", "pk")


def end_sessions(user: "User", *, only: str = "", but: str | None = None) -> int:
    """End the one with that hashed key, or all but the one with this key of a cookie; returns how many."""
    rows = user.sessions.all()
    if only:
        rows = rows.filter(pk=only)
    if but:
        rows = rows.exclude(pk=hashed_key(but))
    return int(rows.delete()[0])
