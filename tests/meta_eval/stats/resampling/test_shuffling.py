"""Shuffled ratings: what changes places, that all ways are taken where they are few, and the same scores."""

import math
from collections import Counter
from dataclasses import replace
from itertools import combinations, permutations, product

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.errors import InputError
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.scores.human import score_humans
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.shuffling import (
    DRAWN_TURNS,
    RatersPartScorer,
    _shifts_of,
    count_shuffles,
    exchangeable_pairs,
    shuffle_divergences,
    shuffle_scores,
)
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE, make_corpus, rate_all

PAGE = {GOLD: 2, "A": 1, "B": 3, "C": 6}


def rate(document, raters, values=PAGE, readers=("ann", "bob")):
    return [
        Rating(document, system, *readers, rater, value)
        for rater in raters
        for system, value in values.items()
    ]


def panel_of(ratings):
    return build_panel(ratings, human_divergences(ratings, scale="similarity", min_raters=1))


def test_systems_of_one_questionnaire_change_places_and_gold_does_not():
    other = {GOLD: 2, "D": 1, "E": 3}
    ratings = [*rate("d1", "pq"), *rate("d1", "rs", other), *rate("d2", "pq", other)]
    panel = panel_of([*ratings, *rate("d1", "tu", {"A": 1, "B": 2}, ("ann", "cid"))])
    groups = [[panel.pairs[at] for at in items] for items in exchangeable_pairs(panel)]
    named = [sorted((pair.doc_id, pair.reader_b, pair.system) for pair in group) for group in groups]
    assert sorted(named) == [
        [("d1", "bob", "A"), ("d1", "bob", "B"), ("d1", "bob", "C")],
        [("d1", "bob", "D"), ("d1", "bob", "E")],
        [("d1", "cid", "A"), ("d1", "cid", "B")],
        [("d2", "bob", "D"), ("d2", "bob", "E")],
    ]
    assert count_shuffles(exchangeable_pairs(panel)) == 6 * 2 * 2 * 2


def test_few_ways_to_shuffle_are_all_taken_once():
    panel = panel_of([*rate("d1", "pq"), *rate("d2", "pq", {GOLD: 1, "A": 2, "B": 6})])
    sigma, exact = shuffle_divergences(panel, rng=np.random.default_rng(0), shuffles=12)
    first, second = [(6 - 1) / 5, (6 - 3) / 5, 0.0], [(6 - 2) / 5, 0.0]
    at = {(pair.doc_id, pair.system): number for number, pair in enumerate(panel.pairs)}
    found = [
        tuple(row[at[key]] for key in [("d1", "A"), ("d1", "B"), ("d1", "C"), ("d2", "A"), ("d2", "B")])
        for row in sigma
    ]
    expected = [(*one, *two) for one, two in product(permutations(first), permutations(second))]
    assert exact
    assert Counter(found) == Counter(expected)
    np.testing.assert_allclose(sigma[:, at["d1", GOLD]], (6 - 2) / 5)


def test_many_ways_are_drawn_and_every_one_keeps_what_stood_on_the_page():
    panel = panel_of(rate_all(make_corpus(3, documents=5), 4))
    sigma, exact = shuffle_divergences(panel, rng=np.random.default_rng(1), shuffles=50)
    observed = panel.by_unit(np.ones((1, len(panel.strata))))[0]
    assert (sigma.shape, exact) == ((50, len(panel.pairs)), False)
    moved = np.zeros(len(panel.pairs), dtype=bool)
    for items in exchangeable_pairs(panel):
        np.testing.assert_array_equal(np.sort(sigma[:, items]), np.tile(np.sort(observed[items]), (50, 1)))
        moved[items] = True
    np.testing.assert_array_equal(sigma[:, ~moved], np.tile(observed[~moved], (50, 1)))
    assert len(np.unique(sigma, axis=0)) > 40


