"""Storing answers to one page: which value stands, and the history of all. `services` holds the locks.

However many answers come, two statements store them: the first writes down those that change something, the
second lets them stand. Both are SQL, the same for SQLite and PostgreSQL, because nothing is as often asked of
the site, and because the database then compares with what stands, at the moment of writing.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import connection
from django.utils.translation import gettext, ngettext

from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.survey.models import Rating
from survey_site.survey.rating.turns import Turn

_PAGE = """
    FROM given JOIN survey_assignmentitem placement ON placement.code = given.code
    JOIN survey_assignment page ON page.id = placement.assignment_id AND page.code = %(page)s
"""
_WRITE_DOWN = f"""
    INSERT INTO survey_ratinghistory (assignment_item_id, value, recorded_at) GIVEN
    SELECT placement.id, given.value, %(now)s {_PAGE}
    LEFT JOIN survey_rating stands ON stands.assignment_item_id = placement.id
    WHERE stands.id IS NULL
        OR (stands.value <> given.value AND NOT (stands.tab = %(tab)s AND stands.turn > %(turn)s))
"""
_LET_STAND = f"""
    INSERT INTO survey_rating (assignment_item_id, value, tab, turn, created_at, updated_at) GIVEN
    SELECT placement.id, given.value, %(tab)s, %(turn)s, %(now)s, %(now)s {_PAGE}
    WHERE true
    ON CONFLICT (assignment_item_id) DO UPDATE
    SET value = excluded.value, tab = excluded.tab, turn = excluded.turn,
        updated_at = CASE WHEN survey_rating.value = excluded.value
            THEN survey_rating.updated_at ELSE excluded.updated_at END
    WHERE NOT (survey_rating.tab = excluded.tab AND survey_rating.turn > excluded.turn)
    RETURNING *,
        (SELECT code FROM survey_assignmentitem WHERE id = survey_rating.assignment_item_id) AS code
"""  # noqa: S608


def store_ratings(
    page: str, ratings: Mapping[str, int], now: datetime, turn: Turn | None, *, is_fixed: bool = False
) -> dict[str, Rating]:
    """The rating of each code as it then stands, on the page of the assignment with the code `page`.

    is_fixed: whether no value may change any more. Call it in a transaction: where a code is none of the
    page's, or a fixed value would change, what it raises undoes what was stored.
    """
    if not ratings:
        return {}
    given, values = _given(ratings)
    values |= {"page": page, "now": connection.ops.adapt_datetimefield_value(now)}
    values |= {"tab": turn.tab, "turn": turn.number} if turn else {"tab": "", "turn": 0}
    with connection.cursor() as cursor:
        cursor.execute(_WRITE_DOWN.replace("GIVEN", given), values)
        if is_fixed and cursor.rowcount:
            raise ConflictError(
                gettext(
                    "This survey is closed: the answers you submitted stand and can no longer be changed."
                ),
                action=gettext("There is nothing more to do. Thank you!"),
            )
    stored = {
        vars(row)["code"]: row for row in Rating.objects.raw(_LET_STAND.replace("GIVEN", given), values)
    }
    return stored if len(stored) == len(ratings) else stored | _that_stood(page, ratings.keys() - stored)


def _given(ratings: Mapping[str, int]) -> tuple[str, dict[str, Any]]:
    """The answers as a table of codes and values, and the parameters that it names."""
    rows = ", ".join(f"(%(code{n})s, %(value{n})s)" for n in range(len(ratings)))
    values: dict[str, Any] = {f"code{n}": code for n, code in enumerate(ratings)}
    values |= {f"value{n}": value for n, value in enumerate(ratings.values())}
    return f"WITH given (code, value) AS (VALUES {rows})", values


def _that_stood(page: str, codes: set[str]) -> dict[str, Rating]:
    """The ratings that were given later than what has just come (`turns`), by code."""
    rows = Rating.objects.filter(assignment_item__assignment__code=page, assignment_item__code__in=codes)
    stood = {row.assignment_item.code: row for row in rows.select_related("assignment_item")}
    if unknown := codes - stood.keys():
        raise NotFoundError(
            ngettext(
                "%(count)s of the answers belongs to no text pair on this page, so nothing was saved.",
                "%(count)s of the answers belong to no text pair on this page, so nothing was saved.",
                len(unknown),
            )
            % {"count": len(unknown)},
            action=gettext("Reload the page and answer again."),
        )
    return stood
