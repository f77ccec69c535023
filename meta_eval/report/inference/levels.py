"""One agreement at four levels: of systems, of systems within each document, of documents within each system,
of single reader pairs.

All four are over the rated documents and pairs alone, with the same draws of documents: within systems and
over items with the first `ITEM_RESAMPLES` of them.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.report.inference.sides import DocumentDraws, ItemSides, MatchedSides, SurrogateAndMeasure
from meta_eval.report.inference.table import head_of, mirror_rows, score_ids
from meta_eval.report.options import ITEM_RESAMPLES
from meta_eval.report.schema import LevelRow
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.items import MOST_ITEMS, ItemTable
from meta_eval.stats.coefficients.levels import (
    LevelCorrelation,
    average_documents,
    average_systems,
    correlate_documents,
    correlate_level,
    correlate_systems,
)
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.bootstrap import RowCache, bootstrap_correlation, make_interval
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod
from meta_eval.stats.resampling.weights import left_out_scores, mean_scores, weighted_scores
from meta_eval.stats.table.resampled import INTERVALS
from meta_eval.stats.table.schemes import TableSamples, place_in_families

DOCUMENT_LEVEL: IntervalMethod = "bca"
SYSTEM_LEVEL: IntervalMethod = "bca"
ITEM_LEVEL: IntervalMethod = "bca"
"""Intervals of means over documents and systems and of coefficients over many items, which move smoothly."""

Inferred = dict[tuple[SurrogateAndMeasure, Coefficient], tuple[LevelCorrelation, Interval]]


def correlate_levels(
    matched: Mapping[str, DistanceTable],
    human: Mapping[str, HumanScores],
    *,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    normalise: Normalise = "document",
    families: Mapping[str, str] | None = None,
) -> tuple[LevelRow, ...]:
    """A row for each score, surrogate, measure, coefficient and level, with its interval over documents.

    `matched` holds each measure's distances between rated summaries, on the documents of `human`. Over items
    and within systems there are `COEFFICIENTS` alone. `families` maps systems to families, where they were
    given. Raises `InputError` where one side is missing.
    """
    sides = MatchedSides.gather(matched, human, normalise=normalise)
    items = ItemSides.cut(sides, matched, human)
    draws = DocumentDraws.make(len(sides.documents), resamples=resamples, rng=rng, level=level)
    rows: list[LevelRow] = []
    for kind in SCORE_KINDS:
        rows += mirror_rows(rows, kind) or list(
            rows_of_levels(kind, items, draws, coefficients, families or {})
        )
    return tuple(rows)


def rows_of_levels(
    kind: ScoreKind,
    items: ItemSides,
    draws: DocumentDraws,
    coefficients: Sequence[Coefficient],
    families: Mapping[str, str],
) -> Iterator[LevelRow]:
    sides = items.sides
    usual = [name for name in coefficients if name in COEFFICIENTS]
    fewer = draws.first(ITEM_RESAMPLES)
    by_level = {
        "system": _over_systems(kind, sides, draws, coefficients, families),
        "document": _within_documents(kind, sides, draws, coefficients),
        "within-system": _within_systems(kind, sides, fewer, usual),
        "item": _over_items(kind, items, fewer, usual),
    }
    for pair in sides.pairs:
        head = head_of(kind, *pair, normalise=sides.normalise)
        for coefficient in coefficients:
            for level, inferred in by_level.items():
                if (pair, coefficient) in inferred:
                    yield _row(head, level, *inferred[pair, coefficient])


def _row(head: Mapping[str, Any], level: str, correlation: LevelCorrelation, interval: Interval) -> LevelRow:
    return LevelRow(
        **head,
        coefficient=correlation.coefficient,
        level=level,
        n=correlation.n,
        undefined=correlation.undefined,
        estimate=correlation.estimate,
        reason=correlation.reason,
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        ci_over="documents",
        ci_level=interval.level,
        ci_reason=interval.reason,
    )


def _over_systems(
    kind: ScoreKind,
    sides: MatchedSides,
    draws: DocumentDraws,
    coefficients: Sequence[Coefficient],
    families: Mapping[str, str],
) -> Inferred:
    used = dict.fromkeys(name for pair in sides.pairs for name in score_ids(kind, *pair))
    drawn = draws.scores({name: sides.scores[name] for name in used})
    samples = place_in_families(TableSamples(drawn, {}, sides.systems), families).samples
    inferred: Inferred = {}
    cache = RowCache()
    for pair in sides.pairs:  # outside: draws of true scores are kept for the last pair
        human, automatic = score_ids(kind, *pair)
        for coefficient in coefficients:
            correlation = correlate_level(
                sides.scores[human], sides.scores[automatic], coefficient, level="system"
            )
            made = bootstrap_correlation(
                samples[human],
                samples[automatic],
                coefficient,
                method=INTERVALS["documents"][coefficient],
                level=draws.level,
                cache=cache,
            )
            inferred[pair, coefficient] = correlation, made.interval
    return inferred


def _within_documents(
    kind: ScoreKind, sides: MatchedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Inferred:
    keys = [(pair, coefficient) for pair in sides.pairs for coefficient in coefficients]
    by_document = np.stack(
        [
            correlate_documents(sides.scores[human], sides.scores[automatic], coefficient)
            for (human, automatic), coefficient in ((score_ids(kind, *pair), name) for pair, name in keys)
        ]
    )  # (K, D)
    replicates = np.concatenate([weighted_scores(weights, by_document) for weights in draws.batches()])
    left_out = left_out_scores(by_document)
    inferred: Inferred = {}
    for row, (pair, coefficient) in enumerate(keys):
        correlation = average_documents(by_document[row], coefficient)
        interval = make_interval(
            replicates[:, row],
            estimate=correlation.estimate,
            left_out=[left_out[:, row]],
            method=DOCUMENT_LEVEL,
            level=draws.level,
        )
        inferred[pair, coefficient] = correlation, interval
    return inferred


def _within_systems(
    kind: ScoreKind, sides: MatchedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Inferred:
    """Coefficients over the documents of each system, averaged over the systems that have one."""
    at = np.arange(len(sides.documents))
    made = [
        _resample(kind, {name: values[[row]] for name, values in sides.scores.items()}, at, sides, draws)
        for row in range(len(sides.systems))
    ]
    inferred: Inferred = {}
    for pair in sides.pairs:
        human, automatic = (sides.scores[name] for name in score_ids(kind, *pair))
        for coefficient in coefficients:
            single = correlate_systems(human, automatic, coefficient)
            found = average_systems(single, coefficient)
            resampled = [one(pair, coefficient) for one in made]
            inferred[pair, coefficient] = (
                found,
                _interval(found, _mean_over(resampled, np.isfinite(single)), SYSTEM_LEVEL, draws.level),
            )
    return inferred


def _mean_over(resampled: Sequence["Resamples"], defined: BoolArray) -> "Resamples":
    """The mean over the systems that have a coefficient, in each resample over those that have one there."""
    kept = [one for one, is_defined in zip(resampled, defined, strict=True) if is_defined]
    if reason := next((one for one in kept if isinstance(one, str)), None if kept else "no system has one"):
        return reason
    sides = zip(*(one for one in kept if not isinstance(one, str)), strict=True)
    replicates, left_out = (mean_scores(np.stack(side, axis=1)) for side in sides)
    return replicates, left_out


def _over_items(
    kind: ScoreKind, items: ItemSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Inferred:
    made = _resample(kind, items.items, items.at, items.sides, draws)
    inferred: Inferred = {}
    for pair in items.sides.pairs:
        human, automatic = (items.items[name] for name in score_ids(kind, *pair))
        for coefficient in coefficients:
            found = correlate_level(human, automatic, coefficient, level="item")
            interval = _interval(found, made(pair, coefficient), ITEM_LEVEL, draws.level)
            inferred[pair, coefficient] = found, interval
    return inferred


Resamples = tuple[FloatArray, FloatArray] | str
"""Replicates (R,) and jackknife (D,), or why there are none."""


def _resample(
    kind: ScoreKind,
    items: Mapping[ScoreId, FloatArray],
    at: IntArray,
    sides: MatchedSides,
    draws: DocumentDraws,
) -> Callable[[SurrogateAndMeasure, Coefficient], Resamples]:
    """A function that gives the resamples of a pair and coefficient; `items` (S, P), `at` (P,) by document.

    Scores that miss the same items go through one table, usually all do; a table is resampled once.
    """
    alike: dict[bytes, list[SurrogateAndMeasure]] = defaultdict(list)
    places: dict[SurrogateAndMeasure, bytes] = {}
    for pair in sides.pairs:
        human, automatic = (items[name] for name in score_ids(kind, *pair))
        places[pair] = (np.isfinite(human) & np.isfinite(automatic)).tobytes()
        alike[places[pair]].append(pair)
    tables = {
        place: _Table.of(kind, pairs, items, at, documents=len(sides.documents))
        for place, pairs in alike.items()
    }
    return lambda pair, coefficient: tables[places[pair]].resampled(pair, coefficient, draws)


@dataclass(frozen=True)
class _Table:
    """Scores that miss the same items: where each surrogate and measure stands, and what was resampled."""

    items: ItemTable
    rows: Mapping[str, int]
    columns: Mapping[str, int]
    made: dict[Coefficient, FloatArray | str] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        kind: ScoreKind,
        pairs: Sequence[SurrogateAndMeasure],
        items: Mapping[ScoreId, FloatArray],
        at: IntArray,
        *,
        documents: int,
    ) -> "_Table":
        rows = {name: row for row, name in enumerate(dict.fromkeys(surrogate for surrogate, _ in pairs))}
        columns = {name: row for row, name in enumerate(dict.fromkeys(measure for _, measure in pairs))}
        human = [items[ScoreId(kind.human, name)] for name in rows]
        automatic = [items[ScoreId(kind.automatic, name)] for name in columns]
        there = np.isfinite(human[0]) & np.isfinite(automatic[0])
        x, y = (np.stack([side[there] for side in given]) for given in (human, automatic))
        table = ItemTable(x, y, np.broadcast_to(at, there.shape)[there], documents=documents)
        return cls(table, rows, columns)

    def resampled(
        self, pair: SurrogateAndMeasure, coefficient: Coefficient, draws: DocumentDraws
    ) -> Resamples:
        if coefficient not in self.made:
            self.made[coefficient] = self._under(draws, coefficient)
        made = self.made[coefficient]
        if isinstance(made, str):
            return made
        own = made[:, self.rows[pair[0]], self.columns[pair[1]]]
        return own[: len(draws.counts)], own[len(draws.counts) :]

    def _under(self, draws: DocumentDraws, coefficient: Coefficient) -> FloatArray | str:
        """(R + D, H, A): under the draws, then without each document."""
        if not self.items.items:
            return "no item has both scores"
        if coefficient == "kendall" and self.items.items > MOST_ITEMS:
            return f"{self.items.items:,} items; beyond {MOST_ITEMS:,} Kendall's tau is not resampled"
        return self.items.under(np.concatenate([draws.counts, draws.without_each]), coefficient)


def _interval(found: LevelCorrelation, made: Resamples, method: IntervalMethod, level: float) -> Interval:
    if isinstance(made, str):
        return Interval(None, None, method, level, reason=made)
    replicates, left_out = made
    return make_interval(replicates, estimate=found.estimate, left_out=[left_out], method=method, level=level)
