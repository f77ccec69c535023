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
    """X_jk of the references, or Y_jk of the summaries: how far reader j's text is from each other reader's.

    The softmax over k of w(j|k), times sigma(j, k), where w(j|k) = sigma(j, k) / sigma(j, d); a zero
    denominator gives 0.

    Parameters
    ----------
    distances : array of shape (..., n, n)
        sigma(j, k) between the texts of n readers.
    to_document : array of shape (..., n), or None
        sigma(j, d) of each text to the document; None for bare distances.
    pairs : array of bool of shape (..., n, n)
        Which readers k count for reader j.

    Returns
    -------
    array of shape (..., n, n)
        NaN outside of `pairs`.

    References
    ----------
    PerSEval, eq. 1 and 2; protocol 3.

    Examples
    --------
    >>> import numpy as np
    >>> distances = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> deviation(distances, np.array([1.0, 0.5]), ~np.eye(2, dtype=bool))
    array([[nan, 0.5],
           [0.5, nan]])
    """
    weights = distances if to_document is None else ratio_to_document(distances, to_document)
    weights = np.where(pairs, weights, -np.inf)
    top = weights.max(axis=-1, keepdims=True)
    shares = np.exp(weights - np.where(np.isfinite(top), top, 0.0))
    total = shares.sum(axis=-1, keepdims=True)
    softmax = np.divide(shares, total, out=np.full_like(shares, np.nan), where=total > 0)
    return np.where(pairs, softmax * distances, np.nan)


def degress_by_reader(gold: FloatArray, system: FloatArray, pairs: BoolArray) -> FloatArray:
    """DEGRESS_j of each reader: the mean of `degress_by_pair` over the other readers.

    Parameters
    ----------
    gold, system : array of shape (..., n, n)
        X of the references and Y of one system's summaries, from `deviation`.
    pairs : array of bool of shape (..., n, n)
        Which readers k count for reader j.

    Returns
    -------
    array of shape (..., n)
        In [0, 1], higher is better; NaN for a reader without any pair.

    References
    ----------
    PerSEval, eq. 2; protocol 3.

    Examples
    --------
    >>> import numpy as np
    >>> gold = np.array([[np.nan, 0.4, 0.2], [0.4, np.nan, 0.2], [0.2, 0.2, np.nan]])
    >>> degress_by_reader(gold, gold / 2, np.isfinite(gold)).round(3)
    array([0.5, 0.5, 0.5])
    """
    return masked_mean(degress_by_pair(gold, system), pairs)


def degress_by_pair(gold: FloatArray, system: FloatArray) -> FloatArray:
    """(min(X, Y) + eps) / (max(X, Y) + eps) of each ordered pair of readers, eps = 1e-5.

    Parameters
    ----------
    gold, system : array of shape (..., n, n)
        X of the references and Y of one system's summaries, from `deviation`.

    Returns
    -------
    array of shape (..., n, n)
        In [0, 1]: 1 where the summaries of two readers differ as their references do; NaN outside pairs.

    References
    ----------
    PerSEval, eq. 2; protocol 3.

    Examples
    --------
    >>> import numpy as np
    >>> degress_by_pair(np.array([0.5, 0.5, 0.0]), np.array([0.5, 0.25, 0.0])).round(3)
    array([1. , 0.5, 1. ])
    """
    ratio: FloatArray = (np.minimum(gold, system) + EPSILON) / (np.maximum(gold, system) + EPSILON)
    return ratio


def masked_mean(values: FloatArray, where: BoolArray) -> FloatArray:
    """Mean over the last axis of the values at `where`; NaN where there is none, never a fill.

    Parameters
    ----------
    values : array of shape (..., n)
    where : array of bool of shape (..., n)

    Returns
    -------
    array of shape (...,)

    Examples
    --------
    >>> import numpy as np
    >>> masked_mean(np.array([[1.0, 3.0], [5.0, 7.0]]), np.array([[True, True], [False, False]]))
    array([ 2., nan])
    """
    count = where.sum(axis=-1)
    total = np.where(where, values, 0.0).sum(axis=-1)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


def ratio_to_document(distances: FloatArray, to_document: FloatArray) -> FloatArray:
    """w(j|k) = sigma(j, k) / sigma(j, d): a distance between two texts, over the first's to its document.

    Parameters
    ----------
    distances : array of shape (..., n, n)
    to_document : array of shape (..., n)

    Returns
    -------
    array of shape (..., n, n)
        0 or more: 0 where the denominator is 0, NaN where a distance is missing; it saturates before it
        overflows.

    References
    ----------
    PerSEval, eq. 1; protocol 3.

    Examples
    --------
    >>> import numpy as np
    >>> ratio_to_document(np.array([[0.0, 0.5], [0.5, 0.0]]), np.array([1.0, 0.0]))
    array([[0. , 0.5],
           [0. , 0. ]])
    """
    denominators = np.broadcast_to(to_document[..., :, None], distances.shape)
    with np.errstate(over="ignore"):
        ratio = np.divide(distances, denominators, out=np.zeros_like(distances), where=denominators != 0)
    saturated: FloatArray = np.minimum(ratio, _LARGEST_WEIGHT)
    return saturated
