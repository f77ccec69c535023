"""The logistic function of a few numbers or many, without an import that costs more than the numbers."""

import sys
from math import exp, log
from typing import Any

import numpy as np

from meta_eval.arrays import Numbers

_FEW = 2_000
_LARGEST = log(sys.float_info.max)
"""The exponential of anything larger is beyond a float64."""


def logistic(x: Numbers) -> Numbers:
    """1 / (1 + exp(-x)), element by element; any x, NaN where it is NaN.

    SciPy's `expit` is this very quotient with the C library's exponential, which `math.exp` is, too; NumPy's
    own may differ in the last bit. To import `scipy.special` takes longer than thousands of values, and
    scores of systems need only a few at a time, so SciPy is asked for many alone. Both ways are equal to the
    last bit.

    Examples
    --------
    >>> logistic(np.array([0.0, -800.0])).tolist()
    [0.5, 0.0]
    """
    values = np.asarray(x, dtype=np.float64)
    found: Any
    if values.size > _FEW:
        from scipy.special import expit

        found = expit(values)
    else:
        found = np.array([_quotient(value) for value in values.ravel().tolist()]).reshape(values.shape)
    same_kind: Numbers = found[()]  # of one number a number, of an array itself
    return same_kind


def _quotient(x: float) -> float:
    return 0.0 if x < -_LARGEST else 1.0 / (1.0 + exp(-x))
