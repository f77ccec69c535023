"""Soft pairwise accuracy: does a metric prefer one system over another as surely as people do?

The pairwise accuracy asks for the sign of each difference alone, so it jumps where two systems are nearly
equal. Its soft form compares how sure each side is.
"""

from dataclasses import dataclass

import numpy as np
from scipy import special

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.resampling.intervals import Alternative, check_alternative, tail_p_value
from meta_eval.stats.resampling.weights import batch_sizes
from meta_eval.stats.significance.comparison import standardise
from meta_eval.stats.significance.flips import confidences_both_ways, draw_flips

DEFAULT_FLIPS = 10_000
DEFAULT_SWAPS = 1_999
_BATCH = 500
TOO_FEW = "fewer than two systems have both scores on common documents"


@dataclass(frozen=True, slots=True)
class SoftAccuracy:
    """`estimate` in [0, 1] over `pairs` of systems and `documents`; None with a `reason` where undefined."""

    estimate: float | None
    pairs: int
    documents: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class SoftDifference:
    """The soft accuracy of the first metric less the second's, with p of PERM-BOTH."""

    difference: float | None
    p_value: float | None
    permutations: int
    alternative: Alternative
    reason: str | None = None


def soft_pairwise_accuracy(
    human: FloatArray, metric: FloatArray, *, rng: np.random.Generator, permutations: int = DEFAULT_FLIPS
) -> SoftAccuracy:
    """1 less the mean distance between the p of people and that of the metric, over pairs of systems.

    Each side's p of a pair is that of the one-sided paired permutation test over documents. Both sides see
    the documents that both have, under the same flips; every way to flip is counted where there are no more
    than `permutations`. Flips that tie with what was observed count, so with ties it matters which of two
    systems stands first: the mean over both ways is taken, and no order of the systems moves it.

    Parameters
    ----------
    human, metric : (S, D) scores of the same systems on the same documents, both higher for better
    rng : for what is sampled
    permutations : how many flips are drawn where not all are counted

    Returns
    -------
    SoftAccuracy

    Raises
    ------
    InputError : for sides of different shape

    References
    ----------
    Thompson, Mathur, Deutsch and Khayrallah (2024), "Improving Statistical Significance in Human Evaluation
    of Automatic Metrics via Soft Pairwise Accuracy".

    Examples
    --------
    >>> human = np.array([[4.0, 5.0, 4.0], [3.0, 3.0, 2.0], [1.0, 2.0, 2.0]])
    >>> round(soft_pairwise_accuracy(human, human**2, rng=np.random.default_rng(0)).estimate, 3)
    1.0
    >>> round(soft_pairwise_accuracy(human, -human, rng=np.random.default_rng(0)).estimate, 3)
    0.167
    """
    human, metric = _common_cells(human, metric)
    documents = int(np.isfinite(human).any(axis=0).sum())
    if not documents:
        return SoftAccuracy(None, 0, 0, TOO_FEW)
    flips = draw_flips(human.shape[1], permutations=permutations, rng=rng)
    return soft_accuracy_of(
        confidences_both_ways(human, flips), confidences_both_ways(metric, flips), documents=documents
    )


def soft_accuracy_of(people: FloatArray, machine: FloatArray, *, documents: int) -> SoftAccuracy:
    """1 less the mean distance between two sides' p of each pair of systems.

    For many metrics against the same people: the p of each side are found once, by `confidences_both_ways`.

    Parameters
    ----------
    people, machine : (2, P) arrays of p from 0 to 1, or (P,) for one way round; NaN leaves a pair out
    documents : how many the p are over

    Returns
    -------
    SoftAccuracy : from 0 to 1

    References
    ----------
    Thompson et al. (2024): soft pairwise accuracy.

    Examples
    --------
    >>> soft_accuracy_of(np.array([0.02, 0.5]), np.array([0.04, 0.1]), documents=9).estimate
    0.79
    """
    distances = np.atleast_2d(np.abs(people - machine)).mean(axis=0)
    defined = distances[np.isfinite(distances)]
    if not defined.size:
        return SoftAccuracy(None, 0, documents, TOO_FEW)
    return SoftAccuracy(float(1.0 - defined.mean()), defined.size, documents)


