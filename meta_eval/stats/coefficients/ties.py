"""Which values of a row count as equal: scores that rounding alone keeps apart are tied."""

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray

TIE = 1e-12
"""Scores that differ by less (relative to 1 or to the largest) are tied: the rest is rounding."""


def tie_tolerance(values: FloatArray) -> FloatArray:
    """(..., 1): below which difference two values of a row (..., n) are tied. NaN are passed over."""
    tolerance: FloatArray = TIE * np.fmax.reduce(np.abs(values), axis=-1, keepdims=True, initial=1.0)
    return tolerance


def constant_rows(values: FloatArray) -> BoolArray:
    """Whether a row is equal but for rounding: a coefficient of noise is worse than none.

    Parameters
    ----------
    values : (..., n) array; NaN are passed over

    Returns
    -------
    (...) array of bool : true for a row without any value, too

    Examples
    --------
    >>> constant_rows(np.array([[0.3, 0.1 + 0.2], [0.3, 0.4]])).tolist()
    [True, False]
    """
    high = np.fmax.reduce(values, axis=-1, initial=-np.inf)
    low = np.fmin.reduce(values, axis=-1, initial=np.inf)
    constant: BoolArray = ~(high - low > tie_tolerance(values)[..., 0])
    return constant


def snap_ties(values: FloatArray) -> FloatArray:
    """Values that differ by rounding alone made equal, so that ranks see the tie.

    Parameters
    ----------
    values : (n,) array without NaN

    Returns
    -------
    (n,) array : each value, or the least of those that it is tied with

    Examples
    --------
    >>> snap_ties(np.array([0.3, 0.1 + 0.2, 0.5])).tolist()
    [0.3, 0.3, 0.5]
    """
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order], prepend=values[order][:1])
    starts = gaps > tie_tolerance(values)
    starts[:1] = True
    snapped = np.empty_like(values)
    snapped[order] = values[order][np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    return snapped
