"""Intervals of a coefficient in closed form, about other systems: ten of them are too few to resample."""

import math
from collections.abc import Callable

import scipy
from scipy.special import ndtri

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.resampling.intervals import Interval, tails_of


def fisher_interval(
    estimate: float | None, *, n: int, coefficient: Coefficient, level: float = 0.95
) -> Interval:
    """The interval of a coefficient over `n` systems drawn at random, by Fisher's z.

    Variance of z: 1 / (n - 3) for Pearson (Fisher 1921), (1 + r^2 / 2) / (n - 3) for Spearman (Bonett and
    Wright 2000), 0.437 / (n - 4) for Kendall (Fieller et al. 1957). At 1 or -1 z has no end; Spearman's rho
    is there exactly where Kendall's tau is, and so has the interval of the same populations
    (`esscher_interval`).

    Parameters
    ----------
    estimate : the coefficient, or None where it is undefined
    n : how many systems it is over
    coefficient : "pearson", "spearman" or "kendall"
    level : the share of samples whose interval shall hold the true coefficient

    Returns
    -------
    Interval : without ends and with a `reason` for too few systems, or an estimate of 1 or -1 that is not
        Spearman's

    Raises
    ------
    InputError : for a coefficient without such an interval

    References
    ----------
    Fisher, R. A. (1921). On the probable error of a coefficient of correlation. Metron 1, 3-32.
    Bonett, D. G. and Wright, T. A. (2000). Sample size requirements for correlations. Psychometrika 65,
    23-28.
    Fieller, Hartley and Pearson (1957). Tests for rank correlation coefficients. Biometrika 44, 470-481.

    Examples
    --------
    >>> found = fisher_interval(0.6, n=20, coefficient="pearson")
    >>> round(found.low, 3), round(found.high, 3)
    (0.214, 0.824)
    """
    variance = REGISTRY[coefficient].fisher
    if variance is None:
        raise InputError(f"there is no Fisher interval for {coefficient}")
    low, _ = tails_of(level)
    a, b, c = variance
    if estimate is None:
        return Interval(None, None, "fisher", level, reason="the coefficient is undefined")
    if n <= c:
        return Interval(None, None, "fisher", level, reason=f"{n} systems, at least {c + 1} are needed")
    if abs(estimate) >= 1.0 - TIE and coefficient == "spearman":
        return _interval_of_one_order(estimate, n=n, level=level)
    if abs(estimate) >= 1.0 - TIE:
        return Interval(None, None, "fisher", level, reason="the coefficient is at its limit")
    half = -float(ndtri(low)) * math.sqrt((a + b * estimate**2) / (n - c))
    z = math.atanh(estimate)
    return Interval(math.tanh(z - half), math.tanh(z + half), "fisher", level)


LEAST_FOR_ESSCHER = 4
"""With three systems tau has four values, and an interval of it is nearly everything there is."""


def esscher_interval(estimate: float | None, *, n: int, level: float = 0.95) -> Interval:
    """The interval of Kendall's tau over `n` systems drawn at random, by inversion of a score test.

    It holds every tau from which the estimate lies no farther than chance would have it, with the exact
    variance that tau has in samples of a bivariate normal population (`tau_variance`). Unlike an interval by
    Fisher's z it is defined where the estimate is 1 or -1, and it covers as well there as elsewhere.

    Parameters
    ----------
    estimate : tau, or None where it is undefined
    n : how many systems it is over
    level : the share of samples whose interval shall hold the true tau

    Returns
    -------
    Interval : without ends and with a `reason` for fewer than four systems, or no estimate

    Raises
    ------
    InputError : for a level outside of (0, 1)

    References
    ----------
    Esscher, F. (1924). On a method of determining correlation from the ranks of the variates. Skandinavisk
    Aktuarietidskrift 7, 201-219.

    Examples
    --------
    >>> found = esscher_interval(1.0, n=10)
    >>> round(found.low, 3), found.high
    (0.755, 1.0)
    """
    low, _ = tails_of(level)
    if estimate is None:
        return Interval(None, None, "esscher", level, reason="the coefficient is undefined")
    if n < LEAST_FOR_ESSCHER:
        reason = f"{n} systems, at least {LEAST_FOR_ESSCHER} are needed"
        return Interval(None, None, "esscher", level, reason=reason)
    reach = float(ndtri(low)) ** 2

    def beyond(tau: float) -> float:
        return (estimate - tau) ** 2 - reach * tau_variance(tau, n=n)

    ends = [_end_between(beyond, limit, estimate) for limit in (-1.0, 1.0)]
    return Interval(ends[0], ends[1], "esscher", level)


