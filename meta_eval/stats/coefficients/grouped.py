"""Summaries compared in groups: all with all, those of a system, or those of a document; ties by a tolerance.

A metric with many values hardly ever ties where people often do, so its ties are made: scores that lie within
epsilon count as equal, and the epsilon with the highest accuracy is taken for every metric.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, get_args

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE, snap_ties

Grouping = Literal["none", "system", "item"]
"""Which summaries are compared: any two, two of one system, or two of one item (a document)."""
GROUPINGS: tuple[Grouping, ...] = get_args(Grouping)

PairCoefficient = Literal["acc-eq", "tau-23", "tau-b"]
PAIR_COEFFICIENTS: tuple[PairCoefficient, ...] = get_args(PairCoefficient)

MOST_PAIRS = 3_000_000
"""Pairs that are compared at most: all of them stand in memory, in order of their differences."""


@dataclass(frozen=True, slots=True)
class TieCalibration:
    """The accuracy with ties of a metric whose scores within `epsilon` count as equal.

    estimate : the highest accuracy that any epsilon gives, meant over groups; None with a `reason`
    epsilon : the smallest difference of two scores that gives it; 0 where no made tie helps
    without : the accuracy with the ties that are there
    groups, pairs : over how many groups the mean is, and how many pairs they hold
    tied : the share of pairs that people tie
    """

    grouping: Grouping
    estimate: float | None
    epsilon: float | None
    without: float | None
    groups: int
    pairs: int
    tied: float | None
    reason: str | None = None

    @property
    def tau(self) -> float | None:
        """The same as tau-23, which is twice the accuracy less 1."""
        return None if self.estimate is None else 2.0 * self.estimate - 1.0


def coefficients_by_group(
    human: FloatArray, metric: FloatArray, coefficient: PairCoefficient, grouping: Grouping
) -> FloatArray:
    """A coefficient over the pairs of each group of summaries.

    Parameters
    ----------
    human, metric : (S, I) scores by system and item, NaN where there is none
    coefficient : "acc-eq", the share of pairs that both order alike or both tie; "tau-23", which is
        2 acc - 1; or "tau-b", Kendall's
    grouping : "none" (one group), "system" (S groups) or "item" (I groups)

    Returns
    -------
    (groups,) : NaN where a group has no pair, and for tau-b where a side ties all of them

    Raises
    ------
    InputError : for sides of different shape, unknown names, or more than `MOST_PAIRS` pairs

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy
    and Tie Calibration".

    Examples
    --------
    >>> human = np.array([[3.0, 2.0], [3.0, 1.0], [1.0, 1.0]])
    >>> metric = np.array([[0.9, 0.7], [0.8, 0.7], [0.1, 0.2]])
    >>> coefficients_by_group(human, metric, "acc-eq", "item").round(3).tolist()
    [0.667, 0.333]
    """
    if coefficient not in PAIR_COEFFICIENTS:
        raise InputError(f"coefficient is {', '.join(PAIR_COEFFICIENTS)}, not {coefficient!r}")
    return np.array([_COMPUTED[coefficient](pairs) for pairs in _pairs_by_group(human, metric, grouping)])


def calibrate_ties(human: FloatArray, metric: FloatArray, grouping: Grouping) -> TieCalibration:
    """The accuracy with ties under the epsilon that gives the highest, one epsilon for all groups.

    Epsilon is looked for among 0 and all differences of the metric's scores, so it is exact. Where several
    give the same accuracy the smallest is taken. It is found on the scores that it is used on, so the
    accuracy is that of a metric at its best.

    Parameters
    ----------
    human, metric : (S, I) scores by system and item, NaN where there is none
    grouping : "none", "system" or "item"

    Returns
    -------
    TieCalibration

    Raises
    ------
    InputError : for sides of different shape, an unknown grouping, or more than `MOST_PAIRS` pairs

    References
    ----------
    Deutsch, Foster and Freitag (2023): tie calibration.

    Examples
    --------
    >>> human = np.array([[3.0], [3.0], [1.0]])
    >>> found = calibrate_ties(human, np.array([[0.9], [0.8], [0.1]]), "item")
    >>> found.estimate, round(found.epsilon, 3), round(found.without, 3)
    (1.0, 0.1, 0.667)
    """
    groups = [pairs for pairs in _pairs_by_group(human, metric, grouping) if pairs.count]
    if not groups:
        return TieCalibration(grouping, None, None, None, 0, 0, None, "no group has two summaries")
    weights = np.concatenate([np.full(one.count, 1.0 / (one.count * len(groups))) for one in groups])
    people, machine = (np.concatenate([getattr(one, side) for one in groups]) for side in ("human", "metric"))
    thresholds, accuracies = _accuracies(people, machine, weights)
    best = int(np.flatnonzero(accuracies >= accuracies.max() - TIE)[0])
    return TieCalibration(
        grouping,
        estimate=float(accuracies[best]),
        epsilon=float(thresholds[best]),
        without=float(accuracies[0]),
        groups=len(groups),
        pairs=len(people),
        tied=float(np.mean(people == 0.0)),
    )


@dataclass(frozen=True, slots=True)
class _Pairs:
    """The pairs of a group: which way people order each (-1, 0, 1), and the metric's difference."""

    human: FloatArray
    metric: FloatArray

    @property
    def count(self) -> int:
        return len(self.human)


