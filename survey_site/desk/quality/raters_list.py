"""The list of raters on the page of a batch's quality: found, ordered, and the next one to decide on."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from survey_site.quality.checks import CheckedRater
from survey_site.survey.rating.validators import SCALE


def _gold(one: CheckedRater) -> float:
    return 2.0 if one.gold.rank is None else one.gold.rank


SORTS: dict[str, tuple[str, Callable[[CheckedRater], Any]]] = {
    "flagged": ("Flagged first", lambda one: not one.flags),
    "completed": ("Most completed first", lambda one: -len(one.pages)),
    "alike": ("Most alike first", lambda one: -one.straight / max(1, len(one.pages))),
    "fast": ("Fastest first", lambda one: (not one.timed, one.median_duration)),
    "slow": ("Slowest first", lambda one: (not one.timed, -one.median_duration)),
    "gold": ("Gold lowest first", _gold),
}


@dataclass(frozen=True)
class Row:
    """A rater, and how often they gave each rating: `bars` has point, count and height from 0 to 10."""

    checked: CheckedRater
    bars: tuple[tuple[int, int, float], ...]


def list_raters(checked: Sequence[CheckedRater], *, words: str, sort: str) -> list[Row]:
    """Those whose code has these words in it, in this order; an unknown order is the usual one."""
    _, key = SORTS.get(sort, SORTS["flagged"])
    found = [one for one in checked if words.lower() in one.rater.code.lower()]
    return [Row(one, _bars(one)) for one in sorted(found, key=key)]


def _bars(one: CheckedRater) -> tuple[tuple[int, int, float], ...]:
    counts = Counter(value for page in one.pages for value in page.values)
    most = max(counts.values(), default=1)
    return tuple((point, counts[point], 10 * counts[point] / most) for point in SCALE)


def next_flagged(checked: Sequence[CheckedRater], code: str) -> CheckedRater | None:
    """The flagged rater after this one on whom nobody has decided, around the end; None if there is no other.

    checked: flagged ones first, as `check_raters` has them.
    """
    codes = [one.rater.code for one in checked]
    start = codes.index(code) + 1
    others = [*checked[start:], *checked[: start - 1]]
    return next((one for one in others if one.awaits_decision), None)
