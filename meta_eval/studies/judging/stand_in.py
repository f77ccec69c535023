"""May a model stand in for raters? Its agreement with them beside their own, and a test of it."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from meta_eval.errors import InputError
from meta_eval.ratings.rating import SIX_POINTS, Ends, RatedPair, Rating
from meta_eval.ratings.table import MODEL_RATER
from meta_eval.stats.raters.agreement import AGREEMENT_RESAMPLES, AgreementReport, measure_agreement
from meta_eval.stats.raters.alternative import Alignment, alternative_annotator_test

Two = tuple[RatedPair, int, int]
"""A pair of texts, and what two raters gave it."""


def compare_with_people(
    people: Iterable[Rating],
    models: Iterable[Rating],
    *,
    ends: Ends = SIX_POINTS,
    epsilon: float = 0.1,
    alignment: Alignment = "rmse",
    seed: int = 0,
    resamples: int = AGREEMENT_RESAMPLES,
) -> list[dict[str, Any]]:
    """One record a model: what it agrees with people, what they agree among themselves, and the test.

    Parameters
    ----------
    people, models : iterables of Rating
        From files of their own; what raters of `models` are called begins with "model:".
    ends : Ends
        Of the scale.
    epsilon, alignment
        As for `alternative_annotator_test`.
    seed, resamples : int
        Of the intervals, over documents.

    Returns
    -------
    list of dict
        `agreement_with_people` and `agreement_of_people` hold the same coefficients of the same kind of
        thing: two ratings of one pair, of the model and a person, or of two people, over the pairs of texts
        that the model rated. `alternative_annotator_test` is the test.

    Raises
    ------
    InputError
        Where people stand among the models, or models among people.
    """
    persons = _by_rater(people)
    judges = _by_rater(models)
    _require_apart(persons, judges)
    found = []
    for judge, ratings in judges.items():
        shared = {
            name: {pair: value for pair, value in given.items() if pair in ratings}
            for name, given in persons.items()
        }
        test = alternative_annotator_test(shared, ratings, epsilon=epsilon, alignment=alignment)
        found.append(
            {
                "rater": judge,
                "pairs": len({pair for given in shared.values() for pair in given}),
                "people": sum(map(bool, shared.values())),
                "agreement_with_people": _agreement(_with_model(shared, ratings), ends, seed, resamples),
                "agreement_of_people": _agreement(_among_people(shared), ends, seed, resamples),
                "alternative_annotator_test": {
                    **asdict(test),
                    "raters": [asdict(one) for one in test.raters],
                },
            }
        )
    return found


def _by_rater(ratings: Iterable[Rating]) -> dict[str, dict[RatedPair, float]]:
    """Each rater's ratings by pair; a gold pair that one rated twice has the mean."""
    values: dict[str, dict[RatedPair, list[int]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        values[rating.rater][rating.pair].append(rating.rating)
    return {
        rater: {pair: fmean(given) for pair, given in by_pair.items()} for rater, by_pair in values.items()
    }


def _require_apart(people: Iterable[str], models: Iterable[str]) -> None:
    if wrong := [name for name in people if name.startswith(MODEL_RATER)]:
        raise InputError(f"{wrong[0]!r} is a model, and stands in the file of people's ratings")
    if wrong := [name for name in models if not name.startswith(MODEL_RATER)]:
        raise InputError(f"{wrong[0]!r} is no model: the second file is what `judge pairs` wrote")


def _with_model(
    people: Mapping[str, Mapping[RatedPair, float]], model: Mapping[RatedPair, float]
) -> list[Two]:
    return [
        (pair, round(value), round(model[pair])) for given in people.values() for pair, value in given.items()
    ]


def _among_people(people: Mapping[str, Mapping[RatedPair, float]]) -> list[Two]:
    by_pair: dict[RatedPair, list[int]] = defaultdict(list)
    for given in people.values():
        for pair, value in given.items():
            by_pair[pair].append(round(value))
    return [(pair, one, two) for pair, values in by_pair.items() for one, two in combinations(values, 2)]


def _agreement(twos: Sequence[Two], ends: Ends, seed: int, resamples: int) -> dict[str, Any]:
    """The coefficients over pairs of ratings, with intervals over documents."""
    counts = np.zeros((len(twos), len(ends.steps)))
    clusters: list[Hashable] = []
    for row, (pair, *values) in enumerate(twos):
        clusters.append(pair.doc_id)
        for value in values:
            counts[row, value - ends.lowest] += 1
    rng = np.random.default_rng(seed)
    report: AgreementReport = measure_agreement(
        counts, rng=rng, categories=list(ends.steps), clusters=clusters, resamples=resamples
    )
    return {
        "pairs_of_ratings": len(twos),
        "coefficients": [
            {
                "coefficient": one.coefficient,
                "estimate": one.estimate,
                "ci_low": one.interval.low if one.interval else None,
                "ci_high": one.interval.high if one.interval else None,
                "reason": one.reason,
            }
            for one in report.agreements
        ],
    }
