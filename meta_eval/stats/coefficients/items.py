"""Coefficients over items (system and reader pair) of many scores at once, under any weights of documents.

A document is drawn with all of its items, which are no independent observations: two systems share its
readers. Under weights w of documents every coefficient is that of the items repeated as often as drawn.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.ties import tie_tolerance

CountArray = np.ndarray[tuple[int, ...], np.dtype[np.uint16]]
Float32Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]

MOST_ITEMS = 20_000
"""Kendall compares all items with one another: more of them would take minutes."""

_CELLS = 2_000_000
"""How many numbers are worked on at a time: bounds memory, changes no result."""
_ROWS = 500
_WIDEST = 64
_EXACT = 2**24
"""Up to here whole numbers have a float32 of their own, which multiplies twice as fast."""
_NOTHING = 1e-12
"""A variance below this, of values with variance 1, is rounding."""


class ItemTable:
    """Scores x (H, N) against y (A, N) of N items, all of them there; `at` (N,) numbers their documents.

    There are `documents` in all, some of which may have no item.
    """

    def __init__(self, x: FloatArray, y: FloatArray, at: IntArray, *, documents: int) -> None:
        if x.ndim != 2 or y.ndim != 2 or x.shape[1] != y.shape[1] or at.shape != x.shape[1:]:
            raise InputError(f"items {x.shape}, {y.shape} and documents {at.shape} do not fit together")
        if not (np.isfinite(x).all() and np.isfinite(y).all()):
            raise InputError("every item needs both scores")
        order = np.argsort(at, kind="stable")
        self._x, self._y = _standardise(x[:, order]), _standardise(y[:, order])
        self._at, self.documents = at[order], documents

    @property
    def items(self) -> int:
        return self._at.size

    def under(self, weights: FloatArray | CountArray, coefficient: Coefficient) -> FloatArray:
        """(R, H, A): the coefficient under each row of weights (R, D), which are whole numbers.

        NaN where a side is constant.
        """
        method: dict[Coefficient, Callable[[FloatArray | CountArray], FloatArray]] = {
            "pearson": self._pearson,
            "spearman": self._spearman,
            "kendall": self._kendall,
        }
        if coefficient not in method:
            raise InputError(f"over items there are {', '.join(COEFFICIENTS)}, not {coefficient!r}")
        return np.clip(method[coefficient](weights), -1.0, 1.0)

    def _pearson(self, weights: FloatArray | CountArray) -> FloatArray:
        sides = np.concatenate([self._x, self._y])
        products = (self._x[:, None] * self._y).reshape(-1, self.items)
        sums = self._by_document(np.concatenate([np.ones((1, self.items)), sides, sides**2, products]))
        drawn = np.concatenate([rows @ sums.T for rows in _batches(weights, _ROWS)])
        split = np.cumsum([len(sides), len(sides)])
        means, squares, mixed = np.split(drawn[:, 1:] / drawn[:, :1], split, axis=1)
        x, y = means[:, : len(self._x)], means[:, len(self._x) :]
        variances = squares - means**2
        covariances = mixed.reshape(-1, len(self._x), len(self._y)) - x[:, :, None] * y[:, None, :]
        return _ratio(covariances, variances[:, : len(self._x)], variances[:, len(self._x) :])

    def _by_document(self, values: FloatArray) -> FloatArray:
        """(K, N) to (K, D): sums of each document's items."""
        items = np.arange(self.items)
        sums = csr_array((np.ones(self.items), (items, self._at)), shape=(self.items, self.documents))
        found: FloatArray = np.asarray(values @ sums)
        return found

    def _spearman(self, weights: FloatArray | CountArray) -> FloatArray:
        """Ranks are whole numbers once they are doubled, so that their sums of products are exact."""
        x, y = ([_Levels.of(row, self._at, self.documents) for row in side] for side in (self._x, self._y))
        rows = max(1, _CELLS // (self.items * (len(x) + len(y))))
        parts = [self._spearman_of(batch, x, y) for batch in _batches(weights, rows)]
        return _ratio(*(np.concatenate(part) for part in zip(*parts, strict=True)))

    def _spearman_of(
        self, weights: FloatArray, x: "list[_Levels]", y: "list[_Levels]"
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Covariances (R, H, A) and variances (R, H) and (R, A) of doubled ranks, as sums over items."""
        drawn = np.ascontiguousarray(weights.T)  # draws last, so that each step is one over all of them
        ranks_x, squares_x = _rank_all(x, drawn)
        ranks_y, squares_y = _rank_all(y, drawn)
        ranks_x *= drawn[self._at]
        mixed = np.einsum("hnr,anr->har", ranks_x, ranks_y)
        return np.moveaxis(mixed, -1, 0), squares_x.T, squares_y.T

    def _kendall(self, weights: FloatArray | CountArray) -> FloatArray:
        """Sums over pairs of documents, each pair once, of the concordances of their items."""
        pairs = len(self._x) * len(self._y)
        sums = np.zeros((len(weights), pairs + len(self._x) + len(self._y)))
        documents, sizes = np.unique(self._at, return_counts=True)
        kind = _exact_type(2.0 * float((weights[:, documents] @ sizes).max(initial=0.0)) * int(sizes.max()))
        drawn = weights[:, documents].astype(kind)
        for first, block in self._compare_documents(sizes):
            for document, concordances in enumerate(block.astype(kind), start=first):
                own = concordances[document - first :]
                own[1:] *= 2
                for start in range(0, len(drawn), 2 * _ROWS):
                    rows = slice(start, start + 2 * _ROWS)
                    met = drawn[rows, document:] @ own
                    sums[rows] += met * drawn[rows, document, None].astype(np.float64)
        mixed, x, y = np.split(sums, [pairs, pairs + len(self._x)], axis=1)
        return _ratio(mixed.reshape(-1, len(self._x), len(self._y)), x, y)

    def _compare_documents(self, sizes: IntArray) -> Iterator[tuple[int, FloatArray]]:
        """Some documents (B, from the first on) with themselves and all later ones (E): (B, E, H A + H + A).

        Sums over their items of products of signs: of x and y, of x with itself, of y with itself.
        """
        pieces = _cut(sizes)
        x, y = (pieces.lay_out(np.stack([_level_of(row) for row in side])) for side in (self._x, self._y))
        for documents, rows in pieces.blocks(_CELLS // (len(self._x) + len(self._y))):
            signs_x, signs_y = _signs(x[rows], x[rows.start :]), _signs(y[rows], y[rows.start :])
            mixed = signs_x @ signs_y.swapaxes(-1, -2)
            compared = np.concatenate(
                [mixed.reshape(*mixed.shape[:2], -1), _untied(signs_x), _untied(signs_y)], axis=-1
            )
            yield documents, pieces.join(compared, rows)


@dataclass(frozen=True, slots=True)
class _Levels:
    """One score's different values in order: `counts` (L, D) items of each document at each of L levels, and
    the level of each item (N,)."""

    counts: csr_array[np.float64]
    level: IntArray

    @classmethod
    def of(cls, values: FloatArray, at: IntArray, documents: int) -> "_Levels":
        level = _level_of(values)
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


@dataclass(frozen=True, slots=True)
class _Pieces:
    """Documents of different sizes as P pieces of at most `width` items, so that pieces make up one array.

    `cell` (N,) is where each item goes, `firsts` (D,) the first piece of each document.
    """

    width: int
    cell: IntArray
    firsts: IntArray
    count: int

    def lay_out(self, values: IntArray) -> Float32Array:
        """(K, N) to (P, K, width), NaN where a piece has fewer items."""
        found = np.full((self.count * self.width, len(values)), np.nan, dtype=np.float32)
        found[self.cell] = values.T
        return np.ascontiguousarray(found.reshape(self.count, self.width, -1).swapaxes(1, 2))

    def blocks(self, cells: int) -> Iterator[tuple[int, slice]]:
        """The first document and the pieces of some documents at a time, as many as `cells` allow."""
        ends = [*self.firsts[1:].tolist(), self.count]
        most = max(1, cells // (self.count * self.width**2))
        first = 0
        for document, end in enumerate(ends, start=1):
            start = int(self.firsts[first])
            if document == len(ends) or ends[document] - start > most:
                yield first, slice(start, end)
                first = document

    def join(self, compared: Float32Array, rows: slice) -> FloatArray:
        """(pieces of rows, all from there on, K) to documents: (B, E, K)."""
        found = compared.astype(np.float64)
        if len(self.firsts) < self.count:
            columns = self.firsts[self.firsts >= rows.start] - rows.start
            own = columns[columns < rows.stop - rows.start]
            found = np.add.reduceat(np.add.reduceat(found, own, axis=0), columns, axis=1)
        return found


def _cut(sizes: IntArray) -> _Pieces:
    """Pieces as wide as the mean document, or an even part of it if that is large.

    So each document is a piece where all are of one size, and none has more empty places than items.
    """
    mean = sizes.sum() / len(sizes)
    width = math.ceil(mean / math.ceil(mean / _WIDEST))
    pieces = -(-sizes // width)
    firsts = np.cumsum(pieces) - pieces
    within = np.arange(sizes.sum()) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    return _Pieces(width, np.repeat(firsts * width, sizes) + within, firsts, int(pieces.sum()))


def _batches(weights: FloatArray | CountArray, rows: int) -> Iterator[FloatArray]:
    for start in range(0, len(weights), rows):
        yield weights[start : start + rows].astype(np.float64)


def _exact_type(largest: float) -> type[np.float32 | np.float64]:
    return np.float32 if largest < _EXACT else np.float64


def _standardise(values: FloatArray) -> FloatArray:
    """Rows to mean 0 and variance 1, so that sums of squares lose no digits; constant ones to 0."""
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    constant = np.abs(centred).max(axis=1, keepdims=True, initial=0.0) <= tie_tolerance(values)
    standard: FloatArray = np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))
    return standard


def _level_of(values: FloatArray) -> IntArray:
    """(N,): the number of each value among the different ones, from the lowest; 0 upwards."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order], prepend=values[order][:1]) > tie_tolerance(values)
    level = np.empty(len(values), dtype=np.int64)
    level[order] = np.cumsum(gaps)
    return level


def _signs(rows: Float32Array, columns: Float32Array) -> Float32Array:
    """Levels (B, K, m) and (E, K, m) to (B, E, K, m m): the signs of differences, 0 for a tie or no item."""
    differences = rows[:, None, :, :, None] - columns[None, :, :, None, :]
    signs: Float32Array = np.clip(differences, -1.0, 1.0, out=differences)
    return np.nan_to_num(signs, copy=False).reshape(*signs.shape[:3], -1)


def _untied(signs: Float32Array) -> Float32Array:
    """(..., m m) to (...): how many differences are none of 0."""
    return np.abs(signs) @ np.ones(signs.shape[-1], dtype=np.float32)


def _ratio(mixed: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """mixed (R, H, A) over the roots of x (R, H) and y (R, A); NaN where one of these is 0."""
    least = _NOTHING * max(1.0, float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
    scale = np.sqrt(np.maximum(x, 0.0))[:, :, None] * np.sqrt(np.maximum(y, 0.0))[:, None, :]
    defined = (x > least)[:, :, None] & (y > least)[:, None, :]
    found: FloatArray = np.divide(mixed, scale, out=np.full(scale.shape, np.nan), where=defined)
    return found
