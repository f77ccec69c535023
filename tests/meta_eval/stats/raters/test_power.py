from dataclasses import asdict

import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.raters import untied
from meta_eval.stats.raters.power import (
    Power,
    coefficient_p_values,
    difference_p_values,
    simulate_power,
    simulate_power_by_size,
)
from meta_eval.stats.raters.precision import Assumptions, SurveySize
from meta_eval.stats.significance.comparison import compare_by_permutation
from meta_eval.stats.significance.permutation import correlation_p_value

DESIGN = {"systems": 8, "documents": 50, "reader_pairs": 1, "raters": 2}


def simulate(assumptions=None, **changes):
    return simulate_power(assumptions or Assumptions(), **{**DESIGN, "surveys": 120, **changes})


def drawn(seed, systems, *, surveys=4):
    return np.random.default_rng(seed).standard_normal((3, surveys, systems))


@pytest.mark.parametrize("systems", [5, 7, 12])
def test_a_coefficient_is_tested_as_a_report_tests_it(systems):
    measure, human, _ = drawn(1, systems)
    rng = np.random.default_rng(2)
    found = coefficient_p_values(measure, human, rng=rng, permutations=4_999)
    for coefficient in COEFFICIENTS:
        pairs = zip(measure.tolist(), human.tolist(), strict=True)
        expected = [correlation_p_value(*both, coefficient, rng=rng).p for both in pairs]
        assert found[coefficient][1] == pytest.approx(expected, abs=0.03)


def test_a_difference_is_tested_as_compare_tests_it():
    first, second, human = drawn(3, 7)
    first = first + 2 * human
    every = np.array(np.meshgrid(*[[1.0, -1.0]] * 7)).reshape(7, -1).T
    found = difference_p_values(first, second, human, every)
    for coefficient in COEFFICIENTS:
        for row in range(len(human)):
            expected = compare_by_permutation(
                first[row, :, None], second[row, :, None], human[row], coefficient, rng=None
            )
            assert found[coefficient][0][row] == pytest.approx(expected.difference)
            # ours counts the observed once more, as p of sampled swaps does
            assert found[coefficient][1][row] == pytest.approx((expected.p_value * 128 + 1) / 129)


def test_what_is_not_there_is_found_as_seldom_as_promised():
    nothing = simulate(Assumptions(correlation=0.0, other=0.0), systems=12, surveys=400)
    for power in nothing.values():
        assert power.coefficient <= 0.05  # one of the two sides of a test at 5 %
        assert power.difference <= 0.05


def test_power_grows_with_documents_and_systems_and_is_sure_of_the_obvious():
    few, many = (simulate(documents=count) for count in (5, 200))
    assert all(few[name].coefficient < many[name].coefficient for name in COEFFICIENTS)
    clear = simulate(Assumptions(correlation=0.98, other=-0.5), systems=14, documents=400)
    assert all(power.coefficient == 1.0 and power.difference > 0.95 for power in clear.values())


def test_five_systems_tell_no_measures_apart():
    """All 32 swaps of five systems give no p below 2 / 32."""
    sure = simulate(Assumptions(correlation=0.98, other=-0.5), systems=5, documents=400)
    assert {power.difference for power in sure.values()} == {0.0}


def test_the_second_measure_may_be_the_better_one():
    worse, better = (
        simulate(Assumptions(correlation=first, other=second), systems=14, documents=400)["pearson"]
        for first, second in ((0.0, 0.95), (0.95, 0.0))
    )
    assert worse.difference == pytest.approx(better.difference, abs=0.15)
    assert worse.difference > 0.5


def test_a_seed_repeats_it_and_a_stricter_alpha_finds_less():
    assert simulate(seed=4) == simulate(seed=4)
    assert simulate(alpha=0.005)["pearson"].coefficient < simulate()["pearson"].coefficient
    assert simulate(alpha=0.0)["kendall"] == Power(0.0, 0.0)


@pytest.mark.parametrize("systems", [4, 12])
def test_several_sizes_get_what_each_gets_alone(systems, monkeypatch):
    sizes = [SurveySize(5, 1, 2), SurveySize(50, 2, 3)]
    alone = [simulate(systems=systems, **asdict(size)) for size in sizes]
    monkeypatch.setattr(untied, "_AT_ONCE", 1)  # one survey after the other
    assert simulate_power_by_size(Assumptions(), sizes, systems=systems, surveys=120) == alone
    assert alone[0] != alone[1]
    assert simulate_power_by_size(Assumptions(), [], systems=systems) == []


def test_two_systems_say_nothing():
    with pytest.raises(InputError, match="over 2 systems says nothing"):
        simulate(systems=2)
