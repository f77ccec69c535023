"""What is answered where a request ends in an error that nobody expected: 500, or 503 where it will pass.

The database is gone for some seconds when it is started again, by an upgrade or after a fault. What was asked
meanwhile failed and nothing of it is stored, but nobody has to tell anybody: trying again is enough, and the
rating page's script does so by itself.
"""

import sys
from http import HTTPStatus

from django.db import InterfaceError, OperationalError
from django.http import HttpRequest, HttpResponse
from django.template.loader import render_to_string
from django.views import defaults

from survey_site.common.problems import as_problem, is_api

RETRY_AFTER_SECONDS = 5
_LASTING = ("no such ", "has no column", "readonly database", "unable to open")
"""How SQLite tells of faults that trying again does not mend, by the same error as of those that pass."""


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls it while it handles the error, which its own log then tells in full. Asks no database."""
    if _passes(sys.exception()):
        response = HttpResponse(render_to_string("503.html"), status=HTTPStatus.SERVICE_UNAVAILABLE)
        response["Retry-After"] = str(RETRY_AFTER_SECONDS)
    else:
        response = defaults.server_error(request)
    return as_problem(request, response) if is_api(request) else response


def _passes(error: BaseException | None) -> bool:
    is_of_database = isinstance(error, InterfaceError | OperationalError)
    return is_of_database and not any(words in str(error) for words in _LASTING)
