"""Means and slopes of single ratings with intervals over documents: by what a rater leans to a side."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.stats import t as student

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError

LEAST_CLUSTERS = 3


@dataclass(frozen=True, slots=True)
class Leaning:
    """An estimate over `n` values with its interval; `reason` says why there is no interval."""

    estimate: float
    low: float | None
    high: float | None
    n: int
    reason: str | None = None


def mean_over_clusters(
    values: Sequence[float] | FloatArray, clusters: Sequence[Hashable], *, level: float = 0.95
) -> Leaning:
    """The mean of values, with an interval that takes those of one cluster as dependent.

    Parameters
    ----------
    values : sequence (n,)
        At least one.
    clusters : sequence (n,)
        What each value belongs to, such as its document.
    level : float
        How often the interval shall hold the mean.

    Returns
    -------
    Leaning
        No interval with fewer than 3 clusters, and where nothing varies.

    Raises
    ------
    InputError
        For no value, and for clusters of another number.

    References
    ----------
    Liang and Zeger (1986), Longitudinal data analysis using generalized linear models: the cluster-robust
    variance, with C / (C - 1) and Student's t of C - 1 degrees of freedom.

    Examples
    --------
    >>> mean_over_clusters([1.0, 2.0, 3.0, 6.0], ["a", "b", "c", "d"]).estimate
    3.0
    """
    kept = np.asarray(values, dtype=np.float64)
    if not len(kept) or len(kept) != len(clusters):
        raise InputError(f"there are {len(kept)} values and {len(clusters)} clusters of them")
    mean = float(kept.mean())
    return _leaning(mean, (kept - mean) / len(kept), clusters, level)


def slope_over_clusters(
    x: Sequence[float] | FloatArray,
    y: Sequence[float] | FloatArray,
    clusters: Sequence[Hashable],
    *,
    level: float = 0.95,
) -> Leaning:
    """The slope of the straight line through y over x, by least squares, with such an interval.

    Parameters
    ----------
    x, y : sequences (n,)
    clusters : sequence (n,)
        What each pair of values belongs to.
    level : float

    Returns
    -------
    Leaning
        In units of y for each unit of x.

    Raises
    ------
    InputError
        Where x never varies.

    References
    ----------
    As of `mean_over_clusters`.

    Examples
    --------
    >>> slope_over_clusters([0, 1, 2, 3], [1, 3, 5, 7], ["a", "b", "c", "d"]).estimate
    2.0
    """
    across, up = np.asarray(x, dtype=np.float64), np.asarray(y, dtype=np.float64)
    centred = across - across.mean() if len(across) else across
    scale = float(centred @ centred)
    if scale <= 0:
        raise InputError("all values are equal, so nothing can depend on them")
    slope = float(centred @ up) / scale
    rest = up - up.mean() - slope * centred
    return _leaning(slope, centred * rest / scale, clusters, level)


def _leaning(estimate: float, shares: FloatArray, clusters: Sequence[Hashable], level: float) -> Leaning:
    """`shares` (n,) are what each value adds to the error of the estimate."""
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    sums = np.bincount([numbers[name] for name in clusters], weights=shares)
    count = len(sums)
    if count < LEAST_CLUSTERS:
        reason = f"{count} documents are too few for an interval; {LEAST_CLUSTERS} are needed"
        return Leaning(estimate, None, None, len(shares), reason)
    error = sqrt(count / (count - 1) * float(sums @ sums))
    if error <= 1e-12:
        return Leaning(estimate, None, None, len(shares), "nothing varies, so no interval can be told")
    half = float(student.ppf((1.0 + level) / 2.0, count - 1)) * error
    return Leaning(estimate, estimate - half, estimate + half, len(shares))
