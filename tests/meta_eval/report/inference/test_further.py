"""What meta-evaluation asks by now: the library's numbers in a report, each from its own stream."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference import further
from meta_eval.report.inference.further import _cells, ask_further
from meta_eval.report.inference.sides import DocumentDraws, MatchedSides
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.table import score_ids
from meta_eval.report.options import InferenceOptions
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.grouped import GROUPINGS, calibrate_ties, coefficients_by_group
from meta_eval.stats.coefficients.outliers import correlate_without_outliers
from meta_eval.stats.coefficients.system_pairs import SUBSETS, noticed_difference, pair_accuracies
from meta_eval.stats.rankings.simultaneous import simultaneous_ranks
from meta_eval.stats.resampling.noticed import noticed_interval
from meta_eval.stats.resampling.weights import draw_weights, weighted_scores
from meta_eval.stats.significance.flips import draw_flips, pair_p_values
from meta_eval.stats.significance.soft_accuracy import compare_soft_accuracies, soft_pairwise_accuracy
from tests.meta_eval.report.inference.inferring import MEASURES, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all

OPTIONS = InferenceOptions(resamples=120, seed=3)
SURROGATES = ("rouge-l", "jsd")


@pytest.fixture(scope="module")
def inputs():
    corpus = make_corpus(11, documents=14)
    return make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5), surrogates=SURROGATES)


@pytest.fixture(scope="module")
def sides(inputs):
    return MatchedSides.gather(inputs.matched, inputs.human, normalise="document")


@pytest.fixture(scope="module")
def found(sides):
    return ask_further(sides, OPTIONS)


def matrices(inputs, row):
    """(S, D) of both sides of a row, systems sorted, over the rated documents."""
    human = inputs.human[row.surrogate]
    matched = score_contributions(inputs.matched[row.measure], human.options)
    systems = sorted(matched.systems)
    both = []
    for side in (human.contributions, matched):
        rows = [side.systems.index(name) for name in systems]
        columns = [side.documents.index(name) for name in matched.documents]
        both.append(side.matrix(row.automatic)[np.ix_(rows, columns)])
    return both


def noticed_samples(sides, families=()):
    draws = DocumentDraws.make(len(sides.documents), resamples=120, rng=stream(3, "noticed"), level=0.95)
    return {name: replace(one, families=families) for name, one in draws.scores(sides.scores).items()}


def test_families_that_were_named_are_drawn_each_for_itself(sides):
    rng = np.random.default_rng(2)
    level = np.repeat([0.2, 0.6], 4)[:, None] + 0.02 * np.arange(8)[:, None]
    scores = {name: level + 0.1 * rng.normal(size=(8, len(sides.documents))) for name in sides.scores}
    eight = replace(sides, systems=tuple("ABCDEFGH"), scores=scores)
    families = dict(zip("ABCDEFGH", "aaaabbbb", strict=True))
    named = ask_further(eight, replace(OPTIONS, families=families)).noticed
    samples = noticed_samples(eight, tuple(families.values()))
    for row in named:
        ids = score_ids(SCORES[row.automatic], row.surrogate, row.measure)
        interval = noticed_interval(*(samples[name] for name in ids))
        assert (row.ci_low, row.ci_high) == (interval.low, interval.high)
    unnamed = ask_further(eight, OPTIONS).noticed
    assert [row.ci_low for row in named] != [row.ci_low for row in unnamed]


def means(inputs, row):
    return [np.nanmean(side, axis=1).tolist() for side in matrices(inputs, row)]


def keys(rows, *more):
    return [
        (row.automatic, row.surrogate, row.measure, *(getattr(row, name) for name in more)) for row in rows
    ]


def test_every_question_is_asked_of_degress_and_perseval(found):
    pairs = [
        (score, surrogate, measure)
        for score in ("degress", "perseval")
        for surrogate in SURROGATES
        for measure in MEASURES
    ]
    assert keys(found.soft_accuracy) == keys(found.noticed) == pairs
    assert keys(found.calibrated_ties, "grouping") == [(*pair, name) for pair in pairs for name in GROUPINGS]
    assert keys(found.pair_accuracy, "subset") == [(*pair, name) for pair in pairs for name in SUBSETS]
    assert keys(found.outliers, "coefficient") == [
        (*pair, name) for pair in pairs for name in OPTIONS.design.coefficients
    ]
    assert {(row.human, row.shared_input) for row in found.soft_accuracy if row.measure == row.surrogate} == {
        ("degress_hj", True),
        ("perseval_hj", True),
    }


def test_soft_accuracies_are_those_of_the_library(inputs, found):
    for row in found.soft_accuracy:
        wanted = soft_pairwise_accuracy(*matrices(inputs, row), rng=stream(3, "soft_accuracy"))
        assert (row.estimate, row.pairs, row.documents) == (wanted.estimate, wanted.pairs, wanted.documents)


def test_soft_differences_are_over_all_surrogates(inputs, found):
    rng = stream(3, "soft_differences")
    for row in found.soft_differences:
        cell = next(one for one in found.soft_accuracy if one.automatic == row.automatic)
        rows = [replace(cell, surrogate=name, measure=row.measure) for name in SURROGATES]
        people = np.stack([matrices(inputs, one)[0] for one in rows])
        first, second = (
            matrices(inputs, replace(cell, measure=name))[1] for name in (row.measure, row.other)
        )
        wanted = compare_soft_accuracies(first, second, people, rng=rng, permutations=999)
        assert (row.difference, row.p_value) == (wanted.difference, wanted.p_value)
        assert (row.surrogates, row.p_adjusted) == (2, row.p_value)
    assert [(row.automatic, row.measure, row.other) for row in found.soft_differences] == [
        ("degress", *MEASURES),
        ("perseval", *MEASURES),
    ]


def test_ties_are_calibrated_as_in_the_library(inputs, found):
    for row in found.calibrated_ties:
        both = matrices(inputs, row)
        wanted = calibrate_ties(*both, row.grouping)
        assert (row.estimate, row.epsilon, row.untouched, row.tied) == (
            wanted.estimate,
            wanted.epsilon,
            wanted.without,
            wanted.tied,
        )
        assert row.tau_b == pytest.approx(np.nanmean(coefficients_by_group(*both, "tau-b", row.grouping)))


def test_pairs_noticed_differences_and_outliers_are_those_of_the_library(inputs, found, sides):
    flips = draw_flips(len(sides.documents), permutations=10_000, rng=stream(3, "soft_accuracy"))
    for row in found.pair_accuracy:
        p_values = pair_p_values(matrices(inputs, row)[0], flips)
        wanted = {one.subset: one for one in pair_accuracies(*means(inputs, row), p_values)}[row.subset]
        assert (row.estimate, row.pairs, row.reason) == (wanted.estimate, wanted.pairs, wanted.reason)
    for row in found.noticed:
        noticed = noticed_difference(*means(inputs, row))
        assert (row.noticed, row.beyond, row.pairs) == (noticed.difference, noticed.beyond, noticed.pairs)
        human, metric = (
            noticed_samples(sides)[name]
            for name in score_ids(SCORES[row.automatic], row.surrogate, row.measure)
        )
        interval = noticed_interval(human, metric)
        assert (row.ci_low, row.ci_high, row.ci_level) == (interval.low, interval.high, 0.95)
        assert row.ci_reason == interval.reason
    for row in found.outliers:
        without = correlate_without_outliers(*means(inputs, row), row.coefficient)
        assert row.outliers == tuple(sides.systems[at] for at in without.outliers)
        assert (row.all_systems, row.estimate, row.n) == (
            without.all_systems.estimate,
            without.without.estimate,
            without.without.n,
        )


def test_systems_have_the_ranks_of_the_library(inputs, found, sides):
    weights = draw_weights(units=len(sides.documents), resamples=120, rng=stream(3, "system_ranks"))
    for human, surrogate in dict.fromkeys((row.human, row.surrogate) for row in found.system_ranks):
        rows = [row for row in found.system_ranks if (row.human, row.surrogate) == (human, surrogate)]
        cell = next(one for one in found.soft_accuracy if (one.human, one.surrogate) == (human, surrogate))
        people = matrices(inputs, cell)[0]
        values = np.nanmean(people, axis=1).tolist()
        wanted = simultaneous_ranks(values, weighted_scores(weights, people), documents=12).systems
        assert [row.system for row in rows] == sorted(sides.systems)
        assert [row.value for row in rows] == pytest.approx(values)
        assert [(row.rank, row.rank_low, row.rank_high, row.cluster) for row in rows] == [
            (one.rank, one.low, one.high, one.group) for one in wanted
        ]


def test_too_many_summaries_are_not_compared_two_by_two(monkeypatch, sides):
    monkeypatch.setattr(further, "MOST_CELLS", 10)
    rows = ask_further(sides, OPTIONS).calibrated_ties
    any_two = [row for row in rows if row.grouping == "none"]
    assert {(row.estimate, row.reason) for row in any_two} == {
        (None, "36 summaries; any two are compared up to 10 alone")
    }
    assert all(row.estimate is not None for row in rows if row.grouping == "item")


def test_both_sides_of_a_soft_accuracy_are_over_the_documents_that_both_have(sides):
    cell = next(_cells(sides))
    scores = {name: values.copy() for name, values in sides.scores.items()}
    scores[cell.automatic_id][0, :4] = np.nan
    row = ask_further(replace(sides, scores=scores), OPTIONS).soft_accuracy[0]
    wanted = soft_pairwise_accuracy(
        scores[cell.human_id], scores[cell.automatic_id], rng=stream(3, "soft_accuracy")
    )
    assert row.estimate == wanted.estimate
    assert row.documents == len(sides.documents)


def test_the_seed_alone_decides(found, sides):
    assert ask_further(sides, OPTIONS) == found
    other = ask_further(sides, replace(OPTIONS, seed=4))
    assert other.system_ranks != found.system_ranks or other.soft_differences != found.soft_differences
    assert other.calibrated_ties == found.calibrated_ties
