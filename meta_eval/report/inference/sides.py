"""Human and automatic scores of the rated documents and pairs, and draws of the documents."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.errors import InputError
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import OWN_KINDS
from meta_eval.scores.pairs import PairContributions, score_pairs
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.item_sums import CountArray
from meta_eval.stats.resampling.samples import ScoreSample
from meta_eval.stats.resampling.weights import (
    batch_sizes,
    draw_weights,
    left_out_scores,
    mean_scores,
    weighted_scores,
)
from meta_eval.stats.table.joint import align_contributions, align_sides, table_axes

SurrogateAndMeasure = tuple[str, str]

_BATCH = 500


@dataclass(frozen=True, slots=True)
class MatchedSides:
    """Contributions (S, D) of every score over the rated documents and pairs, on the same axes."""

    surrogates: tuple[str, ...]
    measures: tuple[str, ...]
    systems: tuple[str, ...]
    documents: tuple[str, ...]
    scores: Mapping[ScoreId, FloatArray]
    normalise: Normalise

    @classmethod
    def gather(
        cls, matched: Mapping[str, DistanceTable], human: Mapping[str, HumanScores], *, normalise: Normalise
    ) -> "MatchedSides":
        """Raises `InputError` where one side is missing."""
        if not matched or not human:
            raise InputError("there are scores of one side only, so nothing can be compared")
        options = next(iter(human.values())).options
        automatic = {name: score_contributions(table, options) for name, table in matched.items()}
        people = {name: scores.contributions for name, scores in human.items()}
        axes = table_axes(automatic, people)
        return cls(tuple(human), tuple(matched), *axes, align_sides(automatic, people), normalise)

    @property
    def pairs(self) -> list[SurrogateAndMeasure]:
        return [(surrogate, measure) for surrogate in self.surrogates for measure in self.measures]


@dataclass(frozen=True, slots=True)
class ItemSides:
    """Both sides, and the same scores cut into items (S, P), by name; `at` (P,) numbers their documents."""

    sides: MatchedSides
    items: Mapping[ScoreId, FloatArray]
    at: IntArray

    @classmethod
    def cut(
        cls, sides: MatchedSides, matched: Mapping[str, DistanceTable], human: Mapping[str, HumanScores]
    ) -> "ItemSides":
        """Raises `InputError` where human and automatic scores are not of the same reader pairs."""
        options = next(iter(human.values())).options
        pairs = [
            *((("", name), score_pairs(table, options)) for name, table in matched.items()),
            *((("_hj", name), score_pairs(scores.table, options)) for name, scores in human.items()),
        ]
        at = _common_items([contributions for _, contributions in pairs], sides.documents)
        names = [str(item) for item in range(len(at))]
        items = {
            ScoreId(f"{score}{suffix}", measure): align_contributions(
                contributions.matrix(score),
                systems=contributions.systems,
                documents=names,
                to_systems=sides.systems,
                to_documents=names,
            )
            for (suffix, measure), contributions in pairs
            for score in (kind.automatic for kind in OWN_KINDS)
        }
        return cls(sides, items, at)


def _common_items(found: Sequence[PairContributions], documents: Sequence[str]) -> IntArray:
    """The document of each item; both sides must have cut the same documents into the same items."""
    first = found[0]
    if any(one.documents != first.documents or not np.array_equal(one.at, first.at) for one in found):
        raise InputError("human and automatic scores are not of the same reader pairs")
    number = {name: index for index, name in enumerate(documents)}
    return np.array([number[first.documents[index]] for index in first.at.tolist()], dtype=np.int64)


@dataclass(frozen=True, slots=True)
class DocumentDraws:
    """How often each document was drawn: `counts` (R, D), small whole numbers to save memory."""

    counts: CountArray
    level: float

    @classmethod
    def make(
        cls, documents: int, *, resamples: int, rng: np.random.Generator, level: float
    ) -> "DocumentDraws":
        sizes = batch_sizes(resamples, _BATCH)
        counts = [draw_weights(units=documents, resamples=size, rng=rng).astype(np.uint16) for size in sizes]
        return cls(np.concatenate(counts), level)

    def first(self, resamples: int) -> "DocumentDraws":
        """So many of the draws, or all if there are fewer."""
        return DocumentDraws(self.counts[:resamples], self.level)

    def batches(self) -> Iterator[FloatArray]:
        for start in range(0, len(self.counts), _BATCH):
            yield self.counts[start : start + _BATCH].astype(np.float64)

    @property
    def without_each(self) -> CountArray:
        """(D, D): the weights of the jackknife."""
        return 1 - np.eye(self.counts.shape[1], dtype=np.uint16)

    def scores(self, contributions: Mapping[ScoreId, FloatArray]) -> dict[ScoreId, ScoreSample]:
        """Systems' scores (S, D) by name under these draws."""
        matrix = np.concatenate(list(contributions.values()))
        systems = len(matrix) // len(contributions)
        resampled = np.concatenate([weighted_scores(weights, matrix) for weights in self.batches()])
        left_out = left_out_scores(matrix)
        rows = {name: slice(i * systems, (i + 1) * systems) for i, name in enumerate(contributions)}
        return {
            name: ScoreSample(mean_scores(contributions[name]), resampled[:, at], (left_out[:, at],))
            for name, at in rows.items()
        }
