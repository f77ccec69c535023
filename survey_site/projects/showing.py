"""Which project's things the lists of pages show: somebody with several chooses one in the head of a page.

The choice lasts as long as the log-in of that browser. It narrows what is listed and offered, and opens
nothing: what somebody may see is said by `access` alone. Programs choose by the filters of the interface.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.sessions.backends.base import SessionBase
from django.http import HttpRequest, HttpResponse
from django.utils.functional import SimpleLazyObject

from survey_site.projects.access import projects_of
from survey_site.projects.models import Project

KEY = "shown_project"


class ShownProjectMiddleware:
    """Says it of whoever asks, once the page wants to know who that is: raters' pages never do."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        user = request.user
        request.user = SimpleLazyObject(lambda: _showing(user, request.session))  # type: ignore[assignment]
        return self.get_response(request)


def show_project(session: SessionBase, project: Project | None) -> None:
    """From the next page on; None: those of all projects."""
    if project is None:
        session.pop(KEY, None)
    else:
        session[KEY] = project.pk


def _showing(user: Any, session: SessionBase) -> Any:
    """The user with their choice; what they do not see, or see no more, is no choice."""
    key = session.get(KEY) if user.is_authenticated else None
    if key is not None:
        user.shown_project = projects_of(user).filter(pk=key).first()
    return user
