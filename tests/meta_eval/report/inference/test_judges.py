"""What meta-evaluation asks of raters and of measures together: the library's numbers in a report."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.rating import number_raters, rated_pair
from meta_eval.report.inference import judges
from meta_eval.report.inference.judges import ask_raters, rated_distances
from meta_eval.report.inference.sides import MatchedSides
from meta_eval.report.schema import FurtherQuestions
from meta_eval.stats.rankings.combination import combine_measures
from meta_eval.stats.raters.as_measures import raters_as_measures
from meta_eval.stats.raters.severity import model_ratings
from tests.meta_eval.report.inference.inferring import MEASURES, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all


@pytest.fixture(scope="module")
def inputs():
    corpus = make_corpus(11, documents=14)
    return make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5))


@pytest.fixture(scope="module")
def sides(inputs):
    return MatchedSides.gather(inputs.matched, inputs.human, normalise="document")


def ask(inputs, sides, ratings=None):
    return ask_raters(
        FurtherQuestions(),
        sides,
        inputs.matched,
        inputs.corpus,
        ratings=inputs.ratings if ratings is None else ratings,
        scale="similarity",
    )


@pytest.fixture(scope="module")
def found(inputs, sides):
    return ask(inputs, sides)


def test_the_model_is_that_of_the_library(inputs, found):
    model = model_ratings(inputs.ratings)
    assert [
        (row.factor, row.component, row.component_share, row.levels) for row in found.rating_components
    ] == [(one.factor, one.variance, one.share, one.levels) for one in model.components]
    assert [(row.system, row.plain, row.adjusted, row.ratings) for row in found.adjusted_means] == [
        (one.name, one.plain, one.estimate, one.ratings) for one in model.systems
    ]
    assert [(row.documents, row.raters, row.relative, row.absolute) for row in found.dependability] == [
        (one.documents, one.raters, one.relative, one.absolute) for one in model.dependability
    ]


def test_raters_are_numbered_and_never_named(inputs, sides):
    """One rater gives less than the others and stands first, under the number that it has anywhere."""
    last = sorted({rating.rater for rating in inputs.ratings})[-1]
    ratings = [
        replace(rating, rating=max(1, rating.rating - 3)) if rating.rater == last else rating
        for rating in inputs.ratings
    ]
    found = ask(inputs, sides, ratings)
    ordered = sorted(model_ratings(ratings).raters, key=lambda one: -one.estimate)
    severe = [one.estimate for one in ordered]
    assert severe[0] > 0.5 > severe[-1]
    assert [row.adjusted for row in found.severities] == severe
    named = number_raters(rating.rater for rating in ratings)
    numbers = [f"rater {named[one.name]}" for one in ordered]
    assert [row.rater for row in found.severities] == numbers
    assert numbers[0] == f"rater {len(named)}"
    assert {row.rater for row in found.raters_among_measures} <= set(numbers)
    assert not {rating.rater for rating in inputs.ratings} & set(numbers)


def test_distances_are_those_of_the_rated_pairs(inputs):
    distances = rated_distances(inputs.matched["jsd"], inputs.corpus)
    rated = {rating.pair for rating in inputs.ratings if rating.system != "user"}
    assert set(distances) <= rated
    block = inputs.matched["jsd"].blocks[0]
    document = inputs.corpus.documents[int(block.documents[0])]
    readers = list(document.references)
    system, first, second = np.argwhere(np.isfinite(block.systems[:, 0]))[0].tolist()
    pair = rated_pair(document.id, inputs.matched["jsd"].systems[system], readers[first], readers[second])
    assert distances[pair] == block.systems[system, 0, first, second]


def test_raters_stand_among_measures_as_in_the_library(inputs, found, sides):
    distances = {name: rated_distances(inputs.matched[name], inputs.corpus) for name in MEASURES}
    wanted = raters_as_measures(inputs.ratings, distances, scale="similarity")
    assert [(row.measure, row.own, row.estimate, row.pages) for row in found.raters_among_measures] == [
        (measure, one.estimate, estimate, one.pages)
        for one in wanted
        for measure, estimate in one.measures.items()
    ]


def test_measures_are_combined_where_there_are_systems_enough(inputs, found, sides, monkeypatch):
    assert [(one.question, one.reason) for one in found.unanswered] == [
        ("combinations", "3 systems have all scores, at least 5 are needed")
    ]
    monkeypatch.setattr(judges, "MOST_SYSTEMS", 2)
    assert ask(inputs, sides).unanswered[0].reason == "3 systems; measures are combined for up to 2"


def test_combinations_are_those_of_the_library(inputs, sides):
    rng = np.random.default_rng(0)
    scores = {name: rng.random((6, 12)) for name in sides.scores}
    six = replace(sides, systems=tuple("ABCDEF"), scores=scores)
    rows = ask(inputs, six).combinations
    means = {name: values.mean(axis=1).tolist() for name, values in scores.items()}
    wanted = [
        (surrogate, one.method, one.held_out, one.one_left_out, one.fitted, one.pairs)
        for surrogate in sides.surrogates
        for one in combine_measures(
            means["degress_hj", surrogate], {name: means["degress", name] for name in MEASURES}
        )
    ]
    assert [
        (row.surrogate, row.combination, row.held_out, row.one_left_out, row.fitted, row.pairs)
        for row in rows
    ] == wanted
    assert {(row.human, row.automatic) for row in rows} == {("degress_hj", "degress")}
    assert rows[2].weights == tuple(f"{name} 0.50" for name in MEASURES)


@pytest.mark.parametrize("name", ["response {}", "response-{}f2a"])
def test_ratings_without_raters_say_nothing_of_raters(inputs, sides, name):
    nobody = [replace(rating, rater=name.format(rating.rater[-1])) for rating in inputs.ratings]
    asked = ask(inputs, sides, nobody)
    assert {one.question: one.reason for one in asked.unanswered} == {
        "rating_components": "the ratings do not say who gave them",
        "raters_among_measures": "the ratings do not say who gave them",
        "combinations": "3 systems have all scores, at least 5 are needed",
    }
    assert asked.severities == asked.raters_among_measures == ()


def test_one_question_without_answer_leaves_the_others(inputs, sides):
    pages = {(one.doc_id, one.reader_a, one.reader_b): None for one in map(pair_of, inputs.ratings)}
    first = list(pages)[:4]
    few = [
        one
        for one in inputs.ratings
        if (pair_of(one).doc_id, pair_of(one).reader_a, pair_of(one).reader_b) in first
    ]
    asked = ask(inputs, sides, few)
    assert [one.question for one in asked.unanswered] == ["raters_among_measures", "combinations"]
    assert asked.severities


def pair_of(rating):
    return rating.pair
