"""p-values of a coefficient by permuting the systems: exact up to ten systems, sampled with +1 above.

The hypothesis is that the two sides are unrelated: every pairing of their scores is equally likely. The
observed pairing is one of them, so p is never 0.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from itertools import permutations as orderings
from typing import Literal

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows, has_unit_rows, unit_rows
from meta_eval.stats.coefficients.ties import TIE, snap_ties
from meta_eval.stats.resampling.intervals import Alternative, check_alternative, tail_p_value
from meta_eval.stats.resampling.weights import batch_sizes

EXACT_SYSTEMS = 10
DEFAULT_PERMUTATIONS = 9_999
_CHUNK = 100_000
_ROUNDING = 10 * TIE
PValueMethod = Literal["exact", "permutation"]

Null = tuple[FloatArray, FloatArray]
"""Values of a coefficient under the hypothesis and the share of each; `_EQUAL` where all weigh the same."""
_EQUAL = np.ones(1)
_ENUMERATED = ("pearson", "spearman", "kendall")
"""Coefficients of which all pairings can be counted."""


@dataclass(frozen=True, slots=True)
class PValue:
    """`p` in (0, 1]; None with a `reason` where it is undefined.

    Exact over all pairings, or sampled over `permutations` of them.
    """

    p: float | None
    method: PValueMethod
    alternative: Alternative
    permutations: int | None = None
    reason: str | None = None


def correlation_p_value(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    rng: np.random.Generator,
    alternative: Alternative = "two-sided",
    permutations: int = DEFAULT_PERMUTATIONS,
) -> PValue:
    """p of no relation between the two sides, over the systems that both have.

    Exact by all n! pairings for n up to 10, and for Kendall without ties at any n; otherwise
    (count + 1) / (permutations + 1). Two-sided counts the pairings whose coefficient is at least as far from
    0. tau-c shares the p of tau-b: under permutation one is a multiple of the other; so does the pairwise
    accuracy where nothing is tied. Where something is, its null is not about 0.5: its p is sampled, and
    two-sided is twice the smaller tail, as for any other coefficient.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    rng : for what is sampled; what is exact draws nothing
    alternative : "two-sided", "greater" or "less"
    permutations : how many pairings are sampled where not all are counted

    Returns
    -------
    PValue

    References
    ----------
    Pitman, E. J. G. (1937). Significance tests which may be applied to samples from any populations. II. The
    correlation coefficient test. JRSS Supplement 4, 225-232.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> found = correlation_p_value([1, 2, 3, 4, 5], [1, 2, 3, 5, 4], "kendall", rng=rng)
    >>> round(found.p, 6), found.method
    (0.083333, 'exact')
    """
    check_alternative(alternative)
    found = correlate(x, y, coefficient)
    if found.estimate is None:
        return PValue(None, "exact", alternative, reason=found.reason)
    first, second = _both(x, y)
    info, tied = REGISTRY[coefficient], _tied(first) or _tied(second)
    if coefficient not in _ENUMERATED:
        if info.times_tau or (info.without_ties == "tau" and not tied):
            return correlation_p_value(
                x, y, "kendall", rng=rng, alternative=alternative, permutations=permutations
            )
        drawn = _sampled_null(first, second, coefficient, permutations, rng)
        return _two_tailed(drawn, found.estimate, alternative)
    if coefficient == "kendall" and not tied:
        result = scipy.stats.kendalltau(first, second, method="exact", alternative=alternative)
        return PValue(float(result.pvalue), "exact", alternative)
    if found.n <= EXACT_SYSTEMS:
        share = _share(_exact_null(first, second, coefficient), found.estimate, alternative)
        return PValue(share, "exact", alternative)
    null = _sampled_null(first, second, coefficient, permutations, rng), _EQUAL
    count = round(_share(null, found.estimate, alternative) * permutations)
    return PValue((count + 1) / (permutations + 1), "permutation", alternative, permutations)


def _two_tailed(null: FloatArray, estimate: float, alternative: Alternative) -> PValue:
    above, below = (null >= estimate - _ROUNDING).sum(), (null <= estimate + _ROUNDING).sum()
    p = tail_p_value(above=int(above), below=int(below), total=null.size, alternative=alternative)
    return PValue(p, "permutation", alternative, null.size)


def _both(x: Sequence[float | None], y: Sequence[float | None]) -> tuple[FloatArray, FloatArray]:
    first, second = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    both = np.isfinite(first) & np.isfinite(second)
    return snap_ties(first[both]), snap_ties(second[both])


def _tied(values: FloatArray) -> bool:
    return len(np.unique(values)) < len(values)


def _exact_null(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> Null:
    if coefficient == "pearson":
        return _sums_of_pairings(unit_rows(x, "pearson"), unit_rows(y, "pearson"))
    ranks = (tuple(scipy.stats.rankdata(side).tolist()) for side in (np.sort(x), np.sort(y)))
    return _rank_null(*ranks, coefficient)


@lru_cache(maxsize=8)
def _rank_null(x: tuple[float, ...], y: tuple[float, ...], coefficient: Coefficient) -> Null:
    """Rank coefficients depend on the ties alone, so a table of many measures enumerates few times."""
    first, second = np.array(x), np.array(y)
    if coefficient == "spearman":
        sums, _ = _sums_of_pairings(unit_rows(first, "pearson"), unit_rows(second, "pearson"))
        values, counts = np.unique(np.round(sums, 12), return_counts=True)
        return values, counts / len(sums)
    concordances = _kendall_pairings(first, second)
    most = math.sqrt(_untied_pairs(first) * _untied_pairs(second))
    shares = np.array(list(concordances.values())) / math.factorial(len(x))
    return np.array(list(concordances)) / most, shares


def _untied_pairs(values: FloatArray) -> int:
    _, counts = np.unique(values, return_counts=True)
    return math.comb(len(values), 2) - sum(math.comb(count, 2) for count in counts.tolist())


def _share(null: Null, estimate: float, alternative: Alternative) -> float:
    """The share of the null that is at least as extreme; rounding does not break a tie."""
    values, shares = null
    extreme = {
        "two-sided": np.abs(values) >= abs(estimate) - _ROUNDING,
        "greater": values >= estimate - _ROUNDING,
        "less": values <= estimate + _ROUNDING,
    }[alternative]
    return min(1.0, float(shares[extreme].sum())) if shares.size > 1 else float(np.mean(extreme))


def _sums_of_pairings(x: FloatArray, y: FloatArray) -> Null:
    """The sum of x_i y_pi(i) of every permutation pi.

    Half by half: whichever values of y go with the first half of x, the orders within the two halves are
    independent of each other, so their sums only need adding.
    """
    n = len(x)
    half = n // 2
    sets = np.array(list(combinations(range(n), half)), dtype=np.int64).reshape(-1, half)
    rest = np.array([[i for i in range(n) if i not in chosen] for chosen in sets.tolist()])
    first = y[sets][:, _orders(half)] @ x[:half]  # (C, half) -> (C, half!, half) -> (C, half!)
    second = y[rest][:, _orders(n - half)] @ x[half:]  # (C, (n - half)!)
    return (first[:, :, None] + second[:, None, :]).ravel(), _EQUAL


def _orders(n: int) -> IntArray:
    return np.array(list(orderings(range(n))), dtype=np.int64).reshape(-1, n)


def _kendall_pairings(x: FloatArray, y: FloatArray) -> dict[int, int]:
    """How many pairings have each value of concordant minus discordant pairs.

    Groups of tied x take their y from low to high: what a group adds depends only on how many y of each
    level it takes and how many remain, so equal remainders are counted together.
    """
    _, y_counts = np.unique(y, return_counts=True)
    states: dict[tuple[int, ...], Counter[int]] = {tuple(y_counts.tolist()): Counter({0: 1})}
    for size in np.unique(x, return_counts=True)[1].tolist():
        following: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
        for remaining, sums in states.items():
            for taken in _ways_to_take(remaining, size):
                left = tuple(a - b for a, b in zip(remaining, taken, strict=True))
                ways = math.prod(map(math.comb, remaining, taken)) * math.factorial(size)
                added = _concordance(taken, left)
                for total, count in sums.items():
                    following[left][total + added] += count * ways
        states = following
    return dict(states[(0,) * len(y_counts)])


def _ways_to_take(remaining: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    if not remaining:
        if size == 0:
            yield ()
        return
    for first in range(min(remaining[0], size) + 1):
        for rest in _ways_to_take(remaining[1:], size - first):
            yield (first, *rest)


def _concordance(taken: tuple[int, ...], left: tuple[int, ...]) -> int:
    """Concordant minus discordant pairs between what is taken now and what comes later, at greater x."""
    return sum(count * (sum(left[level + 1 :]) - sum(left[:level])) for level, count in enumerate(taken))


def _sampled_null(
    x: FloatArray, y: FloatArray, coefficient: Coefficient, count: int, rng: np.random.Generator
) -> FloatArray:
    """(count,): the coefficient of random pairings."""
    batches = (
        rng.permuted(np.tile(y, (size, 1)), axis=1) for size in batch_sizes(count, max(1, _CHUNK // len(x)))
    )
    if not has_unit_rows(coefficient):
        return np.concatenate([correlate_rows(drawn, x, coefficient) for drawn in batches])
    fixed = unit_rows(x, coefficient)
    return np.concatenate([unit_rows(drawn, coefficient) @ fixed for drawn in batches])
