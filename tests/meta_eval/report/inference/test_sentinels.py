"""Sentinels: their coefficients counted once more by hand, and what the answer says of measures below one."""

import math
from dataclasses import asdict, replace
from itertools import combinations
from statistics import fmean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import compute_distances
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.report.inference.sentinels import RANDOM_SCORES, correlate_sentinels, list_sentinels
from meta_eval.report.inference.streams import stream
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import AnsweringMeasure, Inference, ReportAnswer, SentinelRow
from meta_eval.report.sentinels import with_sentinels
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.lengths import mean_words
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS
from tests.meta_eval.report.inference.inferring import make_inputs
from tests.meta_eval.scores import naive
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE, make_corpus, rate_all
from tests.meta_eval.strategies import corpora, document

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.fixture(scope="module")
def corpus():
    """Every text has five words; here one system says something twice, another one stops early."""
    made = make_corpus(11, documents=8)
    return Corpus(tuple(replace(one, summaries=uneven(one.summaries)) for one in made.documents))


def uneven(summaries):
    changes = {"two": lambda text: f"{text} {text}", "three": lambda text: text[:12].strip()}
    return {
        system: {reader: changes.get(system, str)(text) for reader, text in texts.items()}
        for system, texts in summaries.items()
    }


@pytest.fixture(scope="module")
def inputs(corpus):
    return make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5))


def correlate(inputs, **changes):
    asked = {"rng": stream(3, "sentinels"), "coefficients": ALL_COEFFICIENTS, **changes}
    return correlate_sentinels(inputs.automatic, inputs.human, inputs.words, **asked)


@pytest.fixture(scope="module")
def rows(inputs):
    return correlate(inputs)


def people(inputs, row):
    """The human score of each system by name, in their order."""
    scores = inputs.human[row.surrogate].contributions.system_scores()
    return [getattr(scores[name], row.human.removesuffix("_hj")) for name in sorted(scores)]


def by_hand(corpus, row, system):
    """A sentinel's value of a system, from texts alone."""
    documents = [one for one in corpus.documents if len(one.references) > 1]
    if row.sentinel == "length":
        return fmean(fmean(len(text.split()) for text in one.summaries[system].values()) for one in documents)
    measure = make_measure(row.measure)
    if row.sentinel == "penalty":
        shape = asdict(GENTLE.penalty)
        return fmean(fmean(naive.penalties(one, system, measure, **shape).values()) for one in documents)
    return fmean(
        1 - fmean(measure(one.summaries[system][reader], gold) for reader, gold in one.references.items())
        for one in documents
    )


def test_each_sentinel_of_the_texts_has_the_coefficient_of_its_value_by_hand(corpus, inputs, rows):
    found = [
        row
        for row in rows
        if row.surrogate and row.sentinel not in ("random", "constant") and row.coefficient in SCIPY
    ]
    # DEGRESS-HJ and PerSEval-HJ, two surrogates: the length, and penalty and accuracy of two measures
    assert len(found) == 2 * 2 * (1 + 2 * 2) * len(SCIPY)
    values_of = {
        (row.sentinel, row.measure): [by_hand(corpus, row, system) for system in sorted(corpus.systems)]
        for row in {(row.sentinel, row.measure): row for row in found}.values()
    }
    for row in found:
        values = values_of[row.sentinel, row.measure]
        expected = SCIPY[row.coefficient](values, people(inputs, row)).statistic
        assert row.estimate == pytest.approx(expected, abs=1e-9)
        assert (row.n, row.surrogates, row.reason, row.quantile) == (3, 1, None, None)


def test_the_mean_row_is_the_mean_over_the_surrogates(inputs, rows):
    means = [row for row in rows if row.surrogate is None and row.sentinel != "random" and row.estimate]
    assert means
    for row in means:
        alike = [
            one.estimate
            for one in rows
            if one.surrogate
            and (one.human, one.sentinel, one.measure, one.coefficient)
            == (row.human, row.sentinel, row.measure, row.coefficient)
        ]
        assert row.surrogates == len(alike) == len(inputs.human)
        assert row.estimate == pytest.approx(fmean(alike))


def test_random_scores_reach_what_all_orders_of_so_few_systems_reach(rows):
    """With three systems tau is 1, 1/3, 1/3, -1/3, -1/3 or -1 with equal chance: the mean is 0."""
    found = [row for row in rows if row.sentinel == "random" and row.coefficient == "kendall"]
    assert len(found) == 2 * 3
    for row in found:
        assert row.draws == RANDOM_SCORES
        assert row.estimate == pytest.approx(0, abs=4 * math.sqrt(11 / 27 / RANDOM_SCORES))
        assert row.quantile == pytest.approx(1)


