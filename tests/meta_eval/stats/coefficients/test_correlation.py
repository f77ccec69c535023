from itertools import combinations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS

VALUES = st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=10)


def tau_b(x, y) -> float:
    """Kendall's tau-b counted pair by pair."""
    signs = [(np.sign(x[i] - x[j]), np.sign(y[i] - y[j])) for i, j in combinations(range(len(x)), 2)]
    untied = [sum(sign[side] != 0 for sign in signs) for side in (0, 1)]
    return sum(a * b for a, b in signs) / np.sqrt(untied[0] * untied[1])


@given(VALUES)
def test_coefficients_equal_their_definitions(values):
    x, y = (np.array(side, dtype=float) for side in zip(*values, strict=True))
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    ranks = [np.array([np.mean(np.flatnonzero(np.sort(side) == value)) for value in side]) for side in (x, y)]
    expected = {
        "pearson": np.corrcoef(x, y)[0, 1],
        "spearman": np.corrcoef(*ranks)[0, 1],
        "kendall": tau_b(x, y),
    }
    for coefficient in COEFFICIENTS:
        found = correlate(x, y, coefficient)
        assert found.estimate == pytest.approx(expected[coefficient], abs=1e-9)
        assert (found.n, found.reason) == (len(values), None)


def test_missing_values_leave_their_pair_out():
    found = correlate([1, None, 3, float("nan"), 4], [1, 2, 3, 4, 5], "kendall")
    assert found == Correlation("kendall", 3, pytest.approx(1.0))


@pytest.mark.parametrize(
    ("x", "y", "n", "reason"),
    [
        ([1.0], [2.0], 1, "fewer than two systems have both scores"),
        ([1.0, None], [2.0, 3.0], 1, "fewer than two systems have both scores"),
        ([1.0, 2.0], [3.0, 3.0], 2, "one side has the same score for every system"),
        ([0.1, 0.1 + 1e-16], [3.0, 4.0], 2, "one side has the same score for every system"),
    ],
)
def test_an_undefined_coefficient_has_a_reason_and_no_estimate(x, y, n, reason):
    for coefficient in COEFFICIENTS:
        assert correlate(x, y, coefficient) == Correlation(coefficient, n, None, reason)


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="coefficient is one of pearson, spearman, kendall"):
        correlate([1, 2], [1, 2], "tau")
    with pytest.raises(InputError, match="2 values cannot be paired with 3"):
        correlate([1, 2], [1, 2, 3], "kendall")


def test_tau_c_allows_for_as_many_ranks_as_the_side_with_fewer_has():
    """Stuart's 2 (C - D) / (n^2 (m - 1) / m): here C = 4, D = 0, n = 4, m = 2."""
    found = correlate([1, 1, 2, 2], [1, 2, 3, 4], "kendall-c")
    assert found == Correlation("kendall-c", 4, pytest.approx(2 * 4 / (16 * 1 / 2)))


def test_pairwise_accuracy_counts_ties_that_both_sides_have():
    """Of six pairs, (0, 1) is tied on both sides, (2, 3) on one; the others are turned around."""
    found = correlate([1, 1, 3, 2], [2, 2, 1, 1], "pairwise-accuracy")
    assert found == Correlation("pairwise-accuracy", 4, pytest.approx(1 / 6))
    assert correlate([1, 2, 3, 4], [5, 6, 7, 8], "pairwise-accuracy").estimate == 1.0


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "kendall-c", "pairwise-accuracy"])
def test_scores_that_differ_by_rounding_alone_are_tied(coefficient):
    exact, rounded = [0.3, 0.3, 0.5, 0.1], [0.3, 0.1 + 0.2, 0.5, 0.1]
    other = [4.0, 1.0, 3.0, 2.0]
    assert exact != rounded
    assert correlate(rounded, other, coefficient) == correlate(exact, other, coefficient)
