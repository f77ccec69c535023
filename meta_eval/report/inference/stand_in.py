"""May a language model stand in for raters? All that is asked of each model whose ratings are given.

Nothing here enters a human score: what rests on a model has rows of its own.
"""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from statistics import fmean
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import Ends, RatedPair, Rating, Scale, number_raters
from meta_eval.ratings.table import MODEL_RATER
from meta_eval.report.inference.leanings import model_leanings
from meta_eval.report.schema import Unanswered
from meta_eval.report.schema.stand_in import (
    MIXED,
    AgainstRaterRow,
    AlternativeTestResult,
    MissingAnswersRow,
    ScaleUseRow,
    StandIn,
    StandInAgreement,
    StandInCoefficient,
)
from meta_eval.scores.human import HumanScores
from meta_eval.stats.raters.agreement import AGREEMENT_RESAMPLES, measure_agreement
from meta_eval.stats.raters.alternative import EPSILON, Alignment, alternative_annotator_test

Two = tuple[RatedPair, int, int]
"""A pair of texts, and what two raters gave it."""
ByRater = Mapping[str, Mapping[RatedPair, float]]
Scored = Callable[[ModelTable], Mapping[str, Any]]
"""Gives the parts of a model's rows that rest on scores of systems."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StandInOptions:
    """How models are set against people.

    `epsilon`, `alignment` and `expert` are those of the alternative annotator test; `named` keeps the names
    of raters, for whoever holds their ratings anyway. `mixed` asks for human scores that join people's
    ratings with the model's, too: nobody gets them who did not ask.
    """

    epsilon: float = EPSILON
    alignment: Alignment = "rmse"
    expert: str | None = None
    named: bool = False
    mixed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInputs:
    """The ratings of models, the whole corpus, and what the models' ratings alone give.

    `alone` are scores by model and surrogate over the documents that no person rated; `without` says why a
    surrogate has none there although the model rated such documents.
    """

    tables: Sequence[ModelTable]
    corpus: Corpus
    options: StandInOptions = field(default_factory=StandInOptions)
    alone: Mapping[str, Mapping[str, HumanScores]] = field(default_factory=dict)
    without: Mapping[str, Mapping[str, str]] = field(default_factory=dict)


def look_at_models(
    people: Iterable[Rating],
    tables: Iterable[ModelTable],
    *,
    corpus: Corpus,
    scale: Scale,
    ends: Ends,
    options: StandInOptions,
    scored: Scored | None = None,
    seed: int = 0,
    resamples: int = AGREEMENT_RESAMPLES,
) -> tuple[StandIn, ...]:
    """One row a model.

    Parameters
    ----------
    people : ratings of people
    tables : what models said
    corpus : has the texts of the rated pairs
    scale, ends : of the ratings
    options : of the alternative annotator test
    scored : gives what rests on scores of systems; nothing without
    seed, resamples : of the intervals of the coefficients of agreement

    Returns
    -------
    tuple of StandIn
        `agreement_with_people` and `agreement_of_people` hold the same coefficients of the same kind of
        thing: two ratings of one pair, of the model and a person, or of two people, over the pairs of texts
        that the model rated.

    Raises
    ------
    InputError
        Where models stand among people.

    Examples
    --------
    >>> from meta_eval.ratings.rating import SIX_POINTS
    >>> given = {"corpus": Corpus(()), "scale": "similarity", "ends": SIX_POINTS, "options": StandInOptions()}
    >>> look_at_models([], [], **given)
    ()
    """
    persons = _by_rater(people)
    if wrong := [name for name in persons if name.startswith(MODEL_RATER)]:
        raise InputError(f"{wrong[0]!r} is a model, and stands in the file of people's ratings")
    found = []
    for table in tables:
        ratings = {rating.pair: float(rating.rating) for rating in table.ratings}
        shared = {
            name: {pair: value for pair, value in given.items() if pair in ratings}
            for name, given in persons.items()
        }
        pairs = {pair for given in shared.values() for pair in given}
        unanswered: list[Unanswered] = []
        found.append(
            StandIn(
                rater=table.rater,
                pairs=len(pairs),
                people=sum(map(bool, shared.values())),
                agreement_with_people=_agreement(_with_model(shared, ratings), ends, seed, resamples),
                agreement_of_people=_agreement(_among_people(shared), ends, seed, resamples),
                alternative_annotator_test=_alternative(shared, ratings, options),
                leanings=model_leanings(table, shared, corpus, scale=scale, ends=ends),
                scale_use=_scale_use(shared, ratings, ends),
                missing_answers=_missing(table),
                **_scores(table, scored, unanswered, mixed=options.mixed),
                unanswered=tuple(unanswered),
            )
        )
    return tuple(found)


def _scores(
    table: ModelTable, scored: Scored | None, unanswered: list[Unanswered], *, mixed: bool
) -> dict[str, Any]:
    empty = {"scored_pairs": 0, "all_pairs": 0}
    if scored is None:
        reason = "no surrogate was named, and without one there are no human scores of systems"
    else:
        try:
            return {**empty, **scored(table)}
        except InputError as error:
            reason = str(error)
    asked = ("systems", MIXED) if mixed else ("systems",)
    unanswered += [Unanswered(question=question, reason=reason) for question in asked]
    return empty


def _by_rater(ratings: Iterable[Rating]) -> dict[str, dict[RatedPair, float]]:
    """Each rater's ratings by pair; a gold pair that one rated twice has the mean."""
    values: dict[str, dict[RatedPair, list[int]]] = defaultdict(lambda: defaultdict(list))
    for rating in ratings:
        values[rating.rater][rating.pair].append(rating.rating)
    return {
        rater: {pair: fmean(given) for pair, given in by_pair.items()} for rater, by_pair in values.items()
    }


