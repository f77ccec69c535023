"""Intervals and p-values from resamples and from draws of a model."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import scipy

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE

IntervalMethod = Literal[
    "percentile",
    "bca",
    "hierarchical",
    "hierarchical-by-family",
    "hierarchical-wider",
    "fisher",
    "esscher",
]
Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True, slots=True)
class Interval:
    """`low` to `high` at `level`; both None with a `reason` where there is no interval.

    Of `resamples`, `degenerate` left the statistic undefined (all systems equal, too few systems); they are
    counted here, not replaced.
    """

    low: float | None
    high: float | None
    method: IntervalMethod | None
    level: float
    resamples: int = 0
    degenerate: int = 0
    reason: str | None = None

    @property
    def contains_zero(self) -> bool | None:
        return None if self.low is None or self.high is None else self.low <= 0.0 <= self.high


def percentile_interval(replicates: FloatArray, *, level: float = 0.95) -> Interval:
    """The middle `level` of the resampled values.

    Parameters
    ----------
    replicates : (R,) array, NaN where the statistic is undefined
    level : above 0 and below 1

    Returns
    -------
    Interval

    References
    ----------
    Efron and Tibshirani (1993). An introduction to the bootstrap. Chapman and Hall, chapter 13.

    Examples
    --------
    >>> found = percentile_interval(np.linspace(-1.0, 1.0, 101), level=0.9)
    >>> round(found.low, 6), round(found.high, 6)
    (-0.9, 0.9)
    """
    return _interval_of_quantiles(replicates, tails_of(level), "percentile", level)


def bca_interval(
    replicates: FloatArray, *, estimate: float, left_out: Sequence[FloatArray], level: float = 0.95
) -> Interval:
    """The bias-corrected and accelerated interval of resampled values.

    Units whose removal leaves the statistic undefined are passed over; where none changes it the acceleration
    is 0.

    Parameters
    ----------
    replicates : (R,) array, NaN where the statistic is undefined
    estimate : the statistic itself
    left_out : for each kind of resampled unit a (U,) array, the statistic without each unit
    level : above 0 and below 1

    Returns
    -------
    Interval : without ends and with a `reason` where every resample lies on one side of the estimate

    Raises
    ------
    InputError : for a level outside of (0, 1)

    References
    ----------
    Efron, B. (1987). Better bootstrap confidence intervals. JASA 82, 171-185.

    Examples
    --------
    >>> draws = np.linspace(-1.0, 1.0, 101)
    >>> found = bca_interval(draws, estimate=0.0, left_out=[np.array([-0.1, 0.0, 0.1])], level=0.9)
    >>> round(found.low, 2), round(found.high, 2)
    (-0.9, 0.9)
    """
    defined = replicates[np.isfinite(replicates)]
    below = np.mean(defined < estimate - TIE) + np.mean(np.abs(defined - estimate) <= TIE) / 2
    if defined.size and not 0.0 < below < 1.0:
        reason = "every resample lies on one side of the estimate"
        return _no_interval(replicates, "bca", level, reason)
    bias = float(scipy.special.ndtri(below)) if defined.size else 0.0
    shifted = bias + scipy.special.ndtri(np.array(tails_of(level)))
    quantiles = scipy.special.ndtr(bias + shifted / (1.0 - acceleration(left_out) * shifted))
    return _interval_of_quantiles(replicates, (float(quantiles[0]), float(quantiles[1])), "bca", level)


def mid_interval(
    draws: FloatArray, *, estimate: float, method: IntervalMethod, level: float = 0.95
) -> Interval:
    """The drawn values that are not among the (1 - level) / 2 lowest or highest, by mid-P.

    It reaches at least to the estimate: where noise has pulled that down, or systems that lie close happen to
    stand in the same order on both sides, few draws do, and an interval beside its own estimate tells nobody
    how far off the estimate may be.

    A value that is drawn more than once counts half among those below it and half among those above
    (Lancaster 1961): a rank coefficient has few values, and an interval of whole ones would cover too often.
    `bootstrap_p_value` with `tied` 0.5 counts alike: 0 is in the interval where its p is above 1 - level.

    Parameters
    ----------
    draws : (R,) array, NaN where the statistic is undefined
    estimate : the statistic itself
    method : by which the interval is named
    level : above 0 and below 1

    Returns
    -------
    Interval

    Raises
    ------
    InputError : for a level outside of (0, 1)

    References
    ----------
    Lancaster, H. O. (1961). Significance tests in discrete distributions. JASA 56, 223-234.

    Examples
    --------
    >>> found = mid_interval(np.linspace(0.0, 1.0, 101), estimate=0.5, method="hierarchical", level=0.9)
    >>> round(found.low, 2), round(found.high, 2)
    (0.04, 0.96)
    """
    low, _ = tails_of(level)
    if short := _too_few(draws, method, level):
        return short
    values, below, above = _mid_shares(draws[np.isfinite(draws)])
    kept = values[(below > low) & (above > low)]
    ends = kept if kept.size else values[[np.argmax(np.minimum(below, above))]]
    degenerate = int((~np.isfinite(draws)).sum())
    reached = min(float(ends[0]), estimate), max(float(ends[-1]), estimate)
    return Interval(*reached, method, level, draws.size, degenerate)


def _mid_shares(defined: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Each different value, and the shares (count + 1) / (R + 1) on either side of it, its own split."""
    values = np.sort(np.where(np.abs(defined) <= TIE, 0.0, defined))  # rounding must not put 0 outside
    first = np.concatenate([[0], np.flatnonzero(np.diff(values) > TIE) + 1])
    count = np.diff(first, append=values.size)
    below = first + count / 2.0
    return values[first], (below + 1) / (values.size + 1), (values.size - below + 1) / (values.size + 1)


