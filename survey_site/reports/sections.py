"""The sections of a report's page, in their order: each a value that its own template shows."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from meta_eval.publish.figures import rows
from meta_eval.publish.figures.drawing import FIGURES, drawable_figures
from meta_eval.publish.figures.style import FIGURE_TYPES
from meta_eval.publish.tables import table_names
from meta_eval.report.answer import measure_title
from meta_eval.report.schema import (
    AgreementStudy,
    CoefficientRow,
    CorrelationRow,
    LeftOutCount,
    Report,
    SystemStability,
)
from meta_eval.report.tables.coefficients import HEAT_STEPS, lay_out_coefficients
from meta_eval.report.tables.grid import Cell, Grid
from meta_eval.report.tables.published import lay_out_published
from meta_eval.report.tables.robustness import (
    lay_out_families,
    lay_out_interval_methods,
    lay_out_left_out,
    lay_out_levels,
)
from meta_eval.report.tables.scores import SIDES, lay_out_accuracies, lay_out_leaderboard, sort_by_rank
from meta_eval.report.tables.studies import (
    lay_out_ablation,
    lay_out_aggregation,
    lay_out_paradox,
    lay_out_stability,
)
from meta_eval.report.view import COEFFICIENTS, View, measures_of
from meta_eval.scores.names import SCORES
from meta_eval.stats.raters.agreement import CATEGORIES
from meta_eval.stats.table.resampled import RESAMPLED

Stored = Mapping[str, Any]
SMALL = 0.005


@dataclass(frozen=True)
class Section:
    """One section: `anchor` is its address on the page, `title` its name in the page's navigation."""

    anchor: ClassVar[str]
    title: ClassVar[str] = ""

    @property
    def template(self) -> str:
        return f"reports/sections/{self.anchor.replace('-', '_')}.html"


def page_sections(report: Report, stored: Stored, view: View) -> list[Section]:
    """The sections that have something to show for what the reader looks at."""
    made = (make(report, stored, view) for make in _SECTIONS)
    return [section for section in made if section is not None]


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


def digits_for(values: Iterable[float | None]) -> int:
    """Decimals of a table of scores: three, or four where three would leave little of a small one."""
    return 4 if any(value is not None and 0 < abs(value) < SMALL for value in values) else 3


def footnotes(cells: Iterable[Cell]) -> dict[str, str]:
    """A letter for each reason why a cell has no number, in the order in which they are met."""
    reasons = dict.fromkeys(cell.reason for cell in cells if cell.value is None and cell.reason)
    return {reason: chr(ord("a") + number) for number, reason in enumerate(reasons)}


@dataclass(frozen=True)
class Leaderboard(Section):
    anchor, title = "leaderboard", "Leaderboard"
    scores: ScoreTable
    accuracies: ScoreTable


def leaderboard(report: Report, _stored: Stored, view: View) -> Leaderboard:
    return Leaderboard(
        _score_table(lay_out_leaderboard(report, view.kind), view.sort),
        _score_table(lay_out_accuracies(report)),
    )


def _score_table(grid: Grid, sort: str = "") -> ScoreTable:
    return ScoreTable(sort_by_rank(grid, sort), footnotes(grid.cells))


@dataclass(frozen=True)
class CertaintyRow:
    """One coefficient in the paper's scope and, where there is one, in the matched scope."""

    paper: CoefficientRow
    matched: CoefficientRow | None
    significant: bool


@dataclass(frozen=True)
class Correlations(Section):
    """A grid for each coefficient, and how sure each number is; `tested` where chance was asked about."""

    anchor, title = "correlations", "Correlations"
    steps: ClassVar[range] = range(HEAT_STEPS + 1)
    grids: Sequence[Grid]
    notes: Mapping[str, str]
    certainty: Sequence[CertaintyRow]
    about: str
    tested: bool

    @property
    def has_shared(self) -> bool:
        return any(cell.shared for grid in self.grids for cell in grid.cells)

    @property
    def has_significant(self) -> bool:
        return any(cell.significant for grid in self.grids for cell in grid.cells)


def correlations(report: Report, _stored: Stored, view: View) -> Correlations:
    grids = lay_out_coefficients(report, view.kind)
    return Correlations(
        grids,
        footnotes(cell for grid in grids for cell in grid.cells),
        certainty_rows(report, view),
        _about(report),
        any(row.ci_over is not None for row in report.correlations),
    )


def certainty_rows(report: Report, view: View) -> list[CertaintyRow]:
    """All coefficients of the score in view that were inferred, those without a surrogate last."""
    if report.inference is None:
        return []
    matched = {row.key: row for row in report.inference.matched}
    inferred = [row for row in (*report.correlations, *report.inference.bare) if row.ci_over is not None]
    return [
        CertaintyRow(row, matched.get(row.key), row.is_significant(report.inference.options.alpha))
        for row in inferred
        if row.automatic == view.kind
    ]


def _about(report: Report) -> str:
    """What the intervals are about; empty without an inference."""
    return RESAMPLED[report.inference.options.resampled].about if report.inference else ""


@dataclass(frozen=True)
class Forest(Section):
    anchor, title = "forest", "How sure"
    rows: Sequence[rows.ForestRow]
    chart: str


