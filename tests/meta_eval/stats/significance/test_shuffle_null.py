"""The null beside a coefficient: its mean, its 95 % quantile, p, and p adjusted for several measures."""

from itertools import permutations

import numpy as np
import pytest

from meta_eval.stats.significance.shuffle_null import (
    compare_with_shuffles,
    max_t_p_values,
    shuffle_p_value,
)


def test_the_null_is_its_mean_and_quantile_and_p_counts_what_reaches_the_estimate():
    null = np.array([0.1, np.nan, 0.3, 0.5, 0.5 - 1e-13])
    found = compare_with_shuffles(null, 0.5, exact=False)
    assert (found.mean, found.high) == (pytest.approx(0.35), pytest.approx(0.5))
    assert (found.p, found.method, found.shuffles) == ((2 + 1) / (4 + 1), "shuffled", 4)
    assert compare_with_shuffles(null, 0.5, exact=True).p == 2 / 4


def test_without_a_null_or_an_estimate_there_is_a_reason_and_no_p():
    nothing = compare_with_shuffles(np.array([np.nan, np.nan]), 0.5, exact=False)
    assert (nothing.mean, nothing.p) == (None, None)
    assert nothing.reason == "shuffled ratings give no coefficient: all systems score alike"
    undefined = compare_with_shuffles(np.array([0.1, 0.3]), None, exact=False)
    assert (undefined.mean, undefined.p) == (pytest.approx(0.2), None)
    assert undefined.reason == "there is no coefficient to compare"


def test_most_shuffles_reach_the_null_s_end_at_most_and_it_is_one_of_them():
    null = np.array([-1.0] * 18 + [1.0] * 2)
    assert compare_with_shuffles(null, 1.0, exact=False).high == 1.0
    assert compare_with_shuffles(np.array([-1.0] * 39 + [1.0]), 1.0, exact=False).high == -1.0


def test_p_is_never_zero():
    assert shuffle_p_value(np.zeros(99), 1.0, exact=False) == 0.01


def test_one_statistic_is_not_adjusted_and_a_copy_of_it_costs_nothing():
    rng = np.random.default_rng(4)
    null = rng.normal(size=(199, 1))
    single = max_t_p_values(null, np.array([1.5]), exact=False)
    assert single == (shuffle_p_value(null[:, 0], 1.5, exact=False),)
    assert max_t_p_values(np.hstack([null, 10 * null]), np.array([1.5, 15.0]), exact=False) == single * 2


def test_adjusted_p_is_that_of_the_greatest_step_by_step():
    rng = np.random.default_rng(5)
    null = rng.normal(size=(300, 4)) * [1.0, 2.0, 0.5, 1.0] + [0.0, 1.0, 0.2, 0.8]
    observed = np.array([2.1, 3.0, 1.6, 0.9])
    standard = (null - null.mean(axis=0)) / null.std(axis=0)
    given = (observed - null.mean(axis=0)) / null.std(axis=0)
    order, expected, least = sorted(range(4), key=lambda at: -given[at]), {}, 0.0
    for step, at in enumerate(order):
        greatest = [max(row[other] for other in order[step:]) for row in standard]
        least = max(least, (sum(value >= given[at] for value in greatest) + 1) / 301)
        expected[at] = least
    found = max_t_p_values(null, observed, exact=False)
    assert found == tuple(pytest.approx(expected[at]) for at in range(4))


def test_adjusting_never_makes_a_p_smaller_whatever_is_undefined():
    rng = np.random.default_rng(6)
    for _ in range(50):
        null = rng.choice([-1.0, -0.5, 0.5, 1.0, np.nan], (40, 3), p=[0.1, 0.1, 0.1, 0.1, 0.6])
        observed = rng.choice([0.5, 1.0], 3)
        alone = [compare_with_shuffles(null[:, at], observed[at], exact=False).p for at in range(3)]
        found = max_t_p_values(null, observed, exact=False)
        assert all(p >= raw for p, raw in zip(found, alone, strict=True))


def test_a_null_that_rounding_alone_moves_is_constant():
    null = np.full((99, 2), 0.9777777777777773)
    null[::2] = np.nextafter(null[::2], 1.0)
    observed = np.nextafter(null.max(axis=0), 1.0)
    assert max_t_p_values(null, observed, exact=False) == (1.0, 1.0)


def test_an_undefined_statistic_takes_no_part():
    null = np.array([[0.0, np.nan], [1.0, np.nan], [2.0, np.nan]])
    assert max_t_p_values(null, np.array([1.5, np.nan]), exact=False) == (0.5, None)


def test_all_of_three_false_claims_together_are_as_rare_as_one_should_be():
    orders = np.array(list(permutations(range(5))), dtype=float)
    sides = np.array([[0, 1, 2, 3, 4], [0, 2, 1, 4, 3], [4, 0, 1, 2, 3]], dtype=float)
    null = (orders - 2) @ (sides - 2).T / 10.0
    wrong = [min(max_t_p_values(null, row, exact=True)) <= 0.05 for row in null]
    assert 0.0 < sum(wrong) / len(wrong) <= 0.05
