"""Two metrics against the same human scores: is the difference of their coefficients more than chance?

All scores are oriented so that a positive coefficient means agreement; signs are kept throughout.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product
from typing import Literal, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows, has_unit_rows, unit_rows
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.resampling.bootstrap import RowCache, make_interval, replicates_p_value, standard_error
from meta_eval.stats.resampling.intervals import Alternative, Interval, IntervalMethod, check_alternative
from meta_eval.stats.resampling.samples import ScoreSample
from meta_eval.stats.resampling.weights import batch_sizes, mean_scores

Swap = Literal["systems", "both", "documents", "cells"]
EXACT_SWAPS = 12
"""Up to this many systems every way to swap them is enumerated."""


@dataclass(frozen=True, slots=True)
class MetricDifference:
    """`difference` = coefficient of the first metric minus that of the second, with its p.

    None with a `reason` where undefined. `statistic` is Williams' t; `interval` the bootstrap's.
    """

    method: str
    coefficient: Coefficient
    alternative: Alternative
    n: int
    difference: float | None
    p_value: float | None
    reason: str | None = None
    statistic: float | None = None
    interval: Interval | None = None
    standard_error: float | None = None


def compare_by_permutation(
    x: FloatArray,
    y: FloatArray,
    human: FloatArray,
    coefficient: Coefficient,
    *,
    rng: np.random.Generator,
    swap: Swap = "systems",
    permutations: int = 9_999,
    alternative: Alternative = "two-sided",
    batch: int = 500,
) -> MetricDifference:
    """The permutation test of Deutsch et al. (2021) of metrics x and y (S, D) against human scores.

    Under the hypothesis the two metrics, each standardised over all its values, may be swapped: for whole
    systems (PERM-SYSTEMS), for documents, for random systems and documents (`both`: PERM-BOTH as nlpstats has
    it), or for single summaries (`cells`: PERM-BOTH as the paper's figure has it). All but `systems` average
    away what a metric has against a system, and so are about these systems alone: of equally good metrics
    with such levels of their own they find a difference in three of ten cases at 5 %. Only documents that
    both metrics have count. p = (count + 1) / (permutations + 1); for up to 12 systems `systems` enumerates
    every swap instead.

    Parameters
    ----------
    x, y : (S, D) arrays, NaN where a system lacks a document
    human : (S,), or (X, S) where the coefficients with X scores of people are averaged
    coefficient : one of `ALL_COEFFICIENTS`
    rng : draws the swaps
    swap : "systems", "documents", "both" or "cells"
    permutations : how many
    alternative : "two-sided", "greater" (x agrees better) or "less"
    batch : how many are drawn at a time; it changes no result

    Returns
    -------
    MetricDifference

    Raises
    ------
    InputError : for shapes that do not fit together, an unknown swap or alternative

    References
    ----------
    Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. TACL 9.

    Examples
    --------
    >>> human = np.arange(5.0)
    >>> near = np.stack([human, human + 0.5], axis=1)
    >>> far = np.stack([human[::-1], (human * 2) % 5], axis=1)
    >>> found = compare_by_permutation(near, far, human, "kendall", rng=np.random.default_rng(0))
    >>> round(found.difference, 2), found.p_value
    (1.2, 0.125)
    """
    check_alternative(alternative)
    swaps = _Swaps(x, y, human, coefficient)
    name = f"permutation of {swap}"
    systems = x.shape[0]
    observed = float(swaps.differences(np.ones((1, systems)), np.ones((1, x.shape[1])))[0])
    if not np.isfinite(observed):
        reason = "a coefficient is undefined"
        return MetricDifference(name, coefficient, alternative, swaps.n, None, None, reason)
    if swap == "systems" and systems <= EXACT_SWAPS:
        every = np.array(list(product((1.0, -1.0), repeat=systems)))
        null, extra = swaps.differences(every, np.ones((1, x.shape[1]))), 0
    else:
        null, extra = _sample_swaps(swaps, swap, permutations, rng, batch), 1
    defined = null[np.isfinite(null)]
    p = (_count_extreme(defined, observed, alternative) + extra) / (len(defined) + extra)
    return MetricDifference(name, coefficient, alternative, swaps.n, observed, p)


def _count_extreme(null: FloatArray, observed: float, alternative: Alternative) -> int:
    rounding = 10 * TIE
    extreme = {
        "two-sided": np.abs(null) >= abs(observed) - rounding,
        "greater": null >= observed - rounding,
        "less": null <= observed + rounding,
    }
    return int(extreme[alternative].sum())


class _Swaps:
    """Scores of two metrics after any swap: their mean plus or minus half their difference.

    So a swap is a sign for each cell, and all swaps of whole documents and systems one matrix product.
    """

    def __init__(self, x: FloatArray, y: FloatArray, human: FloatArray, coefficient: Coefficient) -> None:
        if x.ndim != 2 or x.shape != y.shape or human.shape[-1] != x.shape[0] or human.ndim > 2:
            raise InputError(
                f"metrics {x.shape}, {y.shape} and human scores {human.shape} do not fit together"
            )
        both = np.isfinite(x) & np.isfinite(y)
        first, second = (standardise(np.where(both, side, np.nan)) for side in (x, y))
        self._middle = mean_scores((first + second) / 2)
        self._half = np.where(both, (first - second) / 2, 0.0)
        self._count = np.where(both.any(axis=1), both.sum(axis=1), np.nan)
        self._human, self._coefficient = np.atleast_2d(human), coefficient
        self._direction = self._mean_direction()
        self.n = int((np.isfinite(self._middle) & np.isfinite(self._human).all(axis=0)).sum())

    def differences(self, systems: FloatArray, documents: FloatArray) -> FloatArray:
        """(R,): difference of the coefficients under signs of systems (R, S) and documents (R or 1, D)."""
        return self._difference(systems * (documents @ self._half.T) / self._count)

    def cell_differences(self, rng: np.random.Generator, size: int) -> FloatArray:
        """(size,): the same with a random sign of each cell's own."""
        shape = self._half.shape
        signs = rng.random((size, *shape)) < 0.5
        halves = 2.0 * np.einsum("rsd,sd->rs", signs, self._half) - self._half.sum(axis=1)
        return self._difference(halves / self._count)

    def _difference(self, halves: FloatArray) -> FloatArray:
        sides = self._middle + halves, self._middle - halves
        if self._direction is not None:
            better, worse = (unit_rows(side, self._coefficient) @ self._direction for side in sides)
            return better - worse
        found = [[correlate_rows(side, human, self._coefficient) for human in self._human] for side in sides]
        return mean_scores(np.stack(found[0], axis=-1) - np.stack(found[1], axis=-1))

    def _mean_direction(self) -> FloatArray | None:
        """Of the people's scores, where no system lacks one: its product with a metric's unit vector is the
        mean of the coefficients with each."""
        whole = np.isfinite(self._human).all() and np.isfinite(self._middle).all()
        if not whole or not has_unit_rows(self._coefficient):
            return None
        units = unit_rows(self._human, self._coefficient)
        return mean_scores(units.T)


def standardise(values: FloatArray) -> FloatArray:
    """Mean 0 and deviation 1 over all cells: metrics can only be swapped on one scale."""
    present = values[np.isfinite(values)]
    spread = float(present.std()) if present.size else 0.0
    standard: FloatArray = (values - (present.mean() if present.size else 0.0)) / (spread or 1.0)
    return standard


def _sample_swaps(
    swaps: _Swaps, swap: Swap, permutations: int, rng: np.random.Generator, batch: int
) -> FloatArray:
    if swap not in get_args(Swap):
        raise InputError(f"swap is {', '.join(get_args(Swap))}, not {swap!r}")
    if swap == "cells":
        sizes = batch_sizes(permutations, max(1, batch // 10))
        return np.concatenate([swaps.cell_differences(rng, size) for size in sizes])
    systems, documents = swaps._half.shape
    systems_rng, documents_rng = rng.spawn(2)
    parts = []
    for size in batch_sizes(permutations, batch):
        by_system = _signs(systems_rng, (size, systems)) if swap != "documents" else np.ones((1, systems))
        by_document = (
            _signs(documents_rng, (size, documents)) if swap != "systems" else np.ones((1, documents))
        )
        parts.append(swaps.differences(by_system, by_document))
    return np.concatenate(parts)


def _signs(rng: np.random.Generator, shape: tuple[int, int]) -> FloatArray:
    return np.where(rng.random(shape) < 0.5, -1.0, 1.0)


def compare_by_bootstrap(
    x: ScoreSample,
    y: ScoreSample,
    human: ScoreSample,
    coefficient: Coefficient,
    *,
    method: IntervalMethod = "percentile",
    level: float = 0.95,
    alternative: Alternative = "two-sided",
    cache: RowCache | None = None,
) -> MetricDifference:
    """The interval of the difference, and p of its being 0, from resamples that the three scores share.

    Parameters
    ----------
    x, y, human : scores of S systems, resampled together
    coefficient : one of `ALL_COEFFICIENTS`
    method : "percentile", "bca" or "hierarchical"
    level : of the interval
    alternative : "two-sided", "greater" (x agrees better) or "less"
    cache : serves many calls on the same samples

    Returns
    -------
    MetricDifference : with `interval` and `standard_error`

    References
    ----------
    Deutsch, Dror and Roth (2021), as `compare_by_permutation`.

    Examples
    --------
    >>> from meta_eval.stats.resampling.documents import resample_documents
    >>> level = np.arange(4.0)[:, None]
    >>> values = {"human": np.eye(4) + level, "x": np.eye(4)[::-1] + 2 * level, "y": np.eye(4) - level}
    >>> made = resample_documents(values, resamples=200, rng=np.random.default_rng(0))
    >>> found = compare_by_bootstrap(made["x"], made["y"], made["human"], "pearson")
    >>> found.n, found.interval.method
    (4, 'percentile')
    """
    cache = cache or RowCache()
    observed = correlate_rows(np.stack([x.observed, y.observed]), human.observed, coefficient)
    estimate = float(observed[0] - observed[1]) if np.isfinite(observed).all() else None
    n = int(np.isfinite(np.stack([x.observed, y.observed, human.observed])).all(axis=0).sum())
    if estimate is None:
        reason = "a coefficient is undefined"
        return MetricDifference("bootstrap", coefficient, alternative, n, None, None, reason)
    first, second = (cache.replicates(human, side, coefficient, method) for side in (x, y))
    left_out = [
        cache.correlate(a, c, coefficient) - cache.correlate(b, c, coefficient)
        for a, b, c in zip(x.left_out, y.left_out, human.left_out, strict=True)
        if method == "bca"
    ]
    return MetricDifference(
        "bootstrap",
        coefficient,
        alternative,
        n,
        estimate,
        replicates_p_value(first - second, method, alternative=alternative),
        interval=make_interval(
            first - second, estimate=estimate, left_out=left_out, method=method, level=level
        ),
        standard_error=standard_error(first - second),
    )


def rank_clusters(
    estimates: Mapping[str, float | None],
    p_values: Mapping[tuple[str, str], float | None],
    *,
    alpha: float = 0.05,
) -> tuple[tuple[str, ...], ...]:
    """Metrics in groups that cannot be told apart from the group's best, the best group first.

    The best metric left leads a group; all that do not differ from it at `alpha` (or whose p is undefined)
    join. Metrics without an estimate are in no group.

    Parameters
    ----------
    estimates : by metric, higher is better; None where a metric has none
    p_values : of each pair, in either order, adjusted beforehand
    alpha : the level from which on two metrics differ

    Returns
    -------
    tuple of groups, each a tuple of metrics, the best first

    References
    ----------
    Freitag et al. (2023): the clusters of the WMT metrics task.

    Examples
    --------
    >>> p_values = {("a", "b"): 0.4, ("a", "c"): 0.01, ("b", "c"): 0.2}
    >>> rank_clusters({"a": 0.9, "b": 0.7, "c": 0.1}, p_values)
    (('a', 'b'), ('c',))
    """
    left = sorted(
        (name for name, value in estimates.items() if value is not None),
        key=lambda name: -(estimates[name] or 0.0),
    )
    groups = []
    while left:
        group = tuple(name for name in left if name == left[0] or not _differ(left[0], name, p_values, alpha))
        groups.append(group)
        left = [name for name in left if name not in group]
    return tuple(groups)


def _differ(a: str, b: str, p_values: Mapping[tuple[str, str], float | None], alpha: float) -> bool:
    if (a, b) not in p_values and (b, a) not in p_values:
        raise InputError(f"there is no p-value for {a!r} against {b!r}")
    p = p_values.get((a, b), p_values.get((b, a)))
    return p is not None and p < alpha
