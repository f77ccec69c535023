"""What meta-evaluation asks of raters, and of measures taken together.

Severity and dependability, raters set among the measures, and measures joined into one score. A question that
scores and ratings cannot answer is named with its reason; the others are answered all the same.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable
from meta_eval.errors import InputError
from meta_eval.ratings.rating import RatedPair, Rating, Scale, number_raters, rated_pair
from meta_eval.report.inference.sides import MatchedSides
from meta_eval.report.schema import (
    AdjustedRow,
    CombinationRow,
    DependabilityRow,
    FurtherQuestions,
    RaterAmongMeasuresRow,
    RatingComponentRow,
    Unanswered,
)
from meta_eval.scores.names import SCORES
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.rankings.combination import combine_measures
from meta_eval.stats.raters.as_measures import raters_as_measures
from meta_eval.stats.raters.severity import RatingModel, model_ratings
from meta_eval.stats.resampling.weights import mean_scores

MOST_SYSTEMS = 20
"""Each pair of systems is left out of every combination: beyond, that takes longer than all other parts."""
_COMBINED = SCORES["degress"]
"""The score of which measures are combined: people's share in it is that of nobody else."""
_NOBODY = re.compile(r"response[ -]\w+")
"""What ratings are under that came without raters: the n-th of a pair, or a code for it."""


def ask_raters(
    asked: FurtherQuestions,
    sides: MatchedSides,
    matched: Mapping[str, DistanceTable],
    corpus: Corpus,
    *,
    ratings: Sequence[Rating],
    scale: Scale,
) -> FurtherQuestions:
    """The questions with those about raters, and about measures together, answered where they can be."""
    numbers = number_raters(rating.rater for rating in ratings)
    questions: Mapping[str, Callable[[], Mapping[str, Any]]] = {
        "rating_components": lambda: _modelled(model_ratings(_of_raters(ratings)), numbers),
        "raters_among_measures": lambda: {
            "raters_among_measures": _among_measures(matched, corpus, _of_raters(ratings), scale, numbers)
        },
        "combinations": lambda: {"combinations": _combinations(sides)},
    }
    answers: dict[str, Any] = {}
    unanswered = []
    for question, answer in questions.items():
        try:
            answers |= answer()
        except InputError as error:
            unanswered.append(Unanswered(question=question, reason=str(error)))
    return replace(asked, **answers, unanswered=tuple(unanswered))


def _of_raters(ratings: Sequence[Rating]) -> Sequence[Rating]:
    """The same. Raises `InputError` where nobody knows who gave them."""
    if all(_NOBODY.fullmatch(rating.rater) for rating in ratings):
        raise InputError("the ratings do not say who gave them")
    return ratings


def _modelled(model: RatingModel, numbers: Mapping[str, int]) -> Mapping[str, Any]:
    """The parts of the mixed model; of the raters the most severe first."""
    severe = sorted(model.raters, key=lambda one: -one.estimate)
    return {
        "rating_components": tuple(
            RatingComponentRow(
                factor=one.factor,
                component=one.variance,
                component_share=one.share,
                levels=one.levels,
                reason=one.reason,
            )
            for one in model.components
        ),
        "adjusted_means": tuple(
            AdjustedRow(system=one.name, plain=one.plain, adjusted=one.estimate, ratings=one.ratings)
            for one in model.systems
        ),
        "severities": tuple(
            AdjustedRow(
                rater=_called(numbers[one.name]), plain=one.plain, adjusted=one.estimate, ratings=one.ratings
            )
            for one in severe
        ),
        "dependability": tuple(
            DependabilityRow(
                documents=one.documents, raters=one.raters, relative=one.relative, absolute=one.absolute
            )
            for one in model.dependability
        ),
    }


def _called(*numbers: int) -> str:
    return " and ".join(f"rater {number}" for number in numbers)


def _among_measures(
    matched: Mapping[str, DistanceTable],
    corpus: Corpus,
    ratings: Sequence[Rating],
    scale: Scale,
    numbers: Mapping[str, int],
) -> tuple[RaterAmongMeasuresRow, ...]:
    distances = {measure: rated_distances(table, corpus) for measure, table in matched.items()}
    found = raters_as_measures(ratings, distances, scale=scale)
    return tuple(
        RaterAmongMeasuresRow(
            rater=_called(*sorted(numbers[name] for name in (row.rater, row.partner) if name)),
            measure=measure,
            own=row.estimate,
            estimate=estimate,
            pages=row.pages,
        )
        for row in found
        for measure, estimate in row.measures.items()
    )


def rated_distances(table: DistanceTable, corpus: Corpus) -> dict[RatedPair, float]:
    """A measure's distance of each rated pair of summaries; `table` is restricted to these."""
    found: dict[RatedPair, float] = {}
    for block in table.blocks:
        for system, document, first, second in np.argwhere(np.isfinite(block.systems)).tolist():
            if first < second:
                of = corpus.documents[int(block.documents[document])]
                readers = list(of.references)
                pair = rated_pair(of.id, table.systems[system], readers[first], readers[second])
                found[pair] = float(block.systems[system, document, first, second])
    return found


def _combinations(sides: MatchedSides) -> tuple[CombinationRow, ...]:
    if len(sides.systems) > MOST_SYSTEMS:
        raise InputError(f"{len(sides.systems)} systems; measures are combined for up to {MOST_SYSTEMS}")
    scores = {
        measure: mean_scores(sides.scores[ScoreId(_COMBINED.automatic, measure)]).tolist()
        for measure in sides.measures
    }
    return tuple(
        CombinationRow(
            human=_COMBINED.human,
            surrogate=surrogate,
            automatic=_COMBINED.automatic,
            combination=found.method,
            held_out=found.held_out,
            one_left_out=found.one_left_out,
            fitted=found.fitted,
            pairs=found.pairs,
            weights=tuple(f"{measure} {weight:.2f}" for measure, weight in found.weights.items() if weight),
        )
        for surrogate in sides.surrogates
        for found in combine_measures(
            mean_scores(sides.scores[ScoreId(_COMBINED.human, surrogate)]).tolist(), scores
        )
    )
