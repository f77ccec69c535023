"""Correlation coefficients over systems: each with its n, undefined with a reason where it is undefined."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from scipy import stats

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import InputError

Coefficient = Literal["pearson", "spearman", "kendall", "kendall-c", "pairwise-accuracy"]
COEFFICIENTS: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
"""What every table shows; tau-c and the pairwise accuracy are there for those who ask."""
ALL_COEFFICIENTS: tuple[Coefficient, ...] = get_args(Coefficient)

TIE = 1e-12
"""Scores that differ by less (relative to 1 or to the largest) are tied: the rest is rounding."""


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

    Over the pairs in which both values are there. Fewer than two of them, or a constant side, leave the
    coefficient undefined. The pairwise accuracy is the share of pairs of systems that both sides order alike
    or both tie (Deutsch et al. 2023, acc_eq).
    """
    if coefficient not in _FUNCTIONS:
        raise InputError(f"coefficient is one of {', '.join(get_args(Coefficient))}, not {coefficient!r}")
    first, second = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    if first.shape != second.shape:
        raise InputError(f"{len(first)} values cannot be paired with {len(second)}")
    both = np.isfinite(first) & np.isfinite(second)
    first, second = snap_ties(first[both]), snap_ties(second[both])
    n = int(both.sum())
    reason = undefined_reason(first, second)
    if reason:
        return Correlation(coefficient, n, None, reason)
    return Correlation(coefficient, n, _FUNCTIONS[coefficient](first, second))


def check_coefficients(names: Sequence[str]) -> tuple[Coefficient, ...]:
    """The coefficients by these names, each once and in the order of `ALL_COEFFICIENTS`.

    Raises `InputError` for an unknown name, and where none is given.
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


def undefined_reason(first: FloatArray, second: FloatArray) -> str | None:
    """Why no coefficient can be computed of these values; None if one can."""
    if len(first) < 2:
        return "fewer than two systems have both scores"
    if constant_rows(first) or constant_rows(second):
        return "one side has the same score for every system"
    return None


def tie_tolerance(values: FloatArray) -> FloatArray:
    """(..., 1): below which difference two values of a row (..., n) are tied. NaN are passed over."""
    tolerance: FloatArray = TIE * np.fmax.reduce(np.abs(values), axis=-1, keepdims=True, initial=1.0)
    return tolerance


def constant_rows(values: FloatArray) -> BoolArray:
    """(...): whether a row (..., n) is equal but for rounding: a coefficient of noise is worse than none."""
    high = np.fmax.reduce(values, axis=-1, initial=-np.inf)
    low = np.fmin.reduce(values, axis=-1, initial=np.inf)
    constant: BoolArray = ~(high - low > tie_tolerance(values)[..., 0])
    return constant


def snap_ties(values: FloatArray) -> FloatArray:
    """(n,): values that differ by rounding alone made equal, so that ranks see the tie."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order], prepend=values[order][:1])
    starts = gaps > tie_tolerance(values)
    starts[:1] = True
    snapped = np.empty_like(values)
    snapped[order] = values[order][np.flatnonzero(starts)[np.cumsum(starts) - 1]]
    return snapped


def _pairwise_accuracy(x: FloatArray, y: FloatArray) -> float:
    first, second = np.triu_indices(len(x), 1)
    return float(np.mean(np.sign(x[first] - x[second]) == np.sign(y[first] - y[second])))


_FUNCTIONS: dict[Coefficient, Callable[[FloatArray, FloatArray], float]] = {
    "pearson": lambda x, y: float(stats.pearsonr(x, y).statistic),
    "spearman": lambda x, y: float(stats.spearmanr(x, y).statistic),
    "kendall": lambda x, y: float(stats.kendalltau(x, y, variant="b").statistic),
    "kendall-c": lambda x, y: float(stats.kendalltau(x, y, variant="c").statistic),
    "pairwise-accuracy": _pairwise_accuracy,
}
