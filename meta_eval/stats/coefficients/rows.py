"""Coefficients of many pairs of score vectors at once: what resampling is made of."""

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.features import wins
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient, Function
from meta_eval.stats.coefficients.ties import constant_rows, snap_ties

LEAST_VALUES = 2
"""Fewer pairs of values have no order that could agree."""


def correlate_rows(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    """The coefficient of each row of `x` with the same row of `y`.

    NaN in a row leaves that pair of values out; a row with fewer than two pairs is NaN, and one with a
    constant side, but for a coefficient that has a value there (`of_constant`).
    Equals `correlate` row by row.

    Parameters
    ----------
    x : (R, n) array, NaN where a value is missing
    y : (R, n) or (n,) array, likewise; (n,) is set against every row
    coefficient : one of `ALL_COEFFICIENTS`

    Returns
    -------
    (R,) array

    References
    ----------
    Kendall (1945) and Stuart (1953), as in `correlate`.

    Examples
    --------
    >>> draws = np.array([[1.0, 2.0, 3.0], [3.0, 1.0, 2.0], [1.0, 1.0, 1.0]])
    >>> correlate_rows(draws, np.array([1.0, 2.0, 4.0]), "spearman").round(6).tolist()
    [1.0, -0.5, nan]
    """
    both = np.isfinite(x) & np.isfinite(y)
    first, second = np.where(both, x, np.nan), np.where(both, y, np.nan)
    return np.where(both.sum(axis=-1) < LEAST_VALUES, np.nan, _by_rows(first, second, coefficient))


def _by_rows(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    info = REGISTRY[coefficient]
    if info.by_row:
        return info.by_row(x, y)
    if not info.features:
        return _each_row(x, y, info.compute)
    return dot_rows(unit_rows(x, coefficient), unit_rows(y, coefficient))


def _each_row(x: FloatArray, y: FloatArray, compute: Function) -> FloatArray:
    """(R, n) and (R, n) or (n,) to (R,): the coefficient row by row, NaN where a side is constant."""
    x, y = np.broadcast_arrays(x, y)
    found = np.full(x.shape[:-1], np.nan)
    for row in np.argwhere(~constant_rows(x) & ~constant_rows(y)):
        first, second = x[tuple(row)], y[tuple(row)]
        both = np.isfinite(first)
        found[tuple(row)] = compute(snap_ties(first[both]), snap_ties(second[both]))
    return found


def has_unit_rows(coefficient: Coefficient) -> bool:
    """Whether the coefficient is a product of one vector of each side; tau-c takes both sides together."""
    return REGISTRY[coefficient].features is not None


def unit_rows(values: FloatArray, coefficient: Coefficient) -> FloatArray:
    """Unit vectors whose dot products are the coefficient.

    NaN values weigh nothing, so two sides may be multiplied only if they miss the same values; a row that has
    fewer than two values is NaN, and a constant one, but for a coefficient that has a value there.

    Parameters
    ----------
    values : (..., n) array, NaN where a value is missing
    coefficient : one for which `has_unit_rows` is true

    Returns
    -------
    (..., features) array

    Raises
    ------
    InputError : for a coefficient that is no product of one vector of each side

    References
    ----------
    Daniels, H. E. (1944). The relation between measures of correlation in the universe of sample
    permutations. Biometrika 33, 129-135.

    Examples
    --------
    >>> x, y = (unit_rows(np.array(side), "kendall") for side in ([1.0, 2.0, 3.0], [1.0, 3.0, 2.0]))
    >>> round(float(x @ y), 6)
    0.333333
    """
    info = REGISTRY[coefficient]
    if info.features is None:
        known = ", ".join(name for name in REGISTRY if has_unit_rows(name))
        raise InputError(f"unit vectors are there for {known}, not {coefficient!r}")
    features = info.features(values)
    length = np.linalg.norm(features, axis=-1, keepdims=True)
    defined = (length > 0) & (info.of_constant | ~constant_rows(values)[..., None])
    unit: FloatArray = np.divide(features, length, out=np.full_like(features, np.nan), where=defined)
    return unit


def dot_rows(x: FloatArray, y: FloatArray) -> FloatArray:
    """Row by row products of unit vectors, kept within [-1, 1]."""
    dots: FloatArray = np.clip(np.einsum("...f,...f->...", x, y), -1.0, 1.0)
    return dots


def rising_rows(values: FloatArray) -> BoolArray:
    """(..., n) to (..., n (n - 1) / 2): of each two values, whether the first is the larger. Knows no ties.

    In the order of `np.triu_indices`; all rows of one value are compared with all rows of another at once,
    which is many times faster than to pick both out of each row.
    """
    count = values.shape[-1]
    by_value = np.ascontiguousarray(np.moveaxis(values, -1, 0))
    rising = np.empty((count * (count - 1) // 2, *values.shape[:-1]), dtype=np.bool_)
    done = 0
    for first in range(count - 1):
        later = by_value[first + 1 :]
        np.greater(by_value[first], later, out=rising[done : done + len(later)])
        done += len(later)
    return np.ascontiguousarray(np.moveaxis(rising, 0, -1))


def correlate_rising(x: BoolArray, y: BoolArray, n: int, coefficient: Coefficient) -> FloatArray:
    """A rank coefficient of n values without ties from the `rising_rows` of both sides, at little cost.

    Raises `InputError` for a coefficient that is neither rho nor tau where nothing is tied.
    """
    info = REGISTRY[coefficient]
    if info.without_ties is None:
        raise InputError(f"{coefficient} does not follow from the order of the values alone")
    if info.without_ties == "rho":
        each = wins(n).astype(np.float32)  # whole and half numbers, exact below 2^23
        first, second = (((2.0 * side.astype(np.float32) - 1.0) @ each).astype(np.float64) for side in (x, y))
        rho: FloatArray = np.einsum("rn,rn->r", first, second) * 12.0 / (n * (n**2 - 1))
        return rho
    alike: FloatArray = np.count_nonzero(x == y, axis=1) / x.shape[1]
    return (info.highest - info.lowest) * alike + info.lowest
