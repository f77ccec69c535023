"""Signs of documents: where two systems are equally good, their scores may change places.

A system's lead over another is a sum over documents; where neither is better, each document's share of it
may as well have the other sign.
"""

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.resampling.weights import batch_sizes

Flips = NDArray[np.int8]
"""(R, D): 1 or -1, a byte each: ten thousand flips of thousands of documents are held at a time."""

_BATCH = 2_000_000
"""Numbers in memory at a time."""


def draw_flips(documents: int, *, permutations: int, rng: np.random.Generator) -> Flips:
    """Signs of the documents: every way where there are no more than `permutations`, else that many.

    Parameters
    ----------
    documents : how many, 1 or more
    permutations : how many ways are drawn where there are more, 1 or more
    rng : draws them

    Returns
    -------
    (R, D) array of 1 and -1

    Raises
    ------
    InputError : for no document, or no permutation

    References
    ----------
    Fisher, R. A. (1935). The design of experiments. Oliver and Boyd, chapter 3 (signs of paired differences).

    Examples
    --------
    >>> draw_flips(2, permutations=4, rng=np.random.default_rng(0)).tolist()
    [[1, 1], [-1, 1], [1, -1], [-1, -1]]
    """
    if documents < 1 or permutations < 1:
        raise InputError(f"{permutations} permutations of {documents} documents cannot be drawn")
    if documents < 63 and 2**documents <= permutations:
        ways = np.arange(2**documents)[:, None] >> np.arange(documents)
        return (1 - 2 * (ways % 2)).astype(np.int8)
    signs = np.empty((permutations, documents), dtype=np.int8)
    start = 0
    for size in batch_sizes(permutations, max(1, _BATCH // documents)):
        signs[start : start + size] = np.where(rng.random((size, documents)) < 0.5, -1, 1)
        start += size
    return signs


def pair_confidences(contributions: FloatArray, flips: Flips) -> FloatArray:
    """p of each pair of systems that the first is no better than the second, by flipped documents.

    Parameters
    ----------
    contributions : (S, D) scores by system and document, NaN where there is none
    flips : (R, D) signs of the documents, of `draw_flips`

    Returns
    -------
    (S (S - 1) / 2,) : for each pair of systems in the order of `numpy.triu_indices`, the share of flips
        under which the first leads by at least as much as it does, over the documents that both have. NaN
        where they share none. Two systems that never differ have p 1.

    References
    ----------
    Thompson et al. (2024): the one-sided paired permutation test.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.6]])
    >>> pair_confidences(scores, draw_flips(3, permutations=8, rng=np.random.default_rng(0))).tolist()
    [0.125]
    """
    return _leading_shares(contributions, flips)[0]


def confidences_both_ways(contributions: FloatArray, flips: Flips) -> FloatArray:
    """As `pair_confidences`, and below it the p that the second is no better than the first.

    Flips that tie count on both sides, so with ties the one does not follow from the other.

    Parameters
    ----------
    contributions : (S, D) scores by system and document, NaN where there is none
    flips : (R, D) signs of the documents, of `draw_flips`

    Returns
    -------
    (2, S (S - 1) / 2) array

    References
    ----------
    Thompson et al. (2024): the one-sided paired permutation test.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.6]])
    >>> confidences_both_ways(scores, draw_flips(3, permutations=8, rng=np.random.default_rng(0))).tolist()
    [[0.125], [1.0]]
    """
    return np.stack(_leading_shares(contributions, flips))


def pair_p_values(contributions: FloatArray, flips: Flips) -> FloatArray:
    """Two-sided p of each pair of systems, twice the smaller of both ways' shares of flips.

    Parameters
    ----------
    contributions : (S, D) scores by system and document, NaN where there is none
    flips : (R, D) signs of the documents, of `draw_flips`

    Returns
    -------
    (S (S - 1) / 2,) array : in the order of `numpy.triu_indices`; at least 1 / R, as what was observed is one
        way
        to flip; NaN where two systems share no document

    References
    ----------
    Thompson et al. (2024): the paired permutation test.

    Examples
    --------
    >>> scores = np.array([[0.9, 0.8, 0.7], [0.5, 0.6, 0.6]])
    >>> pair_p_values(scores, draw_flips(3, permutations=8, rng=np.random.default_rng(0))).tolist()
    [0.25]
    """
    either = np.minimum(*_leading_shares(contributions, flips))
    p_values: FloatArray = np.clip(2.0 * either, 1.0 / len(flips), 1.0)
    return p_values


def _leading_shares(contributions: FloatArray, flips: Flips) -> tuple[FloatArray, FloatArray]:
    """Of each pair, the shares of flips under which the first, and the second, leads as it does or more."""
    first, second = np.triu_indices(len(contributions), 1)
    differences = contributions[first] - contributions[second]  # (P, D)
    there = np.isfinite(differences)
    differences = np.where(there, differences, 0.0)
    lead = differences.sum(axis=1)
    near = TIE * np.maximum(1.0, np.abs(differences).sum(axis=1))
    above, below = np.zeros(len(lead)), np.zeros(len(lead))
    start = 0
    for size in batch_sizes(len(flips), max(1, _BATCH // max(1, *differences.shape))):
        flipped = flips[start : start + size].astype(np.float64) @ differences.T  # (r, P)
        above += (flipped >= lead - near).sum(axis=0)
        below += (flipped <= lead + near).sum(axis=0)
        start += size
    shared = there.any(axis=1)
    shares = [np.where(shared, count / len(flips), np.nan) for count in (above, below)]
    return shares[0], shares[1]
