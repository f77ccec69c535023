"""What ratings vary by: variance components of crossed and nested factors, and their effects.

Ratings are taken as a mean plus a random effect of every factor plus an error, whatever ratings are missing.
"""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import scipy
from scipy import sparse
from scipy.sparse import linalg

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE

RESIDUAL = "residual"
MOST_LEVELS = 10_000
"""Levels besides those of the largest factor: their matrix is taken apart some hundred times."""
_MOST_CONDITION = 1e8
_START, _MOST_SHARE, _LEAST = 0.2, 0.99999, 1e-12
_TOLERANCE = 1e-10
_SYMMETRIC: Any = {"options": {"SymmetricMode": True}}


@dataclass(frozen=True, slots=True)
class Component:
    """The variance that a factor's `levels` add, and its `share` of all that varies.

    None with a `reason` where it cannot be told apart.
    """

    factor: str
    variance: float | None
    share: float | None
    levels: int
    reason: str | None = None


def variance_components(
    values: Sequence[float], factors: Mapping[str, Sequence[Hashable]]
) -> tuple[Component, ...]:
    """How much each factor adds to the variance of values, by restricted maximum likelihood (REML).

    All factors are random, about one mean. In full tables these are the estimates of the analysis of variance
    where none of those is below 0. Factors are taken in their order: one that tells no more than those before
    it (a rater who gave one page alone) is left out.

    Parameters
    ----------
    values : n numbers
    factors : by name, the level of each value

    Returns
    -------
    tuple of Component : one for each factor, then the residual

    Raises
    ------
    InputError : for fewer than two values, a factor of another length, or over `MOST_LEVELS` levels besides
        those of the largest factor

    References
    ----------
    Patterson and Thompson (1971), "Recovery of Inter-Block Information when Block Sizes are Unequal"; Bates
    et al. (2015), "Fitting Linear Mixed-Effects Models Using lme4", for the profiled criterion.

    Examples
    --------
    >>> values = [1.0, 2.0, 4.0, 5.0, 7.0, 9.0]
    >>> rows, columns = [0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]
    >>> found = variance_components(values, {"row": rows, "column": columns})
    >>> [(one.factor, round(one.variance, 2)) for one in found]
    [('row', 10.5), ('column', 0.83), ('residual', 0.17)]
    """
    y = np.array(values, dtype=np.float64)
    if len(y) < 2:
        raise InputError("fewer than two values have no variance")
    levels = {name: number_levels(of, len(y)) for name, of in factors.items()}
    kept: list[str] = []
    for name in levels:
        if _are_apart([levels[one] for one in (*kept, name)], len(y)):
            kept.append(name)
    spread = float(y.std())
    standard = (y - y.mean()) / (spread or 1.0)
    ratios, residual = _Criterion.of(standard, [levels[name] for name in kept]).minimise()
    variances = {name: residual * ratio * spread**2 for name, ratio in zip(kept, ratios, strict=True)}
    variances[RESIDUAL] = residual * spread**2
    total = sum(variances.values())
    counts = {**{name: int(of.max()) + 1 for name, of in levels.items()}, RESIDUAL: len(y)}
    apart = "it cannot be told apart from the other factors"
    return tuple(
        Component(name, variances[name], variances[name] / total if total else None, counts[name])
        if name in variances
        else Component(name, None, None, counts[name], apart)
        for name in (*levels, RESIDUAL)
    )


