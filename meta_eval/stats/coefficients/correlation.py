"""Correlation coefficients over systems: each with its n, undefined with a reason where it is undefined."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS, REGISTRY, Coefficient
from meta_eval.stats.coefficients.ties import constant_rows, snap_ties


@dataclass(frozen=True, slots=True)
class Correlation:
    """`estimate` over `n` pairs of values; None with a `reason` where it is undefined.

    In [-1, 1], but for the pairwise accuracy, which is in [0, 1].
    """

    coefficient: Coefficient
    n: int
    estimate: float | None
    reason: str | None = None


def correlate(x: Sequence[float | None], y: Sequence[float | None], coefficient: Coefficient) -> Correlation:
    """Pearson's r, Spearman's rho, Kendall's tau-b or tau-c, or the pairwise accuracy with ties.

    Over the pairs in which both values are there. Fewer than two of them leave the coefficient undefined; so
    does a constant side, but for the pairwise accuracy: it is the share of pairs of systems that both sides
    order alike or both tie (Deutsch et al. 2023, acc_eq), and a constant side ties all of them.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`

    Returns
    -------
    Correlation : its `estimate`, the `n` pairs that it is over, and a `reason` where it is undefined

    Raises
    ------
    InputError : for an unknown coefficient, or sides of different length

    References
    ----------
    Kendall, M. G. (1945). The treatment of ties in ranking problems. Biometrika 33, 239-251.
    Stuart, A. (1953). The estimation and comparison of strengths of association in contingency tables.
    Biometrika 40, 105-110.
    Deutsch, Foster and Freitag (2023). Ties matter: meta-evaluating modern metrics with pairwise accuracy and
    tie
    calibration. EMNLP.

    Examples
    --------
    >>> correlate([0.1, 0.4, 0.3, None], [1, 3, 2, 5], "kendall")
    Correlation(coefficient='kendall', n=3, estimate=1.0, reason=None)
    >>> correlate([0.1, 0.1], [1, 2], "pearson").reason
    'one side has the same score for every system'
    """
    if coefficient not in REGISTRY:
        raise InputError(f"coefficient is one of {', '.join(ALL_COEFFICIENTS)}, not {coefficient!r}")
    first, second = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError(f"{len(first)} values cannot be paired with {len(second)}")
    both = np.isfinite(first) & np.isfinite(second)
    first, second = snap_ties(first[both]), snap_ties(second[both])
    n = int(both.sum())
    reason = undefined_reason(first, second, coefficient)
    if reason:
        return Correlation(coefficient, n, None, reason)
    return Correlation(coefficient, n, REGISTRY[coefficient].compute(first, second))


def check_coefficients(names: Sequence[str]) -> tuple[Coefficient, ...]:
    """The coefficients by these names, each once and in the order of `ALL_COEFFICIENTS`.

    Parameters
    ----------
    names : sequence of str, in any order, repeated or not

    Returns
    -------
    tuple of the names

    Raises
    ------
    InputError : for an unknown name, and where none is given

    Examples
    --------
    >>> check_coefficients(["kendall", "pearson", "kendall"])
    ('pearson', 'kendall')
    """
    unknown = [name for name in names if name not in ALL_COEFFICIENTS]
    if unknown or not names:
        known = ", ".join(ALL_COEFFICIENTS)
        raise InputError(
            f"there is no coefficient {', '.join(unknown)}; there are {known}"
            if unknown
            else f"give at least one coefficient of {known}"
        )
    return tuple(name for name in ALL_COEFFICIENTS if name in names)


def undefined_reason(first: FloatArray, second: FloatArray, coefficient: Coefficient) -> str | None:
    """Why the coefficient cannot be computed of these values; None if it can.

    Parameters
    ----------
    first, second : (n,) arrays without NaN
    coefficient : one of `ALL_COEFFICIENTS`

    Returns
    -------
    str, or None where it can be computed

    Examples
    --------
    >>> undefined_reason(np.array([0.5]), np.array([1.0]), "kendall")
    'fewer than two systems have both scores'
    """
    if len(first) < 2:
        return "fewer than two systems have both scores"
    if not REGISTRY[coefficient].of_constant and (constant_rows(first) or constant_rows(second)):
        return "one side has the same score for every system"
    return None
