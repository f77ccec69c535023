"""What a coefficient of n values is expected to be in a normal population, and which population that is.

Only Pearson's r follows the arithmetic of reliability; a rank coefficient is turned into it and back.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

Curve = Callable[[float, int], float]


@dataclass(frozen=True, slots=True)
class NormalCurves:
    """`of_pearson`: the coefficient expected of n values whose population has this Pearson's r; `to_pearson`:
    the r of which a coefficient is expected."""

    of_pearson: Curve
    to_pearson: Curve


def _same(value: float, _n: int) -> float:
    return value


def expected_tau(r: float, _n: int) -> float:
    """Kendall's tau: 2 / pi asin r, for any n (Greiner 1909).

    Examples
    --------
    >>> round(expected_tau(0.5, 10), 6)
    0.333333
    """
    return 2.0 / math.pi * math.asin(r)


def _pearson_of_tau(tau: float, _n: int) -> float:
    return math.sin(math.pi * tau / 2.0)


def expected_rho(r: float, n: int) -> float:
    """Spearman's rho of n values (Moran 1948): 6 / pi asin(r / 2) for very many, nearer to 0 for few.

    Examples
    --------
    >>> round(expected_rho(0.5, 10), 4), round(expected_rho(0.5, 100_000), 4)
    (0.4419, 0.4826)
    """
    return 6.0 / (math.pi * (n + 1)) * (math.asin(r) + (n - 2) * math.asin(r / 2.0))


def _pearson_of_rho(rho: float, n: int) -> float:
    if abs(rho) >= 1.0:
        return math.copysign(1.0, rho)
    from scipy import optimize

    return float(optimize.brentq(lambda r: expected_rho(r, n) - rho, -1.0, 1.0))


def expected_accuracy(r: float, n: int) -> float:
    """The pairwise accuracy without ties: (tau + 1) / 2."""
    return (expected_tau(r, n) + 1.0) / 2.0


def _pearson_of_accuracy(accuracy: float, n: int) -> float:
    return _pearson_of_tau(2.0 * accuracy - 1.0, n)


PEARSON = NormalCurves(_same, _same)
KENDALL = NormalCurves(expected_tau, _pearson_of_tau)
SPEARMAN = NormalCurves(expected_rho, _pearson_of_rho)
ACCURACY = NormalCurves(expected_accuracy, _pearson_of_accuracy)
