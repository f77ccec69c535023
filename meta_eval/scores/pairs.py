"""Scores of single items, a document's pair of readers: what the contribution of a document is a mean of."""

from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.scores.contributions import (
    ScoreOptions,
    choose_score,
    present_pairs,
    reader_penalty,
    with_self,
)
from meta_eval.scores.degress import degress_by_pair, deviation
from meta_eval.scores.names import ScoreName


@dataclass(frozen=True, slots=True)
class PairContributions:
    """Items in the order of blocks, documents and readers j < k: arrays (systems, items), NaN where missing.

    `at` (items,) numbers the document of each item in `documents`.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    at: IntArray
    degress: FloatArray
    perseval: FloatArray

    def matrix(self, score: ScoreName) -> FloatArray:
        """(S, items) of one of the scores."""
        return choose_score(score, self.degress, self.perseval)


def score_pairs(source: DistanceSource, options: ScoreOptions | None = None) -> PairContributions:
    """DEGRESS and PerSEval of every unordered pair of readers: the mean of its two orders.

    Parameters
    ----------
    source : DistanceSource
        A table of distances, or a stream of them.
    options : ScoreOptions, optional
        The penalty of PerSEval, and whether a reader counts with itself.

    Returns
    -------
    PairContributions
        Arrays of shape (systems, items), an item being a document's pair of readers; NaN where missing.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south", "cy": "no rain"}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, {"A": references}),))
    >>> score_pairs(compute_distances(corpus, make_measure("rouge-l"))).degress.tolist()
    [[1.0, 1.0, 1.0]]
    """
    options = options or ScoreOptions()
    systems = len(source.systems)
    nothing = (np.zeros(0, dtype=np.int64), np.zeros((systems, 0)), np.zeros((systems, 0)))
    parts = [nothing, *(_score_block(block, systems, options) for block in source.blocks)]
    at, degress, perseval = (np.concatenate(arrays, axis=-1) for arrays in zip(*parts, strict=True))
    return PairContributions(source.systems, source.documents, at, degress, perseval)


def _score_block(
    block: DistanceBlock, systems: int, options: ScoreOptions
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Documents (P,), DEGRESS and PerSEval (S, P) of the P = B n (n - 1) / 2 items of a block."""
    first, second = np.triu_indices(block.gold.shape[-1], 1)
    scored = [_score_system(block, row, options) for row in range(systems)]
    degress, perseval = (
        np.stack([_mean_of_orders(matrices[number], first, second) for matrices in scored])
        for number in (0, 1)
    )
    return np.repeat(block.documents, len(first)), degress, perseval


def _score_system(block: DistanceBlock, row: int, options: ScoreOptions) -> tuple[FloatArray, FloatArray]:
    """(B, n, n): DEGRESS and PerSEval of each ordered pair, NaN where it is not there."""
    degress = ordered_pairs(block, row, options)
    return degress, degress * reader_penalty(block, row, options)[..., :, None]


def ordered_pairs(block: DistanceBlock, row: int, options: ScoreOptions) -> FloatArray:
    """(B, n, n): DEGRESS of one system for each ordered pair of readers, NaN where it is not there."""
    present = present_pairs(block, row)
    gold, system, pairs = block.gold, block.systems[row], present
    if options.include_self:
        gold, system, pairs = with_self(gold, system, present)
    x = deviation(gold, block.gold_document, pairs)
    y = deviation(system, None if block.systems_document is None else block.systems_document[row], pairs)
    return _only(degress_by_pair(x, y), present)


def _only(values: FloatArray, where: BoolArray) -> FloatArray:
    kept: FloatArray = np.where(where, values, np.nan)
    return kept


def _mean_of_orders(values: FloatArray, first: IntArray, second: IntArray) -> FloatArray:
    """(B, n, n) to (B n (n - 1) / 2,): the mean of (j, k) and (k, j), or the one that is there."""
    both = np.stack([values[:, first, second], values[:, second, first]])
    there = np.isfinite(both)
    total, count = np.where(there, both, 0.0).sum(axis=0), there.sum(axis=0)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean.ravel()