def wider_interval(one: Interval, other: Interval) -> Interval:
    """From the lower of both lower ends to the higher of both higher ends; the one alone without the other.

    Parameters
    ----------
    one, other : of the same coefficient

    Returns
    -------
    Interval

    Examples
    --------
    >>> one, other = Interval(0.1, 0.5, "hierarchical", 0.95), Interval(0.2, 0.7, "hierarchical", 0.95)
    >>> wider_interval(one, other).high
    0.7
    """
    if one.low is None or one.high is None or other.low is None or other.high is None:
        return one
    low, high = min(one.low, other.low), max(one.high, other.high)
    return replace(one, low=low, high=high, method="hierarchical-wider")


def acceleration(left_out: Sequence[FloatArray]) -> float:
    """Efron's a from the jackknife of one or more samples (Davison and Hinkley 1997, eq. 5.26 to 5.29)."""
    cubes = squares = 0.0
    for values in left_out:
        defined = values[np.isfinite(values)]
        n = defined.size
        influence = (n - 1) * (defined.mean() - defined) if n > 1 else np.zeros(1)
        cubes += float((influence**3).sum()) / max(n, 1) ** 3
        squares += float((influence**2).sum()) / max(n, 1) ** 2
    return cubes / (6.0 * squares**1.5) if squares > TIE**2 else 0.0


def bootstrap_p_value(
    replicates: FloatArray, *, tied: float = 1.0, alternative: Alternative = "two-sided"
) -> float | None:
    """p of the hypothesis that the statistic is 0, by where 0 lies among the resampled values.

    (count + 1) / (defined + 1), so never 0; None if every resample is degenerate. A value of 0 speaks against
    either side with the weight `tied`: 1, or 0.5 for mid-P, as `mid_interval` counts.

    Parameters
    ----------
    replicates : (R,) array, NaN where the statistic is undefined
    tied : the weight of a value of 0: 1, or 0.5 for mid-P
    alternative : "two-sided", "greater" or "less"

    Returns
    -------
    float above 0 and at most 1, or None

    Raises
    ------
    InputError : for an unknown alternative

    References
    ----------
    Davison and Hinkley (1997). Bootstrap methods and their application. Cambridge, section 4.4.

    Examples
    --------
    >>> bootstrap_p_value(np.array([0.1, 0.2, 0.3, -0.1] * 10))
    0.5365853658536586
    """
    defined = replicates[np.isfinite(replicates)]
    if not defined.size:
        return None
    zero = tied * float((np.abs(defined) <= TIE).sum())
    not_above, not_below = float((defined < -TIE).sum()) + zero, float((defined > TIE).sum()) + zero
    return tail_p_value(above=not_above, below=not_below, total=defined.size, alternative=alternative)


def tail_p_value(*, above: float, below: float, total: int, alternative: Alternative) -> float:
    """(count + 1) / (total + 1) of the tail asked for; two-sided is twice the smaller tail, at most 1.

    Parameters
    ----------
    above : how many speak against the alternative "greater", ties perhaps by half
    below : how many speak against "less"
    total : how many there are
    alternative : "two-sided", "greater" or "less"

    Returns
    -------
    float above 0 and at most 1

    Raises
    ------
    InputError : for an unknown alternative

    References
    ----------
    Phipson, B. and Smyth, G. K. (2010). Permutation p-values should never be zero. Statistical Applications
    in Genetics and Molecular Biology 9, article 39.

    Examples
    --------
    >>> tail_p_value(above=1, below=98, total=99, alternative="greater")
    0.02
    """
    check_alternative(alternative)
    upper, lower = (above + 1) / (total + 1), (below + 1) / (total + 1)
    if alternative == "two-sided":
        return min(1.0, 2.0 * min(upper, lower))
    return upper if alternative == "greater" else lower


def check_alternative(alternative: str) -> None:
    """Raises `InputError` for anything but the three."""
    if alternative not in get_args(Alternative):
        raise InputError(f"alternative is {', '.join(get_args(Alternative))}, not {alternative!r}")


def tails_of(level: float) -> tuple[float, float]:
    """The two quantiles of an interval at this level. Raises `InputError` for one outside of (0, 1)."""
    if not 0.0 < level < 1.0:
        raise InputError(f"level must be between 0 and 1, not {level}")
    return (1.0 - level) / 2.0, (1.0 + level) / 2.0


def _interval_of_quantiles(
    replicates: FloatArray, quantiles: tuple[float, float], method: IntervalMethod, level: float
) -> Interval:
    """No interval from fewer defined resamples than its tails need, nor if most are degenerate."""
    if short := _too_few(replicates, method, level):
        return short
    defined = replicates[np.isfinite(replicates)]
    low, high = np.quantile(defined, quantiles)
    return Interval(float(low), float(high), method, level, replicates.size, replicates.size - defined.size)


def _too_few(replicates: FloatArray, method: IntervalMethod, level: float) -> Interval | None:
    defined = int(np.isfinite(replicates).sum())
    if defined >= max(2.0 / (1.0 - level), replicates.size / 2.0) - TIE:
        return None
    return _no_interval(
        replicates, method, level, f"only {defined} of {replicates.size} resamples are defined"
    )


def _no_interval(replicates: FloatArray, method: IntervalMethod, level: float, reason: str) -> Interval:
    degenerate = int((~np.isfinite(replicates)).sum())
    return Interval(None, None, method, level, replicates.size, degenerate, reason)
