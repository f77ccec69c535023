"""The coefficient of two sides given a third, which both of them may contain."""

from collections.abc import Sequence
from math import sqrt

from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.ties import TIE


def correlate_given(
    x: Sequence[float | None],
    y: Sequence[float | None],
    given: Sequence[float | None],
    coefficient: Coefficient,
) -> Correlation:
    """The partial coefficient of x and y given a third variable, over the systems that have all three.

    (r_xy - r_xz r_yz) / sqrt((1 - r_xz^2) (1 - r_yz^2)), with the coefficient in the place of r.

    Parameters
    ----------
    x, y, given : sequence of float or None
        One value a system.
    coefficient : Coefficient
        Pearson's, Spearman's or Kendall's tau-b; the others are no correlations of one vector a side.

    Returns
    -------
    Correlation
        In [-1, 1]; no estimate, with the reason, where it is undefined.

    References
    ----------
    Yule 1907 for Pearson; Kendall 1942 for tau, the same formula.

    Examples
    --------
    >>> both = [1.0, 2.0, 3.0, 4.0, 5.0]
    >>> round(correlate_given([1, 3, 2, 4, 6], [2, 1, 3, 5, 4], both, "pearson").estimate, 3)
    -0.577
    """
    complete = [row for row in zip(x, y, given, strict=True) if None not in row]
    sides = [list(side) for side in zip(*complete, strict=True)] or [[], [], []]
    n = len(complete)
    if coefficient not in ("pearson", "spearman", "kendall"):
        return Correlation(coefficient, n, None, f"{REGISTRY[coefficient].title} has no partial form")
    pairs = ((sides[0], sides[1]), (sides[0], sides[2]), (sides[1], sides[2]))
    found = [correlate(first, second, coefficient) for first, second in pairs]
    for one in found:
        if one.estimate is None:
            return Correlation(coefficient, n, None, one.reason)
    both, first, second = (one.estimate or 0.0 for one in found)
    left = (1.0 - first**2) * (1.0 - second**2)
    if left < TIE:
        reason = "what is given tells one side completely, so nothing is left to correlate"
        return Correlation(coefficient, n, None, reason)
    return Correlation(coefficient, n, max(-1.0, min(1.0, (both - first * second) / sqrt(left))), None)
