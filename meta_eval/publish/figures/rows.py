"""What of a report each figure shows, as plain values; nothing here draws."""

from collections.abc import Sequence
from dataclasses import dataclass

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import PLAIN, UNSUPPORTED, estimate_text
from meta_eval.report.schema import Report
from meta_eval.report.tables.coefficients import lay_out_coefficients
from meta_eval.report.tables.deviations import sampled_rows, title_of
from meta_eval.report.tables.grid import Cell, Grid
from meta_eval.report.view import View
from meta_eval.scores.names import SCORES

Line = tuple[str, Sequence[tuple[float, float | None]]]
"""A title, and (x, y) with y None where there is no value."""

NO_SURROGATE = "no surrogate"


@dataclass(frozen=True)
class Point:
    """One system: its human score and its automatic one."""

    system: str
    human: float
    automatic: float


def scatter_points(report: Report, view: View) -> list[Point]:
    """The systems that have both scores."""
    human = _values(report, "human", view.surrogate, view.human)
    automatic = _values(report, "automatic", view.measure, view.kind)
    return [Point(system, human[system], automatic[system]) for system in human if system in automatic]


def _values(report: Report, side: str, measure: str, score: str) -> dict[str, float]:
    return {
        row.system: row.value
        for row in report.leaderboard
        if (row.side, row.measure, row.score) == (side, measure, score) and row.value is not None
    }


def scatter_titles(view: View) -> tuple[str, str]:
    """What the axes of the scatter plot show, human first."""
    better = "higher" if SCORES[view.kind].higher_is_better else "lower"
    return (
        f"Raters: {view.title}-HJ with {view.surrogate_title} ({better} is better)",
        f"Automatic: {view.title} by {view.measure_title} ({better} is better)",
    )


@dataclass(frozen=True)
class HeatSquare:
    """One coefficient of the heat map; `mark` stands behind its digits, a missing value is a dash."""

    measure: str
    surrogate: str
    value: float | None
    mark: str

    @property
    def text(self) -> str:
        return estimate_text(self.value, PLAIN) + ("" if self.value is None else self.mark)


def heat_squares(report: Report, view: View, coefficient: str) -> list[HeatSquare]:
    """Each measure with each surrogate, last with none; * beyond chance, † shared distances, ° no support."""
    return [
        HeatSquare(line.heads[0], column.title, cell.value, _marks(cell))
        for grid in lay_out_coefficients(report, view.kind)
        if grid.name == coefficient
        for at, column in enumerate(grid.columns)
        for line in grid.lines
        if isinstance(cell := line.cells[at], Cell) and cell.row is not None
    ]


def _marks(cell: Cell) -> str:
    return "*" * cell.significant + "†" * cell.shared + UNSUPPORTED * cell.unsupported


@dataclass(frozen=True)
class ForestRow:
    """One coefficient with its interval, ceiling, adjusted p and what shuffled ratings give."""

    title: str
    estimate: float
    low: float | None
    high: float | None
    ceiling: float | None
    p_adjusted: float | None
    null_mean: float | None = None
    null_high: float | None = None
    p_raters: float | None = None
    null_reason: str | None = None


def forest_rows(report: Report, view: View) -> list[ForestRow]:
    """Tau-b of each measure with the surrogate in view, best first."""
    in_view = (view.kind, view.surrogate, "kendall")
    rows = [
        ForestRow(
            f"{measure_title(row.measure)}{'†' if row.shared_input else ''}",
            row.estimate,
            row.ci_low,
            row.ci_high,
            row.ceiling,
            row.p_adjusted,
            row.null_mean,
            row.null_high,
            row.p_raters,
            row.null_reason,
        )
        for row in report.correlations
        if (row.automatic, row.surrogate, row.coefficient) == in_view
        and row.is_inferred
        and row.estimate is not None
    ]
    return sorted(rows, key=lambda row: -row.estimate)


def lines_of(grid: Grid) -> list[Line]:
    """What a grid of numbers down columns with numbers for keys draws: a line for each of its lines."""
    columns = [(at, float(column.key)) for at, column in enumerate(grid.columns) if column.key]
    return [
        (
            line.heads[0],
            [(x, cell.value) for at, x in columns if isinstance(cell := line.cells[at], Cell)],
        )
        for line in grid.lines
    ]


@dataclass(frozen=True)
class FiveNumbers:
    """Five numbers of the samples of one share, of two measures by their title."""

    title: str
    share: float
    low: float
    q1: float
    median: float
    q3: float
    high: float


def deviation_boxes(report: Report, view: View) -> list[FiveNumbers]:
    """Samples of pairs of readers, of each two measures of which the one in view is one."""
    return [
        FiveNumbers(title_of(row), row.share_of_pairs, *row.five_numbers)
        for row in sampled_rows(report, view)
        if row.five_numbers
    ]
