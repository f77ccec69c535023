"""What may be drawn again: the same numbers as drawing by hand, and reasons where it cannot be drawn."""

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
from meta_eval.stats.resampling.drawn_raters import pool_raters, resample_raters
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.table.joint import resample_both_sides
from meta_eval.stats.table.schemes import RaterDraws, check_resampled, resample_table, select_systems
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE, make_corpus, rate_all

SYSTEMS = ("one", "three", "two")


@pytest.fixture(scope="module")
def survey():
    corpus = make_corpus(5, documents=8)
    rated = Corpus(corpus.documents[3:])
    ratings = rate_all(rated, 2)
    found = human_divergences(ratings, scale="similarity")
    human = {
        name: score_humans(corpus, found, make_measure(name), options=GENTLE) for name in ("rouge-l", "jsd")
    }
    automatic = {
        name: score_systems(corpus, make_measure(name), options=GENTLE).contributions
        for name in ("jsd", "bleu")
    }
    return automatic, human, RaterDraws(ratings, rated, seed=[7], resamples=30)


def drawn(survey, resampled):
    automatic, human, raters = survey
    return resample_table(
        automatic, human, resampled=resampled, raters=raters, rng=np.random.default_rng(1), resamples=30
    )


def scorer_of(survey, surrogate):
    _, human, raters = survey
    scores = human[surrogate]
    panel = build_panel(raters.ratings, scores.divergences)
    return PanelScorer(panel, corpus=raters.corpus, surrogates=scores.surrogate, options=scores.options)


def test_documents_are_drawn_as_for_both_sides(survey):
    automatic, human, _ = survey
    stream = np.random.default_rng(1).spawn(2)[0]
    people = {name: scores.contributions for name, scores in human.items()}
    expected = resample_both_sides(automatic, people, rng=stream, resamples=30)
    found = drawn(survey, "documents")
    assert (found.systems, list(found.samples)) == (SYSTEMS, list(expected))
    for name, sample in expected.items():
        np.testing.assert_array_equal(found.samples[name].resampled, sample.resampled)


def test_systems_alone_are_drawn_from_their_scores(survey):
    automatic, _, _ = survey
    found = drawn(survey, "systems").samples[ScoreId("perseval", "jsd")]
    scores = automatic["jsd"].system_scores()
    observed = [scores[name].perseval for name in SYSTEMS]
    assert found.observed == pytest.approx(observed)
    assert np.isin(found.resampled.round(12), np.round(observed, 12)).all()
    assert [rows.shape for rows in found.left_out] == [(3, 3)]


def test_both_are_drawn_one_after_the_other(survey):
    found = drawn(survey, "documents and systems")
    before = drawn(survey, "documents")
    for name, sample in before.samples.items():
        np.testing.assert_array_equal(found.before_systems[name].resampled, sample.resampled)
        values = np.sort(found.samples[name].resampled, axis=1)[:, 0]
        assert (values >= sample.resampled.min(axis=1) - 1e-12).all()


def test_raters_are_drawn_alike_for_every_surrogate_and_leave_automatic_scores_alone(survey):
    found = drawn(survey, "raters")
    for surrogate in ("rouge-l", "jsd"):
        scorer = scorer_of(survey, surrogate)
        expected = resample_raters(scorer, resamples=30, rng=np.random.default_rng([7]))
        order = [scorer.systems.index(name) for name in SYSTEMS]
        for score, sample in expected.items():
            made = found.samples[ScoreId(score, surrogate)]
            np.testing.assert_array_equal(made.resampled, sample.resampled[:, order])
            np.testing.assert_array_equal(made.left_out[0], sample.left_out[0][:, order])
    fixed = found.samples[ScoreId("perseval", "bleu")]
    assert fixed.resampled.shape == (30, 3)
    assert (fixed.resampled == fixed.observed).all()
    assert len(fixed.left_out[0]) == 3  # raters


def test_two_stages_draw_raters_within_documents(survey):
    automatic, human, _ = survey
    found = drawn(survey, "raters within documents")
    documents = tuple(dict.fromkeys(name for side in automatic.values() for name in side.documents))
    scorer = scorer_of(survey, "jsd")
    pools = pool_raters(scorer, documents=documents, rng=np.random.default_rng([7]))
    people = {"jsd": human["jsd"].contributions}
    order = [scorer.systems.index(name) for name in SYSTEMS]
    pool = replace(pools["perseval_hj"], values=pools["perseval_hj"].values[:, order])
    expected = resample_both_sides(
        automatic,
        people,
        rng=np.random.default_rng(1).spawn(2)[0],
        resamples=30,
        pools={ScoreId("perseval_hj", "jsd"): pool},
    )
    np.testing.assert_allclose(
        found.samples[ScoreId("perseval_hj", "jsd")].resampled,
        expected[ScoreId("perseval_hj", "jsd")].resampled,
        atol=1e-12,
    )
    plain = drawn(survey, "documents").samples
    assert not np.array_equal(
        plain[ScoreId("perseval_hj", "jsd")].resampled, found.samples[ScoreId("perseval_hj", "jsd")].resampled
    )
    np.testing.assert_array_equal(
        plain[ScoreId("perseval", "jsd")].resampled, found.samples[ScoreId("perseval", "jsd")].resampled
    )


@pytest.mark.parametrize("resampled", ["raters", "raters within documents"])
def test_without_ratings_raters_cannot_be_drawn(survey, resampled):
    automatic, human, raters = survey
    alone = RaterDraws([], raters.corpus, seed=[7])
    with pytest.raises(InputError, match="no single ratings, so raters cannot be resampled; choose doc"):
        drawn((automatic, human, alone), resampled)


def test_some_systems_may_be_looked_at_alone(survey):
    found = drawn(survey, "documents").samples
    alone = select_systems(found, (2, 0))
    for name, sample in found.items():
        np.testing.assert_array_equal(alone[name].observed, sample.observed[[2, 0]])
        np.testing.assert_array_equal(alone[name].resampled, sample.resampled[:, [2, 0]])
        np.testing.assert_array_equal(alone[name].left_out[0], sample.left_out[0][:, [2, 0]])


def test_what_cannot_be_drawn_is_refused():
    assert check_resampled("raters") == "raters"
    with pytest.raises(InputError, match=r"what is resampled is documents, systems, .*, not 'people'"):
        check_resampled("people")
