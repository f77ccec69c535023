import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.scores.contributions import score_contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings, score_humans
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.normal import KENDALL
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.raters import RaterPanel, build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.weights import draw_weights
from meta_eval.stats.table.ceiling import (
    Ceiling,
    _Halves,
    corpus_ceilings,
    spearman_brown,
    split_evenly,
    split_half_ceilings,
    split_units,
)
from meta_eval.stats.table.simulated_ceiling import ceiling_under_noise, simulated_ceilings
from tests.benchmarks.ceilings import Setting, compare_with_truth
from tests.benchmarks.ceilings import scorer_of as page_scorer
from tests.benchmarks.simulation import simulate_survey
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE
from tests.meta_eval.strategies import WORDS

NARROW = 0.5 + np.linspace(0.1, 1.0, 8) / 4
"""Systems so alike that the raters' noise matters."""


def by_halves(scorer, coefficient, **options):
    return split_half_ceilings(scorer, [coefficient], **options)[coefficient]


def by_simulation(scorer, coefficient, **options):
    return simulated_ceilings(scorer, [coefficient], **options)[coefficient]


def over_corpus(scorer, matched, **options):
    coefficient = next(iter(matched.values())).coefficient
    return corpus_ceilings(scorer, {coefficient: matched}, **options)[coefficient]


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
            by_halves(scorer, "pearson", rng=rng, splits=40)["degress_hj"].ceiling,
            by_simulation(scorer, "pearson", rng=rng, simulations=100)["degress_hj"].ceiling,
        )
        for scorer in scorers[:10]
    ]
    assert np.mean(found, axis=0) == pytest.approx([perfect, perfect], abs=0.08)


def test_split_half_ceiling_is_made_of_its_parts():
    scorer = scorer_of(np.random.default_rng(1))
    found = by_halves(scorer, "pearson", rng=np.random.default_rng(2), splits=25)["degress_hj"]
    half = split_units(scorer.panel, rng=np.random.default_rng(2), splits=25)
    sides = (scorer.system_scores(scorer.panel.by_unit(w))["degress_hj"] for w in (half, 1.0 - half))
    r = correlate_rows(*sides, "pearson")
    assert found.reliability == pytest.approx(2 * r.mean() / (1 + r.mean()))
    assert found.ceiling == pytest.approx(math.sqrt(found.reliability))
    ends = np.quantile(r, [0.025, 0.975])
    assert found.scope == "matched"
    assert [found.low, found.high] == pytest.approx(np.sqrt(2 * ends / (1 + ends)).tolist())
    assert found.low < found.ceiling < found.high
    assert found.used == 25


def test_kendalls_ceiling_is_stepped_up_on_pearsons_scale():
    """Halves that correlate 0.7, which is tau 0.494: Spearman-Brown on tau itself gave 0.813."""
    tau = 2 / math.pi * math.asin(0.7)
    halves = _Halves(tuple(spearman_brown(KENDALL.to_pearson(tau, 10)) for _ in range(3)), n=10, used=1)
    assert halves.ceiling("kendall", "matched").ceiling == pytest.approx(0.724, abs=5e-4)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_ceilings_are_near_the_truth_in_both_scopes(coefficient):
    """Spearman-Brown on tau itself was 0.06 too high here; the benchmark does it at length."""
    for scope in ("matched", "corpus"):
        shown, truth = small_benchmark()[coefficient, scope]
        assert shown == pytest.approx(truth, abs=0.05)
    truths = [small_benchmark()[coefficient, scope][1] for scope in ("matched", "corpus")]
    assert truths[0] - truths[1] > 0.01  # so that the scopes are not one


@cache
def small_benchmark():
    setting = Setting(0.8, documents=25)
    return compare_with_truth(np.random.default_rng(6), setting, surveys=20, splits=15)


