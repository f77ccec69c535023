"""How far ratings in each position stray from what was expected, as shapes for a template to draw.

Shapes lie in a box of WIDTH by HEIGHT with its origin at the top left, stretched to the page; words stand
beside them as text, so that they keep their size.
"""

import math
from dataclasses import dataclass

from meta_eval.stats.rankings.position import PositionEffects, PositionShift

WIDTH, HEIGHT = 600, 150
LEAST_REACH = 0.5
"""Points of the scale that the plot shows at least above and below 0, so that noise does not fill it."""


@dataclass(frozen=True)
class PositionMark:
    """One position: where its shift, and the ends of its interval, lie."""

    of: PositionShift
    x: float
    y: float
    low: float
    high: float

    @property
    def is_clear(self) -> bool:
        """Whether 0 lies outside the interval."""
        return not self.of.low <= 0 <= self.of.high


@dataclass(frozen=True)
class PositionPlot:
    """`reach`: the points of the scale at the upper end; the lower end is as far below 0."""

    marks: tuple[PositionMark, ...]
    reach: float


def plot_positions(effects: PositionEffects) -> PositionPlot | None:
    """None where nothing can be said."""
    if not effects.shifts:
        return None
    farthest = max(abs(end) for shift in effects.shifts for end in (shift.shift, shift.low, shift.high))
    reach = max(LEAST_REACH, math.ceil(2 * farthest) / 2)
    share = WIDTH / len(effects.shifts)

    def height(points: float) -> float:
        return HEIGHT * (1 - points / reach) / 2

    return PositionPlot(
        tuple(
            PositionMark(one, (number + 0.5) * share, height(one.shift), height(one.low), height(one.high))
            for number, one in enumerate(effects.shifts)
        ),
        reach,
    )
