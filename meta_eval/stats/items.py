"""Coefficients over items (system and reader pair) of many scores at once, under any weights of documents.

A document is drawn with all of its items, which are no independent observations: two systems share its
readers. Under weights w of documents every coefficient is that of the items repeated as often as drawn.
"""

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from scipy.sparse import csr_array

from meta_eval.errors import InputError
from meta_eval.measures.base import FloatArray, IntArray
from meta_eval.stats.correlation import COEFFICIENTS, Coefficient, tie_tolerance
from meta_eval.stats.weights import batch_sizes

MOST_ITEMS = 20_000
"""Kendall compares all items with one another: more of them would take minutes."""

_ROWS = 200
_CELLS = 4_000_000
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
        self._concordances: tuple[FloatArray, FloatArray, FloatArray] | None = None

    @property
    def items(self) -> int:
        return self._at.size

    def under(self, weights: FloatArray, coefficient: Coefficient) -> FloatArray:
        """(R, H, A): the coefficient under each row of weights (R, D); NaN where a side is constant."""
        if coefficient not in COEFFICIENTS:
            raise InputError(f"over items there are {', '.join(COEFFICIENTS)}, not {coefficient!r}")
        size = max(1, _CELLS // max(1, self._at.size * (len(self._x) + len(self._y))))
        method: Callable[[FloatArray], FloatArray] = {
            "pearson": self._pearson,
            "spearman": self._spearman,
            "kendall": self._kendall,
        }[coefficient]
        starts = np.cumsum([0, *batch_sizes(len(weights), size)])
        parts = [method(weights[start:end]) for start, end in pairwise(starts.tolist())]
        return np.clip(np.concatenate(parts), -1.0, 1.0)

    def _pearson(self, weights: FloatArray) -> FloatArray:
        by_document = self._by_document(np.ones((1, self._at.size)))[0]
        count = (weights @ by_document)[:, None]
        x, y = (weights @ self._by_document(side).T / count for side in (self._x, self._y))
        squares_x, squares_y = (weights @ self._by_document(side**2).T / count for side in (self._x, self._y))
        products = np.stack([self._by_document(row * self._y) for row in self._x])  # (H, A, D)
        mixed = np.einsum("rd,had->rha", weights, products, optimize=True) / count[..., None]
        return _ratio(mixed - x[:, :, None] * y[:, None, :], squares_x - x**2, squares_y - y**2)

    def _by_document(self, values: FloatArray) -> FloatArray:
        """(K, N) to (K, D): sums of each document's items."""
        items = np.arange(self._at.size)
        sums = csr_array((np.ones(self._at.size), (items, self._at)), shape=(self._at.size, self.documents))
        found: FloatArray = np.asarray(values @ sums)
        return found

    def _spearman(self, weights: FloatArray) -> FloatArray:
        drawn = weights[:, self._at]  # (R, N)
        x, y = (
            np.stack([_centred_ranks(row, drawn) for row in side], axis=1) for side in (self._x, self._y)
        )  # (R, H, N), (R, A, N)
        weighed = x * drawn[:, None, :]
        squares_y = (y**2 * drawn[:, None, :]).sum(axis=-1)
        return _ratio(weighed @ y.swapaxes(1, 2), (weighed * x).sum(axis=-1), squares_y)

    def _kendall(self, weights: FloatArray) -> FloatArray:
        mixed, x, y = (_quadratic(weights, part) for part in self._documents_compared())
        return _ratio(mixed.reshape(len(weights), len(self._x), len(self._y)), x, y)

    def _documents_compared(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(H A, D, D), (H, D, D) and (A, D, D): sums over the items of two documents of products of signs."""
        if self._concordances is None:
            blocks = [self._compare(slice(start, start + _ROWS)) for start in range(0, self._at.size, _ROWS)]
            mixed, x, y = (np.concatenate(part, axis=1) for part in zip(*blocks, strict=True))
            self._concordances = self._by_row(mixed), self._by_row(x), self._by_row(y)
        return self._concordances

    def _compare(self, rows: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Some items (rows) with all others, these summed by document: (K, rows, D)."""
        x, y = ([_signs(row, rows) for row in side] for side in (self._x, self._y))
        present, starts = np.unique(self._at, return_index=True)

        def by_document(signs: np.ndarray[tuple[int, ...], np.dtype[np.int8]]) -> FloatArray:
            sums = np.zeros((len(signs), self.documents))
            sums[:, present] = np.add.reduceat(signs, starts, axis=1, dtype=np.float64)
            return sums

        return (
            np.stack([by_document(a * b) for a in x for b in y]),
            np.stack([by_document(a * a) for a in x]),
            np.stack([by_document(b * b) for b in y]),
        )

    def _by_row(self, values: FloatArray) -> FloatArray:
        """(K, N, D) to (K, D, D)."""
        return np.stack([self._by_document(one.T).T for one in values])


def _standardise(values: FloatArray) -> FloatArray:
    """Rows to mean 0 and variance 1, so that sums of squares lose no digits; constant ones to 0."""
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    constant = np.abs(centred).max(axis=1, keepdims=True, initial=0.0) <= tie_tolerance(values)
    standard: FloatArray = np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))
    return standard


def _centred_ranks(values: FloatArray, drawn: FloatArray) -> FloatArray:
    """(R, N): the average rank of each item among the drawn ones (R, N), about the mean of all ranks."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order], prepend=values[order][:1]) > tie_tolerance(values)
    gaps[:1] = True
    level = np.empty(len(values), dtype=np.int64)
    level[order] = np.cumsum(gaps) - 1
    at_level = np.add.reduceat(drawn[:, order], np.flatnonzero(gaps), axis=1)
    middle = np.cumsum(at_level, axis=1) - at_level / 2.0
    ranks: FloatArray = middle[:, level] - drawn.sum(axis=1, keepdims=True) / 2.0
    return ranks


def _signs(values: FloatArray, rows: slice) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """(rows, N): the sign of the difference of some items to all, 0 for a tie."""
    differences = values[rows, None] - values[None, :]
    tolerance = tie_tolerance(values)
    return (differences > tolerance).astype(np.int8) - (differences < -tolerance).astype(np.int8)


def _quadratic(weights: FloatArray, matrices: FloatArray) -> FloatArray:
    """(R, K): w M w of weights (R, D) and matrices (K, D, D)."""
    return np.stack([((weights @ matrix) * weights).sum(axis=1) for matrix in matrices], axis=1)


def _ratio(mixed: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """mixed (R, H, A) over the roots of x (R, H) and y (R, A); NaN where one of these is 0."""
    least = _NOTHING * max(1.0, float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
    scale = np.sqrt(np.maximum(x, 0.0))[:, :, None] * np.sqrt(np.maximum(y, 0.0))[:, None, :]
    defined = (x > least)[:, :, None] & (y > least)[:, None, :]
    found: FloatArray = np.divide(mixed, scale, out=np.full(scale.shape, np.nan), where=defined)
    return found
