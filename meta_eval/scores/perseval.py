"""The effective DEGRESS penalty of PerSEval (eq. 4 to 7; protocol 4)."""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.files.values import is_number
from meta_eval.scores.degress import masked_mean

EPSILON = 1e-7
DEFAULT_ALPHA, DEFAULT_BETA, DEFAULT_GAMMA = 3.0, 1.7, 4.0
LARGEST = 100.0
"""The penalty has long become a step before a shape is as large; 10 to the beta must be a float."""

_LN10 = float(np.log(10.0))


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


def effective_penalty(accuracy_distances: FloatArray, options: PenaltyOptions) -> FloatArray:
    """EDP_j, the factor by which PerSEval lowers the DEGRESS of a reader whose summary is inaccurate.

    ADP is of the best reader of the document, ACP of how far each reader is from that best.

    Parameters
    ----------
    accuracy_distances : array of shape (..., n)
        a_j = sigma(s_j, u_j) of n readers of a document, NaN where there is none.
    options : PenaltyOptions
        alpha, beta and gamma of the penalty.

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
    present = np.isfinite(accuracy_distances)
    best = np.where(present, accuracy_distances, np.inf).min(axis=-1, keepdims=True)
    best = np.where(np.isfinite(best), best, np.nan)
    mean = masked_mean(accuracy_distances, present)[..., None]
    adp = _sigmoid(best / (1.0 - best + EPSILON), options.gamma, 1.0)
    acp = _sigmoid((accuracy_distances - best) / (mean - best + EPSILON), options.gamma, 1.0)
    penalty: FloatArray = 1.0 - _sigmoid(adp + acp, options.alpha, options.beta)
    return penalty


def _sigmoid(x: FloatArray, a: float, b: float) -> FloatArray:
    """sig(x; A, B) = 1 / (1 + 10^A exp(-10^B x)), by the stable logistic: nothing overflows."""
    value: FloatArray = expit(10.0**b * x - a * _LN10)
    return value