def test_raters_of_a_page_keep_their_agreement_because_both_ratings_of_a_pair_move():
    panel = panel_of(
        [
            Rating("d", system, "a", "b", rater, value)
            for system, rater, value in [("A", "p", 1), ("A", "q", 2), ("B", "p", 6), ("B", "q", 5)]
        ]
    )
    sigma, _ = shuffle_divergences(panel, rng=np.random.default_rng(0))
    np.testing.assert_allclose(sigma, [[0.9, 0.1], [0.1, 0.9]])


def test_a_page_with_one_system_has_nothing_to_shuffle():
    with pytest.raises(InputError, match="no questionnaire has two systems"):
        shuffle_divergences(panel_of(rate("d", "p", {GOLD: 2, "A": 3})), rng=np.random.default_rng(0))


@pytest.mark.parametrize("pairs", [1, 3])
def test_scores_of_shuffled_ratings_are_those_of_a_survey_that_gave_them(pairs):
    corpus = make_corpus(5, documents=6)
    ratings = [rating for rating in rate_all(corpus, 2) if pairs == 3 or _is_first_pair(rating, corpus)]
    divergences = human_divergences(ratings, scale="similarity")
    scores = score_humans(corpus, divergences, make_measure("jsd"), options=GENTLE)
    rated = divergences.select_rated(corpus)
    panel = build_panel(ratings, divergences)
    scorer = PanelScorer(panel, corpus=rated, surrogates=scores.surrogate, options=GENTLE)
    sigma, _ = shuffle_divergences(panel, rng=np.random.default_rng(9), shuffles=4)
    found, exact = shuffle_scores(scorer, rng=np.random.default_rng(9), shuffles=4)
    assert not exact
    for row in range(4):
        again = _score(sigma[row], panel, divergences, corpus)
        for name in ("degress_hj", "egises_hj", "perseval_hj"):
            expected = [record[name] for record in again.records()]
            np.testing.assert_allclose(found[name][row], expected, atol=1e-12)


def _is_first_pair(rating, corpus):
    document = next(one for one in corpus.documents if one.id == rating.doc_id)
    return {rating.reader_a, rating.reader_b} == set(sorted(document.references)[:2])


def _score(sigma, panel, divergences, corpus):
    values = dict(zip(panel.pairs, sigma.tolist(), strict=True))
    shuffled = HumanDivergences(
        values,
        scale=divergences.scale,
        ratings=divergences.ratings,
        full=divergences.full,
        min_ratings=divergences.min_ratings,
        below_full=divergences.below_full,
        too_few=divergences.too_few,
    )
    return score_humans(Corpus(corpus.documents), shuffled, make_measure("jsd"), options=GENTLE)


