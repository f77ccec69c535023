"""Scores of all systems under resamples of documents, systems, raters, and raters within documents.

A score is resampled once (`ScoreSample`; documents: `resample_documents` beside this) and then correlated
(`bootstrap_correlation` beside this) with any other score that was resampled with the same draws. What is
resampled is what the interval is about: other documents, other systems, other raters.
"""

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.resampling.weights import (
    draw_indices,
)

Key = TypeVar("Key", bound=Hashable)
"""By what a score is addressed: any value that can be a key of a mapping."""

DEFAULT_RESAMPLES = 10_000
DEFAULT_BATCH = 500


@dataclass(frozen=True, slots=True)
class ScoreSample:
    """One score of S systems: as observed (S,), in R resamples (R, S), and with each unit left out.

    `left_out` has one (U, S) array for each kind of resampled unit. NaN where a system has no score.
    `families` is the family of each system, where families were given.
    """

    observed: FloatArray
    resampled: FloatArray
    left_out: tuple[FloatArray, ...] = ()
    families: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class RaterPool:
    """Contributions under K draws of raters within documents: `values` (K, S, P) of `documents` (P,)."""

    documents: IntArray
    values: FloatArray


def fixed_score(scores: FloatArray, *, resamples: int, units: tuple[int, ...] = ()) -> ScoreSample:
    """A score that the resampling does not touch, such as an automatic one when raters are resampled.

    Parameters
    ----------
    scores : (S,) array, NaN where a system has none
    resamples : how many there are of the others
    units : how many units of each kind are left out of the others in turn

    Returns
    -------
    ScoreSample : the same scores in every resample

    Examples
    --------
    >>> fixed_score(np.array([0.5, 1.0]), resamples=2, units=(3,)).left_out[0].shape
    (3, 2)
    """
    rows = (np.broadcast_to(scores, (count, len(scores))) for count in (resamples, *units))
    return ScoreSample(scores, next(rows), tuple(rows))


def resample_systems(
    samples: Mapping[Key, ScoreSample], *, rng: np.random.Generator
) -> dict[Key, ScoreSample]:
    """The same draws of systems for every score, on top of what was resampled before.

    Parameters
    ----------
    samples : by score, of the same systems
    rng : draws the systems, with replacement

    Returns
    -------
    dict of `ScoreSample` by score; `left_out` has the systems as one more kind of unit

    Raises
    ------
    InputError : for no score

    References
    ----------
    Deutsch, Dror and Roth (2021): BOOT-SYSTEMS, and with resampled documents BOOT-BOTH.

    Examples
    --------
    >>> scores = np.array([0.25, 0.5, 1.0])
    >>> sample = fixed_score(scores, resamples=2)
    >>> found = resample_systems({"one": sample}, rng=np.random.default_rng(0))["one"]
    >>> found.resampled.tolist()
    [[0.5, 0.25, 0.25], [0.25, 1.0, 1.0]]
    """
    if not samples:
        raise InputError("there is no score to resample")
    resamples, systems = next(iter(samples.values())).resampled.shape
    drawn = draw_indices(units=systems, resamples=resamples, rng=rng)
    return {key: _with_drawn_systems(sample, drawn) for key, sample in samples.items()}


def _with_drawn_systems(sample: ScoreSample, drawn: IntArray) -> ScoreSample:
    systems = len(sample.observed)
    without_each = np.where(np.eye(systems, dtype=bool), np.nan, sample.observed)
    return ScoreSample(
        sample.observed,
        np.take_along_axis(sample.resampled, drawn, axis=1),
        (*sample.left_out, without_each),
    )
