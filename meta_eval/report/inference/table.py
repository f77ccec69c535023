"""The cells of a report's tables with interval and p, and what each of them hangs on."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, TypeVar, cast

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.report.inference.null import RatersShare
from meta_eval.report.options import TableDesign
from meta_eval.report.reliability import INFERENCE_FIELDS
from meta_eval.report.schema import CorrelationRow, LeftOutRow, WithoutSystem
from meta_eval.report.shared import shared_parts, shares_input
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings
from meta_eval.scores.names import SCORE_KINDS, SCORES, ScoreKind
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.rankings.sensitivity import Sensitivity, check_sensitivity
from meta_eval.stats.resampling.samples import ScoreSample, resample_systems
from meta_eval.stats.table.inferred import infer_table
from meta_eval.stats.table.schemes import (
    RaterDraws,
    TableSamples,
    place_in_families,
    resample_table,
    select_systems,
)
from meta_eval.stats.table.shuffled import RatingShuffles


class _Row(Protocol):
    """A dataclass that is about a human and an automatic score."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def automatic(self) -> str: ...


AnyRow = TypeVar("AnyRow", bound=_Row)
MakeRow = Callable[..., AnyRow]


def mirror_rows(rows: Iterable[AnyRow], kind: ScoreKind) -> list[AnyRow]:
    """The rows of the score that `kind` mirrors, under its own name."""
    return [
        replace(row, human=kind.human, automatic=kind.automatic)
        for row in rows
        if row.automatic == kind.mirrors
    ]


def restrict_to_rated(
    distances: DistanceTable, corpus: Corpus, divergences: HumanDivergences
) -> DistanceTable:
    """The matched scope (protocol 8): a measure's distances between rated summaries, NaN elsewhere.

    `distances` of the rated documents, which `corpus` holds. All accuracy distances stay, as on the human
    side; the same score options have both penalties run over the same readers.
    """
    rated = replace_by_ratings(distances, corpus, divergences)
    blocks = tuple(
        replace(
            block,
            gold=np.where(np.isfinite(by_people.gold), block.gold, np.nan),
            systems=np.where(np.isfinite(by_people.systems), block.systems, np.nan),
        )
        for block, by_people in zip(distances.blocks, rated.blocks, strict=True)
    )
    return replace(distances, blocks=blocks)


def strip_surrogates(people: HumanScores, corpus: Corpus) -> HumanScores:
    """DEGRESS-HJ with `normalise="none"`: of ratings alone. Its PerSEval keeps the surrogate's penalty."""
    bare = replace(
        people.surrogate,
        normalise="none",
        blocks=tuple(
            replace(block, gold_document=None, systems_document=None) for block in people.surrogate.blocks
        ),
    )
    table = replace_by_ratings(bare, corpus, people.divergences)
    scores = score_contributions(table, people.options)
    return replace(people, contributions=scores, surrogate=bare, table=table)