def compare_soft_accuracies(
    first: FloatArray,
    second: FloatArray,
    human: FloatArray,
    *,
    rng: np.random.Generator,
    permutations: int = DEFAULT_SWAPS,
    alternative: Alternative = "two-sided",
) -> SoftDifference:
    """Is one metric's soft accuracy higher than another's by more than chance (PERM-BOTH)?

    Under the hypothesis the two metrics, each standardised over all its values, may be swapped for random
    systems and documents. In each of the permutations a pair's p comes from the normal distribution with
    the mean and variance that flipping documents has, not from flips within flips: the difference is that of
    these soft accuracies. p = (count + 1) / (permutations + 1). It is about these systems alone. With several
    human scores the accuracies are means over them, under the same swaps.

    Parameters
    ----------
    first, second : (S, D) scores of the metrics, of the same systems on the same documents
    human : (S, D) or (H, S, D) scores of people; what any side lacks is left out of all
    rng : draws the swaps
    permutations : how many
    alternative : "two-sided", "greater" (the first is better) or "less"

    Returns
    -------
    SoftDifference

    References
    ----------
    Deutsch, Dror and Roth (2021) for PERM-BOTH; Thompson et al. (2024).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> human = np.arange(6.0)[:, None] + rng.normal(size=(6, 20))
    >>> near, far = human + rng.normal(size=(6, 20)), 9 * rng.normal(size=(6, 20))
    >>> found = compare_soft_accuracies(near, far, human, rng=rng)
    >>> found.difference > 0.2, found.p_value < 0.05
    (True, True)
    """
    check_alternative(alternative)
    humans = human.reshape(-1, *first.shape)
    both = np.isfinite(first) & np.isfinite(second) & np.isfinite(humans).all(axis=0)
    one, other = (standardise(np.where(both, side, np.nan)) for side in (first, second))
    there = both.astype(np.float64)
    people = _normal_confidences(np.where(both, humans, 0.0), there)
    if not np.isfinite(people).any():
        return SoftDifference(None, None, permutations, alternative, TOO_FEW)
    middle, half = (np.where(both, values, 0.0) for values in ((one + other) / 2, (one - other) / 2))

    def differences(signs: FloatArray) -> FloatArray:
        """(R,): soft accuracy of the first less the second's, swapped where a sign of (R, S, D) is -1."""
        sides = (_normal_confidences(middle + way * signs * half, there) for way in (1, -1))
        near, far = (np.nanmean(np.abs(side[:, None] - people), axis=(1, 2)) for side in sides)
        return np.asarray(far - near)

    observed = float(differences(np.ones((1, *half.shape)))[0])
    null = np.concatenate(
        [differences(_signs(rng, size, half.shape)) for size in batch_sizes(permutations, _BATCH)]
    )
    p = tail_p_value(
        above=int((null >= observed - TIE).sum()),
        below=int((null <= observed + TIE).sum()),
        total=permutations,
        alternative=alternative,
    )
    return SoftDifference(observed, p, permutations, alternative)


def _common_cells(human: FloatArray, metric: FloatArray) -> tuple[FloatArray, FloatArray]:
    if human.shape != metric.shape:
        raise InputError(f"scores of shape {human.shape} cannot be set against others of {metric.shape}")
    both = np.isfinite(human) & np.isfinite(metric)
    return np.where(both, human, np.nan), np.where(both, metric, np.nan)


def _signs(rng: np.random.Generator, size: int, shape: tuple[int, ...]) -> FloatArray:
    """(size, S, D): the sign of a system times the sign of a document."""
    systems, documents = shape
    by_system = rng.integers(2, size=(size, systems, 1)) * 2.0 - 1.0
    return np.asarray(by_system * (rng.integers(2, size=(size, 1, documents)) * 2.0 - 1.0))


def _normal_confidences(values: FloatArray, there: FloatArray) -> FloatArray:
    """(R, 2 P): p of each pair, both ways, by the normal distribution with the variance of flipped documents.

    `values` (R, S, D), 0 where `there` (S, D) is 0; a pair's lead and its variance are over common documents.
    """
    first, second = np.triu_indices(len(there), 1)
    common = there @ there.T
    sums = values @ there.T
    squares = values**2 @ there.T
    lead = (sums - sums.swapaxes(1, 2))[:, first, second]
    most = (squares + squares.swapaxes(1, 2))[:, first, second]
    variance = most - 2.0 * (values @ values.swapaxes(1, 2))[:, first, second]
    moving = variance > TIE * most
    z = lead / np.sqrt(np.where(moving, variance, 1.0))
    there_too = common[first, second] > 0
    ways = [np.where(there_too, np.where(moving, special.ndtr(way * z), 1.0), np.nan) for way in (-1.0, 1.0)]
    return np.concatenate(ways, axis=-1)