def _with_model(people: ByRater, model: Mapping[RatedPair, float]) -> list[Two]:
    return [
        (pair, round(value), round(model[pair])) for given in people.values() for pair, value in given.items()
    ]


def _among_people(people: ByRater) -> list[Two]:
    by_pair: dict[RatedPair, list[int]] = defaultdict(list)
    for given in people.values():
        for pair, value in given.items():
            by_pair[pair].append(round(value))
    return [(pair, one, two) for pair, values in by_pair.items() for one, two in combinations(values, 2)]


def _agreement(twos: Sequence[Two], ends: Ends, seed: int, resamples: int) -> StandInAgreement:
    """The coefficients over pairs of ratings, with intervals over documents."""
    counts = np.zeros((len(twos), len(ends.steps)))
    clusters: list[Hashable] = []
    for row, (pair, *values) in enumerate(twos):
        clusters.append(pair.doc_id)
        for value in values:
            counts[row, value - ends.lowest] += 1
    report = measure_agreement(
        counts,
        rng=np.random.default_rng(seed),
        categories=list(ends.steps),
        clusters=clusters,
        resamples=resamples,
    )
    return StandInAgreement(
        pairs_of_ratings=len(twos),
        coefficients=tuple(
            StandInCoefficient(
                coefficient=one.coefficient,
                title=one.title,
                estimate=one.estimate,
                ci_low=one.interval.low if one.interval else None,
                ci_high=one.interval.high if one.interval else None,
                reason=one.reason,
            )
            for one in report.agreements
        ),
    )


def _alternative(
    people: ByRater, model: Mapping[RatedPair, float], options: StandInOptions
) -> AlternativeTestResult:
    test = alternative_annotator_test(
        people, model, epsilon=options.epsilon, alignment=options.alignment, expert=options.expert
    )
    numbers = number_raters(people)
    raters = tuple(
        AgainstRaterRow(**{**asdict(one), "rater": one.rater if options.named else str(numbers[one.rater])})
        for one in test.raters
    )
    told = {name: getattr(test, name) for name in AlternativeTestResult.__slots__ if name != "raters"}
    return AlternativeTestResult(**told, raters=raters)


def _scale_use(people: ByRater, model: Mapping[RatedPair, float], ends: Ends) -> tuple[ScaleUseRow, ...]:
    """Over the pairs that both rated; each rating of a person counts once."""
    given = [round(value) for ratings in people.values() for value in ratings.values()]
    pairs = {pair for ratings in people.values() for pair in ratings}
    ours = [round(model[pair]) for pair in pairs]
    if not pairs:
        return ()
    return tuple(
        ScaleUseRow(
            rating=step,
            model=ours.count(step),
            people=given.count(step),
            model_share=ours.count(step) / len(ours),
            people_share=given.count(step) / len(given),
        )
        for step in ends.steps
    )


def _missing(table: ModelTable) -> tuple[MissingAnswersRow, ...]:
    """A row for each reason; unreadable and refused answers always, where answers are known."""
    if not table.knows_answers:
        return ()
    reasons = [answer.reason for answer in table.answers if answer.reason]
    count = len(table.answers)
    return tuple(
        MissingAnswersRow(
            reason=reason, missing=reasons.count(reason), answers=count, share=reasons.count(reason) / count
        )
        for reason in dict.fromkeys(["unreadable", "refused", *sorted(reasons)])
    )
