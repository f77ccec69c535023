"""The cells of a report's tables with interval and p, and what each of them hangs on."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.report.options import TableDesign
from meta_eval.report.reliability import INFERENCE_FIELDS, shares_input
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings
from meta_eval.scores.names import SCORE_KINDS, SCORES, ScoreKind
from meta_eval.stats.rankings.sensitivity import Sensitivity, check_sensitivity
from meta_eval.stats.resampling.samples import ScoreSample, resample_systems
from meta_eval.stats.table.inferred import infer_table
from meta_eval.stats.table.schemes import RaterDraws, TableSamples, resample_table, select_systems

Cell = dict[str, Any]


def mirror_rows(rows: Iterable[Cell], kind: ScoreKind) -> list[Cell]:
    """The rows of the score that `kind` mirrors, under its own name."""
    names = {"human": kind.human, "automatic": kind.automatic}
    return [{**row, **names} for row in rows if row["automatic"] == kind.mirrors]


def restrict_to_rated(
    distances: DistanceTable, corpus: Corpus, divergences: HumanDivergences
) -> DistanceTable:
    """The matched scope (protocol 8): a measure's distances between rated summaries, NaN elsewhere.

    `distances` of the rated documents, which `corpus` holds. Readers without a rated pair are left out of
    the penalty, as on the human side.
    """
    rated = replace_by_ratings(distances, corpus, divergences)
    blocks = tuple(
        replace(
            block,
            gold=np.where(np.isfinite(by_people.gold), block.gold, np.nan),
            systems=np.where(np.isfinite(by_people.systems), block.systems, np.nan),
            systems_gold=by_people.systems_gold,
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
    """Both sides under the same draws: `drawn` names its samples as `resample_both_sides` does."""

    drawn: TableSamples
    measures: tuple[str, ...]
    surrogates: tuple[str, ...]
    rng: np.random.Generator
    design: TableDesign

    @classmethod
    def resample(
        cls,
        automatic: Mapping[str, Contributions],
        human: Mapping[str, HumanScores],
        *,
        rng: np.random.Generator,
        design: TableDesign,
        raters: RaterDraws,
    ) -> "JointTable":
        drawn = resample_table(
            automatic,
            human,
            resampled=design.resampled,
            raters=raters,
            rng=rng,
            resamples=design.resamples,
        )
        return cls(drawn, tuple(automatic), tuple(human), rng, design)

    @property
    def samples(self) -> Mapping[str, ScoreSample]:
        return self.drawn.samples

    @property
    def systems(self) -> tuple[str, ...]:
        return self.drawn.systems

    def within(self, rows: Sequence[int], *, rng: np.random.Generator) -> "JointTable":
        """The table of some systems alone, which are drawn among themselves where systems are drawn."""
        samples = select_systems(self.drawn.before_systems, rows)
        drawn = resample_systems(samples, rng=rng) if "systems" in self.design.resampled else samples
        systems = tuple(self.systems[row] for row in rows)
        return replace(self, drawn=TableSamples(drawn, samples, systems), rng=rng)

    def places(self) -> list[tuple[str, str]]:
        """Surrogate and measure of each cell of one score and coefficient."""
        return [(surrogate, measure) for surrogate in self.surrogates for measure in self.measures]

    def cells(self, kinds: Iterable[str] | None = None) -> list[Cell]:
        """A cell for each score, surrogate, measure and coefficient; p adjusted within each score."""
        found: list[Cell] = []
        for kind in SCORE_KINDS:
            if kinds is None or kind.human in set(kinds):
                found += mirror_rows(found, kind) or self._cells_of(kind)
        return found

    def _cells_of(self, kind: ScoreKind) -> list[Cell]:
        found = infer_table(
            [names_of(kind, *place) for place in self.places()],
            self.samples,
            rng=self.rng,
            coefficients=self.design.coefficients,
            intervals=self.design.intervals,
            over=self.design.resampled,
            level=self.design.level,
            adjustment=self.design.adjustment,
        )
        heads = [head_of(kind, *place) for place in self.places() for _ in self.design.coefficients]
        fields = ("coefficient", "n", "estimate", "reason", *INFERENCE_FIELDS)
        return [
            {**head, **{name: getattr(cell, name) for name in fields}}
            for head, cell in zip(heads, found, strict=True)
        ]

    def observed(self, score: str, measure: str) -> list[float | None]:
        """A score of the systems as it is, None where one has none."""
        values = self.samples[f"{score} {measure}"].observed.tolist()
        return [value if np.isfinite(value) else None for value in values]


def names_of(kind: ScoreKind, surrogate: str, measure: str) -> tuple[str, str]:
    """By which names the samples hold the two scores of a cell."""
    return f"{kind.human} {surrogate}", f"{kind.automatic} {measure}"


def head_of(kind: ScoreKind, surrogate: str, measure: str) -> Cell:
    """What a cell is about."""
    return {
        "human": kind.human,
        "surrogate": surrogate,
        "automatic": kind.automatic,
        "measure": measure,
        "shared_input": shares_input(kind.human, surrogate, measure),
    }


def add_sensitivity(cells: Sequence[Cell], table: JointTable) -> dict[str, list[Cell]]:
    """The `cells` with the range of the coefficient when one system is left out, and who carries it; and
    `left_out_systems`, every one of these coefficients."""
    checks: dict[tuple[str, ...], Sensitivity] = {}
    for cell in cells:
        if (key := _key(cell)) not in checks:
            checks[key] = _check(cell, table)
    found = [checks[_key(cell)] for cell in cells]
    return {
        "cells": [{**cell, **_range(one), **_NO_CEILING} for cell, one in zip(cells, found, strict=True)],
        "left_out_systems": [_every_one(cell, one) for cell, one in zip(cells, found, strict=True)],
    }


_NO_CEILING = {"ceiling": None, "ceiling_method": None, "ceiling_reason": "no ceiling was computed"}


def _key(cell: Cell) -> tuple[str, ...]:
    return SCORES[cell["automatic"]].studied, cell["surrogate"], cell["measure"], cell["coefficient"]


def _check(cell: Cell, table: JointTable) -> Sensitivity:
    return check_sensitivity(
        table.observed(cell["human"], cell["surrogate"]),
        table.observed(cell["automatic"], cell["measure"]),
        cell["coefficient"],
        systems=table.systems,
    )


def _range(found: Sensitivity) -> Cell:
    without = [one.correlation.estimate for one in found.left_out if one.correlation.estimate is not None]
    return {
        "without_low": min(without, default=None),
        "without_high": max(without, default=None),
        "carried_by": list(found.carried_by),
    }


_PLACE = ("human", "surrogate", "automatic", "measure", "shared_input", "coefficient", "n", "estimate")


def _every_one(cell: Cell, found: Sensitivity) -> Cell:
    return {
        **{name: cell[name] for name in _PLACE},
        "systems": [
            {
                "system": one.system,
                "estimate": one.correlation.estimate,
                "change": one.change,
                "reason": one.correlation.reason,
                "carries": one.system in found.carried_by,
            }
            for one in found.left_out
        ],
    }
