"""What meta-evaluation asks by now of the same contributions: pairs of systems, ties, outliers, sure ranks.

Both sides are over the rated documents and pairs alone, as a p over documents needs the same documents.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.report.inference.sides import DocumentDraws, MatchedSides
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.table import head_of, score_ids
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    CalibratedTiesRow,
    FurtherQuestions,
    NoticedRow,
    OutlierRow,
    PairAccuracyRow,
    SoftAccuracyRow,
    SoftDifferenceRow,
    SystemRankRow,
)
from meta_eval.scores.names import OWN_KINDS, ScoreKind
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.grouped import (
    GROUPINGS,
    Grouping,
    calibrate_ties,
    coefficients_by_group,
)
from meta_eval.stats.coefficients.outliers import correlate_without_outliers
from meta_eval.stats.coefficients.system_pairs import noticed_difference, pair_accuracies
from meta_eval.stats.rankings.simultaneous import simultaneous_ranks
from meta_eval.stats.resampling.noticed import noticed_interval
from meta_eval.stats.resampling.weights import mean_scores
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.flips import Flips, confidences_both_ways, draw_flips, pair_p_values
from meta_eval.stats.significance.soft_accuracy import (
    DEFAULT_FLIPS,
    compare_soft_accuracies,
    soft_accuracy_of,
)
from meta_eval.stats.table.schemes import TableSamples, place_in_families

SWAPS = 999
MOST_CELLS = 700
"""Summaries of which any two are compared at most: beyond, a report would take minutes over this alone."""


@dataclass(frozen=True, slots=True)
class _Cell:
    """A human and an automatic score, and how a row about them begins."""

    head: Mapping[str, Any]
    human_id: ScoreId
    automatic_id: ScoreId
    human: FloatArray
    automatic: FloatArray

    @property
    def common(self) -> BoolArray:
        """(S, D): where both have a contribution."""
        return np.isfinite(self.human) & np.isfinite(self.automatic)

    @property
    def means(self) -> tuple[list[float], list[float]]:
        """Both sides' scores of the systems."""
        return mean_scores(self.human).tolist(), mean_scores(self.automatic).tolist()


def _cells(sides: MatchedSides) -> Iterator[_Cell]:
    """Every human score with every automatic one that it judges."""
    for kind in OWN_KINDS:
        for pair in sides.pairs:
            ids = score_ids(kind, *pair)
            human, automatic = (sides.scores[name] for name in ids)
            yield _Cell(head_of(kind, *pair, normalise=sides.normalise), *ids, human, automatic)


def ask_further(sides: MatchedSides, options: InferenceOptions) -> FurtherQuestions:
    """Every question about scores, each from a random stream of its own."""
    cells = tuple(_cells(sides))
    flips = draw_flips(
        len(sides.documents), permutations=DEFAULT_FLIPS, rng=stream(options.seed, "soft_accuracy")
    )
    return FurtherQuestions(
        soft_accuracy=tuple(_soft_accuracies(cells, flips)),
        soft_differences=tuple(_soft_differences(sides, options)),
        calibrated_ties=tuple(_calibrated(cell, grouping) for cell in cells for grouping in GROUPINGS),
        pair_accuracy=tuple(_pair_accuracies(cells, flips, options.alpha)),
        noticed=tuple(_noticed(cells, sides, options)),
        outliers=tuple(_outliers(cells, sides.systems, options)),
        system_ranks=tuple(_system_ranks(sides, options)),
    )


@dataclass(frozen=True, slots=True)
class _Confidences:
    """p of each pair of systems by a score, found once for each set of cells that are left of it."""

    flips: Flips
    found: dict[tuple[ScoreId, bytes], FloatArray] = field(default_factory=dict)

    def of(self, name: ScoreId, values: FloatArray, common: BoolArray) -> FloatArray:
        key = name, common.tobytes()
        if key not in self.found:
            self.found[key] = confidences_both_ways(np.where(common, values, np.nan), self.flips)
        return self.found[key]


def _soft_accuracies(cells: Sequence[_Cell], flips: Flips) -> Iterator[SoftAccuracyRow]:
    confidences = _Confidences(flips)
    for cell in cells:
        common = cell.common
        found = soft_accuracy_of(
            confidences.of(cell.human_id, cell.human, common),
            confidences.of(cell.automatic_id, cell.automatic, common),
            documents=int(common.any(axis=0).sum()),
        )
        yield SoftAccuracyRow(
            **cell.head,
            estimate=found.estimate,
            pairs=found.pairs,
            documents=found.documents,
            reason=found.reason,
        )


def _soft_differences(sides: MatchedSides, options: InferenceOptions) -> Iterator[SoftDifferenceRow]:
    """Each pair of measures, over all surrogates at once; p adjusted within the score."""
    rng = stream(options.seed, "soft_differences")
    for kind in OWN_KINDS:
        people = np.stack([sides.scores[ScoreId(kind.human, name)] for name in sides.surrogates])
        rows = [_soft_difference(kind, pair, sides, people, rng) for pair in combinations(sides.measures, 2)]
        adjusted = adjust_p_values([row.p_value for row in rows], method=options.adjustment)
        yield from (replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))


