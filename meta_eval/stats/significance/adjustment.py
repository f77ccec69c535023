"""p-values of many hypotheses together: Holm against any false finding, Benjamini-Hochberg against many."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError

Adjustment = Literal["holm", "benjamini-hochberg"]
ADJUSTMENTS: Mapping[Adjustment, str] = {
    "holm": "Holm: of twenty tables at most one holds any false finding",
    "benjamini-hochberg": "Benjamini-Hochberg: of twenty findings at most one is false, on average",
}
"""What each promises."""


def adjust_p_values(
    p_values: Sequence[float | None], *, method: Adjustment = "holm"
) -> tuple[float | None, ...]:
    """Adjusted p-values in the order given; those that are None stay None and do not count.

    Holm (1979) bounds the chance of any false finding, whatever the dependence; Benjamini and Hochberg (1995)
    bound the share of false findings, for independent or positively dependent tests.

    Parameters
    ----------
    p_values : from 0 to 1, or None
    method : "holm" or "benjamini-hochberg"

    Returns
    -------
    tuple of the adjusted p-values, None where none was given

    Raises
    ------
    InputError : for a p-value outside 0 to 1, or an unknown method

    References
    ----------
    Holm, S. (1979). A simple sequentially rejective multiple test procedure. Scand. J. Statist. 6, 65-70.
    Benjamini, Y. and Hochberg, Y. (1995). Controlling the false discovery rate. JRSS B 57, 289-300.

    Examples
    --------
    >>> adjust_p_values([0.01, 0.04, None, 0.03])
    (0.03, 0.06, None, 0.06)
    >>> [round(p, 6) for p in adjust_p_values([0.01, 0.04, 0.03], method="benjamini-hochberg")]
    [0.03, 0.04, 0.04]
    """
    check_adjustment(method)
    given = np.array([p for p in p_values if p is not None], dtype=np.float64)
    if not np.all((given >= 0.0) & (given <= 1.0)):
        raise InputError("p-values must be from 0 to 1")
    adjusted = iter((_holm(given) if method == "holm" else _benjamini_hochberg(given)).tolist())
    return tuple(None if p is None else next(adjusted) for p in p_values)


def check_adjustment(method: str) -> None:
    """Raises `InputError` for anything but the two."""
    if method not in get_args(Adjustment):
        raise InputError(f"adjustment is {' or '.join(get_args(Adjustment))}, not {method!r}")


def _holm(p: FloatArray) -> FloatArray:
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return _in_order(stepped, order)


def _benjamini_hochberg(p: FloatArray) -> FloatArray:
    order = np.argsort(p, kind="stable")
    scaled = p[order] * len(p) / np.arange(1, len(p) + 1)
    return _in_order(np.minimum.accumulate(scaled[::-1])[::-1], order)


def _in_order(values: FloatArray, order: np.ndarray[tuple[int, ...], np.dtype[np.intp]]) -> FloatArray:
    placed = np.empty_like(values)
    placed[order] = np.minimum(values, 1.0)
    return placed
