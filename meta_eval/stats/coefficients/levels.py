"""The levels at which two scores are correlated: systems, systems within each document, documents within each
system, or all items."""

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.weights import (
    mean_scores,
)

Level = Literal["system", "document", "within-system", "item"]


@dataclass(frozen=True, slots=True)
class LevelCorrelation:
    """`estimate` at one level; None with a `reason`.

    `n` counts what it is over: systems or items; of coefficients that are averaged, the documents or systems
    that have one (`undefined` have none).
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
    document, averaged over the documents where that is defined (group by item). `within-system`: of the
    documents of each system, averaged over the systems where that is defined (group by system). `item`: of
    all values that both have (no grouping); pass one column for each reader pair to correlate over
    reader-pair items.

    Parameters
    ----------
    x, y : arrays (S, D); at level "system" D may differ
    coefficient : one of `ALL_COEFFICIENTS`
    level : "system", "document", "within-system" or "item"

    Returns
    -------
    LevelCorrelation

    Raises
    ------
    InputError : for an unknown level, or shapes that do not fit it

    References
    ----------
    Deutsch, Foster and Freitag (2023), "Ties Matter: Meta-Evaluating Modern Metrics with Pairwise Accuracy
    and Tie Calibration", for the ways to group.

    Examples
    --------
    >>> x = np.array([[0.1, 0.4], [0.2, 0.3], [0.4, 0.1]])
    >>> y = np.array([[0.2, 0.1], [0.3, 0.2], [0.4, 0.9]])
    >>> levels = ("document", "within-system", "system")
    >>> [correlate_level(x, y, "kendall", level=level).estimate for level in levels]
    [0.0, -1.0, None]
    """
    _check(x, y, level)
    if level == "document":
        return average_documents(correlate_documents(x, y, coefficient), coefficient)
    if level == "within-system":
        return average_systems(correlate_systems(x, y, coefficient), coefficient)
    sides = (mean_scores(x), mean_scores(y)) if level == "system" else (x.ravel(), y.ravel())
    result = correlate(sides[0].tolist(), sides[1].tolist(), coefficient)
    reason = result.reason if level == "system" or not result.reason else _ITEM_REASONS[result.n < 2]
    return LevelCorrelation(level, coefficient, result.n, result.estimate, reason)


def average_documents(found: FloatArray, coefficient: Coefficient) -> LevelCorrelation:
    """The mean of the coefficients of single documents, over those that have one.

    Parameters
    ----------
    found : (D,) array, NaN where a document has none
    coefficient : which one it is, for the result

    Returns
    -------
    LevelCorrelation : of the level "document"

    References
    ----------
    Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. TACL 9 (summary-level correlation).

    Examples
    --------
    >>> average_documents(np.array([0.5, np.nan, 1.0]), "kendall").estimate
    0.75
    """
    return _average(found, coefficient, "document", "no document has two systems")


def average_systems(found: FloatArray, coefficient: Coefficient) -> LevelCorrelation:
    """The mean of the coefficients of single systems, over those that have one.

    Parameters
    ----------
    found : (S,) array, NaN where a system has none
    coefficient : which one it is, for the result

    Returns
    -------
    LevelCorrelation : of the level "within-system"

    Examples
    --------
    >>> average_systems(np.array([0.5, np.nan, 1.0]), "kendall").estimate
    0.75
    """
    return _average(found, coefficient, "within-system", "no system has two documents")


def _average(found: FloatArray, coefficient: Coefficient, level: Level, none_has: str) -> LevelCorrelation:
    defined = found[np.isfinite(found)]
    if not defined.size:
        needed = "with both scores" if REGISTRY[coefficient].of_constant else "that differ on both sides"
        why_none = f"{none_has} {needed}"
        return LevelCorrelation(level, coefficient, 0, None, why_none, undefined=found.size)
    estimate, undefined = float(defined.mean()), found.size - defined.size
    return LevelCorrelation(level, coefficient, defined.size, estimate, undefined=undefined)


_ITEM_REASONS = {True: "fewer than two items have both scores", False: "one side is the same for every item"}


def correlate_documents(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    """The coefficient over systems within each document.

    Parameters
    ----------
    x, y : (S, D) arrays, NaN where a score is missing
    coefficient : one of `ALL_COEFFICIENTS`

    Returns
    -------
    (D,) array : NaN where it is undefined

    References
    ----------
    Deutsch, Dror and Roth (2021). A statistical analysis of summarization evaluation metrics using resampling
    methods. TACL 9 (summary-level correlation); the coefficients are those of `correlate`.

    Examples
    --------
    >>> x, y = np.array([[0.1, 0.4], [0.2, 0.3], [0.4, 0.1]]), np.array([[0.2, 0.1], [0.3, 0.2], [0.4, 0.9]])
    >>> correlate_documents(x, y, "kendall").round(6).tolist()
    [1.0, -1.0]
    """
    return correlate_rows(x.T, y.T, coefficient)


def correlate_systems(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
    """(S,): the coefficient over documents of each system (S, D), NaN where it is undefined.

    Of one system at a time: there may be more documents than the pairs of all of them would fit into memory.
    """
    found = [correlate(*sides, coefficient).estimate for sides in zip(x.tolist(), y.tolist(), strict=True)]
    return np.array([np.nan if one is None else one for one in found])


def _check(x: FloatArray, y: FloatArray, level: str) -> None:
    if level not in get_args(Level):
        raise InputError(f"level is {', '.join(get_args(Level))}, not {level!r}")
    if x.ndim != 2 or x.shape[0] != y.shape[0] or (level != "system" and x.shape != y.shape):
        raise InputError(f"scores of shape {x.shape} and {y.shape} cannot be correlated by {level}")
