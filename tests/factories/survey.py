"""Raters and their work, through the services that pages use."""

from collections.abc import Mapping
from datetime import datetime
from itertools import count

from survey_site.batches.models import Batch
from survey_site.survey.models import Assignment, Rater, Rating
from survey_site.survey.people.joining import join_batch
from survey_site.survey.rating.services import claim_questionnaire, save_ratings, submit_questionnaire
from survey_site.survey.rating.turns import Turn
from survey_site.survey.rating.validators import CannotJudge
from tests.factories.batches import NOW

_numbers = count(1)


def make_rater(batch: Batch, *, simulated: bool = False, entry: str = "open", now: datetime = NOW) -> Rater:
    secret, consent = f"secret {next(_numbers)}", None if simulated else 1
    return join_batch(batch=batch, secret=secret, consent=consent, entry=entry, simulated=simulated, now=now)


def make_assignment(batch: Batch, *, rater: Rater | None = None, now: datetime = NOW) -> Assignment:
    """An open assignment of a new rater."""
    assignment = claim_questionnaire(rater=rater or make_rater(batch, now=now), now=now)
    assert assignment is not None
    return assignment


def answers_for(assignment: Assignment, value: int = 4) -> dict[str, int]:
    """The same answer for every item."""
    return dict.fromkeys(assignment.placements.values_list("code", flat=True), value)


def save_rating(
    *, assignment: Assignment, code: str, value: object, now: datetime, turn: Turn | None = None
) -> Rating:
    """One answer alone, as the page's script sends it."""
    return save_ratings(assignment=assignment, answers={code: value}, now=now, turn=turn)[code]


def submit_all(assignment: Assignment, *, value: int = 4, now: datetime = NOW) -> Assignment:
    submission = submit_questionnaire(assignment=assignment, answers=answers_for(assignment, value), now=now)
    assert submission.complete
    return submission.assignment


def submit_marked(
    assignment: Assignment, marks: Mapping[int, CannotJudge], *, value: int = 4, now: datetime = NOW
) -> Assignment:
    """Submit with one rating for all items but those with a mark: index in the order of the plan -> mark."""
    codes = list(assignment.placements.order_by("item").values_list("code", flat=True))
    answers: dict[str, object] = dict.fromkeys(codes, value)
    answers |= {codes[index]: mark for index, mark in marks.items()}
    submission = submit_questionnaire(assignment=assignment, answers=answers, now=now)
    assert submission.complete
    return submission.assignment