def test_random_scores_are_those_of_the_named_stream(inputs):
    first, again = (correlate(inputs, coefficients=("pearson",)) for _ in range(2))
    assert first == again
    other = correlate(inputs, coefficients=("pearson",), rng=stream(4, "sentinels"))
    drawn = [[row.estimate for row in rows if row.sentinel == "random"] for rows in (first, other)]
    assert all(one != two for one, two in zip(*drawn, strict=True))


def test_a_constant_has_no_coefficient_and_a_pairwise_accuracy_of_ties_alone(inputs, rows):
    for row in (row for row in rows if row.sentinel == "constant" and row.surrogate):
        if row.coefficient != "pairwise-accuracy":
            assert row.estimate is None
            assert row.reason == "one side has the same score for every system"
            continue
        values = people(inputs, row)
        ties = [abs(one - other) < 1e-12 for one, other in combinations(values, 2)]
        assert (row.estimate, row.reason) == (fmean(ties), None)


def test_sides_that_share_distances_are_marked(rows):
    marked = {(row.sentinel, row.measure, row.surrogate) for row in rows if row.shared_input}
    assert marked == {(name, "jsd", where) for name in ("penalty", "accuracy") for where in ("jsd", None)}


def test_without_texts_the_length_is_missing_with_its_reason(inputs):
    found = correlate(replace(inputs, words={}), coefficients=("kendall",))
    assert {(row.estimate, row.reason) for row in found if row.sentinel == "length"} == {
        (None, "fewer than two systems have both scores")
    }


def test_one_side_alone_is_refused(inputs):
    with pytest.raises(InputError, match="one side only"):
        correlate(replace(inputs, automatic={}))


@settings(max_examples=30)
@given(corpora(), st.sampled_from(["rouge-l", "jsd"]))
def test_edp_alone_is_what_loops_over_documents_and_readers_give(corpus, name):
    documents = [one for one in corpus.documents if len(one.references) > 1]
    measure, systems = make_measure(name), sorted(corpus.systems)
    scores = {name: score_contributions(compute_distances(corpus, measure))}
    rng = np.random.default_rng(0)
    (edp,) = [one for one in list_sentinels(scores, {}, systems, rng) if one.name == "penalty"]
    for system, value in zip(systems, edp.draws[0], strict=True):
        by_document = [fmean(naive.penalties(one, system, measure).values()) for one in documents]
        assert value == pytest.approx(fmean(by_document) if documents else math.nan, abs=1e-9, nan_ok=True)


def test_words_are_counted_by_reader_then_document_where_a_score_can_be():
    first = document("d1", references={"r1": "a", "r2": "b"}, S={"r1": "one two", "r2": "It's four, really!"})
    second = document("d2", references={"r1": "a", "r2": "b"}, S={"r1": "ten"})
    alone = document("d3", references={"r1": "a"}, S={"r1": "so many words here"}, T={"r1": "x"})
    assert mean_words(Corpus((first, second, alone))) == {"S": ((2 + 4) / 2 + 1) / 2}


def sentinel(name, estimate, *, measure=None, human="degress_hj"):
    return SentinelRow(
        human=human,
        surrogate=None,
        sentinel=name,
        measure=measure,
        shared_input=False,
        coefficient="kendall",
        n=10,
        surrogates=2,
        estimate=estimate,
        reason=None if estimate is not None else "why not",
    )


def cautions(means, sentinels):
    ranking = tuple(
        AnsweringMeasure(measure=name, title=name.upper(), mean=mean, low=mean, high=mean, surrogates=2, n=10)
        for name, mean in means.items()
    )
    answer = ReportAnswer("degress_hj", "kendall", ranking, "So it is.", ("First.",))
    inference = Inference(options=InferenceOptions(), sentinels=tuple(sentinels))
    return with_sentinels(answer, inference).cautions


def test_measures_below_the_best_sentinel_are_named_with_their_figures():
    found = cautions(
        {"jsd": 0.6, "bleu": 0.2, "meteor": -0.1},
        [
            sentinel("length", 0.1),
            sentinel("accuracy", 0.3, measure="rouge-l"),
            sentinel("constant", None),
            sentinel("penalty", 0.9, measure="jsd", human="perseval_hj"),
        ],
    )
    assert found == (
        "First.",
        "BLEU (0.20) and METEOR (−0.10) agree less with the raters than a score that cannot know how "
        "personalised a summary is: Accuracy alone, ROUGE-L (0.30).",
    )


@pytest.mark.parametrize("sentinels", [[], [sentinel("length", 0.2), sentinel("constant", None)]])
def test_without_a_measure_below_nothing_is_added(sentinels):
    assert cautions({"jsd": 0.6, "bleu": 0.2}, sentinels) == ("First.",)
