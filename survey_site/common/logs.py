"""What logs keep of a request: its route. Its path may be a secret link, its address says who it is."""

import logging

from django.http import HttpRequest


def route_of(request: HttpRequest) -> str:
    """The pattern behind the path, such as /s/<str:token>/."""
    return f"/{request.resolver_match.route}" if request.resolver_match else "(no route)"


class RouteFilter(logging.Filter):
    """Puts the route in place of the path, wherever Django or gunicorn would write it."""

    def filter(self, record: logging.LogRecord) -> bool:
        request = getattr(record, "request", None)
        if isinstance(request, HttpRequest):
            record.msg, record.args = _with_route(record.getMessage(), request), None
        elif record.name == "gunicorn.error" and str(record.msg).startswith("Error handling request"):
            record.msg, record.args = "Error handling a request", None
        elif record.name == "gunicorn.error" and str(record.msg).startswith("Invalid request"):
            record.msg, record.args = "Invalid request", None
        return True


class RefusalFilter(logging.Filter):
    """Leaves out the lines in which Django calls a refusal an error: a paused survey answers 503 on purpose.

    A failure of the code comes with its traceback; the request log has every refusal with its status.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno < logging.ERROR or record.exc_info is not None


def _with_route(message: str, request: HttpRequest) -> str:
    """The longest first: the path is a part of the path with its query. Django escapes what is not ASCII."""
    for path in (request.get_full_path(), request.path):
        for written in (path, path.encode("unicode_escape").decode("ascii")):
            message = message if written == "/" else message.replace(written, route_of(request))
    return message
