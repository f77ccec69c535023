"""One handler for domain errors, a request log that names no one, and the language of each page."""

import logging
import time
from collections.abc import Callable, Mapping
from http import HTTPStatus

from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, JsonResponse
from django.shortcuts import render
from django.utils import translation
from django.utils.http import url_has_allowed_host_and_scheme

from survey_site.common.errors import ApplicationError
from survey_site.common.languages import STAFF_LANGUAGE, preferred_language, site_languages
from survey_site.common.log_lines import about, request_id
from survey_site.common.logs import route_of
from survey_site.common.problems import as_problem, is_api, problem
from survey_site.common.request_times import observe

GetResponse = Callable[[HttpRequest], HttpResponse]
RATER_PATHS = "/s/"
REQUEST_ID = "X-Request-ID"
log = logging.getLogger("survey_site.requests")


class ApplicationErrorMiddleware:
    """Turns an ApplicationError raised by a view into a page, or JSON where that is preferred.

    Programs get a problem document of it, and of every other error as well.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if is_api(request):
            if response.status_code >= HTTPStatus.BAD_REQUEST:
                response = as_problem(request, response)
            _add_headers(response, getattr(request, "further_headers", {}))
        return response

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponse | None:
        return error_response(request, error) if isinstance(error, ApplicationError) else None


def _add_headers(response: HttpResponse, headers: Mapping[str, str]) -> None:
    for name, value in headers.items():
        response[name] = value


def error_response(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """What somebody is told of an error, with its headers."""
    response = problem(request, error) if is_api(request) else _error_page(request, error)
    _add_headers(response, error.headers)
    if error.retry_after is not None:
        response["Retry-After"] = str(error.retry_after)
    return response


def _error_page(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """JSON where it is preferred, else a page: to raters with their survey, to staff with the way back."""
    if request.get_preferred_type(["text/html", "application/json"]) == "application/json":
        body = {"error": error.title, "message": error.message, "action": error.action}
        return JsonResponse(body, status=error.status)
    if request.path_info.startswith(RATER_PATHS):
        context = {"error": error, "batch": getattr(request, "batch", None)}
        return render(request, "error_rater.html", context, status=error.status)
    context = {"error": error, "back": _came_from(request)}
    return render(request, "error.html", context, status=error.status)


def _came_from(request: HttpRequest) -> str:
    """The page of this site that led here; empty where none did, or this one itself."""
    referrer = request.headers.get("referer", "")
    is_ours = url_has_allowed_host_and_scheme(referrer, {request.get_host()}, request.is_secure())
    is_here = request.method == "GET" and referrer == request.build_absolute_uri()
    return referrer if is_ours and not is_here else ""


class ContentPolicyMiddleware:
    """Tells browsers what a page may load (`CONTENT_SECURITY_POLICY`): the same for all, put together once.

    django-csp's own middleware puts it together for each answer, which was a ninth of what a rating costs.
    Not on Django's page about an error in development, which has its style in it.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response
        self._policy = build_policy()

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        if not (settings.DEBUG and response.status_code in {404, 500}):
            response.headers.setdefault("Content-Security-Policy", self._policy)
        return response


class NoCacheMiddleware:
    """Keeps what the site computes out of every cache, the browser's too.

    A page holds ratings or names of systems, or is a rater's own; whoever comes next must not find it by
    going back. Static files do not come this far.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response["Cache-Control"] = "private, no-store"
        return response


class RequestIdMiddleware:
    """Gives each request an id, on its lines in the log and in the header in which a proxy may send one."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        name = request_id(request.headers.get(REQUEST_ID))
        with about(request=name):
            response = self.get_response(request)
        response[REQUEST_ID] = name
        return response


class MethodMiddleware:
    """Refuses TRACE, which pages that only read would answer as they answer GET."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.method == "TRACE":
            return HttpResponseNotAllowed(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST"])
        return self.get_response(request)


class RequestLogMiddleware:
    """Logs method, route, status and time. The route, not the path: a survey's link is a secret."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        start = time.perf_counter()
        response = self.get_response(request)
        seconds = time.perf_counter() - start
        elapsed = seconds * 1000
        if settings.CONCORD_METRICS:
            observe(request, response.status_code, seconds)
        said = {"method": request.method, "route": route_of(request), "status": response.status_code}
        log.info(
            "%s %s %d %.0f ms", *said.values(), elapsed, extra={"fields": {**said, "ms": round(elapsed, 1)}}
        )
        return response


class LanguageMiddleware:
    """Staff read English; a rater's page begins in the language of its visitor, until its batch is known."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        with translation.override(_first_language(request)):
            return self.get_response(request)


def _first_language(request: HttpRequest) -> str:
    if not request.path_info.startswith(RATER_PATHS):
        return STAFF_LANGUAGE
    return preferred_language(request, [one.code for one in site_languages()])