@dataclass(frozen=True, slots=True)
class _Criterion:
    """The restricted likelihood as a function of the variances over that of the residual.

    The levels of the largest factor, `sizes` values each, are eliminated one by one; what is left are
    products of the indicators of all other levels (`owners` says of which factor), of ones and of the values:
    `products` of all, `sums` (levels of the largest, the same columns) of each level.
    """

    sizes: FloatArray
    owners: IntArray
    products: sparse.csc_matrix
    sums: sparse.csr_matrix
    largest: int
    factors: int
    n: int

    @classmethod
    def of(cls, y: FloatArray, factors: Sequence[IntArray]) -> "_Criterion":
        counts = [int(levels.max()) + 1 for levels in factors] or [1]
        largest = int(np.argmax(counts))
        big = factors[largest] if factors else np.zeros(len(y), dtype=np.int64)
        others = [at for at in range(len(factors)) if at != largest]
        if (rest := sum(counts[at] for at in others)) > MOST_LEVELS:
            raise InputError(
                f"{rest:,} levels of factors are too many; up to {MOST_LEVELS:,} are taken apart"
            )
        columns = sparse.hstack(
            [
                *(_indicators(factors[at], counts[at]) for at in others),
                sparse.csr_matrix(np.stack([np.ones_like(y), y], axis=1)),
            ]
        ).tocsr()
        chosen = _indicators(big, counts[largest])
        return cls(
            sizes=np.bincount(big).astype(np.float64),
            owners=np.repeat(np.array(others, dtype=np.int64), [counts[at] for at in others]),
            products=(columns.T @ columns).tocsc(),
            sums=(chosen.T @ columns).tocsr(),
            largest=largest,
            factors=len(factors),
            n=len(y),
        )

    def minimise(self) -> tuple[list[float], float]:
        """Each factor's variance over that of the residual, and the residual's."""
        if not self.factors:
            return [], self.deviance(np.zeros(1))[1]

        def criterion(shares: Any) -> float:
            return self.deviance(shares / (1.0 - shares))[0]

        found = scipy.optimize.minimize(
            criterion,
            np.full(self.factors, _START),
            bounds=[(0.0, _MOST_SHARE)] * self.factors,
            method="L-BFGS-B",
            options={"ftol": 1e-13, "gtol": 1e-7, "maxiter": 200},
        )
        ratios = found.x / (1.0 - found.x)
        return ratios.tolist(), self.deviance(ratios)[1]

    def deviance(self, ratios: FloatArray) -> tuple[float, float]:
        """Minus twice the log likelihood but for a constant, and the variance of the residual there."""
        big = ratios[self.largest]
        taken = sparse.diags(big / (1.0 + big * self.sizes))
        left = self.products - self.sums.T @ (taken @ self.sums)
        within, logarithm = self._eliminate(left, ratios)
        (ones, cross), (_, squares) = left[-2:, -2:].toarray() - within
        about = max(float(squares - cross**2 / ones), _LEAST)
        logarithms = np.log1p(big * self.sizes).sum() + logarithm
        return float(logarithms + np.log(ones) + (self.n - 1) * np.log(about)), about / (self.n - 1)

    def _eliminate(self, left: sparse.csc_matrix, ratios: FloatArray) -> tuple[FloatArray, float]:
        """What all other levels take of the products of ones and values, (2, 2), and the log determinant.

        Most levels meet few others (a page its document alone), so their matrix is taken apart sparse.
        """
        if not len(self.owners):
            return np.zeros((2, 2)), 0.0
        root = sparse.diags(np.sqrt(ratios[self.owners]))
        inner = sparse.eye(len(self.owners)) + root @ left[:-2, :-2] @ root
        parts = linalg.splu(inner.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, **_SYMMETRIC)
        sides = (root @ left[:-2, -2:]).toarray()
        return sides.T @ parts.solve(sides), float(np.log(np.abs(parts.U.diagonal())).sum())


