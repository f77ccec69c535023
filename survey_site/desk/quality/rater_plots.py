"""What one rater's ratings and times look like, as shapes for a template to draw.

In the list they are as small as a word: bars of the six points, and a tick for each page on a scale that all
raters share. On the rater's own page they stand beside those of all raters.
"""

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from survey_site.survey.rating.validators import SCALE

WIDTH, HEIGHT = 600, 150
SMALL_WIDTH, SMALL_HEIGHT = 60, 10
SECONDS = (1, 2, 4, 8, 15, 30, 60, 120)
"""Ends of the bars of the times of a pair; the last bar holds all that is longer."""

SAID = 12
"""Times of so many pages are named one by one."""


class Drawn(Protocol):
    """What is drawn of a rater: how often they gave each point, and seconds a pair of each page."""

    @property
    def points(self) -> tuple[int, ...]: ...

    @property
    def times(self) -> tuple[float, ...]: ...


@dataclass(frozen=True)
class RaterBar:
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


def _times(raters: Iterable[Drawn]) -> list[float]:
    return [seconds for one in raters for seconds in one.times]


def draw_ratings(one: Drawn) -> tuple[RaterBar, ...]:
    most = max(*one.points, 1)
    pairs = zip(SCALE, one.points, strict=True)
    return tuple(RaterBar(point, count, SMALL_HEIGHT * count / most) for point, count in pairs)


def time_scale(raters: Iterable[Drawn]) -> tuple[float, float]:
    """The logarithms of the shortest and longest time of a pair, those of nobody apart where all are one."""
    times = _times(raters) or [1.0]
    low, high = (math.log(max(seconds, 0.1)) for seconds in (min(times), max(times)))
    return (low, high) if high > low else (low - 1, high + 1)


def draw_times(one: Drawn, scale: tuple[float, float]) -> Ticks | None:
    """None where no time of the rater's says anything."""
    times = sorted(one.times)
    if not times:
        return None
    low, high = scale
    at = tuple((math.log(max(seconds, 0.1)) - low) / (high - low) * SMALL_WIDTH for seconds in times)
    named = ", ".join(f"{seconds:.0f}" for seconds in times[:SAID])
    more = f" and {len(times) - SAID} slower ones" if len(times) > SAID else ""
    return Ticks(at, f"Seconds a pair, fastest page first: {named}{more}")


def compare_ratings(one: Drawn, others: Iterable[Drawn]) -> list[Share]:
    """How often this rater gave each point, beside all others; empty without a rating."""
    theirs = [sum(counts) for counts in zip(*(other.points for other in others), strict=True)]
    return _shares([str(point) for point in SCALE], one.points, theirs or [0] * len(SCALE))


def compare_times(one: Drawn, others: Iterable[Drawn]) -> list[Share]:
    """On how many pages a pair took so long, beside all others; empty where no time says anything."""
    labels = [
        f"<{SECONDS[0]}",
        *(f"{low}–{high}" for low, high in pairwise(SECONDS)),
    ]
    both = (_binned(_times(raters)) for raters in ([one], others))
    return _shares([*labels, f"{SECONDS[-1]}+"], *both)


def _binned(times: Sequence[float]) -> list[int]:
    counts = Counter(bisect_right(SECONDS, seconds) for seconds in times)
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
