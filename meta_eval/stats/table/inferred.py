"""A table of coefficients, each with interval, p and p adjusted over the whole table."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic

import numpy as np

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, REGISTRY, Coefficient
from meta_eval.stats.coefficients.ties import snap_ties
from meta_eval.stats.resampling.bootstrap import RowCache, bootstrap_correlation
from meta_eval.stats.resampling.closed_form import concordance_interval, fisher_interval
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod
from meta_eval.stats.resampling.samples import (
    DEFAULT_RESAMPLES,
    Key,
    ScoreSample,
    fixed_score,
    resample_systems,
)
from meta_eval.stats.significance.adjustment import Adjustment, adjust_p_values
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.table.resampled import INTERVALS, Intervals, Resampled

CLOSED = ("fisher", "esscher")
"""Intervals that rest on no resamples; they are about other systems."""


@dataclass(frozen=True, slots=True)
class InferredCorrelation:
    """One cell: a coefficient over `n` systems and how sure it is.

    `ci_*` is the interval at `ci_level` about other `ci_over`, from `resamples`, of which `degenerate` left
    the coefficient undefined; `p_value` of no relation, `p_adjusted` over the table. What is undefined is
    None, with `reason` for the coefficient and `ci_reason` for the interval.
    """

    coefficient: Coefficient
    n: int
    estimate: float | None
    reason: str | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_over: Resampled
    ci_level: float
    ci_reason: str | None
    resamples: int
    degenerate: int
    p_value: float | None
    p_method: str
    p_adjusted: float | None = None
    p_adjustment: str | None = None


def infer_table(
    pairs: Sequence[tuple[Key, Key]],
    samples: Mapping[Key, ScoreSample],
    *,
    rng: np.random.Generator,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    intervals: Intervals = INTERVALS["documents"],
    over: Resampled = "documents",
    level: float = 0.95,
    adjustment: Adjustment = "holm",
) -> list[InferredCorrelation]:
    """Every coefficient of every (human, automatic) pair of samples that were resampled together.

    `over` is what was resampled. p is that of permuting the systems: exact up to ten of them. `adjustment`
    is over all cells returned.

    Parameters
    ----------
    pairs : (human, automatic), each a key of `samples`
    samples : by score, of the same systems, resampled together
    rng : for p that are not counted exactly
    coefficients : of `ALL_COEFFICIENTS`
    intervals : the method of each coefficient's interval
    over : what was resampled, so what the intervals are about
    level : of the intervals
    adjustment : "holm" or "benjamini-hochberg", over all cells that are returned

    Returns
    -------
    list of InferredCorrelation, by pair and then by coefficient

    References
    ----------
    Deutsch, Dror and Roth (2021); Holm (1979).

    Examples
    --------
    >>> from meta_eval.stats.resampling.documents import resample_documents
    >>> noise, level = np.random.default_rng(0).normal(size=(2, 5, 30)), np.arange(5.0)[:, None]
    >>> scores = {"human": level + noise[0], "metric": level + noise[1]}
    >>> made = resample_documents(scores, resamples=100, rng=np.random.default_rng(0))
    >>> rng = np.random.default_rng(0)
    >>> (cell,) = infer_table([("human", "metric")], made, rng=rng, coefficients=("kendall",))
    >>> cell.n, round(cell.estimate, 6), cell.ci_method, round(cell.p_value, 3)
    (5, 1.0, 'hierarchical', 0.017)
    """
    cache = RowCache()
    columns = [
        _Column(coefficient, samples, rng, intervals[coefficient], over, level, cache)
        for coefficient in coefficients
    ]
    if all(column.method == "hierarchical" for column in columns):
        # draws of the true scores serve all coefficients of a pair
        rows = [[column.infer(pair) for column in columns] for pair in pairs]
    else:
        # one coefficient's rows at a time: a whole table's would fill the memory
        alone = [replace(column, cache=RowCache()) for column in columns]
        rows = [
            list(row)
            for row in zip(*([column.infer(pair) for pair in pairs] for column in alone), strict=True)
        ]
    return _adjust([cell for row in rows for cell in row], adjustment)


def infer_over_systems(
    pairs: Sequence[tuple[Key, Key]],
    scores: Mapping[Key, Sequence[float | None]],
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    intervals: Intervals = INTERVALS["systems"],
    level: float = 0.95,
    adjustment: Adjustment = "holm",
) -> list[InferredCorrelation]:
    """As `infer_table`, where only the systems' scores are known: the interval is about other systems.

    Parameters
    ----------
    pairs : (human, automatic), each a key of `scores`
    scores : by name one value for each system, in one order for all; None where one is missing
    seed : of the draws of systems, and of p that are not counted exactly
    resamples : how many
    coefficients, intervals, level, adjustment : as in `infer_table`

    Returns
    -------
    list of InferredCorrelation, by pair and then by coefficient

    Raises
    ------
    InputError : for scores of different length

    References
    ----------
    As `infer_table`; BOOT-SYSTEMS of Deutsch, Dror and Roth (2021).

    Examples
    --------
    >>> scores = {"human": [1, 2, 3, 4, 5], "metric": [0.1, 0.3, 0.2, 0.4, 0.5]}
    >>> (cell,) = infer_over_systems([("human", "metric")], scores, coefficients=("kendall",))
    >>> round(cell.estimate, 6), cell.ci_method, round(cell.p_value, 3)
    (0.8, 'esscher', 0.083)
    """
    values = {name: np.array(given, dtype=np.float64) for name, given in scores.items()}
    if len({len(given) for given in values.values()}) > 1:
        raise InputError("every score needs one value for each system; give None where one is missing")
    systems_rng, rng = np.random.default_rng(seed).spawn(2)
    rows = resamples if {intervals[name] for name in coefficients} - set(CLOSED) else 1
    fixed = {name: fixed_score(given, resamples=rows) for name, given in values.items()}
    samples = resample_systems(fixed, rng=systems_rng)
    return infer_table(
        pairs,
        samples,
        rng=rng,
        coefficients=coefficients,
        intervals=intervals,
        over="systems",
        level=level,
        adjustment=adjustment,
    )


def find_interval(
    human: ScoreSample,
    automatic: ScoreSample,
    coefficient: Coefficient,
    *,
    method: IntervalMethod,
    over: Resampled,
    level: float = 0.95,
    cache: RowCache | None = None,
) -> Interval:
    """The interval of a coefficient by one of the methods, from samples in which `over` was resampled.

    Parameters
    ----------
    human, automatic : of the same systems, resampled together
    coefficient : one of `ALL_COEFFICIENTS`
    method : "percentile", "bca", "hierarchical", "fisher" or "esscher"
    over : what was resampled
    level : of the interval
    cache : serves many calls on the same samples

    Returns
    -------
    Interval : without ends and with a `reason` where there is none

    Raises
    ------
    InputError : for "hierarchical" where systems are drawn: it takes what varies for noise of scores

    References
    ----------
    Efron and Tibshirani (1993), chapter 13, Efron (1987), Lancaster (1961), Fisher (1921), Esscher (1924): as
    `percentile_interval`, `bca_interval`, `mid_interval`, `fisher_interval` and `concordance_interval`.

    Examples
    --------
    >>> human, metric = (fixed_score(np.array(row), resamples=1) for row in ([1.0, 2, 3, 4], [1, 2, 4, 3]))
    >>> found = find_interval(human, metric, "kendall", method="esscher", over="systems")
    >>> round(found.low, 2), round(found.high, 2)
    (-0.25, 0.94)
    """
    if method == "hierarchical" and "systems" in over:
        raise InputError("a hierarchical interval is about these systems; of others take bca or percentile")
    if method in CLOSED:
        return _closed_interval(human, automatic, coefficient, method, level)
    if REGISTRY[coefficient].counts_ties and "systems" in over:
        return Interval(None, None, None, level, reason=_COPIES_TIE)
    found = bootstrap_correlation(human, automatic, coefficient, method=method, level=level, cache=cache)
    return found.interval


_COPIES_TIE = (
    "a system drawn twice ties with itself, which this coefficient counts; resample documents or raters"
)


def _closed_interval(
    human: ScoreSample, automatic: ScoreSample, coefficient: Coefficient, method: str, level: float
) -> Interval:
    x, y = human.observed, automatic.observed
    found = correlate(list(x), list(y), coefficient)
    if method == "fisher":
        return fisher_interval(found.estimate, n=found.n, coefficient=coefficient, level=level)
    both = np.isfinite(x) & np.isfinite(y)
    tied = any(len(np.unique(snap_ties(side[both]))) < found.n for side in (x, y))
    return concordance_interval(found.estimate, n=found.n, coefficient=coefficient, tied=tied, level=level)


@dataclass(frozen=True, slots=True)
class _Column(Generic[Key]):
    """What the cells of one coefficient share."""

    coefficient: Coefficient
    samples: Mapping[Key, ScoreSample]
    rng: np.random.Generator
    method: IntervalMethod
    over: Resampled
    level: float
    cache: RowCache

    def infer(self, pair: tuple[Key, Key]) -> InferredCorrelation:
        human, automatic = pair
        x, y = list(self.samples[human].observed), list(self.samples[automatic].observed)
        found = correlate(x, y, self.coefficient)
        interval = find_interval(
            self.samples[human],
            self.samples[automatic],
            self.coefficient,
            method=self.method,
            over=self.over,
            level=self.level,
            cache=self.cache,
        )
        p = correlation_p_value(x, y, self.coefficient, rng=self.rng)
        return InferredCorrelation(
            coefficient=self.coefficient,
            n=found.n,
            estimate=found.estimate,
            reason=found.reason,
            ci_low=interval.low,
            ci_high=interval.high,
            ci_method=interval.method,
            ci_over="systems" if interval.method in CLOSED else self.over,
            ci_level=self.level,
            ci_reason=interval.reason,
            resamples=interval.resamples,
            degenerate=interval.degenerate,
            p_value=p.p,
            p_method=p.method,
        )


def _adjust(cells: Sequence[InferredCorrelation], method: Adjustment) -> list[InferredCorrelation]:
    adjusted = adjust_p_values([cell.p_value for cell in cells], method=method)
    return [replace(cell, p_adjusted=p, p_adjustment=method) for cell, p in zip(cells, adjusted, strict=True)]
