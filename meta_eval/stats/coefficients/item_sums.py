"""What the coefficients over items share: batches of weights, levels of values, and the last division."""

from collections.abc import Iterator

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.ties import tie_tolerance

CountArray = np.ndarray[tuple[int, ...], np.dtype[np.uint16]]
Weights = FloatArray | CountArray
"""(R, D) whole numbers: how often each document was drawn."""

CELLS = 2_000_000
"""How many numbers are worked on at a time: bounds memory, changes no result."""
ROWS = 500
"""How many draws are worked on at a time, likewise."""
_NOTHING = 1e-12
"""A variance below this, of values with variance 1, is rounding."""


def batches(weights: Weights, rows: int) -> Iterator[FloatArray]:
    """The rows of weights, so many at a time."""
    for start in range(0, len(weights), rows):
        yield weights[start : start + rows].astype(np.float64)


def level_of(values: FloatArray) -> IntArray:
    """(N,): the number of each value among the different ones, from the lowest; 0 upwards."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order], prepend=values[order][:1]) > tie_tolerance(values)
    level = np.empty(len(values), dtype=np.int64)
    level[order] = np.cumsum(gaps)
    return level


def ratio(mixed: FloatArray, x: FloatArray, y: FloatArray) -> FloatArray:
    """mixed (R, H, A) over the roots of x (R, H) and y (R, A); NaN where one of these is 0."""
    least = _NOTHING * max(1.0, float(np.abs(x).max(initial=0.0)), float(np.abs(y).max(initial=0.0)))
    scale = np.sqrt(np.maximum(x, 0.0))[:, :, None] * np.sqrt(np.maximum(y, 0.0))[:, None, :]
    defined = (x > least)[:, :, None] & (y > least)[:, None, :]
    found: FloatArray = np.divide(mixed, scale, out=np.full(scale.shape, np.nan), where=defined)
    return found
