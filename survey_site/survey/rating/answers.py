"""Storing ratings of one page: which value stands, and the history of all. `services` holds the locks.

A rating takes back the mark that stood in its place (`marks`). However many ratings come, two statements
store them: the first writes down those that change something, the second lets them stand. Both are SQL, the
same for SQLite and PostgreSQL, because nothing is as often asked of the site, and because the database then
compares with what stands, at the moment of writing.
"""

from collections.abc import Collection, Mapping
from datetime import datetime
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.utils.translation import gettext, ngettext

from survey_site.common.errors import ConflictError, NotFoundError
from survey_site.common.prepared import prepared, repeated_cursor
from survey_site.survey.models import AssignmentItem, Mark, Rating
from survey_site.survey.rating.turns import Turn

_TAB = "CAST(%(tab)s AS text)"  # a type is told: PostgreSQL plans before it sees a value
_PAGE = """
    FROM given JOIN survey_assignmentitem placement ON placement.code = given.code
    JOIN survey_assignment page ON page.id = placement.assignment_id AND page.code = %(page)s
    LEFT JOIN survey_mark mark ON mark.assignment_item_id = placement.id
"""
_IN_TURN = f"(mark.id IS NULL OR mark.tab <> {_TAB} OR mark.turn <= %(turn)s)"
_WRITE_DOWN = f"""
    INSERT INTO survey_ratinghistory (assignment_item_id, value, reason, words, recorded_at) GIVEN
    SELECT placement.id, given.value, '', '', %(now)s {_PAGE}
    LEFT JOIN survey_rating stands ON stands.assignment_item_id = placement.id
    WHERE (stands.id IS NULL
        OR (stands.value <> given.value AND NOT (stands.tab = {_TAB} AND stands.turn > %(turn)s)))
        AND {_IN_TURN}
"""
_COLUMNS = ", ".join(str(field.column) for field in Rating._meta.concrete_fields)
_LET_STAND = f"""
    INSERT INTO survey_rating (assignment_item_id, value, tab, turn, created_at, updated_at) GIVEN
    SELECT placement.id, given.value, {_TAB}, %(turn)s, %(now)s, %(now)s {_PAGE}
    WHERE {_IN_TURN}
    ON CONFLICT (assignment_item_id) DO UPDATE
    SET value = excluded.value, tab = excluded.tab, turn = excluded.turn,
        updated_at = CASE WHEN survey_rating.value = excluded.value
            THEN survey_rating.updated_at ELSE excluded.updated_at END
    WHERE NOT (survey_rating.tab = excluded.tab AND survey_rating.turn > excluded.turn)
    RETURNING {_COLUMNS},
        (SELECT code FROM survey_assignmentitem WHERE id = survey_rating.assignment_item_id) AS code,
        (SELECT id FROM survey_mark
            WHERE survey_mark.assignment_item_id = survey_rating.assignment_item_id) AS mark
"""  # noqa: S608


def store_ratings(
    page: str, ratings: Mapping[str, int], now: datetime, turn: Turn | None, *, is_fixed: bool = False
) -> dict[str, Rating]:
    """The rating of each code as it then stands, on the page of the assignment with the code `page`.

    A code is left out where a mark stands that was given later in the same tab.

    is_fixed: whether no value may change any more. Call it in a transaction: where a code is none of the
    page's, or a fixed value would change, what it raises undoes what was stored.
    """
    if not ratings:
        return {}
    given, values = _given(ratings)
    values |= {"page": page, "now": connection.ops.adapt_datetimefield_value(now)}
    values |= {"tab": turn.tab, "turn": turn.number} if turn else {"tab": "", "turn": 0}
    with repeated_cursor() as cursor:
        cursor.execute(_WRITE_DOWN.replace("GIVEN", given), values)
        if is_fixed and cursor.rowcount:
            raise fixed_error()
        cursor.execute(_LET_STAND.replace("GIVEN", given), values)
        rows = cursor.fetchall()
    if replaced := [mark for *_, mark in rows if mark]:
        Mark.objects.filter(pk__in=replaced).delete()
    codes = [code for *_, code, _ in rows]
    stored = dict(zip(codes, _ratings.made(rows), strict=True))
    return stored if len(stored) == len(ratings) else stored | _that_stood(page, ratings.keys() - stored)


@prepared
def _ratings() -> QuerySet[Rating]:
    return Rating.objects.order_by()


def _given(ratings: Mapping[str, int]) -> tuple[str, dict[str, Any]]:
    """The answers as a table of codes and values, and the parameters that it names."""
    row = "(CAST(%(code{n})s AS text), CAST(%(value{n})s AS smallint))"
    rows = ", ".join(row.format(n=n) for n in range(len(ratings)))
    values: dict[str, Any] = {f"code{n}": code for n, code in enumerate(ratings)}
    values |= {f"value{n}": value for n, value in enumerate(ratings.values())}
    return f"WITH given (code, value) AS (VALUES {rows})", values


def _that_stood(page: str, codes: set[str]) -> dict[str, Rating]:
    """The ratings that were given later than what has just come (`turns`), by code."""
    placements = placements_of(page, codes)
    return {code: one.rating for code, one in placements.items() if hasattr(one, "rating")}


def placements_of(page: str, codes: Collection[str]) -> dict[str, AssignmentItem]:
    """The items of a page with what stands for each, by code. Raises NotFoundError for other codes."""
    rows = AssignmentItem.objects.filter(assignment__code=page, code__in=codes)
    found = {row.code: row for row in rows.select_related("rating", "mark")}
    if unknown := len(set(codes) - found.keys()):
        raise not_on_page(unknown)
    return found


def not_on_page(unknown: int) -> NotFoundError:
    """What is said of so many answers whose codes are none of the page's."""
    return NotFoundError(
        ngettext(
            "%(count)s of the answers belongs to no text pair on this page, so nothing was saved.",
            "%(count)s of the answers belong to no text pair on this page, so nothing was saved.",
            unknown,
        )
        % {"count": unknown},
        action=gettext("Reload the page and answer again."),
    )


def fixed_error() -> ConflictError:
    """What a rater is told whose answers can no longer change."""
    return ConflictError(
        gettext("This survey is closed: the answers you submitted stand and can no longer be changed."),
        action=gettext("There is nothing more to do. Thank you!"),
    )
