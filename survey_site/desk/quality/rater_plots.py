"""What one rater's ratings and times look like, as shapes for a template to draw.

In the list they are as small as a word: bars of the six points, and a tick for each page on a scale that all
raters share. On the rater's own page they stand beside those of all raters.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from survey_site.quality.checks import CheckedPage, CheckedRater
from survey_site.survey.rating.validators import SCALE

WIDTH, HEIGHT = 600, 150
SMALL_WIDTH, SMALL_HEIGHT = 60, 10
SECONDS = (1, 2, 4, 8, 15, 30, 60, 120)
"""Ends of the bars of the times of a pair; the last bar holds all that is longer."""

SAID = 12
"""Times of so many pages are named one by one."""


@dataclass(frozen=True)
class Bar:
    """How often a rater gave one point. height: from 0 to SMALL_HEIGHT."""

    point: int
    count: int
    height: float


@dataclass(frozen=True)
class Ticks:
    """A tick for each page. words: the same as text."""

    at: tuple[float, ...]
    words: str


@dataclass(frozen=True)
class Share:
    """One bar of a distribution: the rater's share of it as a rectangle, that of the others as a level."""

    label: str
    count: int
    percent: float
    percent_of_others: float
    x: float
    y: float
    width: float
    height: float
    level: float


def seconds_per_pair(page: CheckedPage) -> float | None:
    """None where the time says nothing."""
    return page.seconds / len(page.marked) if page.timed and page.marked else None


def _times(checked: Iterable[CheckedRater]) -> list[float]:
    found = (seconds_per_pair(page) for one in checked for page in one.submitted)
    return [seconds for seconds in found if seconds is not None]


def draw_ratings(one: CheckedRater) -> tuple[Bar, ...]:
    counts = _ratings([one])
    most = max(counts.values(), default=1)
    return tuple(Bar(point, counts[point], SMALL_HEIGHT * counts[point] / most) for point in SCALE)


def _ratings(checked: Iterable[CheckedRater]) -> Counter[int]:
    return Counter(value for one in checked for page in one.submitted for value in page.values)


def time_scale(checked: Sequence[CheckedRater]) -> tuple[float, float]:
    """The logarithms of the shortest and longest time of a pair, those of nobody apart where all are one."""
    times = [math.log(max(seconds, 0.1)) for seconds in _times(checked)] or [0.0]
    low, high = min(times), max(times)
    return (low, high) if high > low else (low - 1, high + 1)


def draw_times(one: CheckedRater, scale: tuple[float, float]) -> Ticks | None:
    """None where no time of the rater's says anything."""
    times = sorted(_times([one]))
    if not times:
        return None
    low, high = scale
    at = tuple((math.log(max(seconds, 0.1)) - low) / (high - low) * SMALL_WIDTH for seconds in times)
    named = ", ".join(f"{seconds:.0f}" for seconds in times[:SAID])
    more = f" and {len(times) - SAID} slower ones" if len(times) > SAID else ""
    return Ticks(at, f"Seconds a pair, fastest page first: {named}{more}")


def compare_ratings(one: CheckedRater, everybody: Sequence[CheckedRater]) -> list[Share]:
    """How often this rater gave each point, beside all others; empty without a rating."""
    own, others = _ratings([one]), _ratings(_others(one, everybody))
    return _shares(
        [str(point) for point in SCALE], *([each[point] for point in SCALE] for each in (own, others))
    )


def compare_times(one: CheckedRater, everybody: Sequence[CheckedRater]) -> list[Share]:
    """On how many pages a pair took so long, beside all others; empty where no time says anything."""
    labels = [
        f"<{SECONDS[0]}",
        *(f"{low}–{high}" for low, high in pairwise(SECONDS)),
    ]
    both = (_binned(_times(raters)) for raters in ([one], _others(one, everybody)))
    return _shares([*labels, f"{SECONDS[-1]}+"], *both)


def _others(one: CheckedRater, everybody: Sequence[CheckedRater]) -> list[CheckedRater]:
    return [other for other in everybody if other.rater != one.rater]


def _binned(times: Sequence[float]) -> list[int]:
    counts = Counter(sum(seconds >= end for end in SECONDS) for seconds in times)
    return [counts[number] for number in range(len(SECONDS) + 1)]


def _shares(labels: Sequence[str], own: Sequence[int], others: Sequence[int]) -> list[Share]:
    if not sum(own):
        return []
    mine = [count / sum(own) for count in own]
    theirs = [count / max(1, sum(others)) for count in others]
    most, width = max(*mine, *theirs), WIDTH / len(labels)
    return [
        Share(
            label=label,
            count=count,
            percent=100 * share,
            percent_of_others=100 * other,
            x=number * width + 4,
            y=HEIGHT * (1 - share / most),
            width=width - 8,
            height=HEIGHT * share / most,
            level=HEIGHT * (1 - other / most),
        )
        for number, (label, count, share, other) in enumerate(zip(labels, own, mine, theirs, strict=True))
    ]
