"""The scatter plot: one labelled point a system, its labels placed so that none covers another."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from math import copysign
from textwrap import wrap
from typing import Any, Literal

import altair as alt

from meta_eval.publish.figures.keeping import drawn_once
from meta_eval.publish.figures.rows import Point
from meta_eval.publish.figures.style import FONT_SIZE, HEIGHT, INK, PHONE_LETTERS, WIDTH, render_svg, styled

PHONE_WIDTH, PHONE_HEIGHT = 215, 260
"""Of the plot for a phone, in pixels without its axes."""


@dataclass(frozen=True)
class Box:
    """A rectangle in pixels."""

    left: float
    top: float
    right: float
    bottom: float

    def overlap(self, other: "Box") -> float:
        width = min(self.right, other.right) - max(self.left, other.left)
        height = min(self.bottom, other.bottom) - max(self.top, other.top)
        return max(width, 0.0) * max(height, 0.0)


def scatter_spec(
    points: Sequence[Point], *, human: str, automatic: str, narrow: bool = False
) -> dict[str, Any]:
    """A Vega-Lite specification: one labelled point per system; `human` and `automatic` title the axes.

    `narrow` is for a phone, where all of it is to be seen without scrolling.
    """
    width, height = (PHONE_WIDTH, PHONE_HEIGHT) if narrow else (WIDTH, HEIGHT)
    titles = [wrap(title, PHONE_LETTERS) if narrow else title for title in (human, automatic)]
    x = alt.X("human:Q", title=titles[0], scale=alt.Scale(domain=_domain([point.human for point in points])))
    y = alt.Y(
        "automatic:Q", title=titles[1], scale=alt.Scale(domain=_domain([point.automatic for point in points]))
    )
    marks = (
        alt.Chart({"values": [vars(point) for point in points]})
        .mark_point(size=70, filled=True, color=INK, opacity=0.85)
        .encode(x, y)
    )
    placed = list(zip(points, _place_labels(points, width, height), strict=True))
    labels = [
        alt.Chart({"values": [vars(point)]})
        .mark_text(dx=dx, dy=dy, align=align, baseline="middle", fontSize=FONT_SIZE, color=INK)
        .encode(x, y, text="system:N")
        for point, (dx, dy, align) in placed
    ]
    leaders = [
        alt.Chart({"values": [vars(point)]})
        .mark_rule(color=INK, opacity=0.5, x2Offset=dx - copysign(2, dx) if dx else 0, y2Offset=dy)
        .encode(x, y, x2="human:Q", y2="automatic:Q")
        for point, (dx, dy, _) in placed
        if abs(dy) > _LED
    ]
    return styled(alt.layer(*leaders, marks, *labels), width=width, height=height)


def scatter_svg(points: Sequence[Point], human: str, automatic: str, *, narrow: bool = False) -> str:
    """As SVG, empty without points; a finished report does not change: one rendered before is taken again."""
    return _scatter_svg(tuple(points), human, automatic, narrow) if points else ""


@drawn_once
def _scatter_svg(points: tuple[Point, ...], human: str, automatic: str, narrow: bool) -> str:
    return render_svg(scatter_spec(points, human=human, automatic=automatic, narrow=narrow))


def _domain(values: Sequence[float]) -> tuple[float, float]:
    """The range of the values with room for labels; equal values still get a range."""
    low, high = min(values), max(values)
    room = (high - low) * 0.1 or 0.05
    return low - room, high + room


Align = Literal["left", "right", "center"]
Placement = tuple[float, float, Align]
_DISTANCE = 8.0
_LED = 20.0
"""A label farther above or below its point than this has a line that leads to it, in pixels."""
_SIDES: tuple[tuple[int, Align], ...] = ((1, "left"), (-1, "right"), (0, "center"))
_PLACES: tuple[Placement, ...] = tuple(
    (dx * (_DISTANCE if abs(dy) != 1 else _DISTANCE * 0.75) * max(1, abs(dy) - 1), dy * 14.0, align)
    for dy, (dx, align) in product((0, -1, 1, -2, 2, -3, 3, -4, 4, -5, 5), _SIDES)
    if (dx, dy) != (0, 0)
)


def _place_labels(points: Sequence[Point], width: int, height: int) -> list[Placement]:
    """For each point the first place that covers no point, no earlier label and no edge, or the least bad."""
    centres = _pixels(points, width, height)
    plot = Box(0, 0, width, height)
    taken = [Box(x - 6, y - 6, x + 6, y + 6) for x, y in centres]
    placements = []
    for (x, y), point in zip(centres, points, strict=True):
        boxes = [(_label_box(x, y, point.system, place), place) for place in _PLACES]
        box, place = min(boxes, key=lambda option: _cost(option[0], taken, plot))
        taken.append(box)
        placements.append(place)
    return placements


def _pixels(points: Sequence[Point], width: int, height: int) -> list[tuple[float, float]]:
    (left, right), (bottom, top) = (
        _domain([point.human for point in points]),
        _domain([point.automatic for point in points]),
    )
    return [
        (
            (point.human - left) / (right - left) * width,
            height - (point.automatic - bottom) / (top - bottom) * height,
        )
        for point in points
    ]


def _label_box(x: float, y: float, text: str, place: Placement) -> Box:
    dx, dy, align = place
    width = len(text) * FONT_SIZE * 0.56
    left = x + dx - {"left": 0.0, "right": width, "center": width / 2}[align]
    return Box(left, y + dy - 7, left + width, y + dy + 7)


def _cost(box: Box, taken: Sequence[Box], plot: Box) -> float:
    """How much a label covers; outside the plot counts as covered too."""
    inside = box.overlap(plot)
    outside = (box.right - box.left) * (box.bottom - box.top) - inside
    return outside + sum(box.overlap(other) for other in taken)
