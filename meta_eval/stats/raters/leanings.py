"""Means and slopes of single ratings with intervals over documents: by what a rater leans to a side."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import scipy

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError

LEAST_CLUSTERS = 3
_NOTHING, _DECIDED = 1e-12, 1e-9
"""Below these an error is none, and what other clusters say of a coefficient is nothing."""


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
    variance. Bell and McCaffrey (2002), Bias reduction in standard errors for linear regression with
    multi-stage samples: its correction for few clusters (CR2), and Student's t with degrees of freedom by
    Satterthwaite, as in Pustejovsky and Tipton (2018), Small-sample methods for cluster-robust variance
    estimation. With clusters of one size these are C / (C - 1) and C - 1.

    Examples
    --------
    >>> mean_over_clusters([1.0, 2.0, 3.0, 6.0], ["a", "b", "c", "d"]).estimate
    3.0
    """
    kept = np.asarray(values, dtype=np.float64)
    if not len(kept) or len(kept) != len(clusters):
        raise InputError(f"there are {len(kept)} values and {len(clusters)} clusters of them")
    mean = float(kept.mean())
    design = np.full((len(kept), 1), 1.0 / sqrt(len(kept)))
    return _leaning(mean, kept - mean, design, 1.0 / sqrt(len(kept)), clusters, level=level)


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
    design = np.column_stack([np.full(len(across), 1.0 / sqrt(len(across))), centred / sqrt(scale)])
    return _leaning(slope, rest, design, 1.0 / sqrt(scale), clusters, level=level)


def _leaning(
    estimate: float,
    rest: FloatArray,
    design: FloatArray,
    unit: float,
    clusters: Sequence[Hashable],
    *,
    level: float,
) -> Leaning:
    """The interval of the coefficient of the last column, in which one of the column is `unit` of it.

    The columns of `design` (n, k) are orthonormal; `rest` (n,) is what the fit leaves.
    """
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    count, n = len(numbers), len(rest)
    if count < LEAST_CLUSTERS:
        reason = f"{count} documents are too few for an interval; {LEAST_CLUSTERS} are needed"
        return Leaning(estimate, None, None, n, reason)
    of = np.array([numbers[name] for name in clusters])
    order = np.argsort(of, kind="stable")
    groups = np.split(order, np.flatnonzero(np.diff(of[order])) + 1)
    found = [_of_cluster(design[group], rest[group]) for group in groups]
    if any(one is None for one in found):
        return Leaning(estimate, None, None, n, "one document alone decides it, so no interval can be told")
    errors, sizes, turned = (np.array(part) for part in zip(*filter(None, found), strict=True))
    error = unit * sqrt(float(errors @ errors))
    if error <= _NOTHING:
        return Leaning(estimate, None, None, n, "nothing varies, so no interval can be told")
    half = float(scipy.stats.t.ppf((1.0 + level) / 2.0, _freedom(sizes, turned))) * error
    return Leaning(estimate, estimate - half, estimate + half, n)


def _of_cluster(design: FloatArray, rest: FloatArray) -> tuple[float, float, FloatArray] | None:
    """A cluster's part of the error, and what the degrees of freedom take of it; None where it decides all.

    With H the hat matrix of the cluster, the weights p of the coefficient become (I - H)^(-1/2) p: its error
    is their product with the residuals, then come their squared length and their place in the design (k,).
    """
    sides, scales, _ = np.linalg.svd(design, full_matrices=False)
    left = 1.0 - scales**2
    if left.min() < _DECIDED:
        return None
    weights = design[:, -1]
    adjusted = weights + sides @ ((left**-0.5 - 1.0) * (sides.T @ weights))
    return float(adjusted @ rest), float(adjusted @ adjusted), adjusted @ design


def _freedom(sizes: FloatArray, turned: FloatArray) -> float:
    """Satterthwaite's degrees of freedom where all values have one variance and none hang together.

    The squared error is a sum over clusters with the matrix M = diag(sizes) - turned turned', and its degrees
    of freedom are tr(M)^2 / tr(MM).
    """
    own = (turned**2).sum(axis=1)
    cross = turned.T @ turned
    squares = float(sizes @ sizes - 2.0 * (sizes @ own) + (cross**2).sum())
    return float((sizes - own).sum() ** 2 / squares)
