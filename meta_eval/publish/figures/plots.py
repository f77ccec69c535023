"""Forest plot, heat map, lines against beta and share: one specification each for page, print and file."""

from collections.abc import Sequence
from math import floor
from textwrap import wrap
from typing import Any

import altair as alt

from meta_eval.publish.figures.keeping import drawn_once
from meta_eval.publish.figures.rows import ForestRow, HeatSquare, Line
from meta_eval.publish.figures.style import FONT_SIZE, INK, PHONE_LETTERS, render_svg, styled

FOREST_WIDTH, ROW_HEIGHT, LINES_HEIGHT, HEAT_WIDTH = 400, 34, 280, 96
PHONE_WIDTH, NARROWEST = 250, 110
"""Of a forest plot for a phone: names and plot together, and the plot at least, in pixels."""
WIDE_LETTER = 0.6
"""Width of a letter of a wide font, in parts of its size."""
_MANY = 8
"""Surrogates whose names no longer stand side by side."""
_DARK = 0.55
"""Shade on which white digits read better than black ones."""
DASHES = ([1, 0], [6, 3], [2, 2], [10, 3], [6, 2, 2, 2], [1, 3], [12, 3, 3, 3])
SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right")


def forest_spec(rows: Sequence[ForestRow], *, title: str, narrow: bool = False) -> dict[str, Any]:
    """Estimates as points on their intervals, the ceiling as a tick across, 0 as a line.

    `narrow` is for a phone, where all of it is to be seen without scrolling.
    """
    values = [vars(row) for row in rows]
    # The browser's font may be wider than the one the chart is measured with.
    room = int(max(len(row.title) for row in rows) * FONT_SIZE * WIDE_LETTER)
    axis = alt.Axis(labelLimit=0, minExtent=room, ticks=False, domain=False)
    y = alt.Y("title:N", title=None, sort=None, axis=axis)
    lowest = min(row.estimate if row.low is None else row.low for row in rows)
    scale = alt.Scale(domain=(max(-1.0, floor(4 * min(lowest, -0.25)) / 4), 1), nice=False)
    base = alt.Chart({"values": values}).encode(y=y)
    zero = alt.Chart({"values": [{"zero": 0}]}).mark_rule(color=INK, opacity=0.5).encode(x="zero:Q")
    across = alt.Axis(titleAnchor="end") if narrow else alt.Axis()  # its names leave room on the left alone
    interval = base.mark_rule(color=INK, strokeWidth=2).encode(
        x=alt.X("low:Q", title=wrap(title, PHONE_LETTERS) if narrow else title, scale=scale, axis=across),
        x2="high:Q",
    )
    point = base.mark_point(size=90, filled=True, color=INK, opacity=1).encode(
        x=alt.X("estimate:Q", scale=scale)
    )
    ceiling = (
        base.transform_filter("isValid(datum.ceiling)")
        .mark_tick(color=INK, thickness=3, size=20, opacity=0.55)
        .encode(x=alt.X("ceiling:Q", scale=scale))
    )
    chart = alt.layer(zero, interval, ceiling, point)
    width = max(NARROWEST, PHONE_WIDTH - room) if narrow else FOREST_WIDTH
    return styled(chart, height=max(2, len(rows)) * ROW_HEIGHT, width=width)