@dataclass(frozen=True, slots=True)
class JointTable:
    """Both sides under the same draws: `drawn` names its samples as `resample_both_sides` does.

    `share` is what the raters add, on the same systems.
    """

    drawn: TableSamples
    share: RatersShare
    measures: tuple[str, ...]
    surrogates: tuple[str, ...]
    rng: np.random.Generator
    design: TableDesign
    normalise: Normalise = "document"

    @classmethod
    def resample(
        cls,
        automatic: Mapping[str, Contributions],
        human: Mapping[str, HumanScores],
        *,
        rng: np.random.Generator,
        design: TableDesign,
        raters: RaterDraws,
        shuffles: RatingShuffles,
        normalise: Normalise = "document",
    ) -> "JointTable":
        drawn = resample_table(
            automatic,
            human,
            resampled=design.resampled,
            raters=raters,
            rng=rng,
            resamples=design.resamples,
        )
        drawn = place_in_families(drawn, design.families)
        share = RatersShare.measure(shuffles, human, drawn.systems)
        return cls(drawn, share, tuple(automatic), tuple(human), rng, design, normalise)

    @property
    def samples(self) -> Mapping[ScoreId, ScoreSample]:
        return self.drawn.samples

    @property
    def systems(self) -> tuple[str, ...]:
        return self.drawn.systems

    def within(self, rows: Sequence[int], *, rng: np.random.Generator) -> "JointTable":
        """The table of some systems alone, which are drawn among themselves where systems are drawn."""
        samples = select_systems(self.drawn.before_systems, rows)
        drawn = resample_systems(samples, rng=rng) if "systems" in self.design.resampled else samples
        systems = tuple(self.systems[row] for row in rows)
        share = self.share.select(rows)
        return replace(self, drawn=TableSamples(drawn, samples, systems), share=share, rng=rng)

    @property
    def sides(self) -> list[tuple[str, str]]:
        """Surrogate and measure of each row of one score and coefficient."""
        return [(surrogate, measure) for surrogate in self.surrogates for measure in self.measures]

    def rows(self, make: "MakeRow[AnyRow]", kinds: Iterable[str] | None = None) -> list[AnyRow]:
        """A row for each score, surrogate, measure and coefficient; p adjusted within each score.

        `make` is called with the values of a `CoefficientRow` by name; `kinds` are the human scores wanted,
        None for all.
        """
        rows: list[AnyRow] = []
        for kind in SCORE_KINDS:
            if kinds is None or kind.human in set(kinds):
                rows += mirror_rows(rows, kind) or self._rows_of(kind, make)
        return rows

    def _rows_of(self, kind: ScoreKind, make: "MakeRow[AnyRow]") -> list[AnyRow]:
        inferred = infer_table(
            [score_ids(kind, *sides) for sides in self.sides],
            self.samples,
            rng=self.rng,
            coefficients=self.design.coefficients,
            intervals=self.design.intervals,
            over=self.design.resampled,
            level=self.design.level,
            adjustment=self.design.adjustment,
        )
        cells = iter(inferred)
        names = ("coefficient", "n", "estimate", "reason", *INFERENCE_FIELDS)
        rows = []
        for sides in self.sides:
            head, ids = self.head(kind, *sides), score_ids(kind, *sides)
            scores = self.observed(ids[0]), self.observed(ids[1])
            for coefficient in self.design.coefficients:
                cell = next(cells)
                values = {name: getattr(cell, name) for name in names}
                share = self.share.beside(ids, scores, coefficient, cell.estimate)
                rows.append(make(**head, **values, **share))
        return rows

    def head(self, kind: ScoreKind, surrogate: str, measure: str) -> dict[str, Any]:
        """What a row is about, by the names of its fields."""
        return head_of(kind, surrogate, measure, normalise=self.normalise)

    def observed(self, score: ScoreId) -> list[float | None]:
        """A score of the systems as it is, None where one has none."""
        values = self.samples[score].observed.tolist()
        return [value if np.isfinite(value) else None for value in values]


def score_ids(kind: ScoreKind, surrogate: str, measure: str) -> tuple[ScoreId, ScoreId]:
    """The addresses of the human and the automatic score of a row."""
    return ScoreId(kind.human, surrogate), ScoreId(kind.automatic, measure)


def head_of(kind: ScoreKind, surrogate: str, measure: str, *, normalise: Normalise) -> dict[str, Any]:
    """What a row is about, by the names of its fields; the surrogate "" is that of ratings alone."""
    return {
        "human": kind.human,
        "surrogate": surrogate or None,
        "automatic": kind.automatic,
        "measure": measure,
        "shared_input": shares_input(kind.human, surrogate, measure, normalise=normalise),
        "shared": shared_parts(kind.human, surrogate, measure, normalise=normalise),
    }


def add_sensitivity(table: JointTable) -> tuple[tuple[CorrelationRow, ...], tuple[LeftOutRow, ...]]:
    """The rows of a table with the range of each coefficient when one system is left out and who carries it,
    and every one of these coefficients."""
    checks: dict[tuple[str | None, ...], Sensitivity] = {}
    correlations, left_out = [], []
    for row in table.rows(CorrelationRow):
        key = (SCORES[row.automatic].studied, row.surrogate, row.measure, row.coefficient)
        if key not in checks:
            checks[key] = _check(row, table)
        correlations.append(_with_range(row, checks[key]))
        left_out.append(_left_out(row, checks[key]))
    return tuple(correlations), tuple(left_out)


def _check(row: CorrelationRow, table: JointTable) -> Sensitivity:
    return check_sensitivity(
        table.observed(ScoreId(row.human, row.surrogate or "")),
        table.observed(ScoreId(row.automatic, row.measure)),
        cast(Coefficient, row.coefficient),
        systems=table.systems,
    )


def _with_range(row: CorrelationRow, sensitivity: Sensitivity) -> CorrelationRow:
    estimates = [one.correlation.estimate for one in sensitivity.left_out]
    without = [estimate for estimate in estimates if estimate is not None]
    return replace(
        row,
        without_low=min(without, default=None),
        without_high=max(without, default=None),
        carried_by=tuple(sensitivity.carried_by),
        ceiling_reason="no ceiling was computed",
    )


def _left_out(row: CorrelationRow, sensitivity: Sensitivity) -> LeftOutRow:
    return LeftOutRow(
        human=row.human,
        surrogate=row.surrogate,
        automatic=row.automatic,
        measure=row.measure,
        shared_input=row.shared_input,
        shared=row.shared,
        coefficient=row.coefficient,
        n=row.n,
        estimate=row.estimate,
        systems=tuple(
            WithoutSystem(
                one.system,
                one.correlation.estimate,
                one.change,
                one.correlation.reason,
                one.system in sensitivity.carried_by,
            )
            for one in sensitivity.left_out
        ),
    )
