"""The list of raters on the page of a batch's quality: found, ordered, and the next one to decide on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from survey_site.desk.quality.rater_plots import Bar, Ticks, draw_ratings, draw_times, time_scale
from survey_site.quality.checks import CheckedRater

FIRST_SORT = "flagged"


@dataclass(frozen=True)
class Column:
    """A column to order by. value: None where there is none, which comes last in either direction."""

    key: str
    title: str
    value: Callable[[CheckedRater], float | str | None]
    is_number: bool = True
    falls: bool = False  # whether the highest is wanted first


def _seconds(one: CheckedRater) -> float | None:
    return one.median_duration.total_seconds() if one.timed else None


COLUMNS = (
    Column("rater", "Rater", lambda one: one.rater.code, is_number=False),
    Column("flagged", "Flagged for", lambda one: len(one.flags), is_number=False, falls=True),
    Column("completed", "Completed", lambda one: len(one.pages), falls=True),
    Column("marks", "Not judged", lambda one: one.marks, falls=True),
    Column("alike", "All alike", lambda one: one.straight, falls=True),
    Column("fast", "Too fast", lambda one: one.hurried if one.timed else None, falls=True),
    Column("time", "Median time", _seconds),
    Column("gold", "Rank of gold", lambda one: one.gold.rank),
    Column("p", "p", lambda one: one.gold_p),
)


@dataclass(frozen=True)
class Heading:
    """A column's head: `sort` is what choosing it asks for, `direction` how the list is ordered by it now."""

    title: str
    sort: str
    direction: str
    is_number: bool


@dataclass(frozen=True)
class Row:
    """A rater, how often they gave each rating, and how long each page took them."""

    checked: CheckedRater
    bars: tuple[Bar, ...]
    ticks: Ticks | None


def list_raters(checked: Sequence[CheckedRater], *, words: str, sort: str) -> list[Row]:
    """Those whose code has these words in it, in this order; an unknown order is the usual one."""
    column, falls = _wanted(sort)
    found = sorted(
        (one for one in checked if words.lower() in one.rater.code.lower()), key=lambda one: one.rater.code
    )
    known = [one for one in found if column.value(one) is not None]
    known.sort(key=column.value, reverse=falls)  # type: ignore[arg-type]  # none of them is None
    unknown = [one for one in found if column.value(one) is None]
    scale = time_scale(checked)
    return [Row(one, draw_ratings(one), draw_times(one, scale)) for one in [*known, *unknown]]


def head_list(sort: str) -> dict[str, Heading]:
    """The head of each column by its key; choosing the one that orders the list turns it round."""
    current, falls = _wanted(sort)
    return {column.key: _head(column, current, falls=falls) for column in COLUMNS}


def _head(column: Column, current: Column, *, falls: bool) -> Heading:
    is_current = column is current
    wanted = not falls if is_current else column.falls
    direction = ("descending" if falls else "ascending") if is_current else ""
    return Heading(column.title, f"{'-' * wanted}{column.key}", direction, column.is_number)


def _wanted(sort: str) -> tuple[Column, bool]:
    """The column that is asked for, and whether from its highest value down."""
    known = {column.key: column for column in COLUMNS}
    key = sort.removeprefix("-")
    return (known[key], sort.startswith("-")) if key in known else (known[FIRST_SORT], True)


def undecided(checked: Sequence[CheckedRater]) -> list[CheckedRater]:
    """The flagged raters on whom nobody has decided, in the order in which one walks through them."""
    return [one for one in checked if one.awaits_decision]


def next_flagged(checked: Sequence[CheckedRater], code: str) -> CheckedRater | None:
    """The flagged rater after this one on whom nobody has decided; None after the last one.

    checked: flagged ones first, as `check_raters` has them. From a rater who is not flagged it is the first.
    """
    codes = [one.rater.code for one in checked]
    start = codes.index(code) + 1 if checked[codes.index(code)].flags else 0
    return next(iter(undecided(checked[start:])), None)
