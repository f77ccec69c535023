"""Whom CONCORD_REQUIRE_SECOND_STEP asks for a second step reaches the page that sets it up, and no other."""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect

from survey_site.accounts.second_step import must_set_up

RATERS = "s/"
REACHED = frozenset({"accounts:second-step", "accounts:logout"})


class SecondStepMiddleware:
    """Sends them there from every other page. Raters' pages know no accounts, programs come with tokens."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, _view: Any, _args: Any, _parts: Any) -> HttpResponse | None:
        match = request.resolver_match
        if settings.CONCORD_REQUIRE_SECOND_STEP == "none" or match is None or match.route.startswith(RATERS):
            return None
        if match.view_name in REACHED or not request.user.is_authenticated:
            return None
        return redirect("accounts:second-step") if must_set_up(request.user) else None
