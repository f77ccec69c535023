"""What a coefficient is made of, for many score vectors at once: centred values, ranks, signs of differences.

Each coefficient but tau-c is the dot product of two unit vectors: of centred values (Pearson), of centred
ranks (Spearman), of the signs of all differences between two systems (Kendall's tau-b), of which of the three
signs each difference has (pairwise accuracy).
"""

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.ties import constant_rows, tie_tolerance


def centred(values: FloatArray) -> FloatArray:
    """(..., n): values about their mean, 0 for a missing one."""
    present = np.isfinite(values)
    count = np.maximum(present.sum(axis=-1, keepdims=True), 1)
    mean = np.where(present, values, 0.0).sum(axis=-1, keepdims=True) / count
    about_mean: FloatArray = np.where(present, values - mean, 0.0)
    return about_mean


def signs(values: FloatArray) -> FloatArray:
    """(..., n) to (..., n (n - 1) / 2): the sign of each difference, 0 for a tie or a missing value."""
    first, second = np.triu_indices(values.shape[-1], 1)
    differences = values.take(first, axis=-1) - values.take(second, axis=-1)
    tolerance = tie_tolerance(values)
    of_differences: FloatArray = np.subtract(
        differences > tolerance, differences < -tolerance, dtype=np.float64
    )
    return of_differences


def centred_ranks(values: FloatArray) -> FloatArray:
    """Average ranks about their mean: half of (values below - values above), for each value."""
    ranks: FloatArray = signs(values) @ wins(values.shape[-1])
    return ranks


def wins(n: int) -> FloatArray:
    """(n (n - 1) / 2, n): what the sign of each difference adds to the two ranks."""
    first, second = np.triu_indices(n, 1)
    added = np.zeros((len(first), n))
    added[np.arange(len(first)), first] = 0.5
    added[np.arange(len(first)), second] = -0.5
    return added


def one_of_three(values: FloatArray) -> FloatArray:
    """(..., n) to (..., 3 n (n - 1) / 2): which sign each difference has; 0 throughout for a missing one."""
    first, second = np.triu_indices(values.shape[-1], 1)
    there = np.isfinite(values[..., first]) & np.isfinite(values[..., second])
    of_differences = signs(values)
    kinds: FloatArray = np.concatenate(
        [(of_differences == kind) & there for kind in (-1, 0, 1)], axis=-1
    ).astype(float)
    return kinds


def tau_c_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Concordant minus discordant pairs over the most that n values of m levels can have (Stuart 1953)."""
    x, y = np.broadcast_arrays(x, y)
    n = np.isfinite(x).sum(axis=-1)
    levels = np.minimum(_count_levels(x), _count_levels(y))
    surplus = np.einsum("...f,...f->...", signs(x), signs(y))
    defined = (levels > 1) & ~constant_rows(x) & ~constant_rows(y)
    most = n**2 * (levels - 1) / np.maximum(levels, 1) / 2.0
    tau: FloatArray = np.divide(surplus, most, out=np.full(np.shape(surplus), np.nan), where=defined)
    return np.clip(tau, -1.0, 1.0)


def _count_levels(values: FloatArray) -> IntArray:
    """(...): how many different values a row (..., n) has, rounding and NaN aside."""
    ordered = np.sort(values, axis=-1)  # NaN last
    steps: IntArray = (np.diff(ordered, axis=-1) > tie_tolerance(values)).sum(axis=-1)
    return steps + np.isfinite(values).any(axis=-1)
