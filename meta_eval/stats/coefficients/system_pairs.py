"""Pairs of systems that a metric orders as people do: all, those that matter, and those that are hard.

A coefficient over all systems is mostly about pairs that nobody would confuse. What a metric is used for is
to tell apart two systems that are close.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import scipy

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE, snap_ties, tie_tolerance

PairSubset = Literal["all", "significant", "close", "best"]
"""Which pairs count: all; those that people tell apart beyond chance; the half with the smallest differences
of the metric; those among the better half of the systems by people."""
SUBSETS: tuple[PairSubset, ...] = get_args(PairSubset)

NOTICED = 0.95
"""How often people must order pairs as the metric does for its difference to mean something."""


@dataclass(frozen=True, slots=True)
class PairAccuracy:
    """`estimate`: the share of `pairs` that the metric orders as people do; None with a `reason`."""

    subset: PairSubset
    estimate: float | None
    pairs: int
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class NoticedDifference:
    """From which `difference` on the metric orders pairs as people do, in `share` of the cases.

    `beyond` of the `pairs` lie there or farther apart. None with a `reason` where no difference is enough.
    """

    share: float
    difference: float | None
    beyond: int
    pairs: int
    reason: str | None = None


def pair_accuracies(
    human: Sequence[float | None],
    metric: Sequence[float | None],
    p_values: FloatArray | None = None,
    *,
    alpha: float = 0.05,
) -> tuple[PairAccuracy, ...]:
    """How often a metric orders two systems as people do, by which pairs are asked about.

    Pairs that people tie have no order to be found and are left out; a tie of the metric is wrong. "close"
    are the pairs whose metric scores lie nearest: half of all, and all that tie with the last of them.

    Parameters
    ----------
    human, metric : n scores of the same systems, None or NaN where there is none
    p_values : (n (n - 1) / 2,) p of each pair by people, two-sided, in the order of `numpy.triu_indices`;
        without them there is no "significant"
    alpha : below which p a pair counts as told apart

    Returns
    -------
    tuple of PairAccuracy : one for each of `SUBSETS`

    Raises
    ------
    InputError : for sides of different length, or as many p-values as there are no pairs

    References
    ----------
    Kocmi et al. (2021), "To Ship or Not to Ship", for all and significant pairs; Deutsch, Dror and Roth
    (2022), "Re-Examining System-Level Correlations of Automatic Summarization Evaluation Metrics", for close
    pairs; Mathur, Baldwin and Cohn (2020) for the best systems.

    Examples
    --------
    >>> p_values = np.array([0.2, 0.01, 0.01, 0.3, 0.01, 0.4])
    >>> found = pair_accuracies([1, 2, 3, 4], [0.1, 0.2, 0.8, 0.7], p_values)
    >>> [(one.subset, one.pairs, round(one.estimate, 2)) for one in found]
    [('all', 6, 0.83), ('significant', 3, 1.0), ('close', 3, 0.67), ('best', 1, 0.0)]
    """
    pairs = _Pairs.of(human, metric)
    kept = pairs.ordered
    close = np.abs(pairs.metric)
    limit = np.sort(close[kept])[math.ceil(kept.sum() / 2) - 1] if kept.any() else 0.0
    subsets: dict[PairSubset, BoolArray] = {
        "all": kept,
        "close": kept & (close <= limit + TIE),
        "best": kept & _among_best(pairs),
    }
    if p_values is not None:
        if p_values.shape != pairs.all_pairs:
            raise InputError(f"{p_values.size} p-values cannot be those of {pairs.all_pairs[0]} pairs")
        subsets["significant"] = kept & (p_values[pairs.at] < alpha)
    return tuple(_accuracy(pairs, name, subsets[name]) for name in SUBSETS if name in subsets)


def noticed_difference(
    human: Sequence[float | None], metric: Sequence[float | None], *, share: float = NOTICED
) -> NoticedDifference:
    """Which difference of a metric's scores people would notice: how far apart two systems must be.

    The chance that people order a pair as the metric does is taken to grow with the metric's difference
    (isotonic regression, least squares). The answer is the smallest difference that was seen at which it
    reaches `share`. With few systems that is the smallest beyond which hardly any pair is wrong.

    Parameters
    ----------
    human, metric : n scores of the same systems, None or NaN where there is none
    share : of the pairs, above 0.5

    Returns
    -------
    NoticedDifference

    Raises
    ------
    InputError : for a share that is not above 0.5 and below 1

    References
    ----------
    Kocmi, Zouhar, Federmann and Post (2024), "Navigating the Metrics Maze: Reconciling Score Magnitudes and
    Accuracies".

    Examples
    --------
    >>> found = noticed_difference([1, 2, 3, 4], [0.1, 0.2, 0.8, 0.75])
    >>> round(found.difference, 3), found.beyond, found.pairs
    (0.1, 5, 6)
    """
    if not 0.5 < share < 1.0:
        raise InputError(f"the share must be above 0.5 and below 1, not {share}")
    pairs = _Pairs.of(human, metric)
    kept = pairs.ordered & (pairs.metric != 0.0)
    count = int(kept.sum())
    if not count:
        return NoticedDifference(share, None, 0, 0, "no pair of systems is ordered by both sides")
    steps, at, sizes = np.unique(
        snap_ties(np.abs(pairs.metric[kept])), return_inverse=True, return_counts=True
    )
    right = np.bincount(at, weights=pairs.right[kept].astype(np.float64))
    fitted = scipy.optimize.isotonic_regression(right / sizes, weights=sizes).x
    enough = np.flatnonzero(fitted >= share)
    if not enough.size:
        reason = f"even the largest differences are ordered as people do in {fitted[-1]:.0%} alone"
        return NoticedDifference(share, None, 0, count, reason)
    return NoticedDifference(share, float(steps[enough[0]]), int(sizes[enough[0] :].sum()), count)


def noticed_steps(human: FloatArray, metric: FloatArray, *, share: float = NOTICED) -> FloatArray:
    """The difference that people notice, of many rows at once; infinite where none is enough.

    An isotonic regression reaches `share` beyond the place where the partial sums of (right - share), in the
    order of the differences, are least.

    Parameters
    ----------
    human, metric : (R, S) scores of the same S systems, without gaps
    share : as in `noticed_difference`

    Returns
    -------
    (R,) array : `noticed_difference` of each row, infinite where that is None

    References
    ----------
    Barlow, Bartholomew, Bremner and Brunk (1972), "Statistical Inference under Order Restrictions", section
    1.2, for the regression as the slope of the greatest convex minorant of the partial sums.

    Examples
    --------
    >>> rows = np.array([[0.1, 0.2, 0.8, 0.75], [4.0, 3.0, 2.0, 1.0]])
    >>> noticed_steps(np.tile([1.0, 2.0, 3.0, 4.0], (2, 1)), rows).round(3).tolist()
    [0.1, inf]
    """
    first, second = np.triu_indices(human.shape[1], 1)
    people, machine = (side[:, first] - side[:, second] for side in (human, metric))
    counted = (np.abs(people) > tie_tolerance(human)) & (np.abs(machine) > tie_tolerance(metric))
    size = np.where(counted, np.abs(machine), np.inf)
    order = np.argsort(size, axis=1, kind="stable")
    size = np.take_along_axis(size, order, axis=1)
    right = np.take_along_axis(
        np.where(counted, (np.sign(people) == np.sign(machine)) - share, 0.0), order, 1
    )
    sums = np.pad(np.cumsum(right, axis=1), ((0, 0), (1, 0)))
    size = np.pad(size, ((0, 0), (1, 1)), constant_values=((0, 0), (-np.inf, np.inf)))
    # a group of equal differences begins or ends as one; what is not counted lies at infinity
    before, after = size[:, :-1], size[:, 1:]
    edge = ~(
        np.isfinite(before) & (after - np.where(np.isfinite(before), before, 0.0) <= tie_tolerance(metric))
    )
    least = np.argmin(np.where(edge, sums.round(9), np.inf), axis=1)
    return np.asarray(np.take_along_axis(after, least[:, None], axis=1)[:, 0])


@dataclass(frozen=True, slots=True)
class _Pairs:
    """Pairs of systems with both scores: (P,) differences, their systems and their places among all pairs."""

    human: FloatArray
    metric: FloatArray
    systems: tuple[IntArray, IntArray]
    people: FloatArray
    at: IntArray
    all_pairs: tuple[int]

    @classmethod
    def of(cls, human: Sequence[float | None], metric: Sequence[float | None]) -> "_Pairs":
        people, machine = np.array(human, dtype=np.float64), np.array(metric, dtype=np.float64)
        if people.shape != machine.shape or people.ndim != 1:
            raise InputError(f"{people.size} values cannot be paired with {machine.size}")
        both = np.isfinite(people) & np.isfinite(machine)
        for side in (people, machine):
            side[both] = snap_ties(side[both])
        first, second = np.triu_indices(len(both), 1)
        at = np.flatnonzero(both[first] & both[second])
        systems = first[at], second[at]
        one, other = (side[systems[0]] - side[systems[1]] for side in (people, machine))
        return cls(one, other, systems, np.where(both, people, np.nan), at, (len(first),))

    @property
    def ordered(self) -> BoolArray:
        """Pairs of which people say which is better."""
        return np.asarray(self.human != 0.0)

    @property
    def right(self) -> BoolArray:
        return np.asarray(np.sign(self.human) == np.sign(self.metric))


def _among_best(pairs: _Pairs) -> BoolArray:
    """Whether both systems are in the better half by people, which ties with its last may make larger."""
    present = np.sort(pairs.people[np.isfinite(pairs.people)])
    if not present.size:
        return np.zeros(len(pairs.at), dtype=bool)
    least = present[len(present) // 2]
    first, second = pairs.systems
    return np.asarray((pairs.people[first] >= least) & (pairs.people[second] >= least))


def _accuracy(pairs: _Pairs, subset: PairSubset, chosen: BoolArray) -> PairAccuracy:
    count = int(chosen.sum())
    if not count:
        return PairAccuracy(subset, None, 0, "there is no such pair that people order")
    return PairAccuracy(subset, float(np.mean(pairs.right[chosen])), count)
