"""The page "As in the papers": each table of a paper, filled by the report, or why it is not."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.publish.figures.drawing import FIGURES
from meta_eval.publish.papers import FIGURE_3, PAPER_TABLES, PaperTable
from meta_eval.report.answer import measure_title
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Grid
from meta_eval.report.view import View, measures_of


@dataclass(frozen=True)
class LaidOut:
    """A table of a paper with ours, and the figure that it holds the numbers of."""

    table: PaperTable
    grid: Grid
    chart: str = ""


def lay_out_papers(report: Report, view: View) -> dict[str, Any]:
    """What the page shows: the tables with lines, those without, and what may be chosen."""
    made = [LaidOut(table, table.lay_out(report, view)) for table in PAPER_TABLES.values()]
    filled = [one for one in made if one.grid.lines]
    return {
        "filled": [_with_chart(one, report, view) for one in filled],
        "lacking": [one for one in made if not one.grid.lines],
        "measures": _titled(measures_of(report, "automatic")),
        "surrogates": _titled(measures_of(report, "human")),
    }


def _with_chart(one: LaidOut, report: Report, view: View) -> LaidOut:
    if one.table.name != FIGURE_3:
        return one
    return LaidOut(one.table, one.grid, FIGURES[FIGURE_3](report, view))


def _titled(measures: Iterable[str]) -> Sequence[tuple[str, str]]:
    return [(measure, measure_title(measure)) for measure in measures]
