"""Resampling as matrix products: how often each unit is drawn, and scores under such weights.

Units are documents, systems or raters. A resample is drawn row by row from its own stretch of the random
stream, so that the result does not depend on how many rows are drawn at a time.
"""

from collections.abc import Iterator

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError


def draw_indices(
    *, units: int, resamples: int, rng: np.random.Generator, strata: IntArray | None = None
) -> IntArray:
    """(resamples, units): units drawn with replacement.

    With `strata` (units,) each position is filled from its own stratum, whose size so never changes.
    """
    if units < 1:
        raise InputError("there is nothing to resample")
    uniform = rng.random((resamples, units))
    if strata is None:
        return np.minimum((uniform * units).astype(np.int64), units - 1)
    if strata.shape != (units,):
        raise InputError(f"{len(strata)} strata cannot be those of {units} units")
    order = np.argsort(strata, kind="stable")
    _, stratum, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    within = np.minimum((uniform * sizes[stratum]).astype(np.int64), sizes[stratum] - 1)
    drawn: IntArray = order[starts[stratum] + within]
    return drawn


def count_draws(indices: IntArray, units: int) -> FloatArray:
    """(R, draws) indices to (R, units) weights: how often each unit was drawn."""
    rows = np.arange(len(indices))[:, None] * units
    counts = np.bincount((indices + rows).ravel(), minlength=len(indices) * units)
    return counts.reshape(len(indices), units).astype(np.float64)


def draw_weights(
    *, units: int, resamples: int, rng: np.random.Generator, strata: IntArray | None = None
) -> FloatArray:
    """Bootstrap weights: how often each unit is drawn with replacement.

    Parameters
    ----------
    units : how many there are, 1 or more
    resamples : how many
    rng : draws them
    strata : (units,) the stratum of each, which is then drawn from itself alone

    Returns
    -------
    (resamples, units) array : whole numbers that sum to `units` in each row

    Raises
    ------
    InputError : for no unit, or another number of strata

    References
    ----------
    Davison and Hinkley (1997). Bootstrap methods and their application. Cambridge, section 3.2 (strata).

    Examples
    --------
    >>> draw_weights(units=4, resamples=3, rng=np.random.default_rng(0)).sum(axis=1).tolist()
    [4.0, 4.0, 4.0]
    """
    return count_draws(draw_indices(units=units, resamples=resamples, rng=rng, strata=strata), units)


def batch_sizes(total: int, batch: int) -> Iterator[int]:
    """Sizes of the batches in which `total` resamples are drawn, so that memory stays bounded."""
    if total < 1 or batch < 1:
        raise InputError(f"resamples and batch must be at least 1, not {total} and {batch}")
    for start in range(0, total, batch):
        yield min(batch, total - start)


def weighted_scores(weights: FloatArray, contributions: FloatArray) -> FloatArray:
    """Scores of all rows under all weights: means over documents.

    Parameters
    ----------
    weights : (R, D) array, 0 or more
    contributions : (M, D) array, NaN where one is missing, which then has no weight

    Returns
    -------
    (R, M) array : NaN, never 0, where nothing has a weight

    References
    ----------
    Efron and Tibshirani (1993). An introduction to the bootstrap. Chapman and Hall, chapter 20 (resampling
    vectors).

    Examples
    --------
    >>> weights, scores = np.array([[1.0, 1.0], [2.0, 0.0]]), np.array([[0.25, 0.5], [np.nan, 0.5]])
    >>> weighted_scores(weights, scores).tolist()
    [[0.375, 0.5], [0.25, nan]]
    """
    present = np.isfinite(contributions)
    totals = weights @ np.where(present, contributions, 0.0).T
    counts = _count_present(weights, present)
    scores: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    return scores


def _count_present(weights: FloatArray, present: BoolArray) -> FloatArray:
    """(R, M): the weight that is there. Most rows miss the same documents, so each pattern is summed once."""
    patterns: dict[bytes, int] = {}
    pattern = [patterns.setdefault(row.tobytes(), len(patterns)) for row in np.packbits(present, axis=1)]
    firsts = [pattern.index(number) for number in range(len(patterns))]
    counts: FloatArray = (weights @ present[firsts].astype(np.float64).T)[:, pattern]
    return counts


def left_out_scores(contributions: FloatArray) -> FloatArray:
    """Every score without each document in turn, as the jackknife needs.

    Parameters
    ----------
    contributions : (M, D) array, NaN where one is missing

    Returns
    -------
    (D, M) array : NaN where nothing is left

    References
    ----------
    Efron and Tibshirani (1993). An introduction to the bootstrap. Chapman and Hall, chapter 11.

    Examples
    --------
    >>> left_out_scores(np.array([[0.25, 0.5, 1.0]])).tolist()
    [[0.75], [0.625], [0.375]]
    """
    present = np.isfinite(contributions)
    values = np.where(present, contributions, 0.0)
    totals = values.sum(axis=-1, keepdims=True) - values
    counts = present.sum(axis=-1, keepdims=True) - present
    scores: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0).T
    return scores


def mean_scores(contributions: FloatArray) -> FloatArray:
    """The mean of what is there.

    Parameters
    ----------
    contributions : (..., D) array, NaN where one is missing

    Returns
    -------
    (...) array : NaN where nothing is there

    Examples
    --------
    >>> mean_scores(np.array([[0.2, 0.4, np.nan], [1.0, 0.0, 0.5]])).round(6).tolist()
    [0.3, 0.5]
    """
    present = np.isfinite(contributions)
    totals = np.where(present, contributions, 0.0).sum(axis=-1)
    counts = present.sum(axis=-1)
    means: FloatArray = np.divide(totals, counts, out=np.full(totals.shape, np.nan), where=counts > 0)
    return means