def test_a_corpus_that_was_rated_whole_has_the_matched_ceiling():
    """And one of which half was rated lies between that and a corpus without end."""
    rng, setting = np.random.default_rng(1), Setting(0.5, documents=40)
    scorer = page_scorer(setting.rate(rng, setting.levels(rng, rng.standard_normal(10), 40)), 40)
    found = {}
    for documents in (40, 80, 10**9):
        matched = by_halves(scorer, "kendall", rng=np.random.default_rng(2), splits=40)
        found[documents] = over_corpus(
            scorer, matched, rng=np.random.default_rng(3), documents=documents, splits=40
        )["degress_hj"]
    whole, half, endless = found.values()
    assert whole.reliability == pytest.approx(matched["degress_hj"].reliability)
    assert whole.ceiling == pytest.approx(matched["degress_hj"].ceiling)
    assert half.reliability == pytest.approx((whole.reliability + endless.reliability) / 2)
    assert endless.ceiling < half.ceiling < whole.ceiling
    assert {one.scope for one in found.values()} == {"corpus"}


def test_halves_of_documents_are_scored_by_hand():
    scorer = scorer_of(np.random.default_rng(1), documents=9)
    matched = by_halves(scorer, "pearson", rng=np.random.default_rng(2), splits=30)
    found = over_corpus(scorer, matched, rng=np.random.default_rng(3), documents=10**9, splits=30)
    everyone = scorer.panel.by_unit(np.ones((1, len(scorer.panel.strata))))
    contributions = scorer.score(everyone)["degress_hj"][0]
    half = split_evenly(9, rng=np.random.default_rng(3), splits=30).astype(bool)
    assert set(half.sum(axis=1)) == {4, 5}
    r = [
        correlate(
            list(contributions[:, one].mean(axis=1)), list(contributions[:, ~one].mean(axis=1)), "pearson"
        ).estimate
        for one in half
    ]
    expected = min(spearman_brown(np.mean(r)), matched["degress_hj"].reliability)
    assert found["degress_hj"].reliability == pytest.approx(expected, abs=1e-6)


def survey_in_two_questionnaires() -> tuple[Corpus, list[Rating]]:
    """Documents of two or three readers, all their pairs rated: each half of the systems by two raters of its
    own, who also rate the gold pair. Systems differ much, raters little."""
    rng = np.random.default_rng(8)
    systems = ("s0", "s1", "s2", "s3")

    def text() -> str:
        return " ".join(rng.choice(WORDS, 5))

    documents, ratings = [], []
    for index in range(8):
        readers = [f"r{number}" for number in range(2 + index % 2)]
        written = {system: {reader: text() for reader in readers} for system in (GOLD, *systems)}
        gold = written.pop(GOLD)
        documents.append(Document(f"d{index}", "title", text(), gold, written))
        people = rng.permutation(12)
        for first, second in combinations(readers, 2):
            for half in (0, 1):
                for person in people[2 * half : 2 * half + 2]:
                    for system in (GOLD, *systems[2 * half : 2 * half + 2]):
                        level = 4.0 if system == GOLD else 1.5 + systems.index(system)
                        value = int(np.clip(np.rint(level + rng.normal(0.0, 0.5)), 1, 6))
                        ratings.append(Rating(f"d{index}", system, first, second, f"p{person}", value))
    return Corpus(tuple(documents)), ratings


def score_draw(
    corpus: Corpus, scores: HumanScores, panel: RaterPanel, drawn: np.ndarray
) -> dict[str, list[float]]:
    """HUMAN_SCORES of the systems if each rater of a questionnaire had answered as often as `drawn` says."""
    divergences = {}
    for item, pair in enumerate(panel.pairs):
        given = [(panel.values[n], int(drawn[panel.units[n]])) for n in np.flatnonzero(panel.items == item)]
        answers = [value for value, times in given for _ in range(times)]
        centre = np.mean([value for value, _ in given])
        factor = np.sqrt(len(given) / (len(given) - 1))
        mean = centre + (np.mean(answers) - centre) * factor
        divergences[pair] = (6 - min(max(mean, 1), 6)) / 5
    found = HumanDivergences(divergences, "similarity", len(panel.values), 2, 2, 0, 0)
    table = replace_by_ratings(scores.surrogate, corpus, found)
    systems = score_contributions(table, scores.options).system_scores().values()
    return {name: [getattr(one, name.removesuffix("_hj")) for one in systems] for name in HUMAN_SCORES}


