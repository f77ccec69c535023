"""What stands behind the agreement: does it hold, raters, studies, published numbers, methods, files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from meta_eval.publish.figures import FIGURE_TYPES
from meta_eval.publish.figures.drawing import FIGURES, drawable_figures
from meta_eval.publish.tables import table_names
from meta_eval.ratings.rating import Ends
from meta_eval.report.schema import (
    AgreementStudy,
    LeftOutCount,
    Report,
    SystemStability,
)
from meta_eval.report.tables.deviations import lay_out_deviations
from meta_eval.report.tables.further import lay_out_further
from meta_eval.report.tables.grid import Grid
from meta_eval.report.tables.judged import judged_sentences, lay_out_judged
from meta_eval.report.tables.published import lay_out_published
from meta_eval.report.tables.robustness import (
    lay_out_families,
    lay_out_interval_methods,
    lay_out_left_out,
    lay_out_levels,
    lay_out_within,
)
from meta_eval.report.tables.sentinels import lay_out_sentinels
from meta_eval.report.tables.stand_in import STAND_IN_NOTE, lay_out_stand_in
from meta_eval.report.tables.stand_in_verdict import stand_in_sentence
from meta_eval.report.tables.studies import (
    lay_out_ablation,
    lay_out_aggregation,
    lay_out_paradox,
    lay_out_stability,
)
from meta_eval.report.view import View
from meta_eval.scores.names import SCORES
from survey_site.reports.sections.section import Section, about_intervals, footnotes


@dataclass(frozen=True)
class Robustness(Section):
    anchor, title = "robustness", "Does it hold"
    within: Grid
    families: Grid
    levels: Grid
    intervals: Grid
    left_out: Grid


def robustness(report: Report, view: View) -> Robustness | None:
    layouts = (
        lay_out_within,
        lay_out_families,
        lay_out_levels,
        lay_out_interval_methods,
        lay_out_left_out,
    )
    grids = [lay_out(report, view) for lay_out in layouts]
    return Robustness(*grids) if any(grid.lines for grid in grids) else None


@dataclass(frozen=True)
class Sentinels(Section):
    anchor, title = "sentinels", "Sentinels"
    grid: Grid
    notes: Mapping[str, str]

    @property
    def has_shared(self) -> bool:
        return any(cell.shared for cell in self.grid.cells)


def sentinels(report: Report, view: View) -> Sentinels | None:
    grid = lay_out_sentinels(report, view)
    return Sentinels(grid, footnotes(grid.cells)) if grid.lines else None


@dataclass(frozen=True)
class Models(Section):
    """Language models beside people; only where their ratings were asked for."""

    anchor, title = "models", "Models"
    grids: Sequence[Grid]
    sentences: Sequence[str]
    about: str

    @property
    def notes(self) -> Mapping[str, str]:
        return footnotes(cell for grid in self.grids for cell in grid.cells)


def models(report: Report, view: View) -> Models | None:
    grids = lay_out_stand_in(report, view)
    if not grids or report.inference is None:
        return None
    return Models(grids, [stand_in_sentence(one) for one in report.inference.stand_in], STAND_IN_NOTE)


@dataclass(frozen=True)
class Judged(Section):
    """A judge of single summaries in readers' places; only where one was asked for."""

    anchor, title = "judged", "Judge"
    grids: Sequence[Grid]
    sentences: Sequence[str]

    @property
    def notes(self) -> Mapping[str, str]:
        return footnotes(cell for grid in self.grids for cell in grid.cells)


def judged(report: Report, view: View) -> Judged | None:
    grids = lay_out_judged(report, view)
    return Judged(grids, judged_sentences(report)) if grids else None


@dataclass(frozen=True)
class Agreement(Section):
    anchor, title = "agreement", "Raters"
    study: AgreementStudy
    steps: Sequence[int]

    @property
    def rows(self) -> Iterator[tuple[int, Sequence[tuple[int, float]]]]:
        """Each rating, and how often it met each other one."""
        if self.study.table:
            for step, counts in zip(self.steps, self.study.table, strict=True):
                yield step, tuple(zip(self.steps, counts, strict=True))


def agreement(report: Report, _view: View) -> Agreement | None:
    study = report.inference.agreement if report.inference else None
    return Agreement(study, study.categories or Ends.from_record(report.options).steps) if study else None


@dataclass(frozen=True)
class LeftOut(Section):
    """What was left out, and the reasons that were looked for and did not apply."""

    anchor, title = "left-out", "Left out"
    counted: Sequence[LeftOutCount]
    absent: Sequence[LeftOutCount]


def left_out(report: Report, _view: View) -> LeftOut:
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
    deviations: Grid
    further: Sequence[Grid]
    systems: Sequence[SystemStability]
    stability_chart: str
    ablation_chart: str
    deviations_chart: str


def studies(report: Report, view: View) -> Studies | None:
    grids = (
        lay_out_stability(report, view),
        lay_out_paradox(report),
        lay_out_aggregation(report, view),
        lay_out_ablation(report, view),
        lay_out_deviations(report, view),
    )
    further = lay_out_further(report, view)
    if report.inference is None or not (further or any(grid.lines for grid in grids)):
        return None
    studied = SCORES[view.kind].studied, view.measure
    systems = (row.systems for row in report.inference.stability if (row.score, row.measure) == studied)
    charts = (FIGURES[name](report, view) for name in ("stability", "ablation", "deviations"))
    return Studies(*grids, further, next(systems, ()), *charts)


@dataclass(frozen=True)
class Published(Section):
    anchor, title = "published", "Published"
    tables: Sequence[Grid]


def published(report: Report, _view: View) -> Published | None:
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


def methods(report: Report, _view: View) -> Methods:
    return Methods(about_intervals(report), list_signatures(report))


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

    anchor, title = "take-away", "Downloads"
    forms: ClassVar[Sequence[str]] = tuple(FIGURE_TYPES)
    figures: Mapping[str, str]
    tables: Sequence[str]


def take_away(report: Report, view: View) -> TakeAway:
    return TakeAway(drawable_figures(report, view), table_names(report))
