import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import score_humans
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.scores.perseval import PenaltyOptions
from meta_eval.stats.resampling.drawn_raters import pool_raters, resample_raters
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.weights import draw_weights
from tests.meta_eval.strategies import WORDS, corpora

SYSTEMS = ("one", "two", "three")
GENTLE = ScoreOptions(PenaltyOptions(alpha=0.5, beta=0.0, gamma=0.5))
"""A penalty that these inaccurate summaries survive: by default their PerSEval is 0 whoever rates them."""


def make_corpus(seed: int, documents: int = 6) -> Corpus:
    choose = random.Random(seed)

    def text() -> str:
        return " ".join(choose.choices(WORDS, k=5))

    def written(readers: int) -> dict[str, str]:
        return {f"r{reader}": text() for reader in range(readers)}

    return Corpus(
        tuple(
            Document(f"d{i}", "title", text(), written(n), {system: written(n) for system in SYSTEMS})
            for i, n in enumerate(choose.choices((2, 3, 4), k=documents))
        )
    )


def rate_all(corpus: Corpus, seed: int, raters: tuple[str, ...] = ("p1", "p2", "p3")) -> list[Rating]:
    """Some reader pairs of each document, each by two of the raters."""
    choose = random.Random(seed)
    ratings = []
    for document in corpus.documents:
        pairs = list(combinations(sorted(document.references), 2))
        for pair in choose.sample(pairs, k=min(2, len(pairs))):
            for rater in choose.sample(raters, k=2):
                ratings.extend(
                    Rating(document.id, system, *pair, rater, choose.randint(1, 6))
                    for system in (GOLD, *corpus.systems)
                )
    return ratings


def scorer_of(corpus: Corpus, ratings, **options) -> tuple[PanelScorer, object]:
    found = human_divergences(ratings, scale="similarity", **options)
    scores = score_humans(corpus, found, make_measure("rouge-l"), options=GENTLE)
    rated = Corpus(tuple(d for d in corpus.documents if d.id in found.documents))
    panel = build_panel(ratings, found)
    return PanelScorer(panel, corpus=rated, surrogates=scores.surrogate, options=GENTLE), scores


def by_document(scorer: PanelScorer, contributions, name: str) -> np.ndarray:
    at = [contributions.documents.index(doc_id) for doc_id in scorer.documents]
    values = contributions.perseval if name == "perseval_hj" else contributions.degress
    return (1 - values if name == "egises_hj" else values)[:, at]


@settings(max_examples=30, deadline=None)
@given(corpora(), st.integers(0, 99))
def test_all_ratings_once_are_the_human_scores(corpus, seed):
    assume(any(len(document.references) > 1 for document in corpus.documents))
    ratings = rate_all(corpus, seed)
    scorer, scores = scorer_of(corpus, ratings)
    found = scorer.score(scorer.panel.by_rater(np.ones((2, len(scorer.panel.rater_names)))))
    for name in HUMAN_SCORES:
        expected = by_document(scorer, scores.contributions, name)
        np.testing.assert_array_equal(found[name], np.stack([expected, expected]))


def test_a_draw_of_raters_scores_as_a_survey_with_their_ratings_as_often():
    corpus = make_corpus(1)
    ratings = rate_all(corpus, 2)
    scorer, _ = scorer_of(corpus, ratings)
    drawn_raters = draw_weights(units=3, resamples=6, rng=np.random.default_rng(3))
    weights = np.concatenate([drawn_raters, np.eye(3)])  # one rater alone leaves pairs and readers out
    found = scorer.system_scores(scorer.panel.by_rater(weights))
    for row, drawn in enumerate(weights):
        often = dict(zip(scorer.panel.rater_names, drawn.astype(int), strict=True))
        repeated = [
            Rating(r.doc_id, r.system, r.reader_a, r.reader_b, f"{r.rater}.{copy}", r.rating)
            for r in ratings
            for copy in range(often[r.rater])
        ]
        _, scores = scorer_of(corpus, repeated, min_raters=1)
        expected = scores.contributions.system_scores()
        for column, system in enumerate(scorer.systems):
            assert found["degress_hj"][row, column] == pytest.approx(expected[system].degress, abs=1e-12)
            assert found["egises_hj"][row, column] == pytest.approx(expected[system].egises, abs=1e-12)
            assert found["perseval_hj"][row, column] == pytest.approx(expected[system].perseval, abs=1e-12)
            assert found["perseval_hj"][row, column] > 0.01


def test_scores_do_not_depend_on_how_many_draws_are_scored_at_a_time(monkeypatch):
    scorer, _ = scorer_of(make_corpus(1), rate_all(make_corpus(1), 2))
    sigma = scorer.panel.by_rater(draw_weights(units=3, resamples=9, rng=np.random.default_rng(3)))
    at_once = scorer.score(sigma)
    monkeypatch.setattr("meta_eval.stats.resampling.rescoring._CELLS", 1)
    one_by_one = scorer.score(sigma)
    for name in HUMAN_SCORES:
        np.testing.assert_array_equal(one_by_one[name], at_once[name])


