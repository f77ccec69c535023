import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.stats.resampling.raters import build_panel


def rate(system: str, rater: str, value: int, *, doc_id: str = "d1") -> Rating:
    return Rating(doc_id, system, "r1", "r2", rater, value)


def panel_of(ratings, **options):
    return build_panel(ratings, human_divergences(ratings, scale="similarity", **options))


def sigma_of(panel, sigma, system: str, doc_id: str = "d1") -> float:
    item = next(i for i, p in enumerate(panel.pairs) if (p.doc_id, p.system) == (doc_id, system))
    return float(sigma[0, item])


TWO_QUESTIONNAIRES = [
    *(rate(system, rater, value) for system, values in (("S", (2, 4)), (GOLD, (1, 3)))
      for rater, value in zip(("p1", "p2"), values, strict=True)),
    *(rate(system, rater, value) for system, values in (("T", (5, 6)), (GOLD, (4, 6)))
      for rater, value in zip(("p2", "p3"), values, strict=True)),
]  # fmt: skip
"""One document: p1 and p2 rate S, p2 and p3 rate T, all of them the gold pair with it."""


def test_weights_of_raters_average_their_ratings():
    panel = panel_of(TWO_QUESTIONNAIRES)
    weights = np.array([[{"p1": 2.0, "p2": 1.0, "p3": 0.0}[name] for name in panel.rater_names]])
    sigma = panel.by_rater(weights)
    assert sigma_of(panel, sigma, "S") == pytest.approx((6 - (2 + 2 + 4) / 3) / 5)
    assert sigma_of(panel, sigma, "T") == pytest.approx((6 - 5) / 5)
    assert sigma_of(panel, sigma, GOLD) == pytest.approx((6 - (1 + 1 + 3 + 4) / 4) / 5)


def test_a_pair_of_which_no_rater_is_drawn_is_missing():
    panel = panel_of(TWO_QUESTIONNAIRES)
    weights = np.array([[1.0 if name == "p1" else 0.0 for name in panel.rater_names]])
    assert np.isnan(sigma_of(panel, panel.by_rater(weights), "T"))


def test_units_are_raters_of_one_questionnaire():
    """p2 is two units; each questionnaire is its own stratum, and takes its own share of the gold ratings."""
    panel = panel_of(TWO_QUESTIONNAIRES)
    assert np.bincount(panel.strata).tolist() == [2, 2]
    first = panel.strata == panel.strata[0]
    weights = np.where(first, 1.0, 0.0)[None]
    sigma = panel.by_unit(weights)
    assert sigma_of(panel, sigma, "S") == pytest.approx((6 - 3) / 5)
    assert sigma_of(panel, sigma, GOLD) == pytest.approx((6 - 2) / 5)
    assert np.isnan(sigma_of(panel, sigma, "T"))


def test_questionnaires_of_different_documents_are_apart():
    ratings = [rate(s, p, 3, doc_id=d) for d in ("d1", "d2") for s in ("S", GOLD) for p in ("p1", "p2")]
    panel = panel_of(ratings)
    assert np.bincount(panel.strata).tolist() == [2, 2]


def test_all_weights_one_are_the_survey_itself():
    panel = panel_of(TWO_QUESTIONNAIRES)
    found = human_divergences(TWO_QUESTIONNAIRES, scale="similarity")
    expected = [found.divergences[pair] for pair in panel.pairs]
    for sigma in (panel.by_rater(np.ones((1, 3))), panel.by_unit(np.ones((1, 4)))):
        np.testing.assert_allclose(sigma[0], expected, atol=1e-12)


def test_stretched_draws_spread_as_new_raters_would():
    """Of two ratings 2 and 4 with mean 3, drawing one twice is 3 -+ sqrt(2), not 3 -+ 1."""
    panel = panel_of([*TWO_QUESTIONNAIRES[:4], *[rate(GOLD, "p9", 3)]])
    weights = np.zeros((1, len(panel.strata)))
    weights[0, panel.units[0]] = 2.0
    stretched = sigma_of(panel, panel.by_unit(weights, stretch=True), "S")
    assert stretched == pytest.approx((6 - (3 - 2**0.5)) / 5)


def test_stretching_stays_within_the_scale():
    ratings = [rate(s, p, v) for s in ("S", GOLD) for p, v in (("p1", 1), ("p2", 6))]
    panel = panel_of(ratings)
    sigma = panel.by_unit(np.array([[2.0, 0.0]]), stretch=True)
    np.testing.assert_allclose(sigma, 1.0)


def test_dissimilarity_turns_around():
    ratings = [rate(s, p, 5) for s in ("S", GOLD) for p in ("p1", "p2")]
    panel = build_panel(ratings, human_divergences(ratings, scale="dissimilarity"))
    np.testing.assert_allclose(panel.by_rater(np.ones((1, 2))), 0.8)


def test_only_ratings_of_pairs_that_count_are_in_the_panel():
    ratings = [*TWO_QUESTIONNAIRES, rate("U", "p1", 1)]
    assert {pair.system for pair in panel_of(ratings).pairs} == {"S", "T", GOLD}
    assert {pair.system for pair in panel_of(ratings, min_raters=1).pairs} == {"S", "T", "U", GOLD}
    with pytest.raises(InputError, match="none of these ratings is of a pair that counts"):
        build_panel([rate("V", "p1", 1)], human_divergences(ratings, scale="similarity"))
