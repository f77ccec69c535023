"""The list of raters on the page of a batch's quality: found, ordered, and the next one to decide on."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from survey_site.desk.quality.rater_plots import RaterBar, Ticks, draw_ratings, draw_times, time_scale
from survey_site.quality.decided import DecidedRater, to_decide_on
from survey_site.quality.findings import FoundRater
from survey_site.survey.models import Rater

FIRST_SORT = "flagged"


@dataclass(frozen=True)
class Column:
    """A column to order by. value: None where there is none, which comes last in either direction."""

    key: str
    title: str
    value: Callable[[FoundRater], float | str | None]
    is_number: bool = True
    falls: bool = False  # whether the highest is wanted first


def _seconds(one: FoundRater) -> float | None:
    return one.median_seconds if one.timed else None


COLUMNS = (
    Column("rater", "Rater", lambda one: one.code, is_number=False),
    Column("flagged", "Flagged for", lambda one: len(one.flags), is_number=False, falls=True),
    Column("completed", "Completed", lambda one: one.pages, falls=True),
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
class Order:
    """An order that can be chosen where the heads are not shown: what asks for it, and whether it holds."""

    title: str
    sort: str
    is_current: bool


@dataclass(frozen=True)
class Row:
    """A rater, how often they gave each rating, and how long each page took them."""

    rater: Rater
    found: FoundRater
    decided: DecidedRater
    bars: tuple[RaterBar, ...]
    ticks: Ticks | None


def list_raters(raters: Sequence[DecidedRater], *, words: str, sort: str) -> list[DecidedRater]:
    """Those whose code has these words in it, in this order; an unknown order is the usual one."""
    column, falls = _wanted(sort)
    listed = sorted((one for one in raters if words.lower() in one.code.lower()), key=lambda one: one.code)
    known = [one for one in listed if column.value(one.found) is not None]
    known.sort(key=lambda one: column.value(one.found), reverse=falls)  # type: ignore[arg-type,return-value]  # none of them is None
    unknown = [one for one in listed if column.value(one.found) is None]
    return [*known, *unknown]


def draw_rows(listed: Iterable[DecidedRater], everybody: Iterable[DecidedRater]) -> list[Row]:
    """What the list shows of these raters, on one scale for everybody. Who has just withdrawn is left out."""
    listed = list(listed)
    codes = [one.code for one in listed]
    people = {one.code: one for one in Rater.objects.filter(code__in=codes).select_related("exclusion")}
    scale = time_scale(one.found for one in everybody)
    return [
        Row(people[one.code], one.found, one, draw_ratings(one.found), draw_times(one.found, scale))
        for one in listed
        if one.code in people
    ]


def head_list(sort: str) -> dict[str, Heading]:
    """The head of each column by its key; choosing the one that orders the list turns it round."""
    current, falls = _wanted(sort)
    return {column.key: _head(column, current, falls=falls) for column in COLUMNS}


def list_orders(sort: str) -> list[Order]:
    """Each column with the way round in which it is wanted first, or in which it orders the list now."""
    current, falls = _wanted(sort)
    orders = []
    for column in COLUMNS:
        is_current = column is current
        turned = falls if is_current else column.falls
        orders.append(Order(column.title, f"{'-' * turned}{column.key}", is_current))
    return orders


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


def next_flagged(raters: Sequence[DecidedRater], code: str) -> DecidedRater | None:
    """The flagged rater after this one on whom nobody has decided; None after the last one.

    raters: flagged ones first, as they were found. From a rater who is not flagged it is the first.
    """
    flagged = [one.code for one in raters if one.found.flags]
    start = flagged.index(code) + 1 if code in flagged else 0
    return next(iter(to_decide_on(raters[start:])), None)
