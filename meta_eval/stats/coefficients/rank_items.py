"""Spearman's rho over items, under any weights of their documents."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.item_sums import CELLS, Weights, batches, level_of, ratio


def spearman_of_items(x: FloatArray, y: FloatArray, at: IntArray, weights: Weights) -> FloatArray:
    """(R, H, A): Spearman's rho of x (H, N) with y (A, N) under weights (R, D) of the documents `at` (N,).

    Ranks are whole numbers once they are doubled, so that their sums of products are exact.
    """
    levels_x, levels_y = ([_Levels.of(row, at, weights.shape[1]) for row in side] for side in (x, y))
    rows = max(1, CELLS // (at.size * (len(x) + len(y))))
    parts = [_sums_of_ranks(batch, at, levels_x, levels_y) for batch in batches(weights, rows)]
    return ratio(*(np.concatenate(part) for part in zip(*parts, strict=True)))


def _sums_of_ranks(
    weights: FloatArray, at: IntArray, x: "list[_Levels]", y: "list[_Levels]"
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Covariances (R, H, A) and variances (R, H) and (R, A) of doubled ranks, as sums over items."""
    drawn = np.ascontiguousarray(weights.T)  # draws last, so that each step is one over all of them
    ranks_x, squares_x = _rank_all(x, drawn)
    ranks_y, squares_y = _rank_all(y, drawn)
    ranks_x *= drawn[at]
    mixed = np.einsum("hnr,anr->har", ranks_x, ranks_y)
    return np.moveaxis(mixed, -1, 0), squares_x.T, squares_y.T


@dataclass(frozen=True, slots=True)
class _Levels:
    """One score's different values in order: `counts` (L, D) items of each document at each of L levels, and
    the level of each item (N,)."""

    counts: csr_array[np.float64]
    level: IntArray

    @classmethod
    def of(cls, values: FloatArray, at: IntArray, documents: int) -> "_Levels":
        level = level_of(values)
        counts = csr_array((np.ones(len(at)), (level, at)), shape=(int(level.max()) + 1, documents))
        return cls(counts, level)

    def rank(self, drawn: FloatArray, ranks: FloatArray) -> FloatArray:
        """Set `ranks` (N, R) to twice the average rank of each item among those drawn (D, R), about the mean
        of all ranks; returns (R,), the sum of their squares over the drawn items."""
        at_level = np.asarray(self.counts @ drawn)  # (L, R)
        level_ranks = at_level.copy()
        _add_up(level_ranks)
        total = level_ranks[-1].copy()
        level_ranks *= 2.0
        level_ranks -= at_level
        level_ranks -= total
        np.take(level_ranks, self.level, axis=0, out=ranks, mode="clip")  # else numpy takes a copy first
        at_level *= level_ranks
        squares: FloatArray = np.einsum("lr,lr->r", at_level, level_ranks)
        return squares


def _rank_all(scores: Sequence[_Levels], drawn: FloatArray) -> tuple[FloatArray, FloatArray]:
    """(K, N, R) and (K, R): `_Levels.rank` of K scores."""
    ranks = np.empty((len(scores), len(scores[0].level), drawn.shape[1]))
    return ranks, np.stack([score.rank(drawn, own) for score, own in zip(scores, ranks, strict=True)])


def _add_up(values: FloatArray) -> None:
    """Cumulative sums along the first axis of (L, R), in place.

    In blocks of about the root of L rows: numpy's own goes down each column by itself, five times as slow.
    """
    size = math.isqrt(len(values))
    whole = len(values) - len(values) % size
    blocks = values[:whole].reshape(-1, size, values.shape[1])
    for row in range(1, size):
        blocks[:, row] += blocks[:, row - 1]
    for block in range(1, len(blocks)):
        blocks[block] += blocks[block - 1, -1]
    for row in range(whole, len(values)):
        values[row] += values[row - 1]