def ceiling_by_hand(observed: list[float], simulated: np.ndarray, coefficient) -> tuple[float, ...]:
    """The ceiling, its reliability and its ends, draw by draw."""
    mean, centre = np.mean(observed), np.mean(simulated, axis=0)
    noise_variance = np.mean([np.var(one - centre, ddof=1) for one in simulated])
    reliability = 1 - noise_variance / np.var(observed, ddof=1)
    truth = [mean + math.sqrt(reliability) * (one - mean) for one in observed]
    found = [correlate(list(truth + one - centre), truth, coefficient).estimate for one in simulated]
    return float(np.mean(found)), float(reliability), *np.quantile(found, [0.025, 0.975]).tolist()


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall"])
def test_the_simulated_ceiling_is_that_of_a_plain_simulation(coefficient):
    corpus, ratings = survey_in_two_questionnaires()
    divergences = human_divergences(ratings, scale="similarity", min_raters=2)
    scores = score_humans(corpus, divergences, make_measure("rouge-l"), options=GENTLE)
    panel = build_panel(ratings, divergences)
    scorer = PanelScorer(panel, corpus=corpus, surrogates=scores.surrogate, options=GENTLE)
    found = by_simulation(scorer, coefficient, rng=np.random.default_rng(9), simulations=40)
    drawn = draw_weights(
        units=len(panel.strata), resamples=40, rng=np.random.default_rng(9), strata=panel.strata
    )
    simulated = [score_draw(corpus, scores, panel, draw) for draw in drawn]
    observed = scores.contributions.system_scores().values()
    assert list(found) == list(HUMAN_SCORES)
    for name, ceiling in found.items():
        expected = ceiling_by_hand(
            [getattr(one, name.removesuffix("_hj")) for one in observed],
            np.array([one[name] for one in simulated]),
            coefficient,
        )
        assert (ceiling.ceiling, ceiling.reliability, ceiling.low, ceiling.high) == pytest.approx(
            expected, abs=1e-12
        )
        assert ceiling.used == 40
        assert 0.2 < ceiling.ceiling < 1.0


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
        by_halves(scorer, "kendall", rng=np.random.default_rng(2)),
        by_simulation(scorer, "kendall", rng=np.random.default_rng(2)),
    ):
        assert found["degress_hj"].ceiling == pytest.approx(1.0)
        assert found["degress_hj"].reliability == pytest.approx(1.0)


def test_raters_who_only_guess_leave_no_ceiling():
    """Systems that do not differ: over many surveys the halves agree by chance at most."""
    rng = np.random.default_rng(5)
    scorers = [scorer_of(rng, personalisation=np.full(6, 0.5), documents=15, noise=1.0) for _ in range(12)]
    split = [by_halves(one, "pearson", rng=rng, splits=40)["degress_hj"] for one in scorers]
    simulated = [by_simulation(one, "pearson", rng=rng, simulations=60)["degress_hj"] for one in scorers]
    for found, reason in (
        (split, "the two halves of the raters do not agree on the systems"),
        (simulated, "the raters' noise is as large as the differences between the systems"),
    ):
        without = [one for one in found if one.ceiling is None]
        assert len(without) >= 2
        assert {one.reason for one in without} == {reason}


def test_single_ratings_say_nothing_of_agreement():
    scorer = scorer_of(np.random.default_rng(1), raters=1)
    for method, find in (("split-half", by_halves), ("simulation", by_simulation)):
        found = find(scorer, "kendall", rng=np.random.default_rng(2))
        assert found["perseval_hj"] == Ceiling(
            method, "kendall", None, None, reason="no questionnaire has two raters"
        )
    of_corpus = over_corpus(scorer, found, rng=np.random.default_rng(2), documents=60)["perseval_hj"]
    assert (of_corpus.ceiling, of_corpus.reason, of_corpus.scope) == (
        None,
        "no questionnaire has two raters",
        "corpus",
    )
