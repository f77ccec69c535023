"""The random streams of an inference, one for each part by its name.

A part that is new, or gone, or elsewhere in the list leaves the draws of every other part as they are.
"""

from collections.abc import Sequence

import numpy as np


def stream(seed: int, part: str) -> np.random.Generator:
    """The stream of a part: the same seed and name give the same draws, whatever other parts there are.

    >>> float(stream(3, "cells").random()) == float(stream(3, "cells").random())
    True
    """
    return np.random.default_rng(stream_seed(seed, part))


def stream_seed(seed: int, name: str) -> Sequence[int]:
    """The seed of a stream: that of the report, and the letters of the name."""
    return (seed, *name.encode())
