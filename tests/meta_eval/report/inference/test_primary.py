"""p of the declared primary coefficient, and the ranking and answer that go by it."""

from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.report.answer import answer_in_words
from meta_eval.report.inference.infer import infer_report
from meta_eval.report.inference.streams import stream
from meta_eval.report.primary import Primary
from meta_eval.report.sentinels import mean_sentinels
from meta_eval.stats.significance.shared import shared_permutation_p_values
from tests.meta_eval.report.inference.inferring import QUICK, make_inputs
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all

PRIMARY = Primary(coefficient="spearman", surrogate="jsd")


@pytest.fixture(scope="module")
def inputs():
    corpus = make_corpus(11, documents=8)
    return make_inputs(corpus, rate_all(Corpus(corpus.documents[2:]), 5))


@pytest.fixture(scope="module")
def plain(inputs):
    return infer_report(inputs, options=QUICK)


@pytest.fixture(scope="module")
def found(inputs):
    return infer_report(inputs, options=replace(QUICK, primary=PRIMARY))


def test_the_family_alone_has_p_by_max_t_over_shared_permutations(inputs, found):
    tested = [row for row in found.correlations if row.p_max_t is not None]
    assert [(row.automatic, row.surrogate, row.coefficient) for row in tested] == [
        ("degress", "jsd", "spearman")
    ] * len(inputs.automatic)
    human, machines = inputs.human["jsd"].contributions, inputs.automatic
    systems = sorted(human.systems)

    def means(scores):
        rows = dict(zip(scores.systems, np.nanmean(scores.matrix("degress"), axis=1), strict=True))
        return [rows[name] for name in systems]

    expected = shared_permutation_p_values(
        np.array(means(human)),
        np.array([means(machines[row.measure]) for row in tested]),
        "spearman",
        rng=stream(QUICK.seed, "primary"),
    )
    assert [row.p_max_t for row in tested] == pytest.approx(
        [max(p, row.p_value) for p, row in zip(expected, tested, strict=True)]
    )


def test_nothing_else_of_the_table_changes(plain, found):
    without = [replace(row, p_max_t=None) for row in found.correlations]
    assert without == list(plain.correlations)


def test_measures_are_ranked_by_the_declared_coefficient_and_surrogate(found):
    by_key = {(row.automatic, row.surrogate, row.measure, row.coefficient): row for row in found.correlations}
    for row in found.inference.ranking:
        own = by_key[row.score, "jsd", row.measure, "spearman"]
        assert (row.estimate, row.surrogates) == (pytest.approx(own.estimate), 1)
        assert row.p_raters == own.p_raters
        assert row.p_max_t == own.p_max_t
        significant = own.p_max_t if row.score == "degress" else own.p_adjusted
        assert row.significant == (significant < 0.05)


def test_the_answer_is_of_the_declared_coefficient(found):
    answer = answer_in_words(found.correlations, None, found.inference, 6)
    assert answer.coefficient == "spearman"
    assert "Kendall" not in answer.sentence
    assert "Spearman's rho" in answer.sentence
    by_measure = {
        row.measure: row.estimate
        for row in found.correlations
        if (row.automatic, row.surrogate, row.coefficient) == ("degress", "jsd", "spearman")
    }
    assert {entry.measure: entry.mean for entry in answer.ranking} == by_measure
    assert {entry.coefficient for entry in answer.ranking} == {"spearman"}
    rows = mean_sentinels(found.inference, "degress_hj", "spearman")
    assert {row.surrogate for row in rows} == {"jsd"}


def test_without_its_surrogate_nothing_is_adjusted_and_the_answer_is_the_usual_one(inputs, plain):
    options = replace(QUICK, primary=replace(PRIMARY, surrogate="meteor"))
    found = infer_report(inputs, options=options)
    assert found.inference.primary is None
    assert found.inference.primary_reason == "the report has no human scores by METEOR"
    assert found.correlations == plain.correlations
    assert found.inference.ranking == plain.inference.ranking
