"""Keeps everybody out of addresses that name what they may not see, before any view is asked.

One table says which part of an address names what. A page asks by the middleware, the programming interface
by its base view; so a new address below one of these is kept as well.
"""

from collections.abc import Callable, Mapping
from typing import Any

from django.apps import apps
from django.http import Http404, HttpRequest, HttpResponse

from survey_site.projects.access import get_visible_or_404

API = "api/v1/"
NAMED: Mapping[str, tuple[str, str]] = {
    "corpora/<int:pk>/": ("pk", "corpus.Corpus"),
    "corpora/<int:corpus>/": ("corpus", "corpus.Corpus"),
    "batches/<int:pk>/": ("pk", "batches.Batch"),
    "reports/<int:pk>/": ("pk", "reports.Report"),
    "reports/(?P<pk>": ("pk", "reports.Report"),
    "runs/<int:pk>/": ("pk", "scoring.ScoreRun"),
    "score-runs/<int:pk>/": ("pk", "scoring.ScoreRun"),
    "studies/<int:pk>/": ("pk", "studies.Study"),
    "notices/<int:pk>/": ("pk", "notices.Notice"),
    "projects/<int:pk>/": ("pk", "projects.Project"),
    "keep/<slug:kind>/<int:pk>/": ("pk", ""),
}
"""By the beginning of a route, of pages and of the interface alike: the part that names a thing, and its
table. What follows it in the address belongs to that thing, and is looked for among what does.
"""
KINDS: Mapping[str, str] = {
    "batch": "batches.Batch",
    "corpus": "corpus.Corpus",
    "report": "reports.Report",
    "study": "studies.Study",
}
"""The tables of what `keep/` names, by the word in the address."""


def named_by(route: str) -> tuple[str, str] | None:
    """Which part of an address of this route names a thing, and its table; None where none does."""
    route = route.removeprefix(API)
    return next((said for start, said in NAMED.items() if route.startswith(start)), None)


def require_visible(user: Any, route: str, parts: Mapping[str, Any]) -> bool:
    """Whether the address names a thing at all. Raises Http404 for one that this person may not see."""
    said = named_by(route)
    if said is None:
        return False
    part, table = said
    if not user.sees_all_projects:
        label = table or KINDS.get(parts["kind"])
        if label is None:
            raise Http404
        rows = apps.get_model(label)._default_manager.only("pk")
        get_visible_or_404(rows.order_by(), user, parts[part])
    return True


class ProjectGateMiddleware:
    """For pages; who is not logged in is sent to the log-in by the view."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, _view: Any, _args: Any, parts: Mapping[str, Any]
    ) -> HttpResponse | None:
        route = request.resolver_match.route if request.resolver_match else ""
        if not route.startswith(API) and named_by(route) and request.user.is_authenticated:
            require_visible(request.user, route, parts)
        return None
