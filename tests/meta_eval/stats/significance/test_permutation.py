from itertools import permutations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.significance.permutation import PValue, correlation_p_value

RNG = np.random.default_rng(0)
TIED = st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=2, max_size=5)


def share_of_pairings(x, y, coefficient, alternative) -> float:
    """Counted pairing by pairing."""
    observed = correlate(x, y, coefficient).estimate
    null = np.array([correlate(x, order, coefficient).estimate for order in permutations(y)])
    extreme = {
        "two-sided": np.abs(null) >= abs(observed) - 1e-10,
        "greater": null >= observed - 1e-10,
        "less": null <= observed + 1e-10,
    }
    return float(np.mean(extreme[alternative]))


@settings(max_examples=25, deadline=None)
@given(TIED, st.sampled_from(COEFFICIENTS), st.sampled_from(["two-sided", "greater", "less"]))
def test_p_with_ties_is_the_share_of_all_pairings(values, coefficient, alternative):
    x, y = ([float(value) for value in side] for side in zip(*values, strict=True))
    assume(np.ptp(x) > 0)
    assume(np.ptp(y) > 0)
    found = correlation_p_value(x, y, coefficient, rng=RNG, alternative=alternative)
    assert found.p == pytest.approx(share_of_pairings(x, y, coefficient, alternative), abs=1e-12)
    assert found.method == "exact"


@pytest.mark.parametrize("alternative", ["greater", "less"])
@pytest.mark.parametrize("coefficient", COEFFICIENTS)
def test_p_of_six_systems_equals_scipys_permutation_test(coefficient, alternative):
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((2, 6))
    expected = stats.permutation_test(
        (y,),
        lambda order: correlate(list(x), list(order), coefficient).estimate,
        permutation_type="pairings",
        n_resamples=np.inf,
        alternative=alternative,
        vectorized=False,
    ).pvalue
    found = correlation_p_value(list(x), list(y), coefficient, rng=rng, alternative=alternative)
    assert found.p == pytest.approx(expected, abs=1e-12)


def test_the_headline_tau_of_ten_systems_has_an_exact_p_of_eleven_percent():
    x, y = list(range(10)), [0, 5, 1, 4, 3, 8, 9, 2, 6, 7]
    assert correlate(x, y, "kendall").estimate == pytest.approx(19 / 45)
    found = correlation_p_value(x, y, "kendall", rng=RNG)
    assert found == PValue(pytest.approx(0.1083, abs=1e-4), "exact", "two-sided")
    assert found.p == pytest.approx(stats.kendalltau(x, y, method="exact").pvalue)


def test_perfect_agreement_of_ten_systems_is_two_of_all_pairings():
    x = [float(value) ** 2 for value in range(10)]
    for coefficient, pairings in (("pearson", 1), ("spearman", 2), ("kendall", 2)):
        found = correlation_p_value(x, x, coefficient, rng=RNG)
        assert found.p == pytest.approx(pairings / 3_628_800, rel=1e-9)


def test_tau_of_ten_tied_systems_is_enumerated():
    """Against its normal approximation, which corrects for ties."""
    x, y = [1, 1, 2, 2, 3, 4, 5, 6, 6, 7], [1, 2, 1, 3, 3, 3, 2, 5, 4, 5]
    found = correlation_p_value(x, y, "kendall", rng=RNG)
    assert found.method == "exact"
    assert found.p == pytest.approx(stats.kendalltau(x, y, method="asymptotic").pvalue, rel=0.3)
    assert correlation_p_value(x, y, "kendall-c", rng=RNG).p == found.p


def test_the_pairwise_accuracy_has_the_p_of_tau_where_nothing_is_tied():
    x, y = [1, 2, 3, 4, 5, 6], [2, 1, 3, 6, 4, 5]
    for alternative in ("two-sided", "greater", "less"):
        found = correlation_p_value(x, y, "pairwise-accuracy", rng=RNG, alternative=alternative)
        assert found == correlation_p_value(x, y, "kendall", rng=RNG, alternative=alternative)


def test_the_pairwise_accuracy_of_tied_scores_is_set_against_its_own_null():
    """Every pairing of six systems, counted; its null is not about 0.5, so two-sided is twice the smaller."""
    x, y = [1, 1, 2, 2, 2, 3], [1, 1, 1, 2, 2, 2]
    estimate = correlate(x, y, "pairwise-accuracy").estimate
    null = np.array([correlate(x, order, "pairwise-accuracy").estimate for order in permutations(y)])
    assert null.mean() != pytest.approx(0.5, abs=0.05)
    exact = {
        "greater": np.mean(null >= estimate - 1e-9),
        "less": np.mean(null <= estimate + 1e-9),
    }
    exact["two-sided"] = min(1.0, 2.0 * min(exact.values()))
    for alternative, p in exact.items():
        found = correlation_p_value(
            x,
            y,
            "pairwise-accuracy",
            rng=np.random.default_rng(3),
            alternative=alternative,
            permutations=20_000,
        )
        assert found.p == pytest.approx(p, abs=0.012)
        assert (found.method, found.permutations) == ("permutation", 20_000)


def test_more_than_ten_systems_are_sampled_and_p_is_never_zero():
    x = [float(value) for value in range(12)]
    found = correlation_p_value(x, x, "pearson", rng=np.random.default_rng(1), permutations=199)
    assert found == PValue(1 / 200, "permutation", "two-sided", 199)
    rng = np.random.default_rng(2)
    y = list(rng.standard_normal(12) + 0.2 * np.array(x))
    sampled = correlation_p_value(x, y, "pearson", rng=rng, permutations=4_999)
    assert sampled.p == pytest.approx(stats.pearsonr(x, y).pvalue, abs=0.02)


def test_systems_without_both_scores_are_left_out():
    x, y = [1.0, 2.0, None, 4.0, 3.0], [1.0, 2.0, 9.0, 3.0, None]
    found = correlation_p_value(x, y, "kendall", rng=RNG)
    assert found.p == pytest.approx(2 / 6)


def test_an_undefined_coefficient_has_no_p():
    found = correlation_p_value([1, 2, 3], [5, 5, 5], "pearson", rng=RNG)
    assert (found.p, found.reason) == (None, "one side has the same score for every system")


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="alternative is two-sided, greater, less"):
        correlation_p_value([1, 2], [1, 2], "kendall", rng=RNG, alternative="two")
