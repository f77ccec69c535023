"""What raters add to each coefficient: the null of shuffled ratings, and what both sides share anyway."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.scores.human import HumanScores
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.partial import correlate_given
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.weights import mean_scores
from meta_eval.stats.table.joint import align_systems
from meta_eval.stats.table.shuffled import RatingShuffles, ShuffledScores

Values = Sequence[float | None]


@dataclass(frozen=True, slots=True)
class RatersShare:
    """Human scores of shuffled ratings, and the mean penalty (S,) of each surrogate, on a table's systems."""

    shuffled: ShuffledScores
    penalties: Mapping[str, FloatArray]

    @classmethod
    def measure(
        cls, shuffles: RatingShuffles, human: Mapping[str, HumanScores], systems: Sequence[str]
    ) -> "RatersShare":
        return cls(
            shuffles.scores(human, systems),
            {surrogate: mean_penalties(scores, systems) for surrogate, scores in human.items()},
        )

    def select(self, rows: Sequence[int]) -> "RatersShare":
        """Of some of the systems alone."""
        at = list(rows)
        penalties = {surrogate: values[at] for surrogate, values in self.penalties.items()}
        return RatersShare(self.shuffled.select(at), penalties)

    def beside(
        self,
        ids: tuple[ScoreId, ScoreId],
        scores: tuple[Values, Values],
        coefficient: Coefficient,
        estimate: float | None,
    ) -> dict[str, Any]:
        """What is known of a coefficient and its estimate, by the names of its row's fields."""
        null = self.shuffled.null(ids[0], np.array(scores[1], dtype=np.float64), coefficient, estimate)
        return {
            "null_mean": null.mean,
            "null_high": null.high,
            "p_raters": null.p,
            "p_raters_method": null.method,
            "shuffles": null.shuffles or None,
            "null_reason": null.reason,
            **self._given_penalty(ids[0], scores, coefficient),
        }

    def _given_penalty(
        self, human: ScoreId, scores: tuple[Values, Values], coefficient: Coefficient
    ) -> dict[str, float | None]:
        """PerSEval alone has a penalty; ratings without any surrogate have none."""
        if human.score != "perseval_hj" or not human.measure:
            return {}
        penalty = [value if np.isfinite(value) else None for value in self.penalties[human.measure].tolist()]
        explained = correlate(scores[0], penalty, "pearson").estimate
        return {
            "penalty_share": None if explained is None else explained**2,
            "given_penalty": correlate_given(*scores, penalty, coefficient).estimate,
        }


def mean_penalties(scores: HumanScores, systems: Sequence[str]) -> FloatArray:
    """(S,): the mean of EDP over the documents of each system's score, NaN for a system without one."""
    contributions = scores.contributions
    means = mean_scores(contributions.penalty)
    return align_systems(means, systems=contributions.systems, to_systems=systems)
