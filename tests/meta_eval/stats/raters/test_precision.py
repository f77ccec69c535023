from itertools import pairwise

import numpy as np
import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.raters.precision import Assumptions, estimate_assumptions, simulate_precision
from tests.benchmarks.planning import Setting, widths

DESIGN = {"systems": 10, "documents": 50, "reader_pairs": 1, "raters": 2}


def simulate_all(assumptions=None, **changes):
    return simulate_precision(assumptions or Assumptions(), **{**DESIGN, **changes})


def simulate(assumptions=None, **changes):
    return simulate_all(assumptions, **changes)["pearson"]


@pytest.mark.parametrize(
    ("number", "values"),
    [("documents", (10, 20, 40, 80)), ("raters", (1, 2, 4, 8)), ("reader_pairs", (1, 3))],
)
def test_more_of_anything_narrows_the_range(number, values):
    found = [simulate_all(**{number: value}) for value in values]
    for coefficient in COEFFICIENTS:
        widths = [one[coefficient].width for one in found]
        assert all(later < earlier for earlier, later in pairwise(widths))


def test_only_interaction_leaves_nothing_for_raters_to_do():
    sure = Assumptions(error_sd=0.0)
    assert simulate(sure, raters=1) == simulate(sure, raters=8)


def test_a_survey_without_noise_finds_the_systems_own_correlation():
    found = simulate(Assumptions(interaction_sd=0.0, error_sd=0.0))
    assert found.width == pytest.approx(0)
    assert found.low == pytest.approx(found.expected)
    assert found.width_systems > 0.5


def test_noise_lowers_the_correlation_as_reliability_says():
    """r is about rho times the root of the reliability, for many systems."""
    assumptions = Assumptions(system_sd=0.5, interaction_sd=0.0, error_sd=2.0, correlation=0.8)
    found = simulate(assumptions, systems=100, documents=8, raters=2, others=20)
    assert found.expected == pytest.approx(0.8 * np.sqrt(0.25 / (0.25 + 4 / 16)), abs=0.02)


def test_each_coefficient_is_expected_where_theory_has_it():
    """Without noise and for many systems: rho, and of normal scores 6/pi asin(rho/2) and 2/pi asin(rho)."""
    found = simulate_all(
        Assumptions(interaction_sd=0.0, error_sd=0.0, correlation=0.6),
        systems=200,
        surveys=2,
        sets=300,
        others=20,
    )
    assert found["pearson"].expected == pytest.approx(0.6, abs=0.01)
    assert found["spearman"].expected == pytest.approx(6 / np.pi * np.arcsin(0.3), abs=0.01)
    assert found["kendall"].expected == pytest.approx(2 / np.pi * np.arcsin(0.6), abs=0.01)


def test_other_systems_widen_the_range_and_the_seed_repeats_it():
    found = simulate(seed=3)
    assert found.low < found.expected < found.high
    assert found.width < found.width_systems
    assert found == simulate(seed=3)


def rate(rng, *, documents=400, systems=6, system_sd=0.8, interaction_sd=0.6, error_sd=0.5):
    """Real-valued ratings of two raters a pair, with these standard deviations."""
    quality = rng.normal(0, 1, systems)
    if systems > 1:
        quality = system_sd * (quality - quality.mean()) / quality.std(ddof=1)
    quality = np.concatenate([[-2.0], quality])
    for document in range(documents):
        difficulty = rng.normal(0, 1)
        for name, value in zip((GOLD, *(f"s{m}" for m in range(systems))), quality, strict=True):
            level = 3.5 + value + difficulty + rng.normal(0, interaction_sd)
            for rater in range(2):
                yield Rating(
                    f"d{document}", name, "a", "b", f"{document}/{rater}", level + rng.normal(0, error_sd)
                )


def test_assumptions_are_found_again_in_ratings_made_from_them():
    found = estimate_assumptions(rate(np.random.default_rng(1)), correlation=0.6)
    assert found.system_sd == pytest.approx(0.8, abs=0.05)
    assert found.interaction_sd == pytest.approx(0.6, abs=0.05)
    assert found.error_sd == pytest.approx(0.5, abs=0.03)
    assert found.correlation == 0.6


@pytest.mark.parametrize("gold_mean", [2.0, 2.6])
def test_gold_pairs_are_no_system(gold_mean):
    """Systems a quarter of a point apart around 4, gold pairs far from them: counted in, they made it 0.45 to
    0.57, and the width that was promised half the real one."""
    rng = np.random.default_rng(2)
    true = {GOLD: gold_mean, **{f"s{m}": value for m, value in enumerate(4 + 0.25 * rng.standard_normal(10))}}
    ratings = [
        Rating(f"d{d}", name, "a", "b", f"{d}/{r}", int(np.clip(np.rint(level + rng.normal()), 1, 6)))
        for d in range(200)
        for name, value in true.items()
        for level in [value + rng.normal(0, 0.8)]
        for r in range(2)
    ]
    found = estimate_assumptions(ratings)
    drawn = np.std([value for name, value in true.items() if name != GOLD], ddof=1)
    assert found.system_sd == pytest.approx(drawn, abs=0.04)
    without = estimate_assumptions(one for one in ratings if one.system != GOLD)
    assert (found.system_sd, found.interaction_sd) == pytest.approx(
        (without.system_sd, without.interaction_sd), abs=0.03
    )


def test_what_a_pilot_promises_is_what_surveys_give():
    """Smaller than the benchmark: 8 sets of systems, and the mean over them."""
    rng = np.random.default_rng(5)
    made = [widths(rng, Setting(0.5, 2.6, pilot=80, documents=60), 120) for _ in range(8)]
    for coefficient in COEFFICIENTS:
        promised, given = (np.mean([pair[side][coefficient] for pair in made]) for side in (0, 1))
        assert promised == pytest.approx(given, rel=0.15)


def test_ratings_that_say_too_little_are_refused_with_the_reason():
    rng = np.random.default_rng(1)
    few = [*rate(rng, documents=2)]
    alike = [
        Rating(f"d{d}", f"s{n}", "a", "b", f"p{r}", 1 + (d + n + r) % 6)
        for d in range(12)
        for n in range(6)
        for r in range(2)
    ]
    for ratings, message in (
        (few, "14 pairs have two ratings or more, at least 20"),
        ([*rate(rng, systems=1)], "at least 3 systems"),
        (alike, "do not differ"),
    ):
        with pytest.raises(InputError, match=message):
            estimate_assumptions(ratings)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Assumptions(system_sd=0), "systems must differ"),
        (lambda: Assumptions(correlation=1), "between -1 and 1, not at 1"),
        (lambda: Assumptions(other=-1), "between -1 and 1, not at -1"),
        (
            lambda: Assumptions(correlation=0.9, other=0.1, between=0.9),
            "agree 0.9 and 0.1 with people cannot agree 0.9 with each other",
        ),
        (lambda: simulate(systems=2), "over 2 systems says nothing"),
        (lambda: simulate(raters=0), "at least 1 each"),
    ],
)
def test_what_cannot_be_simulated_says_why(make, message):
    with pytest.raises(InputError, match=message):
        make()
