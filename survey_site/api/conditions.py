"""`ETag`, `If-None-Match` and `If-Match`: what a program has seen is told by the hash of what it was sent."""

import hashlib
import json
from typing import Any

from django.http import HttpResponse
from django.utils.http import parse_etags
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.utils.encoders import JSONEncoder

from survey_site.api.errors import PreconditionError

NOT_MODIFIED = 304


def tag_of(data: Any) -> str:
    """The tag of an answer with this content: equal content, equal tags."""
    text = json.dumps(data, cls=JSONEncoder, sort_keys=True, ensure_ascii=True)
    return f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'


def answer_unchanged(request: Request, response: Response, tag: str) -> HttpResponse:
    """The response with its tag; without content where the program has it, by `If-None-Match`."""
    seen = parse_etags(request.headers.get("If-None-Match", ""))
    answer: HttpResponse = Response(status=NOT_MODIFIED) if tag in seen or "*" in seen else response
    answer["ETag"] = tag
    return answer


def require_match(request: Request, data: Any) -> None:
    """Raises PreconditionError where `If-Match` names another state of the thing than `data`.

    Call it under the lock of the thing, with what it says then: of two that change it at once, the second
    is refused.
    """
    wanted = parse_etags(request.headers.get("If-Match", ""))
    if wanted and "*" not in wanted and tag_of(data) not in wanted:
        raise PreconditionError(
            "It has changed since you read it: If-Match names another state.",
            action="Read it again, decide, and send the ETag of that answer.",
        )
