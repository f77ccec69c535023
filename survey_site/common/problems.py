"""What programs are told of an error: a problem document (RFC 9457). One way to make it, for every error."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import reverse

from survey_site.common.errors import ApplicationError

API_PATHS = "/api/"
CONTENT_TYPE = "application/problem+json"
EXPLAINED = "problems--"
"""Where docs/api.md explains a problem: the anchor of its row, before its status."""

_ACTIONS: Mapping[int, str] = {
    HTTPStatus.BAD_REQUEST: "Send a request that the reference of the API describes.",
    HTTPStatus.NOT_FOUND: "Look at the list of operations under /api/v1/.",
    HTTPStatus.METHOD_NOT_ALLOWED: "Use one of the methods in the header Allow.",
    HTTPStatus.REQUEST_ENTITY_TOO_LARGE: "Send less, or use the command on the server.",
    HTTPStatus.SERVICE_UNAVAILABLE: "Try again after the seconds in the header Retry-After.",
    HTTPStatus.INTERNAL_SERVER_ERROR: "Try again later; if it stays so, tell whoever runs this site.",
}


def is_api(request: HttpRequest) -> bool:
    """Whether the request comes from a program, to the programming interface."""
    return request.path_info.startswith(API_PATHS)


def problem(request: HttpRequest, error: ApplicationError) -> HttpResponse:
    """The error as a problem document."""
    body = _body(request, error.status, str(error.title), error.message, error.action)
    if error.fields:
        body["errors"] = [
            {"field": field, "detail": detail} for field, found in error.fields.items() for detail in found
        ]
    return _document(body)


def as_problem(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """A refusal or failure that came as a page, as a problem document with the same headers."""
    if response.headers.get("Content-Type", "").startswith(CONTENT_TYPE):
        return response
    status = HTTPStatus(response.status_code)
    made = _document(_body(request, status, status.phrase, status.description, _ACTIONS.get(status, "")))
    for name in ("Allow", "Retry-After", "WWW-Authenticate"):
        if name in response.headers:
            made.headers[name] = response.headers[name]
    return made


def _body(request: HttpRequest, status: int, title: str, detail: str, action: str) -> dict[str, Any]:
    address = f"{reverse('help:page', args=['api'])}#{EXPLAINED}{int(status)}"
    return {
        "type": request.build_absolute_uri(address),
        "title": title,
        "status": int(status),
        "detail": detail or title,
        "action": action,
    }


def _document(body: dict[str, Any]) -> HttpResponse:
    return JsonResponse(body, status=body["status"], content_type=CONTENT_TYPE)
