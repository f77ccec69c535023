"""One agreement at three levels: of systems, of systems within each document, of single reader pairs.

All three are over the rated documents and pairs alone, with the same draws of documents.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.computing import DistanceTable
from meta_eval.errors import InputError
from meta_eval.report.inference.sides import DocumentDraws, Place, RatedSides
from meta_eval.report.inference.table import head_of, mirror_rows, names_of
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
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

Row = dict[str, Any]

DOCUMENT_LEVEL: IntervalMethod = "bca"
ITEM_LEVEL: IntervalMethod = "bca"
"""Intervals of means over documents and of coefficients over many items, which move smoothly."""

Found = dict[tuple[Place, Coefficient], tuple[LevelCorrelation, Interval]]


def correlate_levels(
    matched: Mapping[str, DistanceTable],
    human: Mapping[str, HumanScores],
    *,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
) -> list[Row]:
    """A row for each score, surrogate, measure, coefficient and level, with its interval over documents.

    `matched` holds each measure's distances between rated summaries, on the documents of `human`. Over items
    there are `COEFFICIENTS` alone. Raises `InputError` where one side is missing.
    """
    if not matched or not human:
        raise InputError("there are scores of one side only, so nothing can be compared")
    sides = RatedSides.gather(matched, human)
    draws = DocumentDraws.make(len(sides.documents), resamples=resamples, rng=rng, level=level)
    rows: list[Row] = []
    for kind in SCORE_KINDS:
        rows += mirror_rows(rows, kind) or list(_rows_of(kind, sides, draws, coefficients))
    return rows


def _rows_of(
    kind: ScoreKind, sides: RatedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Iterator[Row]:
    by_level = {
        "system": _over_systems(kind, sides, draws, coefficients),
        "document": _within_documents(kind, sides, draws, coefficients),
        "item": _over_items(kind, sides, draws, [name for name in coefficients if name in COEFFICIENTS]),
    }
    for place in sides.places:
        for coefficient in coefficients:
            for name, found in by_level.items():
                if (place, coefficient) in found:
                    yield _row(kind, place, name, *found[place, coefficient])


def _row(kind: ScoreKind, place: Place, name: str, found: LevelCorrelation, interval: Interval) -> Row:
    return {
        **head_of(kind, *place),
        "coefficient": found.coefficient,
        "level": name,
        "n": found.n,
        "undefined": found.undefined,
        "estimate": found.estimate,
        "reason": found.reason,
        "ci_low": interval.low,
        "ci_high": interval.high,
        "ci_method": interval.method,
        "ci_over": "documents",
        "ci_level": interval.level,
        "ci_reason": interval.reason,
    }


def _over_systems(
    kind: ScoreKind, sides: RatedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Found:
    used = dict.fromkeys(name for place in sides.places for name in names_of(kind, *place))
    samples = draws.scores({name: sides.scores[name] for name in used})
    found: Found = {}
    for coefficient in coefficients:
        cache = RowCache()
        for place in sides.places:
            human, automatic = names_of(kind, *place)
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
            found[place, coefficient] = correlation, made.interval
    return found


def _within_documents(
    kind: ScoreKind, sides: RatedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Found:
    keys = [(place, coefficient) for place in sides.places for coefficient in coefficients]
    by_document = np.stack(
        [
            correlate_documents(sides.scores[human], sides.scores[automatic], coefficient)
            for (human, automatic), coefficient in ((names_of(kind, *place), name) for place, name in keys)
        ]
    )  # (K, D)
    replicates = np.concatenate([weighted_scores(weights, by_document) for weights in draws.batches()])
    left_out = left_out_scores(by_document)
    found: Found = {}
    for row, (place, coefficient) in enumerate(keys):
        correlation = average_documents(by_document[row], coefficient)
        interval = make_interval(
            replicates[:, row],
            estimate=correlation.estimate,
            left_out=[left_out[:, row]],
            method=DOCUMENT_LEVEL,
            level=draws.level,
        )
        found[place, coefficient] = correlation, interval
    return found


def _over_items(
    kind: ScoreKind, sides: RatedSides, draws: DocumentDraws, coefficients: Sequence[Coefficient]
) -> Found:
    """Scores that miss the same items go through one table; usually all do."""
    tables: dict[bytes, list[Place]] = defaultdict(list)
    for place in sides.places:
        human, automatic = (sides.items[name] for name in names_of(kind, *place))
        tables[(np.isfinite(human) & np.isfinite(automatic)).tobytes()].append(place)
    found: Found = {}
    for places in tables.values():
        for coefficient in coefficients:
            found |= _over_common_items(kind, places, sides, draws, coefficient)
    return found


def _over_common_items(
    kind: ScoreKind,
    places: Sequence[Place],
    sides: RatedSides,
    draws: DocumentDraws,
    coefficient: Coefficient,
) -> Found:
    rows = {name: row for row, name in enumerate(dict.fromkeys(surrogate for surrogate, _ in places))}
    columns = {name: row for row, name in enumerate(dict.fromkeys(measure for _, measure in places))}
    human = [sides.items[f"{kind.human} {name}"] for name in rows]
    automatic = [sides.items[f"{kind.automatic} {name}"] for name in columns]
    there = np.isfinite(human[0]) & np.isfinite(automatic[0])
    made = _resample_items(_table(human, automatic, there, sides), draws, coefficient)
    found: Found = {}
    for place in places:
        h, a = rows[place[0]], columns[place[1]]
        correlation = correlate_level(human[h], automatic[a], coefficient, level="item")
        found[place, coefficient] = correlation, _item_interval(correlation, made, (h, a), draws.level)
    return found


Resamples = tuple[FloatArray, FloatArray] | str
"""Replicates (R, H, A) and jackknife (D, H, A), or why there are none."""


def _table(
    human: Sequence[FloatArray], automatic: Sequence[FloatArray], there: BoolArray, sides: RatedSides
) -> ItemTable:
    return ItemTable(
        np.stack([side[there] for side in human]),
        np.stack([side[there] for side in automatic]),
        np.broadcast_to(sides.at, there.shape)[there],
        documents=len(sides.documents),
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
