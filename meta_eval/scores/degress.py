"""DEGRESS, a system's sensitivity to its readers (PerSEval eq. 1 and 2; protocol 3)."""

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray

EPSILON = 1e-5
_LARGEST_WEIGHT = 1e300


def deviation(
    distances: FloatArray,
    to_document: FloatArray | None,
    pairs: BoolArray,
) -> FloatArray:
    """X_jk (for references) or Y_jk (for summaries): softmax over k of w(j|k), times sigma(j, k).

    `distances` (..., n, n) sigma; `to_document` (..., n) sigma(j, d), None for bare distances; `pairs`
    (..., n, n) which k count for which j. w(j|k) = sigma(j, k) / sigma(j, d); a zero denominator gives 0.
    Returns (..., n, n), NaN outside `pairs`.
    """
    weights = distances if to_document is None else _ratio(distances, to_document[..., :, None])
    weights = np.where(pairs, weights, -np.inf)
    top = weights.max(axis=-1, keepdims=True)
    shares = np.exp(weights - np.where(np.isfinite(top), top, 0.0))
    total = shares.sum(axis=-1, keepdims=True)
    softmax = np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
    return np.where(pairs, softmax * distances, np.nan)


def degress_by_reader(gold: FloatArray, system: FloatArray, pairs: BoolArray) -> FloatArray:
    """DEGRESS_j, the mean over k of (min(X, Y) + eps) / (max(X, Y) + eps).

    `gold` X and `system` Y, (..., n, n). Returns (..., n) in [0, 1]; NaN for a reader without any pair.
    """
    return masked_mean(degress_by_pair(gold, system), pairs)


def degress_by_pair(gold: FloatArray, system: FloatArray) -> FloatArray:
    """(min(X, Y) + eps) / (max(X, Y) + eps) of each ordered pair of readers, in [0, 1]; NaN outside pairs."""
    ratio: FloatArray = (np.minimum(gold, system) + EPSILON) / (np.maximum(gold, system) + EPSILON)
    return ratio


def masked_mean(values: FloatArray, where: BoolArray) -> FloatArray:
    """Mean over the last axis of the values at `where`; NaN where there is none, never a fill."""
    count = where.sum(axis=-1)
    total = np.where(where, values, 0.0).sum(axis=-1)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def _ratio(distances: FloatArray, denominators: FloatArray) -> FloatArray:
    """A zero denominator gives 0, a missing one a missing ratio; it saturates before it overflows."""
    denominators = np.broadcast_to(denominators, distances.shape)
    with np.errstate(over="ignore"):
        ratio = np.divide(distances, denominators, out=np.zeros_like(distances), where=denominators != 0)
    saturated: FloatArray = np.minimum(ratio, _LARGEST_WEIGHT)
    return saturated
