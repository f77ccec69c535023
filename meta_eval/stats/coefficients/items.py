"""Coefficients over items (system and reader pair) of many scores at once, under any weights of documents.

A document is drawn with all of its items, which are no independent observations: two systems share its
readers. Under weights w of documents every coefficient is that of the items repeated as often as drawn.
"""

from collections.abc import Callable, Mapping

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.item_sums import Weights
from meta_eval.stats.coefficients.pair_items import kendall_of_items
from meta_eval.stats.coefficients.pearson_items import pearson_of_items
from meta_eval.stats.coefficients.rank_items import spearman_of_items
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.ties import tie_tolerance

MOST_ITEMS = 20_000
"""Kendall compares all items with one another: more of them would take minutes."""

_METHODS: Mapping[Coefficient, Callable[[FloatArray, FloatArray, IntArray, Weights], FloatArray]] = {
    "pearson": pearson_of_items,
    "spearman": spearman_of_items,
    "kendall": kendall_of_items,
}


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

    def under(self, weights: Weights, coefficient: Coefficient) -> FloatArray:
        """(R, H, A): the coefficient under each row of weights (R, D), which are whole numbers.

        NaN where a side is constant.
        """
        method = _METHODS.get(coefficient)
        if method is None:
            raise InputError(f"over items there are {', '.join(_METHODS)}, not {coefficient!r}")
        if weights.shape[1] != self.documents:
            raise InputError(f"weights of {weights.shape[1]} documents do not fit {self.documents}")
        return np.clip(method(self._x, self._y, self._at, weights), -1.0, 1.0)


def _standardise(values: FloatArray) -> FloatArray:
    """Rows to mean 0 and variance 1, so that sums of squares lose no digits; constant ones to 0."""
    if not values.size:
        return values
    centred = values - values.mean(axis=1, keepdims=True)
    spread = centred.std(axis=1, keepdims=True)
    constant = np.abs(centred).max(axis=1, keepdims=True, initial=0.0) <= tie_tolerance(values)
    standard: FloatArray = np.where(constant, 0.0, centred / np.where(constant, 1.0, spread))
    return standard
