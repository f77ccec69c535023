"""A grid as text for the pages of the PDF, rounded as on the site's page."""

from dataclasses import replace

from meta_eval.report.numbers import (
    PDF,
    Medium,
    estimate_text,
    interval_text,
    p_text,
    rank_correlation_text,
    score_text,
    spread_text,
)
from meta_eval.report.tables.grid import Cell, Column, Grid, Line

_BESIDE = replace(PDF, none="–")
"""Beside published numbers, where a missing one is a dash."""


def grid_texts(grid: Grid) -> list[list[str]]:
    """A header and lines, each with a text for every column."""
    header = [*grid.heads, *map(_title, grid.columns)]
    return [header, *(_texts(line, below=grid.below) for line in (*grid.lines, *grid.foot))]


def _title(column: Column) -> str:
    group = f"{column.group}:" if column.group else ""
    return "\n".join(filter(None, (group, column.title, column.note)))


def _texts(line: Line, *, below: bool) -> list[str]:
    gap = "\n" if below else " "
    return [
        *line.heads,
        *(
            f"{_cell(cell, gap)}{_raters(cell) if below else ''}" if isinstance(cell, Cell) else cell or ""
            for cell in line.cells
        ),
    ]


def _cell(cell: Cell, gap: str) -> str:
    """The number with what belongs to it: its rank, its interval, or the published number."""
    if cell.published is not None:
        theirs = replace(cell, value=cell.published)
        return f"{_number(cell, _BESIDE)}{gap}({_number(theirs, _BESIDE)})"
    if cell.kind == "interval":
        return interval_text(cell.low, cell.high, PDF)
    if cell.kind == "rank correlation":
        return rank_correlation_text(cell.value, cell.n or 0, _BESIDE)
    text = _number(cell, PDF)
    if cell.rank is not None:
        return f"{text} ({cell.rank})"
    if cell.value is None or cell.low is None:
        return text
    interval = interval_text(cell.low, cell.high, PDF)
    return f"{text}{gap}{interval}" if gap == "\n" else f"{text}{gap}({interval})"


def _raters(cell: Cell) -> str:
    """p of raters in brackets on a line of its own, where it is known."""
    return "" if cell.value is None or cell.p_raters is None else f"\n({p_text(cell.p_raters, PDF)})"


def _number(cell: Cell, medium: Medium) -> str:
    if cell.kind == "score":
        return score_text(cell.value, medium, cell.digits)
    if cell.kind == "spread":
        return spread_text(cell.value, medium)
    if cell.kind == "p":
        return p_text(cell.value, medium)
    return estimate_text(cell.value, medium) + ("" if cell.value is None else cell.marks)