def test_what_raters_add_to_perseval_is_their_degress_above_the_pages_mean_times_the_penalty():
    corpus = make_corpus(5, documents=6)
    ratings = [rating for rating in rate_all(corpus, 2) if _is_first_pair(rating, corpus)]
    divergences = human_divergences(ratings, scale="similarity")
    scores = score_humans(corpus, divergences, make_measure("jsd"), normalise="none", options=GENTLE)
    panel = build_panel(ratings, divergences)
    inputs = {"corpus": divergences.select_rated(corpus), "surrogates": scores.surrogate, "options": GENTLE}
    observed = panel.by_unit(np.ones((1, len(panel.strata))))
    plain, added = (kind(panel, **inputs).score(observed) for kind in (PanelScorer, RatersPartScorer))
    np.testing.assert_array_equal(added["degress_hj"], plain["degress_hj"])
    penalty = plain["perseval_hj"] / plain["degress_hj"]
    centred = plain["degress_hj"] - plain["degress_hj"].mean(axis=1, keepdims=True)
    np.testing.assert_allclose(added["perseval_hj"], centred * penalty, atol=1e-12)
    same = [replace(rating, rating=3) for rating in ratings]
    alike = build_panel(same, human_divergences(same, scale="similarity"))
    nothing = RatersPartScorer(alike, **inputs).score(alike.by_unit(np.ones((1, len(alike.strata)))))
    np.testing.assert_allclose(nothing["perseval_hj"], 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("second", "shuffles"), [({"one": 1, "two": 6, "three": 3}, 36), ({"one": 1, "two": 6}, 12)]
)
def test_the_mean_over_turns_of_two_questionnaires_is_that_over_all_their_shuffles(second, shuffles):
    """Two pairs of readers share one, so that scores of a reader hang on both questionnaires' ratings."""
    systems = {"one": 5, "two": 2, "three": 1}
    ratings = [*rate("d0", "pq", {GOLD: 2, **systems}, ("r0", "r1"))]
    ratings += rate("d0", "st", {GOLD: 3, **second}, ("r1", "r2"))
    corpus = make_corpus(5, documents=1)
    divergences = human_divergences(ratings, scale="similarity", full=2)
    scores = score_humans(corpus, divergences, make_measure("jsd"), options=GENTLE)
    panel = build_panel(ratings, divergences)
    inputs = {"corpus": corpus, "surrogates": scores.surrogate, "options": GENTLE}
    observed = panel.by_unit(np.ones((1, len(panel.strata))))
    sigma, exact = shuffle_divergences(panel, rng=np.random.default_rng(0))
    assert (len(sigma), exact) == (shuffles, True)
    plain = PanelScorer(panel, **inputs)
    added = plain.score(observed)["perseval_hj"] - plain.score(sigma)["perseval_hj"].mean(axis=0)
    np.testing.assert_allclose(
        RatersPartScorer(panel, **inputs).score(observed)["perseval_hj"], added, atol=1e-12
    )


@pytest.mark.parametrize("sizes", [[4], [3, 2], [2, 3], [3, 3, 3], [4, 4, 4], [5] * 6])
def test_any_two_questionnaires_take_all_their_turns_together_equally_often(sizes):
    turns = list(_shifts_of(sizes))
    assert turns[0] == (0,) * len(sizes)
    for first, second in combinations(range(len(sizes)), 2):
        counts = Counter((shifts[first], shifts[second]) for shifts in turns)
        assert set(counts) == set(product(range(sizes[first]), range(sizes[second])))
        assert len(set(counts.values())) == 1
    assert {shifts[0] for shifts in turns} == set(range(sizes[0]))


@pytest.mark.parametrize("sizes", [[2, 2, 3], [5, 2, 2], [2, 2, 2, 2], [4, 4, 4, 4]])
def test_turns_are_drawn_where_they_cannot_be_laid_out_evenly(sizes):
    first, *turns = _shifts_of(sizes)
    assert (first, len(turns)) == ((0,) * len(sizes), DRAWN_TURNS)
    for at, size in enumerate(sizes):
        counts = Counter(shifts[at] for shifts in turns)
        assert set(counts) == set(range(size))
        assert max(counts.values()) - min(counts.values()) <= 5 * math.sqrt(DRAWN_TURNS / size)
    together = {(shifts[0], shifts[-1]) for shifts in turns}
    assert together == set(product(range(sizes[0]), range(sizes[-1])))


def test_a_system_that_shares_its_questionnaire_with_none_adds_nothing_that_could_be_told():
    ratings = [*rate("d0", "pq", {GOLD: 2, "one": 4, "two": 2}, ("r0", "r1"))]
    ratings += rate("d0", "st", {GOLD: 2, "three": 4}, ("r0", "r1"))
    corpus = make_corpus(5, documents=1)
    divergences = human_divergences(ratings, scale="similarity", full=2)
    scores = score_humans(corpus, divergences, make_measure("jsd"), options=GENTLE)
    panel = build_panel(ratings, divergences)
    scorer = RatersPartScorer(panel, corpus=corpus, surrogates=scores.surrogate, options=GENTLE)
    found = scorer.score(panel.by_unit(np.ones((1, len(panel.strata)))))["perseval_hj"][0, :, 0]
    assert dict(zip(scorer.systems, np.isfinite(found).tolist(), strict=True)) == {
        "one": True,
        "two": True,
        "three": False,
    }