def _accuracies(human: FloatArray, metric: FloatArray, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Every epsilon at which a pair becomes a tie, 0 first, and the weighted accuracy there."""
    right = np.sign(metric) == human
    distances = np.abs(metric)
    order = np.argsort(distances, kind="stable")
    gains = weights * ((human == 0.0).astype(np.float64) - right)
    steps = distances[order]
    after = (weights * right).sum() + np.cumsum(gains[order])
    last = np.append(steps[1:] != steps[:-1], True)
    thresholds, accuracies = steps[last], after[last]
    if thresholds[0] == 0.0:
        return thresholds, accuracies
    return np.append(0.0, thresholds), np.append((weights * right).sum(), accuracies)


def _pairs_by_group(human: FloatArray, metric: FloatArray, grouping: Grouping) -> Iterator[_Pairs]:
    """Scores that differ by rounding alone are tied beforehand."""
    if human.shape != metric.shape or human.ndim != 2:
        raise InputError(f"scores of shape {human.shape} cannot be set against others of {metric.shape}")
    if grouping not in GROUPINGS:
        raise InputError(f"grouping is {', '.join(GROUPINGS)}, not {grouping!r}")
    both = np.isfinite(human) & np.isfinite(metric)
    groups = {"none": both.reshape(1, -1), "system": both, "item": both.T}[grouping]
    sizes = groups.sum(axis=1)
    if (sizes * (sizes - 1) // 2).sum() > MOST_PAIRS:
        raise InputError(f"there are more than {MOST_PAIRS:,} pairs of summaries; group them")
    sides = tuple(_in_groups(side, both, grouping) for side in (human, metric))
    for row, there in enumerate(groups):
        people, machine = (side[row][there] for side in sides)
        first, second = _all_pairs(len(people))
        yield _Pairs(np.sign(people[first] - people[second]), machine[first] - machine[second])


@lru_cache(maxsize=32)
def _all_pairs(n: int) -> tuple[IntArray, IntArray]:
    """Every pair of n, which groups of one size share."""
    first, second = np.triu_indices(n, 1)
    return first, second


def _in_groups(values: FloatArray, both: BoolArray, grouping: Grouping) -> FloatArray:
    snapped = np.full(values.shape, np.nan)
    snapped[both] = snap_ties(values[both])
    return {"none": snapped.reshape(1, -1), "system": snapped, "item": snapped.T}[grouping]


def _accuracy(pairs: _Pairs) -> float:
    return float(np.mean(np.sign(pairs.metric) == pairs.human)) if pairs.count else float("nan")


def _tau_23(pairs: _Pairs) -> float:
    return 2.0 * _accuracy(pairs) - 1.0


def _tau_b(pairs: _Pairs) -> float:
    signs = np.sign(pairs.metric)
    most = float(np.sqrt(np.sum(signs**2) * np.sum(pairs.human**2)))
    return float(np.sum(signs * pairs.human)) / most if most else float("nan")


_COMPUTED = {"acc-eq": _accuracy, "tau-23": _tau_23, "tau-b": _tau_b}
