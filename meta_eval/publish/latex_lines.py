r"""Lines as a LaTeX picture, which needs no package: axes with ticks, a mark a line, a legend below."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from math import ceil, floor

from meta_eval.publish.latex import escape_latex
from meta_eval.report.tables.grid import Cell, Grid

WIDE, HIGH = 100.0, 60.0
"""The room between the axes, in millimetres."""
MARKS = (r"$\bullet$", r"$\circ$", r"$\times$", r"$\diamond$", r"$\star$")
_STEPS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5)
_MOST_STEPS = 6

Point = tuple[float, float]


def latex_lines(grid: Grid, *, x_title: str, y_title: str) -> str:
    """A grid whose columns have numbers for keys: a line for each of its lines; empty without numbers.

    Values are in [-1, 1]; one that is missing parts its line.
    """
    keys = [float(column.key) for column in grid.columns]
    lines = [[cell.value if isinstance(cell, Cell) else None for cell in line.cells] for line in grid.lines]
    values = [value for line in lines for value in line if value is not None]
    if not values or len(keys) < 2:
        return ""
    ticks = round_ticks(min(values), max(values))
    across = [WIDE * (key - keys[0]) / (keys[-1] - keys[0]) for key in keys]
    drawn = [
        *_axes(
            {x: column.title for x, column in zip(across, grid.columns, strict=True)},
            {_height(tick, ticks): f"${tick:.2f}$" for tick in ticks},
        ),
        f"\\put({WIDE / 2:.1f},-10){{\\makebox(0,0){{{escape_latex(x_title)}}}}}",
        f"\\put(-14,{HIGH + 6:.1f}){{\\makebox(0,0)[l]{{{escape_latex(y_title)}}}}}",
    ]
    for number, line in enumerate(lines):
        points = [None if y is None else (x, _height(y, ticks)) for x, y in zip(across, line, strict=True)]
        drawn += _line(points, _mark(number))
    legend = r" \quad ".join(
        f"{_mark(number)} {escape_latex(line.heads[0])}" for number, line in enumerate(grid.lines)
    )
    size = f"({WIDE + 20:.0f},{HIGH + 24:.0f})(-16,-14)"
    body = "\n".join(drawn)
    return (
        "\\setlength{\\unitlength}{1mm}\n"
        f"\\begin{{picture}}{size}\n\\footnotesize\n{body}\n\\end{{picture}}\n\n"
        f"{{\\footnotesize {legend}}}\n"
    )


def round_ticks(low: float, high: float) -> list[float]:
    """Round numbers from below the least value to above the greatest, at most seven.

    Examples
    --------
    >>> round_ticks(0.47, 0.83)
    [0.4, 0.5, 0.6, 0.7, 0.8, 0.9]
    >>> round_ticks(1.0, 1.0)
    [1.0, 1.01]
    """
    for step in _STEPS:
        first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
        if last - first <= _MOST_STEPS:
            break
    return [round(at * step, 2) for at in range(first, max(last, first + 1) + 1)]


def _height(value: float, ticks: Sequence[float]) -> float:
    return HIGH * (value - ticks[0]) / (ticks[-1] - ticks[0])


def _mark(number: int) -> str:
    return MARKS[number % len(MARKS)]


def _axes(across: Mapping[float, str], up: Mapping[float, str]) -> Iterator[str]:
    """Both axes, with what stands at their ticks."""
    yield f"\\put(0,0){{\\line(1,0){{{WIDE:.0f}}}}}"
    yield f"\\put(0,0){{\\line(0,1){{{HIGH:.0f}}}}}"
    for x, text in across.items():
        yield f"\\put({x:.2f},0){{\\line(0,-1){{1}}}}"
        yield f"\\put({x:.2f},-4){{\\makebox(0,0){{{escape_latex(text)}}}}}"
    for y, text in up.items():
        yield f"\\put(0,{y:.2f}){{\\line(-1,0){{1}}}}\\put(-2,{y:.2f}){{\\makebox(0,0)[r]{{{text}}}}}"


def _line(points: Sequence[Point | None], mark: str) -> Iterator[str]:
    """Straight from point to point (LaTeX's own lines have few slopes, its curves any), then the marks."""
    for first, second in pairwise(points):
        if first and second:
            middle = (first[0] + second[0]) / 2, (first[1] + second[1]) / 2
            yield "\\qbezier" + "".join(f"({x:.2f},{y:.2f})" for x, y in (first, middle, second))
    for x, y in filter(None, points):
        yield f"\\put({x:.2f},{y:.2f}){{\\makebox(0,0){{{mark}}}}}"
