"""Several answers to one page that come together, as after a while without a connection.

They are stored in one transaction, in the order in which they were given, each by itself: what is refused
leaves the others as they are. Each goes the way of a single answer (`services`), so that all that is promised
of one holds of many.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db import transaction

from survey_site.common.errors import ApplicationError
from survey_site.survey.models import Assignment, Rater, Rating
from survey_site.survey.rating.services import save_open_ratings, save_ratings
from survey_site.survey.rating.turns import Turn


@dataclass(frozen=True)
class Given:
    """An answer to the item with this code, as it came, and when it was given."""

    code: str
    answer: object
    turn: Turn | None


Outcome = Rating | ApplicationError | None
"""What stands for an item then: the rating, None for a mark, or why the answer was refused."""


def save_each(
    *, rater: Rater, code: str, given: Sequence[Given], now: datetime, find: Callable[[], Assignment]
) -> tuple[list[Outcome], Assignment | None]:
    """Store answers to the page with this code. What became of each, and the page where it is not open.

    find: gives that page where it is not open, and raises where it is not the rater's; then nothing is
    stored.
    """
    page: Assignment | None = None
    outcomes: list[Outcome] = []
    with transaction.atomic():
        for one in given:
            answers, turn, stored = {one.code: one.answer}, one.turn, None
            if page is None:
                save = partial(save_open_ratings, rater=rater, code=code)
                stored = _attempt(partial(save, answers=answers, now=now, turn=turn))
            if stored is None:
                page = page or find()
                stored = _attempt(partial(save_ratings, assignment=page, answers=answers, now=now, turn=turn))
            outcomes.append(stored.get(one.code) if isinstance(stored, dict) else stored)
    return outcomes, page


def _attempt(save: Callable[[], dict[str, Rating] | None]) -> dict[str, Rating] | ApplicationError | None:
    """What it stored, or why it stored nothing; what it had begun is undone by its own transaction."""
    try:
        return save()
    except ApplicationError as refused:
        return refused