def forest(_report: Report, stored: Stored, view: View) -> Forest | None:
    lines = rows.forest_rows(stored, view)
    return Forest(lines, FIGURES["forest"](stored, view)) if lines else None


@dataclass(frozen=True)
class Robustness(Section):
    anchor, title = "robustness", "Does it hold"
    families: Grid
    levels: Grid
    intervals: Grid
    left_out: Grid


def robustness(report: Report, _stored: Stored, view: View) -> Robustness | None:
    layouts = (lay_out_families, lay_out_levels, lay_out_interval_methods, lay_out_left_out)
    grids = [lay_out(report, view) for lay_out in layouts]
    return Robustness(*grids) if any(grid.lines for grid in grids) else None


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

    @property
    def digits(self) -> int:
        return digits_for(value for point in self.points for value in (point.human, point.automatic))


def scatter(report: Report, stored: Stored, view: View) -> Scatter:
    in_view = (view.kind, view.measure, view.surrogate)
    plotted = {
        row.coefficient: row
        for row in report.correlations
        if (row.automatic, row.measure, row.surrogate) == in_view
    }
    return Scatter(
        _titled(measures_of(stored, "automatic")),
        _titled(measures_of(stored, "human")),
        rows.scatter_points(stored, view),
        *rows.scatter_titles(view),
        [(title, plotted[name]) for name, title in COEFFICIENTS.items() if name in plotted],
        FIGURES["scatter"](stored, view),
    )


def _titled(measures: Iterable[str]) -> list[tuple[str, str]]:
    return [(measure, measure_title(measure)) for measure in measures]


@dataclass(frozen=True)
class Agreement(Section):
    anchor, title = "agreement", "Raters"
    steps: ClassVar[Sequence[int]] = CATEGORIES
    study: AgreementStudy


def agreement(report: Report, _stored: Stored, _view: View) -> Agreement | None:
    study = report.inference.agreement if report.inference else None
    return Agreement(study) if study else None


@dataclass(frozen=True)
class LeftOut(Section):
    """What was left out, and the reasons that were looked for and did not apply."""

    anchor, title = "left-out", "Left out"
    counted: Sequence[LeftOutCount]
    absent: Sequence[LeftOutCount]


def left_out(report: Report, _stored: Stored, _view: View) -> LeftOut:
    return LeftOut(
        [row for row in report.left_out if row.count], [row for row in report.left_out if not row.count]
    )


@dataclass(frozen=True)
class Studies(Section):
    """The other studies; `systems` are those behind the stability of the measure in view."""

    anchor, title = "studies", "Further"
    stability: Grid
    paradox: Grid
    aggregation: Grid
    ablation: Grid
    systems: Sequence[SystemStability]
    stability_chart: str
    ablation_chart: str


def studies(report: Report, stored: Stored, view: View) -> Studies | None:
    grids = (
        lay_out_stability(report, view),
        lay_out_paradox(report),
        lay_out_aggregation(report, view),
        lay_out_ablation(report, view),
    )
    if report.inference is None or not any(grid.lines for grid in grids):
        return None
    studied = SCORES[view.kind].studied, view.measure
    systems = (row.systems for row in report.inference.stability if (row.score, row.measure) == studied)
    charts = (FIGURES[name](stored, view) for name in ("stability", "ablation"))
    return Studies(*grids, next(systems, ()), *charts)


@dataclass(frozen=True)
class Published(Section):
    anchor, title = "published", "Published"
    tables: Sequence[Grid]


def published(report: Report, _stored: Stored, _view: View) -> Published | None:
    tables = lay_out_published(report)
    return Published(tables) if tables else None


@dataclass(frozen=True)
class SignatureEntry:
    """One signature, and whether it is that of a measure, a surrogate or both."""

    measure: str
    line: str
    digest: str
    sides: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Methods(Section):
    anchor, title = "methods", "Methods"
    about: str
    signatures: Sequence[SignatureEntry]


def methods(report: Report, _stored: Stored, _view: View) -> Methods:
    return Methods(_about(report), list_signatures(report))


def list_signatures(report: Report) -> list[SignatureEntry]:
    """Each signature once."""
    sides: dict[str, list[str]] = {}
    for entry in report.signatures:
        sides.setdefault(entry.digest, []).append(entry.side)
    return [
        SignatureEntry(
            entry.measure,
            entry.line,
            entry.digest,
            tuple(sides.pop(entry.digest)),
            tuple((name, _readable(value)) for name, value in entry.signature.items()),
        )
        for entry in report.signatures
        if entry.digest in sides
    ]


def _readable(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {inner}" for name, inner in value.items())
    return str(value)


@dataclass(frozen=True)
class TakeAway(Section):
    """The files that the report gives; of figures and tables those that hold something."""

    anchor = "take-away"
    forms: ClassVar[Sequence[str]] = tuple(FIGURE_TYPES)
    figures: Mapping[str, str]
    tables: Sequence[str]


def take_away(_report: Report, stored: Stored, view: View) -> TakeAway:
    return TakeAway(drawable_figures(stored, view), table_names(stored))


_SECTIONS: Sequence[Callable[[Report, Stored, View], Section | None]] = (
    leaderboard,
    correlations,
    forest,
    robustness,
    scatter,
    agreement,
    left_out,
    studies,
    published,
    methods,
    take_away,
)