def estimate_effects(
    values: Sequence[float],
    fixed: Sequence[Hashable],
    random: Mapping[str, Sequence[Hashable]],
    components: Sequence[Component],
) -> tuple[dict[Hashable, float], dict[str, dict[Hashable, float]]]:
    """Means of a fixed factor's levels with all else taken out, and the effects of random factors.

    Henderson's mixed-model equations: generalised least squares for the fixed factor, best linear unbiased
    predictions of the random ones, which are drawn towards 0 as far as they are uncertain.

    Parameters
    ----------
    values : n numbers
    fixed : the level of each value in the factor whose means are wanted
    random : by name, the level of each value
    components : of `variance_components`, those of `random` and the residual among them

    Returns
    -------
    dict, dict of dict : the mean of each fixed level; by factor, the effect of each random level

    Raises
    ------
    InputError : where nothing is left for the residual

    References
    ----------
    Henderson (1975), "Best Linear Unbiased Estimation and Prediction under a Selection Model".

    Examples
    --------
    >>> values, systems, raters = [3.0, 1.0, 4.2, 2.0], "abab", "xxyy"
    >>> parts = [Component("rater", 1.0, 0.9, 2), Component("residual", 0.1, 0.1, 4)]
    >>> means, effects = estimate_effects(values, systems, {"rater": raters}, parts)
    >>> {name: round(value, 2) for name, value in means.items()}
    {'a': 3.6, 'b': 1.5}
    >>> {name: round(value, 2) for name, value in effects["rater"].items()}
    {'x': -0.52, 'y': 0.52}
    """
    y = np.array(values, dtype=np.float64)
    variances = {component.factor: component.variance or 0.0 for component in components}
    if variances.get(RESIDUAL, 0.0) <= TIE * sum(variances.values()):
        raise InputError("nothing is left for the residual, so effects cannot be weighed")
    kept = {name: of for name, of in random.items() if variances.get(name)}
    names = [list(dict.fromkeys(of)) for of in (fixed, *kept.values())]
    parts = [
        _indicators(number_levels(of, len(y)), len(found))
        for of, found in zip((fixed, *kept.values()), names, strict=True)
    ]
    ridge = [np.zeros(len(names[0]))]
    ridge += [
        np.full(len(found), variances[RESIDUAL] / variances[name])
        for name, found in zip(kept, names[1:], strict=True)
    ]
    design = sparse.hstack(parts).tocsr()
    matrix = (design.T @ design + sparse.diags(np.concatenate(ridge))).tocsr()
    inverse = sparse.diags(1.0 / matrix.diagonal())
    middle = float(y.mean())
    solved, failed = linalg.cg(matrix, design.T @ (y - middle), rtol=_TOLERANCE, maxiter=20_000, M=inverse)
    if failed:
        raise InputError("the effects could not be estimated: the equations do not converge")
    ends = np.cumsum([0, *map(len, names)])
    split = [solved[start:end].tolist() for start, end in pairwise(ends.tolist())]
    means = {name: middle + value for name, value in zip(names[0], split[0], strict=True)}
    effects: dict[str, dict[Hashable, float]] = {
        name: dict.fromkeys(dict.fromkeys(of), 0.0) for name, of in random.items()
    }
    for name, found, own in zip(kept, names[1:], split[1:], strict=True):
        effects[name] = dict(zip(found, own, strict=True))
    return means, effects


def number_levels(levels: Sequence[Hashable], n: int) -> IntArray:
    """(n,): the level of each value by number, in the order in which they first appear."""
    if len(levels) != n:
        raise InputError(f"{len(levels)} levels cannot be those of {n} values")
    numbers: dict[Hashable, int] = {}
    return np.array([numbers.setdefault(level, len(numbers)) for level in levels], dtype=np.int64)


def _are_apart(factors: Sequence[IntArray], n: int) -> bool:
    """Whether the variances of the factors and the residual can be told apart: whether the sums of squares of
    their level means are expected to hold them in different mixtures (Henderson 1953)."""
    size = len(factors) + 1
    expected = np.zeros((size, size))
    mean = np.array([*(float(np.sum(np.bincount(of) ** 2.0)) / n for of in factors), 1.0])
    for row, of in enumerate(factors):
        counts = np.bincount(of)
        for column, other in enumerate(factors):
            pairs, both = np.unique(np.stack([of, other]), axis=1, return_counts=True)
            expected[row, column] = float(np.sum(both**2.0 / counts[pairs[0]]))
        expected[row, -1] = len(counts)
    expected[-1] = n
    return bool(np.linalg.cond(expected - mean) < _MOST_CONDITION)


def _indicators(levels: IntArray, count: int) -> sparse.csr_matrix:
    ones = np.ones(len(levels))
    return sparse.csr_matrix((ones, (np.arange(len(levels)), levels)), shape=(len(levels), count))
