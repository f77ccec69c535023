"""Types that every folder shares: arrays of numbers, and a function that is told of progress."""

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
Numbers = TypeVar("Numbers", float, FloatArray)
"""One number, or an array of them: a formula that holds for both."""

Progress = Callable[[int, int], None]
