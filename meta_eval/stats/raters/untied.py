"""Coefficients of simulated rows, which have no ties and miss nothing; fewer steps than `correlate_rows`."""

from collections.abc import Iterator

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import dot_rows, rising_rows

_AT_ONCE = 2**21
"""How many differences of two systems a piece has at most: bounds memory, changes no result."""


class Untied:
    """Rows of values (..., n), at least two in each, made ready once to be correlated with many others.

    Rows that have ties, or miss a value, get wrong coefficients. `unit`: what Pearson is the product of.
    """

    def __init__(self, values: FloatArray) -> None:
        count = values.shape[-1]
        about_mean = values - values.mean(axis=-1, keepdims=True)
        self.unit = about_mean / np.linalg.norm(about_mean, axis=-1, keepdims=True)
        self._rising = rising_rows(values)
        ranks = values.argsort(axis=-1).argsort(axis=-1) - (count - 1) / 2
        self._unit_ranks = ranks / np.sqrt(count * (count**2 - 1) / 12)

    def correlate(self, others: "Untied") -> dict[Coefficient, FloatArray]:
        """Row by row, (...) by coefficient; the rows of both sides are broadcast as arrays are."""
        alike = np.count_nonzero(self._rising == others._rising, axis=-1)
        return {
            "pearson": dot_rows(self.unit, others.unit),
            "spearman": dot_rows(self._unit_ranks, others._unit_ranks),
            "kendall": 2.0 * alike / self._rising.shape[-1] - 1.0,
        }


def slices(rows: int, *, each: int, systems: int) -> Iterator[slice]:
    """Cut `rows` of `each` times so many systems into pieces that memory holds at once."""
    differences = each * systems * (systems - 1) // 2
    step = max(1, _AT_ONCE // differences)
    return (slice(start, start + step) for start in range(0, rows, step))