def _soft_difference(
    kind: ScoreKind,
    pair: tuple[str, str],
    sides: MatchedSides,
    people: FloatArray,
    rng: np.random.Generator,
) -> SoftDifferenceRow:
    first, second = (sides.scores[ScoreId(kind.automatic, name)] for name in pair)
    found = compare_soft_accuracies(first, second, people, rng=rng, permutations=SWAPS)
    return SoftDifferenceRow(
        automatic=kind.automatic,
        measure=pair[0],
        other=pair[1],
        surrogates=len(people),
        difference=found.difference,
        p_value=found.p_value,
        p_adjusted=None,
        reason=found.reason,
    )


def _calibrated(cell: _Cell, grouping: Grouping) -> CalibratedTiesRow:
    count = int(cell.common.sum())
    if grouping == "none" and count > MOST_CELLS:
        empty: dict[str, Any] = dict.fromkeys(("estimate", "epsilon", "untouched", "tau_b", "tied"))
        reason = f"{count:,} summaries; any two are compared up to {MOST_CELLS:,} alone"
        return CalibratedTiesRow(**cell.head, **empty, grouping=grouping, groups=0, pairs=0, reason=reason)
    found = calibrate_ties(cell.human, cell.automatic, grouping)
    taus = coefficients_by_group(cell.human, cell.automatic, "tau-b", grouping)
    defined = taus[np.isfinite(taus)]
    return CalibratedTiesRow(
        **cell.head,
        grouping=grouping,
        estimate=found.estimate,
        epsilon=found.epsilon,
        untouched=found.without,
        tau_b=float(defined.mean()) if defined.size else None,
        groups=found.groups,
        pairs=found.pairs,
        tied=found.tied,
        reason=found.reason,
    )


def _pair_accuracies(cells: Sequence[_Cell], flips: Flips, alpha: float) -> Iterator[PairAccuracyRow]:
    """By which pairs are asked about; people's p are over all documents that they rated."""
    p_values: dict[ScoreId, FloatArray] = {}
    for cell in cells:
        if cell.human_id not in p_values:
            p_values[cell.human_id] = pair_p_values(cell.human, flips)
        for found in pair_accuracies(*cell.means, p_values[cell.human_id], alpha=alpha):
            yield PairAccuracyRow(
                **cell.head,
                subset=found.subset,
                estimate=found.estimate,
                pairs=found.pairs,
                reason=found.reason,
            )


def _noticed(cells: Sequence[_Cell], sides: MatchedSides, options: InferenceOptions) -> Iterator[NoticedRow]:
    """With intervals over documents, which are drawn alike for every score."""
    draws = _draws(sides, options, "noticed")
    names = dict.fromkeys(name for cell in cells for name in (cell.human_id, cell.automatic_id))
    drawn = draws.scores({name: sides.scores[name] for name in names})
    samples = place_in_families(TableSamples(drawn, {}, systems=sides.systems), options.families).samples
    for cell in cells:
        found = noticed_difference(*cell.means)
        interval = noticed_interval(samples[cell.human_id], samples[cell.automatic_id], level=options.level)
        yield NoticedRow(
            **cell.head,
            noticed=found.difference,
            beyond=found.beyond,
            pairs=found.pairs,
            reason=found.reason,
            ci_low=interval.low,
            ci_high=interval.high,
            ci_level=interval.level,
            ci_reason=interval.reason,
        )


def _draws(sides: MatchedSides, options: InferenceOptions, name: str) -> DocumentDraws:
    return DocumentDraws.make(
        len(sides.documents),
        resamples=options.resamples,
        rng=stream(options.seed, name),
        level=options.level,
    )


def _outliers(
    cells: Sequence[_Cell], systems: Sequence[str], options: InferenceOptions
) -> Iterator[OutlierRow]:
    for cell in cells:
        for coefficient in options.design.coefficients:
            found = correlate_without_outliers(*cell.means, coefficient)
            yield OutlierRow(
                **cell.head,
                coefficient=coefficient,
                outliers=tuple(systems[at] for at in found.outliers),
                n=found.without.n,
                all_systems=found.all_systems.estimate,
                estimate=found.without.estimate,
                reason=found.without.reason,
            )


def _system_ranks(sides: MatchedSides, options: InferenceOptions) -> Iterator[SystemRankRow]:
    """People's ranks of the systems, under the same draws of documents for every score."""
    people = {
        name: sides.scores[name]
        for name in (ScoreId(kind.human, surrogate) for kind in OWN_KINDS for surrogate in sides.surrogates)
    }
    draws = _draws(sides, options, "system_ranks")
    for name, sample in draws.scores(people).items():
        counted = int(np.isfinite(people[name]).all(axis=0).sum())
        ranks = simultaneous_ranks(
            sample.observed.tolist(), sample.resampled, level=options.level, documents=counted
        )
        for system, value, rank in zip(sides.systems, sample.observed.tolist(), ranks.systems, strict=True):
            yield SystemRankRow(
                human=name.score,
                surrogate=name.measure,
                system=system,
                value=None if rank.rank is None else value,
                rank=rank.rank,
                rank_low=rank.low,
                rank_high=rank.high,
                cluster=rank.group,
            )
