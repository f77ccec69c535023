"""A table's human scores where ratings are shuffled in questionnaires: the null beside each coefficient."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.scores.human import HumanScores
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.shuffling import DEFAULT_SHUFFLES, shuffle_scores
from meta_eval.stats.significance.shuffle_null import ShuffleNull, compare_with_shuffles
from meta_eval.stats.table.joint import align_systems

_Made = tuple[dict[str, FloatArray], bool]


@dataclass(frozen=True, slots=True)
class ShuffledScores:
    """Human scores of shuffled ratings, (R, S) each, on the systems of a table.

    `exact` if these are all ways to shuffle. Empty with a `reason` where ratings cannot be shuffled.
    """

    scores: Mapping[ScoreId, FloatArray]
    exact: bool = False
    reason: str | None = None

    def coefficients(self, human: ScoreId, automatic: FloatArray, coefficient: Coefficient) -> FloatArray:
        """(R,): the coefficient of a human score of shuffled ratings with an automatic score (S,)."""
        return correlate_rows(self.scores[human], automatic, coefficient)

    def null(
        self, human: ScoreId, automatic: FloatArray, coefficient: Coefficient, estimate: float | None
    ) -> ShuffleNull:
        """Where an estimate stands among the coefficients of shuffled ratings."""
        if self.reason is not None:
            return ShuffleNull(reason=self.reason)
        found = self.coefficients(human, automatic, coefficient)
        return compare_with_shuffles(found, estimate, exact=self.exact)

    def select(self, rows: Sequence[int]) -> "ShuffledScores":
        """The scores of some of the systems alone."""
        scores = {name: values[:, list(rows)] for name, values in self.scores.items()}
        return ShuffledScores(scores, self.exact, self.reason)


@dataclass(frozen=True, slots=True)
class RatingShuffles:
    """Human scores under the same shuffles of the ratings, whatever the surrogate; each is made once.

    `ratings` all that were given, of the documents of `corpus`; `seed` of the shuffles.
    """

    ratings: Sequence[Rating]
    corpus: Corpus
    seed: Sequence[int]
    shuffles: int = DEFAULT_SHUFFLES
    _made: dict[str, _Made] = field(default_factory=dict)

    def scores(self, human: Mapping[str, HumanScores], systems: Sequence[str]) -> ShuffledScores:
        """Of every surrogate, on an axis of systems: NaN for those that it does not have."""
        try:
            made = {surrogate: self._shuffled(surrogate, scores) for surrogate, scores in human.items()}
        except InputError as error:
            return ShuffledScores({}, reason=str(error))
        scores = {
            ScoreId(score, surrogate): align_systems(
                values, systems=human[surrogate].surrogate.systems, to_systems=systems
            )
            for surrogate, (by_score, _exact) in made.items()
            for score, values in by_score.items()
        }
        return ShuffledScores(scores, all(exact for _, exact in made.values()))

    def _shuffled(self, surrogate: str, scores: HumanScores) -> _Made:
        if surrogate not in self._made:
            if not self.ratings:
                raise InputError("there are no single ratings to shuffle")
            panel = build_panel(self.ratings, scores.divergences)
            scorer = PanelScorer.of_scores(scores, panel, self.corpus)
            rng = np.random.default_rng(self.seed)
            self._made[surrogate] = shuffle_scores(scorer, rng=rng, shuffles=self.shuffles)
        return self._made[surrogate]
