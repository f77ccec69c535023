"""The effective DEGRESS penalty of PerSEval (eq. 4 to 7; protocol 4)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, cast, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.files.values import is_number
from meta_eval.scores.degress import masked_mean
from meta_eval.scores.logistic import logistic

EPSILON = 1e-7
DEFAULT_ALPHA, DEFAULT_BETA, DEFAULT_GAMMA = 3.0, 1.7, 4.0
LARGEST = 100.0
"""The penalty has long become a step before a shape is as large; 10 to the beta must be a float."""

_LN10 = float(np.log(10.0))

EdpReaders = Literal["document", "rated", "first"]
EDP_READERS: Mapping[EdpReaders, str] = {
    "document": "All readers of the document, as PerSEval defines it",
    "rated": "The readers whose texts were rated, as Concord computed before",
    "first": "The first reader of each rated pair, as the authors' released code computes",
}
"""Over whose accuracy distances the least and the mean of EDP's eq. 4 and 5 run, on the human side."""
EDP_READERS_BEFORE: EdpReaders = "rated"
"""What scores rest on that were kept before there was a choice, so do not name it."""


def choose_edp_readers(chosen: str | None, mode: str) -> EdpReaders:
    """The readers of the penalty that were chosen; without a choice those of the mode.

    As the papers define the penalty, or ("first", in mode kdm) as their authors' released code computes it.
    Raises `InputError` for a word that is none of `EDP_READERS`.
    """
    if chosen is None:
        return "first" if mode == "kdm" else "document"
    return check_edp_readers(chosen)


def check_edp_readers(readers: str) -> EdpReaders:
    """The readers of the penalty; raises `InputError` for a word that is none of `EDP_READERS`."""
    if readers in EDP_READERS:
        return cast(EdpReaders, readers)
    raise InputError(f"edp_readers is {', '.join(get_args(EdpReaders))}, not {readers!r}")


@dataclass(frozen=True, slots=True)
class PenaltyOptions:
    """Shape of the penalty: alpha, beta of EDP and gamma of ADP and ACP. The ablation varies beta.

    Each from -`LARGEST` to `LARGEST`; raises `InputError` for another.
    """

    alpha: float = DEFAULT_ALPHA
    beta: float = DEFAULT_BETA
    gamma: float = DEFAULT_GAMMA

    def __post_init__(self) -> None:
        for name in ("alpha", "beta", "gamma"):
            value = getattr(self, name)
            if not (is_number(value) and abs(value) <= LARGEST):
                raise InputError(f"{name} must be a number from {-LARGEST:g} to {LARGEST:g}, not {value!r}")


def accuracy_spread(accuracy_distances: FloatArray) -> FloatArray:
    """The two numbers of a document that EDP sets a reader against: the least and the mean a_j.

    Parameters
    ----------
    accuracy_distances : array of shape (..., n)
        a_j = sigma(s_j, u_j) of n readers of a document, NaN where there is none.

    Returns
    -------
    array of shape (..., 2)
        Least and mean of what is there, NaN where nothing is.

    References
    ----------
    PerSEval, eq. 4 and 5; protocol 4.

    Examples
    --------
    >>> import numpy as np
    >>> accuracy_spread(np.array([0.1, 0.9, np.nan]))
    array([0.1, 0.5])
    """
    present = np.isfinite(accuracy_distances)
    best = np.where(present, accuracy_distances, np.inf).min(axis=-1)
    mean = masked_mean(accuracy_distances, present)
    return np.stack([np.where(np.isfinite(best), best, np.nan), mean], axis=-1)


def effective_penalty(
    accuracy_distances: FloatArray, options: PenaltyOptions, spread: FloatArray | None = None
) -> FloatArray:
    """EDP_j, the factor by which PerSEval lowers the DEGRESS of a reader whose summary is inaccurate.

    ADP is of the best reader of the document, ACP of how far each reader is from that best.

    Parameters
    ----------
    accuracy_distances : array of shape (..., n)
        a_j = sigma(s_j, u_j) of n readers of a document, NaN where there is none.
    options : PenaltyOptions
        alpha, beta and gamma of the penalty.
    spread : array of shape (..., 2), optional
        From `accuracy_spread` of all readers of the document, where these are but some of them.

    Returns
    -------
    array of shape (..., n)
        In [0, 1], NaN where a_j is missing. PerSEval_j is DEGRESS_j times it.

    References
    ----------
    PerSEval, eq. 4 to 7; protocol 4.

    Examples
    --------
    >>> import numpy as np
    >>> effective_penalty(np.array([0.1, 0.9]), PenaltyOptions()).round(3)
    array([0.999, 0.   ])
    """
    if spread is None:
        spread = accuracy_spread(accuracy_distances)
    best, mean = spread[..., :1], spread[..., 1:]
    adp = _sigmoid(best / (1.0 - best + EPSILON), options.gamma, 1.0)
    acp = _sigmoid((accuracy_distances - best) / (mean - best + EPSILON), options.gamma, 1.0)
    return _complement(adp + acp, options.alpha, options.beta)


def _sigmoid(x: FloatArray, a: float, b: float) -> FloatArray:
    """sig(x; A, B) = 1 / (1 + 10^A exp(-10^B x)), by the stable logistic: nothing overflows."""
    value: FloatArray = logistic(10.0**b * x - a * _LN10)
    return value


def _complement(x: FloatArray, a: float, b: float) -> FloatArray:
    """1 - sig(x; A, B), by the logistic of the opposite: the difference itself would be 0 below 1e-16."""
    value: FloatArray = logistic(a * _LN10 - 10.0**b * x)
    return value
