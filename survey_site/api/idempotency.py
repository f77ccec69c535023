"""Creating calls that may be sent again: one `Idempotency-Key`, one thing made, the same answer each time.

The key's row is written first, in the transaction of the call. Its unique index is the lock: of two calls
with one key the second waits until the first has ended, and then finds its answer. A call that fails leaves
no key.
"""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db import IntegrityError, transaction
from rest_framework.request import Request
from rest_framework.response import Response

from survey_site.accounts.models import KeptAnswer, User
from survey_site.accounts.tokens import stale_answers
from survey_site.common.digest import digest
from survey_site.common.errors import InvalidInputError

HEADER = "Idempotency-Key"
MOST_LETTERS = 255


def once(request: Request, asked: Any, make: Callable[[], Response]) -> Response:
    """What `make` answers; where the same call was answered before, that answer, and nothing is made.

    asked: all that the call asks for, as plain values. Raises InvalidInputError where the key was used for
    something else.
    """
    key = request.headers.get(HEADER, "").strip()
    if not key:
        with transaction.atomic():
            return make()
    if len(key) > MOST_LETTERS or "\0" in key:
        raise InvalidInputError(
            f"{HEADER} has at most {MOST_LETTERS} letters.", action="Choose a shorter one."
        )
    hashed = digest([request.method, request.path, asked])
    now = request._request.now
    with transaction.atomic():
        stale_answers(now).filter(user=request.user).delete()
        kept = _take(request.user, key, hashed, now)
        if kept is None:
            return _again(KeptAnswer.objects.get(user=request.user, key=key), hashed)
        response = make()
        kept.status, kept.body = response.status_code, response.data
        kept.location = response.headers.get("Location", "")
        kept.save(update_fields=["status", "body", "location"])
        return response


def _take(user: User, key: str, request: str, now: datetime) -> KeptAnswer | None:
    """The row of a key that nobody has used; None where somebody has, once their call has ended."""
    try:
        with transaction.atomic():
            return KeptAnswer.objects.create(user=user, key=key, request=request, made_at=now)
    except IntegrityError:
        return None


def _again(kept: KeptAnswer, request: str) -> Response:
    if kept.request != request:
        raise InvalidInputError(
            f"This {HEADER} was sent with another request.", action="Take a new key for each new request."
        )
    headers = {"Location": kept.location} if kept.location else {}
    return Response(kept.body, status=kept.status, headers={**headers, "Idempotency-Replayed": "true"})
