"""The partial coefficient: what is left of two sides when a third is given."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from meta_eval.stats.coefficients.partial import correlate_given

VALUES = st.lists(st.integers(0, 20), min_size=6, max_size=6)


def residuals(values, given_values):
    fitted = stats.linregress(given_values, values)
    return np.array(values) - fitted.intercept - fitted.slope * np.array(given_values)


@given(VALUES, VALUES, VALUES)
def test_pearsons_is_the_correlation_of_what_the_third_leaves_over(x, y, z):
    assume(all(len(set(side)) > 1 for side in (x, y, z)))
    left = [residuals(side, z) for side in (x, y)]
    assume(all(side.std() > 1e-6 for side in left))
    expected = stats.pearsonr(*left).statistic
    assert correlate_given(x, y, z, "pearson").estimate == pytest.approx(expected, abs=1e-6)


@given(VALUES, VALUES, VALUES)
def test_spearmans_is_pearsons_of_ranks(x, y, z):
    ranks = [stats.rankdata(side).tolist() for side in (x, y, z)]
    found, expected = correlate_given(x, y, z, "spearman"), correlate_given(*ranks, "pearson")
    assert found.estimate == pytest.approx(expected.estimate, abs=1e-9)


def test_kendalls_is_his_own_formula():
    x, y, z = [1, 2, 3, 4, 5], [2, 1, 4, 3, 5], [1, 3, 2, 5, 4]
    both, first, second = (stats.kendalltau(*sides).statistic for sides in ((x, y), (x, z), (y, z)))
    expected = (both - first * second) / np.sqrt((1 - first**2) * (1 - second**2))
    assert correlate_given(x, y, z, "kendall").estimate == pytest.approx(expected)


@pytest.mark.parametrize(
    ("y", "given_values", "coefficient", "reason"),
    [
        ([2, 1, 3], [1, 2, 3], "pearson", "what is given tells one side completely, so nothing is left"),
        ([2, 1, 3], [1, 1, 1], "kendall", "one side has the same score for every system"),
        ([2, None, 3], [1, 2, None], "spearman", "fewer than two systems"),
        ([2, 1, 3], [1, 2, 2], "pairwise-accuracy", "Pairwise accuracy has no partial form"),
    ],
)
def test_what_cannot_be_had_has_a_reason(y, given_values, coefficient, reason):
    found = correlate_given([1, 2, 3], y, given_values, coefficient)
    assert found.estimate is None
    assert reason in found.reason
