"""How much a request may bring, told by its announced length before any of it is read or stored.

Django itself writes an uploaded file to the disk in full before any view, or the check of a form's token, can
refuse it: anybody could fill the disk.
"""

from collections.abc import Callable
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, TypeVar

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect

from survey_site.common.errors import TooLargeError
from survey_site.common.middleware import error_response

MEGABYTE = 1_000_000
WRAPPING = MEGABYTE
"""Room for what a form sends besides its files; the form itself refuses files that are a little too large."""

GetResponse = Callable[[HttpRequest], HttpResponse]
View = TypeVar("View", bound=Callable[..., HttpResponse])


@dataclass(frozen=True)
class Uploads:
    """Who may send files to a view, and the command that takes larger ones."""

    allowed: Callable[[Any], bool]
    command: str


def takes_files(uploads: Uploads) -> Callable[[View], View]:
    """Marks a view to which some may send files, up to CONCORD_UPLOAD_LIMIT_MB."""

    def mark(view: View) -> View:
        view.uploads = uploads  # type: ignore[attr-defined]
        return view

    return mark


def upload_limit() -> int:
    """Bytes of all files together."""
    return int(settings.CONCORD_UPLOAD_LIMIT_MB * MEGABYTE)


def too_large(size: int, command: str) -> str:
    """What a page says of files of so many bytes."""
    return (
        f"The files have {size / MEGABYTE:.0f} MB; this page takes {settings.CONCORD_UPLOAD_LIMIT_MB} MB. "
        f"Import with `manage.py {command}` on the server instead."
    )


def lead_to(request: HttpRequest, address: str) -> HttpResponse:
    """The page of what an upload has stored: a redirect, or its address for the script that sent the files.

    A script that follows a redirect would read the page itself, and with it the message for the person.
    """
    if request.headers.get("X-Requested-With") == "XMLHttpRequest":
        return JsonResponse({"address": address}, status=HTTPStatus.CREATED)
    return redirect(address)


class BodyLimitMiddleware:
    """Refuses what is longer than a form needs, but for files from people who may send them there.

    Before the check of a form's token, which reads the body.
    """

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Callable[..., Any], _args: Any, _kwargs: Any
    ) -> HttpResponse | None:
        size = _announced(request)
        if size <= settings.DATA_UPLOAD_MAX_MEMORY_SIZE:
            return None
        uploads: Uploads | None = getattr(view, "uploads", None)
        if uploads is None or not uploads.allowed(request.user):
            text = "This is larger than anything that this page takes from you.\n"
            return HttpResponse(text, status=TooLargeError.status, content_type="text/plain")
        if size <= upload_limit() + WRAPPING:
            return None
        return error_response(request, TooLargeError(too_large(size, uploads.command)))


def _announced(request: HttpRequest) -> int:
    """The length of the body; 0 where none is announced, and then none is read."""
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0
