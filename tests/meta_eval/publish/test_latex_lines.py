"""Lines as a LaTeX picture: every point in its place, ticks that hold all values."""

import re

import pytest

from meta_eval.publish.latex_lines import HIGH, MARKS, WIDE, latex_lines, round_ticks
from meta_eval.report.tables.grid import Cell, Column, Grid, Line


def grid_of(*lines):
    return Grid(
        name="g",
        columns=tuple(Column(title=title, key=title) for title in ("1.0", "1.5", "2.0")),
        lines=tuple(
            Line(heads=(f"Line_{at}",), cells=tuple(Cell(value=value) for value in values))
            for at, values in enumerate(lines)
        ),
    )


def places(picture, mark):
    found = re.findall(r"\\put\(([\d.]+),([\d.]+)\)\{\\makebox\(0,0\)\{" + re.escape(mark) + r"\}\}", picture)
    return [(float(x), float(y)) for x, y in found]


def test_every_value_is_a_mark_at_its_height_and_a_gap_parts_the_line():
    picture = latex_lines(grid_of((0.2, 0.5, 0.8), (0.8, None, 0.2)), x_title="Beta", y_title="tau")
    assert round_ticks(0.2, 0.8) == [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert places(picture, MARKS[0]) == [(0, 0), (WIDE / 2, HIGH / 2), (WIDE, HIGH)]
    assert places(picture, MARKS[1]) == [(0, HIGH), (WIDE, 0)]
    assert picture.count(r"\qbezier") == 2
    assert rf"{MARKS[0]} Line\_0 \quad {MARKS[1]} Line\_1" in picture
    assert [title for title in ("1.0", "1.5", "2.0", "Beta", "tau") if f"{{{title}}}" not in picture] == []


@pytest.mark.parametrize(
    ("low", "high"), [(-1.0, 1.0), (0.999, 1.0), (1.0, 1.0), (-0.03, 0.31), (0.47, 0.83), (0.0, 0.0)]
)
def test_ticks_hold_all_values_and_are_few(low, high):
    ticks = round_ticks(low, high)
    assert (ticks[0] <= low, ticks[-1] >= high, 2 <= len(ticks) <= 7) == (True, True, True)


def test_without_values_there_is_no_picture():
    assert latex_lines(grid_of((None, None, None)), x_title="x", y_title="y") == ""
    assert latex_lines(grid_of(), x_title="x", y_title="y") == ""
