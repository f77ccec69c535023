"""Scores by a judge of single texts, which gives no distance of two: accuracy alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.measures.base import Signature
from meta_eval.scores.contributions import Contributions

JUDGED_TITLES: Mapping[str, str] = {
    "perse": "PerSE",
    "perse-own": "PerSE, own profile less others'",
}
"""What the measures of a judge are called."""

JUDGMENT_COLUMNS = ("doc_id", "system", "reader", "profile_of", "shuffled", "score", "reason")
"""Of a table of judgments: a summary, whose profile was shown, and the score or why there is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedScores:
    """What a judge gives each system for each document: `accuracy` (S, D), higher is better, NaN for none."""

    measure: str
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    accuracy: FloatArray
    signature: Signature

    @property
    def contributions(self) -> Contributions:
        """As the statistics take it: see `stand_for_all`."""
        return stand_for_all(self.systems, self.documents, self.accuracy)


def accuracy_of(scores: Contributions) -> Contributions:
    """The accuracy of a measure in the place of its scores, over the documents that enter DEGRESS."""
    entered = np.where(np.isfinite(scores.degress), scores.accuracy, np.nan)
    return stand_for_all(scores.systems, scores.documents, entered)


def stand_for_all(
    systems: tuple[str, ...], documents: tuple[str, ...], accuracy: FloatArray
) -> Contributions:
    """One accuracy in the place of DEGRESS and PerSEval, so that either of people's can be set against it."""
    nothing = np.full(accuracy.shape, np.nan)
    return Contributions(
        systems, documents, accuracy, accuracy, accuracy, nothing, np.zeros(accuracy.shape, dtype=np.int64)
    )
