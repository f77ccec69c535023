"""The levels at which two scores are correlated: systems, systems within each document, or all items."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.weights import (
    mean_scores,
)

Level = Literal["system", "document", "item"]


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """`estimate` at one level; None with a `reason`.

    `n` counts what it is over: systems, documents that have a coefficient (`undefined` have none), or items.
    """

    level: Level
    coefficient: Coefficient
    n: int
    estimate: float | None
    reason: str | None = None
    undefined: int = 0


def correlate_level(
    x: FloatArray, y: FloatArray, coefficient: Coefficient, *, level: Level
) -> LevelCorrelation:
    """Correlate two scores (S systems, D documents or items), NaN where one is missing.

    `system`: of the systems' means, each side over what it has. `document`: of the systems within each
    document, averaged over the documents where that is defined. `item`: of all values that both have; pass
    one column for each reader pair to correlate over reader-pair items.

    Parameters
    ----------
    x, y : arrays (S, D); at level "system" D may differ
    coefficient : one of `ALL_COEFFICIENTS`
    level : "system", "document" or "item"

    Returns
    -------
    LevelCorrelation

    Raises
    ------
    InputError : for an unknown level, or shapes that do not fit it

    Examples
    --------
    >>> x = np.array([[0.1, 0.4], [0.2, 0.3], [0.4, 0.1]])
    >>> y = np.array([[0.2, 0.1], [0.3, 0.2], [0.4, 0.9]])
    >>> [correlate_level(x, y, "kendall", level=level).estimate for level in ("document", "system")]
    [0.0, None]
    """
    _check(x, y, level)
    if level == "document":
        return average_documents(correlate_documents(x, y, coefficient), coefficient)
    sides = (mean_scores(x), mean_scores(y)) if level == "system" else (x.ravel(), y.ravel())
    result = correlate(sides[0].tolist(), sides[1].tolist(), coefficient)
    reason = result.reason if level == "system" or not result.reason else _ITEM_REASONS[result.n < 2]
    return LevelCorrelation(level, coefficient, result.n, result.estimate, reason)


def average_documents(found: FloatArray, coefficient: Coefficient) -> LevelCorrelation:
    """The mean of the coefficients (D,) of single documents, over those that have one."""
    defined = found[np.isfinite(found)]
    estimate = float(defined.mean()) if defined.size else None
    reason = None if defined.size else "no document has two systems that differ on both sides"
    undefined = found.size - defined.size
    return LevelCorrelation("document", coefficient, defined.size, estimate, reason, undefined=undefined)


_ITEM_REASONS = {True: "fewer than two items have both scores", False: "one side is the same for every item"}


def correlate_documents(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    """(D,): the coefficient over systems within each document (S, D), NaN where it is undefined."""
    return correlate_rows(x.T, y.T, coefficient)


def _check(x: FloatArray, y: FloatArray, level: str) -> None:
    if level not in get_args(Level):
        raise InputError(f"level is {', '.join(get_args(Level))}, not {level!r}")
    if x.ndim != 2 or x.shape[0] != y.shape[0] or (level != "system" and x.shape != y.shape):
        raise InputError(f"scores of shape {x.shape} and {y.shape} cannot be correlated by {level}")
