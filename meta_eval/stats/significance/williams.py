"""Williams' test: two metrics' correlations with one human score, from the coefficients alone."""

import math
from collections.abc import Sequence

import numpy as np
import scipy

from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.resampling.intervals import Alternative, check_alternative
from meta_eval.stats.significance.comparison import MetricDifference


def compare_by_williams(
    x: Sequence[float | None],
    y: Sequence[float | None],
    human: Sequence[float | None],
    coefficient: Coefficient = "pearson",
    *,
    alternative: Alternative = "two-sided",
) -> MetricDifference:
    """Williams' test (1959; Steiger 1980, eq. 7) of metrics x and y, over the systems that all three have.

    t with n - 3 degrees of freedom from the signed coefficients: with their absolute values, as psych and
    nlpstats have it, a metric that opposes people counts as one that agrees with them. Exact for Pearson of
    normal scores; for rank coefficients an approximation.

    Parameters
    ----------
    x, y, human : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    alternative : "two-sided", "greater" (x agrees better) or "less"

    Returns
    -------
    MetricDifference : with `statistic`, Williams' t

    Raises
    ------
    InputError : for an unknown alternative

    References
    ----------
    Williams, E. J. (1959). The comparison of regression variables. JRSS B 21, 396-399.
    Steiger, J. H. (1980). Tests for comparing elements of a correlation matrix. Psychological Bulletin 87,
    245-251.

    Examples
    --------
    >>> human = [1, 2, 3, 4, 5, 6]
    >>> found = compare_by_williams([1, 2, 3, 4, 6, 5], [2, 1, 5, 3, 4, 6], human)
    >>> found.n, round(found.difference, 3), round(found.p_value, 3)
    (6, 0.171, 0.309)
    """
    check_alternative(alternative)
    sides = np.array([x, y, human], dtype=np.float64)
    sides = sides[:, np.isfinite(sides).all(axis=0)]
    n = sides.shape[1]
    found = [correlate(list(a), list(b), coefficient) for a, b in (sides[[0, 2]], sides[[1, 2]], sides[:2])]
    values = [one.estimate for one in found]
    reason = next((one.reason for one in found if one.reason), None)
    reason = reason or (f"{n} systems, at least 4 are needed" if n < 4 else None)
    if reason is None and values[2] is not None and 1.0 - values[2] <= TIE:
        reason = "the two metrics agree perfectly with each other"
    if reason is not None or values[0] is None or values[1] is None or values[2] is None:
        return MetricDifference("williams", coefficient, alternative, n, None, None, reason)
    t = williams_t(values[0], values[1], values[2], n=n)
    p = _t_p_value(t, n - 3, alternative)
    return MetricDifference("williams", coefficient, alternative, n, values[0] - values[1], p, statistic=t)


def williams_t(r12: float, r13: float, r23: float, *, n: int) -> float:
    """Williams' t of r12 - r13, where variable 1 is shared and n cases were seen; signed."""
    determinant = 1.0 - r12**2 - r13**2 - r23**2 + 2.0 * r12 * r13 * r23
    mean = (r12 + r13) / 2.0
    spread = 2.0 * (n - 1) / (n - 3) * max(determinant, 0.0) + mean**2 * (1.0 - r23) ** 3
    if spread <= 0.0:
        return math.copysign(math.inf, r12 - r13) if r12 != r13 else 0.0
    return (r12 - r13) * math.sqrt((n - 1) * (1.0 + r23) / spread)


def _t_p_value(t: float, freedom: int, alternative: Alternative) -> float:
    tails = {
        "two-sided": 2.0 * scipy.stats.t.sf(abs(t), freedom),
        "greater": scipy.stats.t.sf(t, freedom),
        "less": scipy.stats.t.cdf(t, freedom),
    }
    return max(float(tails[alternative]), float(np.finfo(np.float64).tiny))
