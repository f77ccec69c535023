"""One agreement at three levels: of systems, of systems within each document, of single reader pairs.

All three are over the rated documents and pairs alone, with the same draws of documents.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.report.inference.sides import DocumentDraws, ItemSides, MatchedSides, SurrogateAndMeasure
from meta_eval.report.inference.table import head_of, mirror_rows, score_ids
from meta_eval.report.schema import LevelRow
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.items import MOST_ITEMS, ItemTable
from meta_eval.stats.coefficients.levels import (
    LevelCorrelation,
    average_documents,
    correlate_documents,
    correlate_level,
)
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod
from meta_eval.stats.resampling.samples import RowCache, bootstrap_correlation, make_interval
from meta_eval.stats.resampling.weights import left_out_scores, weighted_scores
from meta_eval.stats.table.resampled import INTERVALS
from meta_eval.stats.table.schemes import TableSamples, place_in_families

DOCUMENT_LEVEL: IntervalMethod = "bca"
ITEM_LEVEL: IntervalMethod = "bca"
"""Intervals of means over documents and of coefficients over many items, which move smoothly."""

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
    there are `COEFFICIENTS` alone. `families` maps systems to families, where they were given. Raises
    `InputError` where one side is missing.
    """
    sides = MatchedSides.gather(matched, human, normalise=normalise)
    items = ItemSides.cut(sides, matched, human)
    draws = DocumentDraws.make(len(sides.documents), resamples=resamples, rng=rng, level=level)
    rows: list[LevelRow] = []
    for kind in SCORE_KINDS:
        rows += mirror_rows(rows, kind) or list(_rows_of(kind, items, draws, coefficients, families or {}))
    return tuple(rows)


def _rows_of(
    kind: ScoreKind,
    items: ItemSides,
    draws: DocumentDraws,
    coefficients: Sequence[Coefficient],
    families: Mapping[str, str],
) -> Iterator[LevelRow]:
    sides = items.sides
    by_level = {
        "system": _over_systems(kind, sides, draws, coefficients, families),
        "document": _within_documents(kind, sides, draws, coefficients),
        "item": _over_items(kind, items, draws, [name for name in coefficients if name in COEFFICIENTS]),
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


def _over_items(
    kind: ScoreKind, items: ItemSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Inferred:
    """Scores that miss the same items go through one table; usually all do."""
    tables: dict[bytes, list[SurrogateAndMeasure]] = defaultdict(list)
    for pair in items.sides.pairs:
        human, automatic = (items.items[name] for name in score_ids(kind, *pair))
        tables[(np.isfinite(human) & np.isfinite(automatic)).tobytes()].append(pair)
    inferred: Inferred = {}
    for pairs in tables.values():
        for coefficient in coefficients:
            inferred |= _over_common_items(kind, pairs, items, draws, coefficient)
    return inferred


def _over_common_items(
    kind: ScoreKind,
    pairs: Sequence[SurrogateAndMeasure],
    items: ItemSides,
    draws: DocumentDraws,
    coefficient: Coefficient,
) -> Inferred:
    rows = {name: row for row, name in enumerate(dict.fromkeys(surrogate for surrogate, _ in pairs))}
    columns = {name: row for row, name in enumerate(dict.fromkeys(measure for _, measure in pairs))}
    human = [items.items[ScoreId(kind.human, name)] for name in rows]
    automatic = [items.items[ScoreId(kind.automatic, name)] for name in columns]
    there = np.isfinite(human[0]) & np.isfinite(automatic[0])
    made = _resample_items(_table(human, automatic, there, items), draws, coefficient)
    inferred: Inferred = {}
    for pair in pairs:
        h, a = rows[pair[0]], columns[pair[1]]
        correlation = correlate_level(human[h], automatic[a], coefficient, level="item")
        inferred[pair, coefficient] = correlation, _item_interval(correlation, made, (h, a), draws.level)
    return inferred


Resamples = tuple[FloatArray, FloatArray] | str
"""Replicates (R, H, A) and jackknife (D, H, A), or why there are none."""


def _table(
    human: Sequence[FloatArray], automatic: Sequence[FloatArray], there: BoolArray, items: ItemSides
) -> ItemTable:
    return ItemTable(
        np.stack([side[there] for side in human]),
        np.stack([side[there] for side in automatic]),
        np.broadcast_to(items.at, there.shape)[there],
        documents=len(items.sides.documents),
    )


def _resample_items(table: ItemTable, draws: DocumentDraws, coefficient: Coefficient) -> Resamples:
    if not table.items:
        return "no item has both scores"
    if coefficient == "kendall" and table.items > MOST_ITEMS:
        return f"{table.items:,} items; beyond {MOST_ITEMS:,} Kendall's tau is not resampled"
    found = table.under(np.concatenate([draws.counts, draws.without_each]), coefficient)
    return found[: len(draws.counts)], found[len(draws.counts) :]


def _item_interval(found: LevelCorrelation, made: Resamples, at: tuple[int, int], level: float) -> Interval:
    if isinstance(made, str):
        return Interval(None, None, ITEM_LEVEL, level, reason=made)
    replicates, left_out = made
    return make_interval(
        replicates[:, *at],
        estimate=found.estimate,
        left_out=[left_out[:, *at]],
        method=ITEM_LEVEL,
        level=level,
    )
