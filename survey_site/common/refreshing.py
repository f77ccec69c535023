"""Parts of pages that renew themselves (`static/js/refresh.js`): what the browser shows already."""

from django.http import HttpRequest

SHOWN = "Concord-Shown"
"""Header of a page that refreshes itself: the version of what it shows."""


def shows(request: HttpRequest, version: str) -> bool:
    return request.headers.get(SHOWN) == version