@pytest.mark.parametrize("stretch", [False, True])
def test_draws_within_questionnaires_are_scored_as_each_draw_by_itself(monkeypatch, stretch):
    corpus = make_corpus(1)
    everybody = rate_all(corpus, 2)
    ratings = [one for one in everybody if (one.doc_id, one.rater) != ("d0", "p1")]  # some rated by one
    scorer, _ = scorer_of(corpus, ratings, min_raters=1)
    panel = scorer.panel
    rng = np.random.default_rng(3)
    weights = rng.integers(0, 3, (60, len(panel.strata))).astype(float)  # some pairs are not drawn at all
    sigma = panel.by_unit(weights, stretch=stretch)
    whole, systems = scorer.score(sigma), scorer.system_scores(sigma)
    assert np.isnan(whole["degress_hj"]).any()
    found = scorer.score_by_unit(weights, stretch=stretch)
    at_once = scorer.system_scores_by_unit(weights, stretch=stretch)
    monkeypatch.setattr("meta_eval.stats.resampling.rescoring._CELLS", 1)
    one_by_one = scorer.system_scores_by_unit(weights, stretch=stretch)
    for name in HUMAN_SCORES:
        np.testing.assert_array_equal(found[name], whole[name])
        np.testing.assert_allclose(at_once[name], systems[name], rtol=0, atol=1e-14)
        np.testing.assert_allclose(one_by_one[name], systems[name], rtol=0, atol=1e-14)


def test_resampled_raters_come_with_their_jackknife():
    scorer, scores = scorer_of(make_corpus(1), rate_all(make_corpus(1), 2))
    samples = resample_raters(scorer, resamples=40, rng=np.random.default_rng(5), batch=40)
    batched = resample_raters(scorer, resamples=40, rng=np.random.default_rng(5), batch=7)
    expected = scores.contributions.system_scores()
    for name, attribute in zip(HUMAN_SCORES, ("degress", "egises", "perseval"), strict=True):
        sample = samples[name]
        assert list(sample.observed) == pytest.approx(
            [getattr(expected[system], attribute) for system in scorer.systems], abs=1e-12
        )
        assert sample.resampled.shape == (40, 3)
        assert sample.left_out[0].shape == (3, 3)
        np.testing.assert_array_equal(batched[name].resampled, sample.resampled)
    without_first = [r for r in rate_all(make_corpus(1), 2) if r.rater != scorer.panel.rater_names[0]]
    _, left = scorer_of(make_corpus(1), without_first, min_raters=1)
    assert samples["degress_hj"].left_out[0][0, 0] == pytest.approx(
        left.contributions.system_scores()[scorer.systems[0]].degress, abs=1e-12
    )


def test_a_pool_draws_raters_within_questionnaires_and_loses_no_pair():
    corpus = make_corpus(1)
    scorer, scores = scorer_of(corpus, rate_all(corpus, 2))
    names = ("other", *reversed(scorer.documents))
    pools = pool_raters(scorer, documents=names, draws=50, rng=np.random.default_rng(5))
    pool = pools["perseval_hj"]
    assert [names[index] for index in pool.documents] == list(scorer.documents)
    assert np.isfinite(pool.values).all()
    assert (pool.values.std(axis=0) > 0).any()
    observed = by_document(scorer, scores.contributions, "perseval_hj")
    close = np.abs(pool.values - observed).max(axis=1).min(axis=0)
    assert close.min() == 0.0  # some draw takes every rater once
    with pytest.raises(InputError, match="6 rated documents have no contributions"):
        pool_raters(scorer, documents=["other"], draws=5, rng=np.random.default_rng(5))


def test_one_rater_alone_cannot_be_resampled():
    corpus = make_corpus(1)
    ratings = [r for r in rate_all(corpus, 2, raters=("p1", "p2")) if r.rater == "p1"]
    scorer, _ = scorer_of(corpus, ratings)
    with pytest.raises(InputError, match="one rater alone cannot be resampled"):
        resample_raters(scorer, resamples=5, rng=np.random.default_rng(5))


def test_distances_without_a_rated_document_are_refused():
    corpus = make_corpus(1)
    _, scores = scorer_of(corpus, rate_all(corpus, 2))
    other = [Rating("elsewhere", s, "r0", "r1", p, 3) for s in (GOLD, "one") for p in ("p1", "p2")]
    panel = build_panel(other, human_divergences(other, scale="similarity"))
    with pytest.raises(InputError, match="no document that was rated"):
        PanelScorer(panel, corpus=corpus, surrogates=scores.surrogate)
