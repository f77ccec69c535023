"""Whether the site can work, for whoever watches over it: a container, a monitor, `manage.py demo`."""

import logging
from collections.abc import Callable
from http import HTTPStatus

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse

HEALTH_PATH = "/health/"
log = logging.getLogger(__name__)


class HealthMiddleware:
    """Answers HEALTH_PATH: 200 where the database answers, else 503.

    The first of all, because who asks comes by http and by whatever name the machine has: neither the list of
    allowed hosts nor the redirect to https is for it.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return _health() if request.path_info == HEALTH_PATH else self.get_response(request)


def _health() -> HttpResponse:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except Error as error:
        log.warning("The database does not answer: %s", error)
        return _plain("The database does not answer.\n", HTTPStatus.SERVICE_UNAVAILABLE)
    return _plain("ok\n", HTTPStatus.OK)


def _plain(text: str, status: HTTPStatus) -> HttpResponse:
    return HttpResponse(text, status=status, content_type="text/plain", headers={"Cache-Control": "no-store"})