def _interval_of_one_order(estimate: float, *, n: int, level: float) -> Interval:
    """Of Spearman's rho where both sides have one order, or opposite ones: it says no more than tau does.

    Each tau is that of one normal population, whose rho is 6 / pi asin(sin(pi tau / 2) / 2).
    """
    found = esscher_interval(math.copysign(1.0, estimate), n=n, level=level)
    low, high = (
        None if tau is None else 6.0 / math.pi * math.asin(math.sin(math.pi * tau / 2.0) / 2.0)
        for tau in (found.low, found.high)
    )
    return Interval(low, high, "esscher", level, reason=found.reason)


def concordance_interval(
    estimate: float | None, *, n: int, coefficient: Coefficient, tied: bool, level: float = 0.95
) -> Interval:
    """`esscher_interval` of tau-b, or of what is tau by another name where no scores are tied.

    Without ties tau-c is tau-b, and the pairwise accuracy (1 + tau) / 2; with them neither estimates tau.

    Parameters
    ----------
    estimate : the coefficient, or None where it is undefined
    n : how many systems it is over
    coefficient : "kendall", "kendall-c" or "pairwise-accuracy"
    tied : whether any two scores of a side are equal
    level : the share of samples whose interval shall hold the true coefficient

    Returns
    -------
    Interval : without ends and with a `reason` where it is undefined

    Raises
    ------
    InputError : for a coefficient that is no tau

    References
    ----------
    Esscher (1924), as `esscher_interval`.

    Examples
    --------
    >>> found = concordance_interval(0.9, n=10, coefficient="pairwise-accuracy", tied=False)
    >>> round(found.low, 3), round(found.high, 3)
    (0.687, 0.961)
    """
    info = REGISTRY[coefficient]
    if coefficient == "kendall":
        return esscher_interval(estimate, n=n, level=level)
    if info.without_ties != "tau":
        raise InputError(f"there is no interval by Esscher's variance for {coefficient}")
    if tied and estimate is not None:
        reason = "scores are tied, and with ties this coefficient does not estimate tau"
        return Interval(None, None, "esscher", level, reason=reason)
    if estimate is None or (info.lowest, info.highest) == (-1.0, 1.0):
        return esscher_interval(estimate, n=n, level=level)
    found = esscher_interval(2.0 * info.share_of_range(estimate) - 1.0, n=n, level=level)
    low, high = (None if end is None else info.at_share((1.0 + end) / 2.0) for end in (found.low, found.high))
    return Interval(low, high, "esscher", level, reason=found.reason)


def _end_between(beyond: Callable[[float], float], limit: float, estimate: float) -> float:
    """Where `beyond` changes its sign between the limit of tau and the estimate; the limit if it does not."""
    inside = estimate + math.copysign(TIE, limit - estimate)
    if abs(estimate - limit) <= TIE or beyond(inside) >= 0.0:
        return limit
    return float(scipy.optimize.brentq(beyond, limit, inside))


def tau_variance(tau: float, *, n: int) -> float:
    """Variance of Kendall's tau over `n` draws from a bivariate normal population (Esscher 1924)."""
    half = math.asin(math.sin(math.pi * tau / 2.0) / 2.0) * 2.0 / math.pi
    return 2.0 / (n * (n - 1)) * (1.0 - tau**2 + 2.0 * (n - 2) * (1.0 / 9.0 - half**2))
