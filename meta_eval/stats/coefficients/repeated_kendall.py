"""Kendall's tau-b of many observations, each repeated as often as many rows of weights say.

Which observations are discordant is the same under all weights, so they are sorted once; each row of weights
then costs sums along that order, in time N log N as sorting does, but for many rows at once.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.item_sums import level_of

Drawn = FloatArray | np.ndarray[tuple[int, ...], np.dtype[np.float32]]

_CELLS = 500_000
"""Numbers of an array in memory at a time."""
_RUN = 64
"""Observations that are compared one by one, before runs of them are merged."""
_EXACT = 2**24
"""Below it whole numbers have a float32 of their own, which takes half the time."""


def kendall_of_repeats(x: FloatArray, y: FloatArray, weights: FloatArray) -> FloatArray:
    """Kendall's tau-b of x and y with each of their places as often as a row of weights says.

    Parameters
    ----------
    x, y : (N,) arrays without NaN
    weights : (R, N) array of whole numbers, 0 or more, so that counts are exact

    Returns
    -------
    (R,) array : NaN where a side is constant

    References
    ----------
    Knight (1966): discordant pairs are the exchanges by which one side is sorted in the order of the other.

    Examples
    --------
    >>> x, y = np.array([1.0, 2.0, 3.0]), np.array([1.0, 3.0, 2.0])
    >>> kendall_of_repeats(x, y, np.array([[1.0, 1.0, 1.0], [2.0, 1.0, 0.0]])).round(6).tolist()
    [0.333333, 1.0]
    """
    found = np.full(len(weights), np.nan)
    if not len(x):
        return found
    by_x, by_y = level_of(x), level_of(y)
    order = np.lexsort((by_y, by_x))
    by_x, by_y = by_x[order], by_y[order]
    within, merges = _exchanges_within(by_y), list(_merges(by_y))
    tied_y = np.argsort(by_y, kind="stable")
    step = max(1, _CELLS // len(x))
    for start in range(0, len(weights), step):
        drawn = np.ascontiguousarray(weights[start : start + step, order].T)  # (N, r)
        total = drawn.sum(axis=0)
        every = total * (total - 1.0) / 2.0
        same_x = _tied(drawn, by_x)
        same_y = _tied(drawn[tied_y], by_y[tied_y])
        same = _tied(drawn, by_x * (by_y.max() + 1) + by_y)
        exact = drawn.astype(np.float32) if total.max() < _EXACT else drawn
        discordant = _exchanged_within(exact, within)
        for merge in merges:
            discordant += merge.exchanged(exact)
        lead = every - same_x - same_y + same - 2.0 * discordant
        scale = np.sqrt(every - same_x) * np.sqrt(every - same_y)
        found[start : start + step] = np.divide(
            lead, scale, out=np.full(len(total), np.nan), where=scale > 0.0
        )
    clipped: FloatArray = np.clip(found, -1.0, 1.0)
    return clipped


@dataclass(frozen=True, slots=True)
class _Merge:
    """Neighbouring runs that are merged: `left`, `right` in the order of y within each two of them.

    Those of `left` that lie above one of `right` are from `above` to `end`, by their places in `left`.
    """

    left: IntArray
    right: IntArray
    above: IntArray
    end: IntArray

    def exchanged(self, drawn: Drawn) -> FloatArray:
        """(r,): exchanges of this merge under weights (N, r)."""
        sums = np.zeros((len(self.left) + 1, drawn.shape[1]), dtype=drawn.dtype)
        np.cumsum(drawn[self.left], axis=0, out=sums[1:])
        higher = sums[self.end]
        higher -= sums[self.above]
        return _sum_of_products(higher, drawn[self.right])


def _exchanges_within(levels: IntArray) -> Drawn:
    """(runs, 64, 64): 1 where the second of two places of a run must be exchanged with the first."""
    filled = np.concatenate([levels, np.full(-len(levels) % _RUN, levels.max())]).reshape(-1, _RUN)
    higher = filled[:, :, None] > filled[:, None, :]
    return np.triu(higher).swapaxes(1, 2).astype(np.float32)


def _exchanged_within(drawn: Drawn, exchanges: Drawn) -> FloatArray:
    """(r,): exchanges within runs under weights (N, r)."""
    filled = np.zeros((len(exchanges) * _RUN, drawn.shape[1]), dtype=drawn.dtype)
    filled[: len(drawn)] = drawn
    higher = np.matmul(exchanges.astype(drawn.dtype), filled.reshape(len(exchanges), _RUN, -1))
    return _sum_of_products(higher.reshape(filled.shape), filled)


def _sum_of_products(one: Drawn, other: Drawn) -> FloatArray:
    """(r,): of two (N, r), in double precision."""
    products: FloatArray = np.einsum("nr,nr->r", one, other, dtype=np.float64)
    return products


def _merges(levels: IntArray) -> Iterator[_Merge]:
    """Every merge of runs of 64, 128, 256, ... of these levels (N,) until they are sorted."""
    places, width = np.arange(len(levels)), int(levels.max()) + 1
    run = _RUN
    while run < len(levels):
        block = places // (2 * run)
        key = block * width + levels
        in_order = np.argsort(key, kind="stable")
        is_left = (in_order // run) % 2 == 0
        left, right = in_order[is_left], in_order[~is_left]
        yield _Merge(
            left,
            right,
            np.searchsorted(key[left], key[right], side="right"),
            np.searchsorted(block[left], block[right], side="right"),
        )
        run *= 2


def _tied(drawn: FloatArray, levels: IntArray) -> FloatArray:
    """(r,): pairs within equal levels (N,), which are sorted, under weights (N, r)."""
    starts = np.flatnonzero(np.diff(levels, prepend=levels[0] - 1))
    sizes = np.add.reduceat(drawn, starts, axis=0)
    pairs: FloatArray = (sizes * (sizes - 1.0) / 2.0).sum(axis=0)
    return pairs
