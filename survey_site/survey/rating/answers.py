"""Storing answers to one page: which value stands, and the history of all. `services` holds the locks."""

from collections.abc import Mapping
from datetime import datetime

from django.utils.translation import gettext, ngettext

from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.survey.models import Assignment, AssignmentItem, Rating, RatingHistory
from survey_site.survey.rating.turns import Turn


def store_ratings(
    assignment: Assignment, ratings: Mapping[str, int], now: datetime, turn: Turn | None
) -> dict[str, Rating]:
    """The rating of each code as it then stands; nothing is stored where a code is none of the page's."""
    placements = {
        placement.code: placement
        for placement in assignment.placements.filter(code__in=ratings).select_related("rating")
    }
    if unknown := [code for code in ratings if code not in placements]:
        raise NotFoundError(
            ngettext(
                "%(count)s of the answers belongs to no text pair on this page, so nothing was saved.",
                "%(count)s of the answers belong to no text pair on this page, so nothing was saved.",
                len(unknown),
            )
            % {"count": len(unknown)},
            action=gettext("Reload the page and answer again."),
        )
    return {
        code: _store_rating(assignment, placements[code], value, now, turn) for code, value in ratings.items()
    }


def _store_rating(
    assignment: Assignment, placement: AssignmentItem, value: int, now: datetime, turn: Turn | None
) -> Rating:
    rating: Rating | None = getattr(placement, "rating", None)
    if rating and turn and turn.is_before(rating):
        return rating
    if rating is None or rating.value != value:
        if assignment.is_submitted and assignment.questionnaire.batch.is_closed:
            raise ConflictError(
                gettext(
                    "This survey is closed: the answers you submitted stand and can no longer be changed."
                ),
                action=gettext("There is nothing more to do. Thank you!"),
            )
        RatingHistory.objects.create(assignment_item=placement, value=value, recorded_at=now)
        rating = rating or Rating(assignment_item=placement, created_at=now)
        rating.value, rating.updated_at = value, now
    rating.tab, rating.turn = (turn.tab, turn.number) if turn else ("", 0)
    rating.save()
    return rating
