"""p of a coefficient by matching systems anew within their families: is it more than the families' distance?

Permuted over all systems, two families that lie apart on both sides make nearly every coefficient
"significant", however little the two sides agree within them. Here a system changes places only with those of
its own family, so that every matching keeps the distance between the families.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations as orderings
from itertools import product

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows, has_unit_rows, unit_rows
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.significance.permutation import DEFAULT_PERMUTATIONS, PValueMethod

EXACT_MATCHINGS = 100_000
"""All matchings are counted up to here, such as 5! 5! = 14,400 of two families of five."""
_CHUNK = 10_000
_ROUNDING = 10 * TIE
_ONE_FAMILY = "all systems are of one family"
_ALONE = "no family has two systems with both scores"


@dataclass(frozen=True, slots=True)
class WithinFamilies:
    """What matching the systems within their families says of a coefficient.

    p : share of the matchings whose coefficient lies at least as far from their mean; None with a `reason`.
    method : "exact" over all matchings, "permutation" where some were drawn.
    estimate : the coefficient over all systems; mean : that of the matchings, what the families alone give.
    matchings : how many there were; least : the lowest p that they can give.
    """

    p: float | None
    method: PValueMethod
    estimate: float | None = None
    mean: float | None = None
    matchings: int = 0
    least: float | None = None
    reason: str | None = None


def correlation_within_families(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    families: Sequence[str],
    rng: np.random.Generator,
    permutations: int = DEFAULT_PERMUTATIONS,
) -> WithinFamilies:
    """p that the two sides have nothing to do with each other within the families, over all systems.

    The coefficient is that of all systems. Every matching of the two sides in which each system stays in its
    family counts alike; p is the share of those whose coefficient lies at least as far from the mean of all
    as the observed one, on either side. Exact up to `EXACT_MATCHINGS`, else (count + 1) / (permutations + 1),
    so never 0.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    families : the family of each of the n systems
    rng : for what is sampled; what is exact draws nothing
    permutations : how many matchings are sampled where not all are counted

    Returns
    -------
    WithinFamilies : without p, and with a reason, where the coefficient is undefined, all systems are of one
        family, or no two of them are of one

    References
    ----------
    Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer, chapter 5 (blocks).

    Examples
    --------
    >>> x, y = [1, 2, 3, 11, 12, 13], [2, 1, 3, 12, 11, 13]
    >>> rng = np.random.default_rng(0)
    >>> found = correlation_within_families(x, y, "kendall", families="aaabbb", rng=rng)
    >>> round(found.p, 3), round(found.mean, 3), found.matchings
    (0.722, 0.6, 36)
    """
    return Matchings(families, rng=rng, permutations=permutations).test(x, y, coefficient)


@dataclass(slots=True)
class Matchings:
    """The matchings of systems within their `families`, for all coefficients of a table.

    They are drawn or counted once for each set of systems that two scores have in common. The matched rows of
    the last first side are kept, so that a table is tested column by column at little cost.
    """

    families: Sequence[str]
    rng: np.random.Generator
    permutations: int = DEFAULT_PERMUTATIONS
    _made: dict[tuple[int, ...], IntArray] = field(default_factory=dict)
    _last: dict[Coefficient, tuple[FloatArray, IntArray, FloatArray]] = field(default_factory=dict)

    def test(
        self, x: Sequence[float | None], y: Sequence[float | None], coefficient: Coefficient
    ) -> WithinFamilies:
        """As `correlation_within_families`."""
        first, second = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
        if not len(first) == len(second) == len(self.families):
            raise InputError(
                f"{len(first)} and {len(second)} scores, but {len(self.families)} systems with a family"
            )
        found = correlate(x, y, coefficient)
        scored = tuple(np.flatnonzero(np.isfinite(first) & np.isfinite(second)).tolist())
        reason = found.reason or self._untestable(scored)
        if found.estimate is None or reason:
            return WithinFamilies(None, "exact", found.estimate, reason=reason)
        index, exact = self._matchings(scored), self._count(scored) <= EXACT_MATCHINGS
        at = list(scored)
        null = self._null(first[at], second[at], coefficient, index)
        return _judge(null, found.estimate, exact)

    def _untestable(self, scored: tuple[int, ...]) -> str | None:
        """Why no system could change places within its family, or why all could."""
        sizes = self._sizes(scored)
        if len(sizes) == 1:
            return _ONE_FAMILY
        return None if any(size > 1 for size in sizes) else _ALONE

    def _sizes(self, scored: tuple[int, ...]) -> list[int]:
        return [len(places) for places in self._places(scored)]

    def _places(self, scored: tuple[int, ...]) -> list[list[int]]:
        """Where the systems of each family stand among those with both scores."""
        own = [self.families[system] for system in scored]
        return [[at for at, name in enumerate(own) if name == family] for family in dict.fromkeys(own)]

    def _count(self, scored: tuple[int, ...]) -> int:
        return math.prod(map(math.factorial, self._sizes(scored)))

    def _matchings(self, scored: tuple[int, ...]) -> IntArray:
        """(M, n): which system each place takes its score from."""
        if scored not in self._made:
            places = self._places(scored)
            exact = self._count(scored) <= EXACT_MATCHINGS
            self._made[scored] = _all(places) if exact else _drawn(places, self.permutations, self.rng)
        return self._made[scored]

    def _null(self, x: FloatArray, y: FloatArray, coefficient: Coefficient, index: IntArray) -> FloatArray:
        """(M,): the coefficient under each matching."""
        if not has_unit_rows(coefficient):
            chunks = range(0, len(index), _CHUNK)
            return np.concatenate(
                [correlate_rows(x[index[at : at + _CHUNK]], y, coefficient) for at in chunks]
            )
        return self._unit_rows(x, coefficient, index) @ unit_rows(y, coefficient)

    def _unit_rows(self, x: FloatArray, coefficient: Coefficient, index: IntArray) -> FloatArray:
        """(M, features) of the matched first side, made once for all that are set against it."""
        last = self._last.get(coefficient)
        if last is None or last[1] is not index or not np.array_equal(last[0], x):
            chunks = range(0, len(index), _CHUNK)
            rows = np.concatenate([unit_rows(x[index[at : at + _CHUNK]], coefficient) for at in chunks])
            self._last[coefficient] = last = (x, index, rows)
        return last[2]


def _all(places: Sequence[Sequence[int]]) -> IntArray:
    """Every matching of n systems, those of each family in every order."""
    n = sum(map(len, places))
    chosen = np.array([np.concatenate(each) for each in product(*map(orderings, places))], dtype=np.int64)
    index = np.empty((len(chosen), n), dtype=np.int64)
    index[:, np.concatenate([list(own) for own in places])] = chosen
    return index


def _drawn(places: Sequence[Sequence[int]], count: int, rng: np.random.Generator) -> IntArray:
    index = np.empty((count, sum(map(len, places))), dtype=np.int64)
    for own in places:
        index[:, list(own)] = rng.permuted(np.tile(own, (count, 1)), axis=1)
    return index


def _judge(null: FloatArray, estimate: float, exact: bool) -> WithinFamilies:
    """Two-sided about the mean of the matchings, which two families that lie apart put far from 0."""
    mean = float(null.mean())
    away = np.abs(null - mean)
    extreme = int((away >= abs(estimate - mean) - _ROUNDING).sum())
    farthest = int((away >= away.max() - _ROUNDING).sum())
    if exact:
        p, least = extreme / null.size, farthest / null.size
    else:
        p, least = (extreme + 1) / (null.size + 1), 1 / (null.size + 1)
    return WithinFamilies(p, "exact" if exact else "permutation", estimate, mean, null.size, least)


def explained_by_families(
    within: WithinFamilies, coefficient: Coefficient, *, p_value: float | None, alpha: float
) -> bool | None:
    """Whether the families alone may explain a coefficient that systems permuted at will call significant.

    True where p over all systems is at most `alpha` but that within families is above it, or where the
    estimate is no farther from chance than the mean of the matchings within families. None where nothing is
    significant, where p within families is undefined, and where so few matchings could give no p of `alpha`.

    Parameters
    ----------
    within : what matching the systems within their families says
    coefficient : the one it says it of
    p_value : over all systems permuted at will
    alpha : the level from which on a p is significant

    Returns
    -------
    bool, or None

    References
    ----------
    Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer, chapter 5 (blocks).

    Examples
    --------
    >>> found = WithinFamilies(0.54, "exact", estimate=0.73, mean=0.79, matchings=14_400, least=0.0001)
    >>> explained_by_families(found, "pearson", p_value=0.024, alpha=0.05)
    True
    """
    if p_value is None or within.p is None or p_value > alpha or (within.least or 0.0) > alpha:
        return None
    if within.estimate is None or within.mean is None:
        return None
    side = 1.0 if within.estimate >= REGISTRY[coefficient].chance else -1.0
    return within.p > alpha or side * (within.estimate - within.mean) <= _ROUNDING
