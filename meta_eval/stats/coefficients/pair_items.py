"""Kendall's tau-b over items, under any weights of their documents."""

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.item_sums import CELLS, ROWS, Weights, level_of, ratio

Float32Array = np.ndarray[tuple[int, ...], np.dtype[np.float32]]
ExactArray = np.ndarray[tuple[int, ...], np.dtype[np.float32 | np.float64]]
"""Whole numbers, in the smaller type that holds each of them."""

_WIDEST = 64
_EXACT = 2**24
"""Up to here whole numbers have a float32 of their own, which multiplies twice as fast."""
_DOCUMENTS = 16
"""How many documents are compared with all later ones in one product of matrices."""


def kendall_of_items(x: FloatArray, y: FloatArray, at: IntArray, weights: Weights) -> FloatArray:
    """(R, H, A): Kendall's tau-b of x (H, N) with y (A, N) under weights (R, D) of the documents `at` (N,).

    `at` is sorted. Sums over pairs of documents, each pair once, of the concordances of their items.
    """
    pairs = len(x) * len(y)
    columns = pairs + len(x) + len(y)
    documents, sizes = np.unique(at, return_counts=True)
    items = float((weights[:, documents] @ sizes).max(initial=0.0))
    drawn: ExactArray = weights[:, documents].astype(_exact_type(2.0 * items * int(sizes.max())))
    sums = np.zeros((len(drawn), columns), dtype=_exact_type(items**2))
    for first, block in _compare_documents(x, y, sizes):
        for start in range(0, len(block), _DOCUMENTS):
            _add_documents(sums, drawn, block[start : start + _DOCUMENTS, start:], first + start)
    found = sums.astype(np.float64)
    mixed, squares_x, squares_y = np.split(found, [pairs, pairs + len(x)], axis=1)
    return ratio(mixed.reshape(-1, len(x), len(y)), squares_x, squares_y)


def _add_documents(sums: ExactArray, drawn: ExactArray, concordances: FloatArray, first: int) -> None:
    """Add to `sums` (R, K) what some documents (B, from the first on) and all later ones (E) come to.

    `concordances` is (B, E, K). A pair of two documents counts twice, once for each order.
    """
    documents, later, columns = concordances.shape
    orders = 2.0 * np.tri(later, documents, -1)  # (E, B)
    np.fill_diagonal(orders, 1.0)
    beside = (concordances.swapaxes(0, 1) * orders[:, :, None]).astype(drawn.dtype).reshape(later, -1)
    for start in range(0, len(drawn), ROWS):
        rows = drawn[start : start + ROWS]
        met = (rows[:, first:] @ beside).reshape(-1, documents, columns).astype(sums.dtype, copy=False)
        own = rows[:, first : first + documents].astype(sums.dtype, copy=False)
        sums[start : start + ROWS] += np.einsum("rbk,rb->rk", met, own)


def _compare_documents(x: FloatArray, y: FloatArray, sizes: IntArray) -> Iterator[tuple[int, FloatArray]]:
    """Some documents (B, from the first on) with themselves and all later ones (E): (B, E, H A + H + A).

    Sums over their items of products of signs: of x and y, of x with itself, of y with itself.
    """
    pieces = _cut(sizes)
    levels_x, levels_y = (pieces.lay_out(np.stack([level_of(row) for row in side])) for side in (x, y))
    for documents, rows in pieces.blocks(CELLS // (len(x) + len(y))):
        signs_x = _signs(levels_x[rows], levels_x[rows.start :])
        signs_y = _signs(levels_y[rows], levels_y[rows.start :])
        mixed = signs_x @ signs_y.swapaxes(-1, -2)
        compared = np.concatenate(
            [mixed.reshape(*mixed.shape[:2], -1), _untied(signs_x), _untied(signs_y)], axis=-1
        )
        yield documents, pieces.join(compared, rows)


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


def _exact_type(largest: float) -> type[np.float32 | np.float64]:
    return np.float32 if largest < _EXACT else np.float64


def _signs(rows: Float32Array, columns: Float32Array) -> Float32Array:
    """Levels (B, K, m) and (E, K, m) to (B, E, K, m m): the signs of differences, 0 for a tie or no item."""
    differences = rows[:, None, :, :, None] - columns[None, :, :, None, :]
    signs: Float32Array = np.clip(differences, -1.0, 1.0, out=differences)
    signs[np.isnan(signs)] = 0.0
    return signs.reshape(*signs.shape[:3], -1)


def _untied(signs: Float32Array) -> Float32Array:
    """(..., m m) to (...): how many differences are none of 0."""
    return np.abs(signs) @ np.ones(signs.shape[-1], dtype=np.float32)
