"""The random streams of an inference, one for each part by its name."""

from collections.abc import Sequence

import numpy as np

_PARTS = (
    "cells",
    "ceilings",
    "ranking",
    "matched",
    "bare",
    "agreement",
    "stability",
    "paradox",
    "aggregation",
    "ablation",
    "interval_methods",
    "families",
    "levels",
)


def stream(seed: int, part: str) -> np.random.Generator:
    """The stream of a part: the same seed and name give the same draws, whatever other parts there are."""
    return np.random.default_rng([seed, _PARTS.index(part)])


def rater_seed(seed: int) -> Sequence[int]:
    """The seed of the draws of raters, which all parts share."""
    return (seed, 2**16)
