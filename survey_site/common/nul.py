"""NUL characters, which no keyboard types and which PostgreSQL can neither store nor look for."""

from collections.abc import Callable, Iterator
from itertools import chain

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse, QueryDict

from survey_site.common.problems import is_api

GetResponse = Callable[[HttpRequest], HttpResponse]


class NulMiddleware:
    """Answers 400 to a request with a NUL in its path, its query or what a form sends."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_view(self, request: HttpRequest, *_view: object) -> None:
        # A program's body is read once its token is known, and by parsers that refuse the character.
        form = () if is_api(request) else _words(request.POST)
        sent = chain([request.path], _words(request.GET), form)
        if any("\0" in word for word in sent):
            raise BadRequest("A NUL character is part of nothing that this site takes.")


def _words(data: QueryDict) -> Iterator[str]:
    for key, values in data.lists():
        yield key
        yield from map(str, values)
