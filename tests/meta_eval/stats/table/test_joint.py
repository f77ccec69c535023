from dataclasses import replace

import numpy as np
import pytest

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.human import score_humans
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.resampling.drawn_raters import pool_raters
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.table.inferred import infer_table
from meta_eval.stats.table.joint import (
    align_contributions,
    align_pool,
    resample_both_sides,
    table_axes,
)
from tests.meta_eval.stats.resampling.test_rescoring import make_corpus, rate_all


def test_values_move_to_other_axes_and_missing_ones_stay_missing():
    values = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = align_contributions(
        np.stack([values, 10 * values]),
        systems=["a", "b"],
        documents=["d1", "d2"],
        to_systems=["b", "x", "a"],
        to_documents=["d2", "d9"],
    )
    nan = np.nan
    np.testing.assert_array_equal(found[0], [[4.0, nan], [nan, nan], [2.0, nan]])
    np.testing.assert_array_equal(found[1], 10 * found[0])


@pytest.fixture(scope="module")
def survey():
    """Eight documents, of which the last five are rated."""
    corpus = make_corpus(5, documents=8)
    ratings = rate_all(Corpus(corpus.documents[3:]), 2)
    divergences = human_divergences(ratings, scale="similarity")
    people = score_humans(corpus, divergences, make_measure("rouge-l"))
    automatic = {name: score_systems(corpus, make_measure(name)).contributions for name in ("jsd", "bleu")}
    return corpus, ratings, divergences, people, automatic


def test_both_sides_are_scored_on_what_they_have(survey):
    _, _, _, people, automatic = survey
    samples = resample_both_sides(
        automatic, {"rouge-l": people.contributions}, rng=np.random.default_rng(1), resamples=40
    )
    assert set(samples) == {
        *(ScoreId(score, measure) for score in ("degress", "egises", "perseval") for measure in automatic),
        *(ScoreId(f"{score}_hj", "rouge-l") for score in ("degress", "egises", "perseval")),
    }
    for name, scores in (
        (ScoreId("perseval_hj", "rouge-l"), people.contributions),
        (ScoreId("perseval", "jsd"), automatic["jsd"]),
    ):
        expected = scores.system_scores()
        assert list(samples[name].observed) == pytest.approx(
            [expected[system].perseval for system in sorted(expected)], abs=1e-12
        )
    np.testing.assert_allclose(
        samples[ScoreId("egises", "jsd")].resampled,
        1 - samples[ScoreId("degress", "jsd")].resampled,
        atol=1e-12,
    )
    assert np.isfinite(samples[ScoreId("perseval_hj", "rouge-l")].resampled).all()


def test_as_many_surveyed_documents_are_drawn_as_there_are(survey):
    """A score of 1 in surveyed documents and 0 in others is their share, in every resample."""
    _, _, _, people, automatic = survey
    surveyed = np.isin(automatic["jsd"].documents, people.contributions.documents).astype(float)
    marked = replace(automatic["jsd"], perseval=np.tile(surveyed, (3, 1)))
    samples = resample_both_sides(
        {"m": marked}, {"x": people.contributions}, rng=np.random.default_rng(1), resamples=40
    )
    np.testing.assert_allclose(samples[ScoreId("perseval", "m")].resampled, 5 / 8)


def test_matched_scores_take_the_surveyed_documents_alone(survey):
    corpus, _, _, people, automatic = survey
    samples = resample_both_sides(
        automatic,
        {"rouge-l": people.contributions},
        rng=np.random.default_rng(1),
        resamples=40,
        matched=True,
    )
    rated = Corpus(corpus.documents[3:])
    expected = score_systems(rated, make_measure("jsd")).contributions.system_scores()
    assert list(samples[ScoreId("perseval", "jsd")].observed) == pytest.approx(
        [expected[system].perseval for system in sorted(expected)], abs=1e-12
    )


def test_raters_and_systems_may_be_drawn_too(survey):
    corpus, ratings, divergences, people, automatic = survey
    human = {"rouge-l": people.contributions}
    systems, documents = table_axes(automatic, human)
    rated = Corpus(tuple(d for d in corpus.documents if d.id in divergences.documents))
    scorer = PanelScorer(build_panel(ratings, divergences), corpus=rated, surrogates=people.surrogate)
    found = pool_raters(scorer, documents=documents, draws=30, rng=np.random.default_rng(4))
    pools = {
        ScoreId(name, "rouge-l"): align_pool(pool, systems=scorer.systems, to_systems=systems)
        for name, pool in found.items()
    }
    plain, staged, joint = (
        resample_both_sides(automatic, human, rng=np.random.default_rng(1), resamples=400, **options)
        for options in ({}, {"pools": pools}, {"systems_too": True})
    )
    name = ScoreId("degress_hj", "rouge-l")
    np.testing.assert_array_equal(
        staged[ScoreId("degress", "jsd")].resampled, plain[ScoreId("degress", "jsd")].resampled
    )
    assert staged[name].resampled.std(axis=0).mean() > plain[name].resampled.std(axis=0).mean()
    assert len(joint[name].left_out) == 2
    cells = infer_table([(name, ScoreId("degress", "jsd"))], plain, rng=np.random.default_rng(2))
    assert [one.n for one in cells] == [3, 3, 3]
    with pytest.raises(InputError, match="there is no score for the pools degress_hj x"):
        resample_both_sides(
            automatic,
            human,
            rng=np.random.default_rng(1),
            resamples=5,
            pools={ScoreId("degress_hj", "x"): pools[name]},
        )


def test_systems_may_stand_in_any_order(survey):
    _, _, _, people, automatic = survey
    _, documents = table_axes(automatic, {"x": people.contributions})
    systems, _ = table_axes(automatic, {"x": people.contributions})
    assert systems == ("one", "three", "two")
    assert documents == automatic["jsd"].documents


def test_sides_that_do_not_fit_are_refused(survey):
    _, _, _, people, automatic = survey
    with pytest.raises(InputError, match="a table needs human and automatic scores"):
        table_axes(automatic, {})
    few = {"jsd": score_systems(make_corpus(5, documents=2), make_measure("jsd")).contributions}
    with pytest.raises(InputError, match=r"surveyed documents have no automatic scores \(first: d"):
        table_axes(few, {"rouge-l": people.contributions})
