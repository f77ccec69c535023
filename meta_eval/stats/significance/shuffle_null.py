"""A coefficient against what shuffled ratings give: what the raters add to it."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.ties import TIE

NullMethod = Literal["exact", "shuffled"]
NULL_QUANTILE = 0.95


@dataclass(frozen=True, slots=True)
class ShuffleNull:
    """Coefficients of shuffled ratings, and where the observed one stands among them.

    `mean` is what the coefficient comes to without any word of the raters, `high` what 95 of 100 shuffles
    reach at most. `p` is the share of shuffles that reach the estimate: small where the raters support it.
    All are None with a `reason` where there is no null.
    """

    mean: float | None = None
    high: float | None = None
    p: float | None = None
    method: NullMethod | None = None
    shuffles: int = 0
    reason: str | None = None


def compare_with_shuffles(null: FloatArray, estimate: float | None, *, exact: bool) -> ShuffleNull:
    """Where an estimate stands among the coefficients of shuffled ratings.

    Parameters
    ----------
    null : array of shape (R,)
        The coefficient under each shuffle; NaN where it is undefined, which counts for nothing.
    estimate : float or None
        As observed.
    exact : bool
        Whether the shuffles are all there are, the observed ratings among them. Otherwise the observed ones
        count as one more, so that p is never 0.

    Returns
    -------
    ShuffleNull
        p is one-sided: only more agreement than by shuffled ratings speaks for a measure.

    References
    ----------
    Phipson and Smyth 2010 (p of sampled permutations); protocol 8.

    Examples
    --------
    >>> found = compare_with_shuffles(np.array([0.1, 0.2, 0.3, 0.9]), 0.6, exact=False)
    >>> round(found.mean, 3), round(found.high, 2), found.p
    (0.375, 0.9, 0.4)
    """
    defined = null[np.isfinite(null)]
    method: NullMethod = "exact" if exact else "shuffled"
    if not defined.size:
        reason = "shuffled ratings give no coefficient: all systems score alike"
        return ShuffleNull(method=method, shuffles=len(null), reason=reason)
    mean, high = float(defined.mean()), float(np.quantile(defined, NULL_QUANTILE, method="higher"))
    if estimate is None:
        return ShuffleNull(mean, high, None, method, len(defined), "there is no coefficient to compare")
    return ShuffleNull(mean, high, shuffle_p_value(defined, estimate, exact=exact), method, len(defined))


def shuffle_p_value(null: FloatArray, value: float, *, exact: bool) -> float:
    """The share of defined shuffles (R,) that reach a value; the observed one counts where they are drawn.

    Examples
    --------
    >>> shuffle_p_value(np.array([0.1, 0.5, 0.6]), 0.5, exact=False)
    0.75
    """
    reached = int((null >= value - 10 * TIE).sum())
    return reached / len(null) if exact else (reached + 1) / (len(null) + 1)


def max_t_p_values(null: FloatArray, observed: FloatArray, *, exact: bool) -> tuple[float | None, ...]:
    """p of each of M statistics, adjusted for all of them by the greatest under the shared null, in steps.

    Each statistic is standardised by its own null, so that one whose null is wide does not drown the others.
    The chance of any false finding is held, and because the shuffles are shared, statistics that go together
    cost little.

    Parameters
    ----------
    null : array of shape (R, M)
        All statistics under each of R shuffles or permutations.
    observed : array of shape (M,)
        NaN where one is undefined: it takes no part, and its p is None.
    exact : bool
        Whether the rows are all there are.

    Returns
    -------
    tuple of M numbers
        In (0, 1], None where undefined; never below the p of a statistic by itself.

    References
    ----------
    Westfall and Young 1993, algorithm 2.8 (step-down max-T).

    Examples
    --------
    >>> null = np.array([[0.0, 0.2], [1.0, -0.2], [-1.0, 0.1], [0.5, 0.0]])
    >>> max_t_p_values(null, np.array([0.0, 2.0]), exact=False)
    (0.8, 0.2)
    """
    kept = np.flatnonzero(np.isfinite(observed) & np.isfinite(null).any(axis=0))
    centre, spread = _moments(null[:, kept])
    drawn = (null[:, kept] - centre) / spread
    given = (observed[kept] - centre) / spread
    adjusted: list[float | None] = [None] * len(observed)
    order, least = np.argsort(-given, kind="stable"), 0.0
    for step, at in enumerate(order):
        value = float(given[at])
        for null_of in (np.fmax.reduce(drawn[:, order[step:]], axis=1), drawn[:, at]):
            least = max(least, shuffle_p_value(null_of[np.isfinite(null_of)], value, exact=exact))
        adjusted[kept[at]] = least
    return tuple(adjusted)


def _moments(null: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean and standard deviation of each column; a column that does not vary keeps its scale."""
    centre = np.nanmean(null, axis=0)
    spread = np.nanstd(null, axis=0)
    return centre, np.where(spread > 10 * TIE, spread, 1.0)
