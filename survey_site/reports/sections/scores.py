"""Scores and how far they agree with the raters: leaderboard, coefficients, forest and scatter plot."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from meta_eval.publish.figures import rows
from meta_eval.publish.figures.drawing import FIGURES, draw_forest, draw_scatter
from meta_eval.report.answer import measure_title
from meta_eval.report.limits import limits_of_report
from meta_eval.report.schema import (
    CoefficientRow,
    CorrelationRow,
    Report,
)
from meta_eval.report.tables.coefficients import HEAT_STEPS, given_note, lay_out_coefficients, penalty_note
from meta_eval.report.tables.grid import Grid
from meta_eval.report.tables.primary import lay_out_primary
from meta_eval.report.tables.scores import SIDES, lay_out_accuracies, lay_out_leaderboard, sort_by_rank
from meta_eval.report.view import COEFFICIENTS, View, measures_of
from survey_site.reports.sections.section import Section, about_intervals, digits_for, footnotes


@dataclass(frozen=True)
class ScoreTable:
    """Scores of systems as the page shows them; `notes` are letters of footnotes by their reason."""

    grid: Grid
    notes: Mapping[str, str]

    @property
    def human_columns(self) -> int:
        return self._columns(SIDES["human"])

    @property
    def automatic_columns(self) -> int:
        return self._columns(SIDES["automatic"])

    @property
    def digits(self) -> int:
        return digits_for(cell.value for cell in self.grid.cells)

    def _columns(self, group: str) -> int:
        return sum(column.group == group for column in self.grid.columns)


@dataclass(frozen=True)
class Leaderboard(Section):
    anchor, title = "leaderboard", "Leaderboard"
    scores: ScoreTable
    accuracies: ScoreTable


def leaderboard(report: Report, view: View) -> Leaderboard:
    return Leaderboard(
        _score_table(lay_out_leaderboard(report, view.kind), view.sort),
        _score_table(lay_out_accuracies(report)),
    )


def _score_table(grid: Grid, sort: str = "") -> ScoreTable:
    return ScoreTable(sort_by_rank(grid, sort), footnotes(grid.cells))


@dataclass(frozen=True)
class Primary(Section):
    anchor, title = "primary", "Declared primary"
    grid: Grid

    @property
    def has_shared(self) -> bool:
        return any(cell.shared for cell in self.grid.cells)


def primary(report: Report, _view: View) -> Primary | None:
    grid = lay_out_primary(report)
    return Primary(grid) if grid.lines else None


@dataclass(frozen=True)
class CertaintyRow:
    """One coefficient in the paper's scope and, where there is one, in the matched scope."""

    paper: CoefficientRow
    matched: CoefficientRow | None
    significant: bool
    p_max_t: float | None


@dataclass(frozen=True)
class Correlations(Section):
    """A grid for each coefficient, and how sure each number is; `tested` where chance was asked about."""

    anchor, title = "correlations", "Correlations"
    steps: ClassVar[range] = range(HEAT_STEPS + 1)
    grids: Sequence[Grid]
    notes: Mapping[str, str]
    certainty: Sequence[CertaintyRow]
    about: str
    limits: Sequence[str]
    tested: bool
    penalty: str
    primary: bool
    given: bool

    @property
    def has_unsupported(self) -> bool:
        return any(cell.unsupported for grid in self.grids for cell in grid.cells)

    @property
    def has_shared(self) -> bool:
        return any(cell.shared for grid in self.grids for cell in grid.cells)

    @property
    def has_significant(self) -> bool:
        return any(cell.significant for grid in self.grids for cell in grid.cells)


def correlations(report: Report, view: View) -> Correlations:
    grids = lay_out_coefficients(report, view.kind)
    of_kind = [row for row in report.correlations if row.automatic == view.kind]
    return Correlations(
        grids,
        footnotes(cell for grid in grids for cell in grid.cells),
        certainty_rows(report, view),
        about_intervals(report),
        limits_of_report(report),
        any(row.ci_over is not None for row in report.correlations),
        " ".join(filter(None, (penalty_note(of_kind), given_note(of_kind)))),
        any(row.p_max_t is not None for row in of_kind),
        any(row.given_penalty is not None for row in of_kind),
    )


def certainty_rows(report: Report, view: View) -> list[CertaintyRow]:
    """All coefficients of the score in view that were inferred, those without a surrogate last."""
    if report.inference is None:
        return []
    matched = {row.key: row for row in report.inference.matched}
    inferred = [row for row in (*report.correlations, *report.inference.bare) if row.ci_over is not None]
    return [
        CertaintyRow(
            row,
            matched.get(row.key),
            row.is_significant(report.inference.options.alpha),
            row.p_max_t if isinstance(row, CorrelationRow) else None,
        )
        for row in inferred
        if row.automatic == view.kind
    ]


@dataclass(frozen=True)
class Forest(Section):
    anchor, title = "forest", "How sure"
    rows: Sequence[rows.ForestRow]
    chart: str
    narrow: str


def forest(report: Report, view: View) -> Forest | None:
    lines = rows.forest_rows(report, view)
    if not lines:
        return None
    return Forest(lines, FIGURES["forest"](report, view), draw_forest(report, view, narrow=True))


@dataclass(frozen=True)
class Scatter(Section):
    """The systems under both scores; `measures` and `surrogates` are what may be chosen, with titles."""

    anchor, title = "scatter", "Scatter plot"
    measures: Sequence[tuple[str, str]]
    surrogates: Sequence[tuple[str, str]]
    points: Sequence[rows.Point]
    human_title: str
    automatic_title: str
    coefficients: Sequence[tuple[str, CorrelationRow]]
    chart: str
    narrow: str

    @property
    def digits(self) -> int:
        return digits_for(value for point in self.points for value in (point.human, point.automatic))


def scatter(report: Report, view: View) -> Scatter:
    in_view = (view.kind, view.measure, view.surrogate)
    plotted = {
        row.coefficient: row
        for row in report.correlations
        if (row.automatic, row.measure, row.surrogate) == in_view
    }
    return Scatter(
        _titled(measures_of(report, "automatic")),
        _titled(measures_of(report, "human")),
        rows.scatter_points(report, view),
        *rows.scatter_titles(view),
        [(title, plotted[name]) for name, title in COEFFICIENTS.items() if name in plotted],
        FIGURES["scatter"](report, view),
        draw_scatter(report, view, narrow=True),
    )


def _titled(measures: Iterable[str]) -> list[tuple[str, str]]:
    return [(measure, measure_title(measure)) for measure in measures]
