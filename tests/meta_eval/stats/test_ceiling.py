import math

import numpy as np
import pytest

from meta_eval.human import human_divergences
from meta_eval.stats.ceiling import (
    Ceiling,
    ceiling_under_noise,
    simulated_ceilings,
    spearman_brown,
    split_half_ceilings,
    split_units,
)
from meta_eval.stats.raters import build_panel
from meta_eval.stats.rescoring import PanelScorer
from meta_eval.stats.rows import correlate_rows
from tests.benchmarks.simulation import simulate_survey

NARROW = 0.5 + np.linspace(0.1, 1.0, 8) / 4
"""Systems so alike that the raters' noise matters."""


def scorer_of(rng: np.random.Generator, personalisation=NARROW, **options) -> PanelScorer:
    survey = simulate_survey(rng, personalisation=personalisation, **options)
    panel = build_panel(survey.ratings, human_divergences(survey.ratings, scale="similarity"))
    return PanelScorer(panel, corpus=survey.corpus, surrogates=survey.surrogates)


def scores_of(scorer: PanelScorer) -> np.ndarray:
    weights = np.ones((1, len(scorer.panel.strata)))
    return scorer.system_scores(scorer.panel.by_unit(weights))["degress_hj"][0]


def test_spearman_brown_by_hand():
    assert spearman_brown(0.6) == pytest.approx(0.75)
    assert spearman_brown(0.75, times=1 / 2) == pytest.approx(0.6)


@pytest.mark.parametrize("raters", [2, 3, 4])
def test_each_questionnaire_is_split_in_halves(raters):
    panel = scorer_of(np.random.default_rng(1), documents=5, raters=raters).panel
    half = split_units(panel, rng=np.random.default_rng(2), splits=300)
    counts = np.stack([half[:, panel.strata == stratum].sum(axis=1) for stratum in range(5)])
    assert set(counts.ravel()) == {raters // 2, (raters + 1) // 2}
    assert half.mean(axis=0) == pytest.approx(np.full(5 * raters, 0.5), abs=0.12)


def test_both_ceilings_find_how_well_a_perfect_metric_would_do():
    """Surveys of the same documents by new raters, against the mean over very many of them."""
    rng = np.random.default_rng(3)
    gold = rng.uniform(0.4, 1.0, 20)
    scorers = [scorer_of(rng, documents=20, noise=0.8, gold=gold) for _ in range(60)]
    scores = np.array([scores_of(scorer) for scorer in scorers])
    perfect = correlate_rows(scores, scores.mean(axis=0), "pearson").mean()
    assert 0.75 < perfect < 0.95
    found = [
        (
            split_half_ceilings(scorer, "pearson", rng=rng, splits=40)["degress_hj"].ceiling,
            simulated_ceilings(scorer, "pearson", rng=rng, simulations=100)["degress_hj"].ceiling,
        )
        for scorer in scorers[:10]
    ]
    assert np.mean(found, axis=0) == pytest.approx([perfect, perfect], abs=0.08)


def test_split_half_ceiling_is_made_of_its_parts():
    scorer = scorer_of(np.random.default_rng(1))
    found = split_half_ceilings(scorer, "pearson", rng=np.random.default_rng(2), splits=25)["degress_hj"]
    half = split_units(scorer.panel, rng=np.random.default_rng(2), splits=25)
    sides = (scorer.system_scores(scorer.panel.by_unit(w))["degress_hj"] for w in (half, 1.0 - half))
    r = correlate_rows(*sides, "pearson")
    assert found.reliability == pytest.approx(2 * r.mean() / (1 + r.mean()))
    assert found.ceiling == pytest.approx(math.sqrt(found.reliability))
    assert found.low < found.ceiling < found.high
    assert found.used == 25


def test_the_noise_that_the_observed_scores_hold_already_is_taken_out():
    """Many systems of variance 1 under noise of variance 0.5: reliability 2 / 3, its root the ceiling."""
    rng = np.random.default_rng(4)
    observed = 3.0 + rng.standard_normal(3_000) + np.sqrt(0.5) * rng.standard_normal(3_000)
    simulated = observed + np.sqrt(0.5) * rng.standard_normal((200, 3_000))
    found = ceiling_under_noise(observed, simulated, "pearson")
    assert found.reliability == pytest.approx(2 / 3, abs=0.02)
    assert found.ceiling == pytest.approx(np.sqrt(2 / 3), abs=0.01)


def test_raters_who_agree_set_no_limit():
    scorer = scorer_of(np.random.default_rng(1), personalisation=np.linspace(0, 1, 6), noise=0.0)
    for found in (
        split_half_ceilings(scorer, "kendall", rng=np.random.default_rng(2)),
        simulated_ceilings(scorer, "kendall", rng=np.random.default_rng(2)),
    ):
        assert found["degress_hj"].ceiling == pytest.approx(1.0)
        assert found["degress_hj"].reliability == pytest.approx(1.0)


def test_raters_who_only_guess_leave_no_ceiling():
    """Systems that do not differ: over many surveys the halves agree by chance at most."""
    rng = np.random.default_rng(5)
    scorers = [scorer_of(rng, personalisation=np.full(6, 0.5), documents=15, noise=1.0) for _ in range(12)]
    split = [split_half_ceilings(one, "pearson", rng=rng, splits=40)["degress_hj"] for one in scorers]
    simulated = [simulated_ceilings(one, "pearson", rng=rng, simulations=60)["degress_hj"] for one in scorers]
    for found, reason in (
        (split, "the two halves of the raters do not agree on the systems"),
        (simulated, "the raters' noise is as large as the differences between the systems"),
    ):
        without = [one for one in found if one.ceiling is None]
        assert len(without) >= 2
        assert {one.reason for one in without} == {reason}


def test_single_ratings_say_nothing_of_agreement():
    scorer = scorer_of(np.random.default_rng(1), raters=1)
    for method, find in (("split-half", split_half_ceilings), ("simulation", simulated_ceilings)):
        found = find(scorer, "kendall", rng=np.random.default_rng(2))
        assert found["perseval_hj"] == Ceiling(
            method, "kendall", None, None, reason="no questionnaire has two raters"
        )
