"""Coefficients of many pairs of score vectors at once: what resampling is made of.

Each coefficient but tau-c is the dot product of two unit vectors: of centred values (Pearson), of centred
ranks (Spearman), of the signs of all differences between two systems (Kendall's tau-b), of which of the three
signs each difference has (pairwise accuracy).
"""

from collections.abc import Callable

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Coefficient, constant_rows, tie_tolerance


def correlate_rows(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    """The coefficient of each row of `x` with the same row of `y`: (R, n) and (R, n) or (n,) to (R,).

    NaN in a row leaves that pair of values out; a row with fewer than two pairs or a constant side is NaN.
    Equals `correlate` row by row.
    """
    both = np.isfinite(x) & np.isfinite(y)
    first, second = np.where(both, x, np.nan), np.where(both, y, np.nan)
    if coefficient == "kendall-c":
        return _tau_c_rows(first, second)
    return dot_rows(unit_rows(first, coefficient), unit_rows(second, coefficient))


def has_unit_rows(coefficient: Coefficient) -> bool:
    """Whether the coefficient is a product of one vector of each side; tau-c takes both sides together."""
    return coefficient in _FEATURES


def unit_rows(values: FloatArray, coefficient: Coefficient) -> FloatArray:
    """(..., n) to (..., features): unit vectors whose dot products are the coefficient.

    NaN values weigh nothing, so two sides may be multiplied only if they miss the same values; a row that is
    constant or has fewer than two values is NaN.
    """
    if coefficient not in _FEATURES:
        raise InputError(f"unit vectors are there for {', '.join(_FEATURES)}, not {coefficient!r}")
    features = _FEATURES[coefficient](values)
    length = np.linalg.norm(features, axis=-1, keepdims=True)
    defined = (length > 0) & ~constant_rows(values)[..., None]
    unit: FloatArray = np.divide(features, length, out=np.full_like(features, np.nan), where=defined)
    return unit


def dot_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Row by row products of unit vectors, kept within [-1, 1]."""
    dots: FloatArray = np.clip(np.einsum("...f,...f->...", x, y), -1.0, 1.0)
    return dots


def rising_rows(values: FloatArray) -> BoolArray:
    """(R, n) to (R, n (n - 1) / 2): of each two values, whether the first is the larger. Knows no ties."""
    first, second = np.triu_indices(values.shape[-1], 1)
    rising: BoolArray = values.take(first, axis=-1) > values.take(second, axis=-1)
    return rising


def correlate_rising(x: BoolArray, y: BoolArray, n: int, coefficient: Coefficient) -> FloatArray:
    """A rank coefficient of n values without ties from the `rising_rows` of both sides, at little cost."""
    if coefficient == "spearman":
        wins = _wins(n).astype(np.float32)  # whole and half numbers, exact below 2^23
        first, second = (((2.0 * side.astype(np.float32) - 1.0) @ wins).astype(np.float64) for side in (x, y))
        rho: FloatArray = np.einsum("rn,rn->r", first, second) * 12.0 / (n * (n**2 - 1))
        return rho
    alike: FloatArray = np.count_nonzero(x == y, axis=1) / x.shape[1]
    return alike if coefficient == "pairwise-accuracy" else 2.0 * alike - 1.0


def _centred(values: FloatArray) -> FloatArray:
    present = np.isfinite(values)
    count = np.maximum(present.sum(axis=-1, keepdims=True), 1)
    mean = np.where(present, values, 0.0).sum(axis=-1, keepdims=True) / count
    centred: FloatArray = np.where(present, values - mean, 0.0)
    return centred


def _signs(values: FloatArray) -> FloatArray:
    """(..., n) to (..., n (n - 1) / 2): the sign of each difference, 0 for a tie or a missing value."""
    first, second = np.triu_indices(values.shape[-1], 1)
    differences = values.take(first, axis=-1) - values.take(second, axis=-1)
    tolerance = tie_tolerance(values)
    signs: FloatArray = np.subtract(differences > tolerance, differences < -tolerance, dtype=np.float64)
    return signs


def _centred_ranks(values: FloatArray) -> FloatArray:
    """Average ranks about their mean: half of (values below - values above), for each value."""
    ranks: FloatArray = _signs(values) @ _wins(values.shape[-1])
    return ranks


def _wins(n: int) -> FloatArray:
    """(n (n - 1) / 2, n): what the sign of each difference adds to the two ranks."""
    first, second = np.triu_indices(n, 1)
    wins = np.zeros((len(first), n))
    wins[np.arange(len(first)), first] = 0.5
    wins[np.arange(len(first)), second] = -0.5
    return wins


def _one_of_three(values: FloatArray) -> FloatArray:
    """(..., n) to (..., 3 n (n - 1) / 2): which sign each difference has; 0 throughout for a missing one."""
    first, second = np.triu_indices(values.shape[-1], 1)
    there = np.isfinite(values[..., first]) & np.isfinite(values[..., second])
    signs = _signs(values)
    kinds: FloatArray = np.concatenate([(signs == kind) & there for kind in (-1, 0, 1)], axis=-1).astype(
        float
    )
    return kinds


def _tau_c_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Concordant minus discordant pairs over the most that n values of m levels can have (Stuart 1953)."""
    x, y = np.broadcast_arrays(x, y)
    n = np.isfinite(x).sum(axis=-1)
    levels = np.minimum(_count_levels(x), _count_levels(y))
    surplus = np.einsum("...f,...f->...", _signs(x), _signs(y))
    defined = (levels > 1) & ~constant_rows(x) & ~constant_rows(y)
    most = n**2 * (levels - 1) / np.maximum(levels, 1) / 2.0
    tau: FloatArray = np.divide(surplus, most, out=np.full(np.shape(surplus), np.nan), where=defined)
    return np.clip(tau, -1.0, 1.0)


def _count_levels(values: FloatArray) -> IntArray:
    """(...): how many different values a row (..., n) has, rounding and NaN aside."""
    ordered = np.sort(values, axis=-1)  # NaN last
    steps: IntArray = (np.diff(ordered, axis=-1) > tie_tolerance(values)).sum(axis=-1)
    return steps + np.isfinite(values).any(axis=-1)


_FEATURES: dict[Coefficient, Callable[[FloatArray], FloatArray]] = {
    "pearson": _centred,
    "spearman": _centred_ranks,
    "kendall": _signs,
    "pairwise-accuracy": _one_of_three,
}