def lines_spec(lines: Sequence[Line], *, x_title: str, y_title: str, format: str) -> dict[str, Any]:
    """One line a measure, told apart by dash and mark, not by colour."""
    values = [{"line": title, "x": x, "y": y} for title, points in lines for x, y in points if y is not None]
    titles = [title for title, _ in lines]
    ticks = sorted({x for _, points in lines for x, _ in points})
    x = alt.X(
        "x:Q",
        title=x_title,
        scale=alt.Scale(domain=(ticks[0], ticks[-1]), zero=False, nice=False, padding=12),
        axis=alt.Axis(values=ticks, format=format),
    )
    y = alt.Y("y:Q", title=y_title, scale=alt.Scale(zero=False))
    legend = alt.Legend(title=None, orient="bottom", columns=4, symbolStrokeColor=INK, symbolSize=90)
    base = alt.Chart({"values": values}).encode(x, y)
    line = base.mark_line(color=INK, strokeWidth=1.5).encode(
        strokeDash=alt.StrokeDash(
            "line:N", scale=alt.Scale(domain=titles, range=_some(DASHES, titles)), legend=legend
        )
    )
    marks = base.mark_point(size=60, filled=True, color=INK, opacity=1).encode(
        shape=alt.Shape("line:N", scale=alt.Scale(domain=titles, range=_some(SHAPES, titles)), legend=legend)
    )
    return styled(alt.layer(line, marks), height=LINES_HEIGHT)


def _some(choices: Sequence[Any], titles: Sequence[str]) -> list[Any]:
    return [choices[number % len(choices)] for number in range(len(titles))]


def heat_spec(squares: Sequence[HeatSquare], *, x_title: str, y_title: str) -> dict[str, Any]:
    """Measures down, surrogates across; the greater a value the darker, 0 and less white."""
    values = [{**vars(square), "text": square.text, "shade": square.value or 0} for square in squares]
    across = dict.fromkeys(square.surrogate for square in squares)
    down = dict.fromkeys(square.measure for square in squares)
    x = alt.X(
        "surrogate:N",
        title=x_title,
        sort=None,
        axis=alt.Axis(orient="top", labelAngle=0 if len(across) < _MANY else -45, ticks=False, domain=False),
    )
    y = alt.Y("measure:N", title=y_title, sort=None, axis=alt.Axis(ticks=False, domain=False))
    base = alt.Chart({"values": values}).encode(x, y)
    greys = alt.Scale(domain=(0, 1), range=["#ffffff", "#404040"], clamp=True)
    fields = base.mark_rect(stroke="#808080", strokeWidth=0.5).encode(
        color=alt.Color("shade:Q", scale=greys, legend=None)
    )
    ink = alt.condition(f"datum.shade > {_DARK}", alt.value("#ffffff"), alt.value("#111111"))
    digits = base.mark_text(fontSize=FONT_SIZE).encode(text="text:N", color=ink)
    width, height = len(across) * HEAT_WIDTH, len(down) * ROW_HEIGHT
    return styled(alt.layer(fields, digits), width=width, height=height)


def heat_svg(squares: Sequence[HeatSquare], x_title: str, y_title: str) -> str:
    """As SVG, empty without values; one rendered before is taken again."""
    if all(square.value is None for square in squares):
        return ""
    return _heat_svg(tuple(squares), x_title, y_title)


@drawn_once
def _heat_svg(squares: tuple[HeatSquare, ...], x_title: str, y_title: str) -> str:
    return render_svg(heat_spec(squares, x_title=x_title, y_title=y_title))


def forest_svg(rows: Sequence[ForestRow], title: str, *, narrow: bool = False) -> str:
    """As SVG, empty without rows; one rendered before is taken again."""
    return _forest_svg(tuple(rows), title, narrow) if rows else ""


@drawn_once
def _forest_svg(rows: tuple[ForestRow, ...], title: str, narrow: bool) -> str:
    return render_svg(forest_spec(rows, title=title, narrow=narrow))


def lines_svg(lines: Sequence[Line], x_title: str, y_title: str, format: str = "") -> str:
    """As SVG, empty where no line has a value; one rendered before is taken again."""
    drawn = tuple((title, tuple(points)) for title, points in lines)
    if not any(y is not None for _, points in drawn for _, y in points):
        return ""
    return _lines_svg(drawn, x_title, y_title, format)


@drawn_once
def _lines_svg(lines: tuple[Line, ...], x_title: str, y_title: str, format: str) -> str:
    return render_svg(lines_spec(lines, x_title=x_title, y_title=y_title, format=format))
