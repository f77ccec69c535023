"""Pearson's r over items, under any weights of their documents."""

import numpy as np
from scipy.sparse import csr_array

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.item_sums import ROWS, Weights, batches, ratio


def pearson_of_items(x: FloatArray, y: FloatArray, at: IntArray, weights: Weights) -> FloatArray:
    """(R, H, A): Pearson's r of x (H, N) with y (A, N) under weights (R, D) of the documents `at` (N,).

    Sums over documents of their items' values, squares and products are made once; a draw weighs them.
    """
    sides = np.concatenate([x, y])
    products = (x[:, None] * y).reshape(-1, at.size)
    sums = _sum_by_document(
        np.concatenate([np.ones((1, at.size)), sides, sides**2, products]), at, weights.shape[1]
    )
    drawn = np.concatenate([rows @ sums.T for rows in batches(weights, ROWS)])
    split = np.cumsum([len(sides), len(sides)])
    counts, totals = drawn[:, :1], drawn[:, 1:]
    # A draw without any item has no variance, and so no coefficient.
    averages = np.divide(totals, counts, out=np.zeros(totals.shape), where=counts > 0)
    means, squares, mixed = np.split(averages, split, axis=1)
    mean_x, mean_y = means[:, : len(x)], means[:, len(x) :]
    variances = squares - means**2
    covariances = mixed.reshape(-1, len(x), len(y)) - mean_x[:, :, None] * mean_y[:, None, :]
    return ratio(covariances, variances[:, : len(x)], variances[:, len(x) :])


def _sum_by_document(values: FloatArray, at: IntArray, documents: int) -> FloatArray:
    """(K, N) to (K, D): sums of each document's items."""
    sums = csr_array((np.ones(at.size), (np.arange(at.size), at)), shape=(at.size, documents))
    found: FloatArray = np.asarray(values @ sums)
    return found
