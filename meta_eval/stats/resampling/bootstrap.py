"""Coefficients of resampled scores: replicates, interval, standard error and p, by every method."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import (
    correlate_rising,
    correlate_rows,
    dot_rows,
    has_unit_rows,
    rising_rows,
    unit_rows,
)
from meta_eval.stats.coefficients.ties import constant_rows, tie_tolerance
from meta_eval.stats.resampling.families import draw_by_family, find_groups, is_noisy_within
from meta_eval.stats.resampling.hierarchical import LEAST_SYSTEMS, draw_true_scores
from meta_eval.stats.resampling.intervals import (
    Alternative,
    Interval,
    IntervalMethod,
    bca_interval,
    bootstrap_p_value,
    mid_interval,
    percentile_interval,
    wider_interval,
)
from meta_eval.stats.resampling.samples import ScoreSample

RESAMPLING: tuple[IntervalMethod, ...] = ("percentile", "bca", "hierarchical")
"""Intervals that are made from resamples."""


@dataclass(frozen=True, slots=True)
class CorrelationBootstrap:
    """A coefficient with its interval, standard error and p of being 0, from `replicates` (R,)."""

    correlation: Correlation
    interval: Interval
    standard_error: float | None
    p_value: float | None
    replicates: FloatArray


class TrueScores:
    """Draws of the true scores of which `x` and `y` show noisy ones, the noise being that of the resamples.

    `replicates` (R,) of a coefficient are NaN for resamples in which a system has no score, and throughout
    for fewer than three systems with both scores or a side that is constant. Each of `families`, which hold
    one for each system, is a population of its own; without, all systems are one.
    """

    def __init__(self, x: ScoreSample, y: ScoreSample, families: Sequence[str] = ()) -> None:
        systems = np.isfinite(x.observed) & np.isfinite(y.observed)
        observed = x.observed[systems], y.observed[systems]
        noisy = x.resampled[:, systems], y.resampled[:, systems]
        self._whole: BoolArray = np.logical_and.reduce(np.isfinite(np.concatenate(noisy, axis=1)), axis=1)
        enough = len(observed[0]) >= LEAST_SYSTEMS and not any(constant_rows(side) for side in observed)
        self.drawn: FloatArray | None = None  # (2, R, k): k systems in each draw, if any
        self._rising: tuple[BoolArray, BoolArray] | None = None
        if enough and self._whole.any():
            whole = noisy[0][self._whole], noisy[1][self._whole]
            own = [name for name, there in zip(families, systems.tolist(), strict=False) if there]
            self.drawn = draw_by_family(*observed, whole, own) if own else draw_true_scores(*observed, whole)
            # only a side without noise, which is drawn as it is, can have ties
            if not any((np.diff(np.sort(side)) <= tie_tolerance(side)).any() for side in observed):
                self._rising = rising_rows(self.drawn[0]), rising_rows(self.drawn[1])

    def replicates(self, coefficient: Coefficient) -> FloatArray:
        """(R,): the coefficient in each draw."""
        found = np.full(len(self._whole), np.nan)
        if self.drawn is not None:
            found[self._whole] = self._correlate(self.drawn, coefficient)
        return found

    def _correlate(self, drawn: FloatArray, coefficient: Coefficient) -> FloatArray:
        if self._rising is None or REGISTRY[coefficient].without_ties is None:
            return correlate_rows(drawn[0], drawn[1], coefficient)
        return correlate_rising(*self._rising, drawn.shape[2], coefficient)


class RowCache:
    """Unit rows of samples, kept so that a table turns each score into them once, not once a cell.

    Draws of true scores are kept for the last pair, for all of its coefficients.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, Coefficient], tuple[FloatArray, FloatArray | None]] = {}
        self._last: tuple[ScoreSample, ScoreSample] | None = None
        self._drawn: dict[tuple[str, ...], TrueScores] = {}

    def correlate(self, x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
        """As `correlate_rows`; x and y must not be changed afterwards."""
        if not has_unit_rows(coefficient):
            return correlate_rows(x, y, coefficient)
        first, second = self._units(x, coefficient), self._units(y, coefficient)
        if first is None or second is None:
            return correlate_rows(x, y, coefficient)
        return dot_rows(first, second)

    def replicates(
        self,
        x: ScoreSample,
        y: ScoreSample,
        coefficient: Coefficient,
        method: IntervalMethod,
        families: Sequence[str] | None = None,
    ) -> FloatArray:
        """(R,): the coefficient in each resample, or in each draw of the true scores.

        These are drawn for each of `families`; None for those that `families_of` the sample has.
        """
        if method == "hierarchical":
            own = families_of(x, coefficient) if families is None else tuple(families)
            return self._true_scores(x, y, own).replicates(coefficient)
        return self.correlate(x.resampled, y.resampled, coefficient)

    def _true_scores(self, x: ScoreSample, y: ScoreSample, families: tuple[str, ...]) -> TrueScores:
        """Those of the last pair alone: a table's would fill the memory."""
        if self._last is None or self._last[0] is not x or self._last[1] is not y:
            self._last, self._drawn = (x, y), {}
        if families not in self._drawn:
            self._drawn[families] = TrueScores(x, y, families)
        return self._drawn[families]

    def _units(self, values: FloatArray, coefficient: Coefficient) -> FloatArray | None:
        """None where something is missing: then each pair of scores has its own systems."""
        key = (id(values), coefficient)
        if key not in self._rows:
            complete = bool(np.isfinite(values).all())
            # the array is kept with its rows: an id is only unique among living objects
            self._rows[key] = (values, unit_rows(values, coefficient) if complete else None)
        return self._rows[key][1]


def families_of(sample: ScoreSample, coefficient: Coefficient) -> tuple[str, ...]:
    """The families that are drawn one by one for this coefficient; none where all are one population.

    One population of all systems takes the agreement between families for that within them, which misleads
    intervals of ranks; Pearson's r it serves better than a population for each family does.
    """
    return sample.families if REGISTRY[coefficient].without_ties is not None else ()


def groups_of(x: ScoreSample, y: ScoreSample, coefficient: Coefficient) -> tuple[str, ...]:
    """The groups of systems that scores show where no families were given, one name for each system.

    None for a coefficient of values, and where neither side shows any (`find_groups`).
    """
    if x.families or REGISTRY[coefficient].without_ties is None:
        return ()
    both = np.isfinite(x.observed) & np.isfinite(y.observed)
    found = iter(find_groups([(side.observed[both], side.resampled[:, both]) for side in (x, y)]))
    named = tuple(next(found, "") if there else "" for there in both.tolist())
    return named if any(named) else ()


def widen_by(x: ScoreSample, y: ScoreSample, coefficient: Coefficient) -> tuple[str, ...] | None:
    """The families by which true scores are drawn once more, for the wider of two intervals; None for none.

    All systems as one population () where families were given but a side is noisy within them, and the groups
    that scores show where none were given.
    """
    if REGISTRY[coefficient].without_ties is None:
        return None
    if not x.families:
        return groups_of(x, y, coefficient) or None
    both = np.isfinite(x.observed) & np.isfinite(y.observed)
    own = [name for name, there in zip(x.families, both.tolist(), strict=True) if there]
    noisy = (is_noisy_within(side.observed[both], side.resampled[:, both], own) for side in (x, y))
    return () if any(noisy) else None


def bootstrap_correlation(
    x: ScoreSample,
    y: ScoreSample,
    coefficient: Coefficient,
    *,
    method: IntervalMethod = "percentile",
    level: float = 0.95,
    cache: RowCache | None = None,
) -> CorrelationBootstrap:
    """The coefficient of two scores over systems, with what their shared resamples say of it.

    Resamples in which it is undefined are counted as degenerate. By "hierarchical" the replicates are those
    of `TrueScores`, and the interval is as `_of_true_scores` makes it.

    Parameters
    ----------
    x, y : of the same S systems, resampled together
    coefficient : one of `ALL_COEFFICIENTS`
    method : "percentile", "hierarchical", or "bca", which needs `left_out` of both samples
    level : of the interval
    cache : serves many calls on the same samples

    Returns
    -------
    CorrelationBootstrap

    Raises
    ------
    InputError : for samples of different shape, or another method

    References
    ----------
    Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. TACL 9.

    Examples
    --------
    >>> from meta_eval.stats.resampling.documents import resample_documents
    >>> rng = np.random.default_rng(0)
    >>> noise, level = 2 * rng.normal(size=(2, 5, 30)), np.arange(5.0)[:, None]
    >>> scores = {"human": level + noise[0], "metric": level + noise[1]}
    >>> made = resample_documents(scores, resamples=200, rng=rng)
    >>> found = bootstrap_correlation(made["human"], made["metric"], "kendall")
    >>> round(found.correlation.estimate, 6), round(found.interval.low, 6), round(found.interval.high, 6)
    (1.0, 0.6, 1.0)
    """
    if x.resampled.shape != y.resampled.shape:
        raise InputError(f"the samples differ in shape: {x.resampled.shape} and {y.resampled.shape}")
    cache = cache or RowCache()
    correlation = correlate(list(x.observed), list(y.observed), coefficient)
    replicates = cache.replicates(x, y, coefficient, method)
    left_out = (
        [cache.correlate(*pair, coefficient) for pair in _paired_left_out(x, y)] if method == "bca" else []
    )
    interval = make_interval(
        replicates, estimate=correlation.estimate, left_out=left_out, method=method, level=level
    )
    if method == "hierarchical":
        interval = _of_true_scores(interval, correlation, x, y, cache)
    return CorrelationBootstrap(
        correlation, interval, standard_error(replicates), replicates_p_value(replicates, method), replicates
    )


def _of_true_scores(
    interval: Interval, correlation: Correlation, x: ScoreSample, y: ScoreSample, cache: RowCache
) -> Interval:
    """The interval of the model, named by what was drawn: all systems, each family, or the wider of two.

    It reaches as far as that of the model with other families (`widen_by`), where that is asked for.
    """
    coefficient = correlation.coefficient
    if correlation.estimate is not None and correlation.n < LEAST_SYSTEMS:
        return replace(interval, reason=f"{correlation.n} systems, at least {LEAST_SYSTEMS} are needed")
    if families_of(x, coefficient):
        interval = replace(interval, method="hierarchical-by-family")
    other = None if interval.low is None else widen_by(x, y, coefficient)
    if other is None:
        return interval
    draws = cache.replicates(x, y, coefficient, "hierarchical", other)
    second = make_interval(
        draws, estimate=correlation.estimate, left_out=[], method="hierarchical", level=interval.level
    )
    return wider_interval(interval, second)


def replicates_p_value(
    replicates: FloatArray, method: IntervalMethod, *, alternative: Alternative = "two-sided"
) -> float | None:
    """p of the hypothesis that the statistic is 0, counted as the interval of the method is.

    Parameters
    ----------
    replicates : (R,) array of the coefficient, or of a difference of two, NaN where it is undefined
    method : of the interval beside it
    alternative : "two-sided", "greater" or "less"

    Returns
    -------
    float above 0 and at most 1; None where nothing is defined

    References
    ----------
    Davison and Hinkley (1997), section 4.4; Lancaster (1961) for ties that count by half.

    Examples
    --------
    >>> replicates_p_value(np.array([0.0, 0.1, 0.2, 0.3]), "hierarchical", alternative="greater")
    0.3
    """
    tied = 0.5 if method == "hierarchical" else 1.0
    return bootstrap_p_value(replicates, tied=tied, alternative=alternative)


def _paired_left_out(x: ScoreSample, y: ScoreSample) -> Iterator[tuple[FloatArray, FloatArray]]:
    if len(x.left_out) != len(y.left_out):
        raise InputError("BCa needs both samples to leave out the same kinds of units")
    yield from zip(x.left_out, y.left_out, strict=True)


def make_interval(
    replicates: FloatArray,
    *,
    estimate: float | None,
    left_out: list[FloatArray],
    method: IntervalMethod,
    level: float = 0.95,
) -> Interval:
    """An interval from resamples, or from draws of the true value; none where the estimate is undefined.

    Parameters
    ----------
    replicates : (R,) array, NaN where the statistic is undefined
    estimate : the statistic, or None where it is undefined
    left_out : as in `bca_interval`; empty for the other methods
    method : "percentile", "bca" or "hierarchical"
    level : above 0 and below 1

    Returns
    -------
    Interval

    Raises
    ------
    InputError : for another method

    References
    ----------
    Efron and Tibshirani (1993), chapter 13 (percentile); Efron (1987, BCa); Lancaster (1961, mid-P ends).

    Examples
    --------
    >>> draws = np.linspace(-1.0, 1.0, 101)
    >>> round(make_interval(draws, estimate=0.0, left_out=[], method="percentile", level=0.9).high, 6)
    0.9
    """
    if method not in RESAMPLING:
        raise InputError(f"an interval from resamples is {', '.join(RESAMPLING)}, not {method!r}")
    if estimate is None:
        return Interval(None, None, method, level, reason="the coefficient is undefined")
    if method == "bca":
        return bca_interval(replicates, estimate=estimate, left_out=left_out, level=level)
    if method == "hierarchical":
        return mid_interval(replicates, estimate=estimate, method=method, level=level)
    return percentile_interval(replicates, level=level)


def standard_error(replicates: FloatArray) -> float | None:
    """Standard deviation of the defined resamples; None with fewer than two."""
    defined = replicates[np.isfinite(replicates)]
    return float(defined.std(ddof=1)) if defined.size > 1 else None
