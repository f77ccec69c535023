import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.closed_form import (
    concordance_interval,
    esscher_interval,
    fisher_interval,
    tau_variance,
)
from meta_eval.stats.resampling.intervals import (
    Interval,
    bca_interval,
    bootstrap_p_value,
    mid_interval,
    percentile_interval,
    tail_p_value,
)


def pearson(x, y, axis=-1):
    return stats.pearsonr(x, y, axis=axis).statistic


@pytest.fixture(scope="module")
def scipy_bootstrap():
    rng = np.random.default_rng(5)
    x = rng.standard_normal(12)
    y = x + rng.standard_normal(12)
    found = stats.bootstrap(
        (x, y), pearson, paired=True, method="BCa", n_resamples=999, rng=np.random.default_rng(6)
    )
    return x, y, found


def test_bca_equals_scipy_on_the_same_resamples(scipy_bootstrap):
    x, y, found = scipy_bootstrap
    left_out = np.array([pearson(np.delete(x, i), np.delete(y, i)) for i in range(12)])
    interval = bca_interval(found.bootstrap_distribution, estimate=pearson(x, y), left_out=[left_out])
    expected = found.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)
    assert (interval.method, interval.resamples, interval.degenerate) == ("bca", 999, 0)


def test_two_kinds_of_units_equal_scipy_with_two_samples():
    rng = np.random.default_rng(5)
    first, second = rng.exponential(size=9), rng.exponential(size=14)

    def ratio(a, b, axis=-1):
        return np.mean(a, axis=axis) / np.mean(b, axis=axis)

    found = stats.bootstrap(
        (first, second), ratio, method="BCa", n_resamples=999, rng=np.random.default_rng(6)
    )
    left_out = [
        np.array([ratio(np.delete(first, i), second) for i in range(9)]),
        np.array([ratio(first, np.delete(second, i)) for i in range(14)]),
    ]
    interval = bca_interval(found.bootstrap_distribution, estimate=ratio(first, second), left_out=left_out)
    expected = found.confidence_interval
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_percentile_interval_is_the_middle_of_the_defined_resamples():
    replicates = np.concatenate([np.linspace(0, 1, 101), [np.nan] * 9])
    interval = percentile_interval(replicates, level=0.9)
    assert interval == Interval(
        pytest.approx(0.05), pytest.approx(0.95), "percentile", 0.9, resamples=110, degenerate=9
    )
    assert interval.contains_zero is False


def test_no_interval_from_too_few_defined_resamples():
    few = percentile_interval(np.linspace(0, 1, 39))
    assert (few.low, few.reason) == (None, "only 39 of 39 resamples are defined")
    mostly_degenerate = percentile_interval(np.concatenate([np.linspace(0, 1, 100), [np.nan] * 101]))
    assert mostly_degenerate.reason == "only 100 of 201 resamples are defined"
    assert (mostly_degenerate.degenerate, mostly_degenerate.contains_zero) == (101, None)


def test_bca_says_when_the_estimate_is_outside_its_resamples():
    interval = bca_interval(np.linspace(0, 1, 100), estimate=2.0, left_out=[np.ones(5)])
    assert (interval.low, interval.high) == (None, None)
    assert interval.reason == "every resample lies on one side of the estimate"


def test_bca_without_influence_of_any_unit_corrects_bias_alone():
    replicates = np.linspace(0, 1, 1001)
    interval = bca_interval(replicates, estimate=0.4, left_out=[np.full(7, 0.4), np.array([np.nan])])
    below = np.mean(replicates < 0.4 - 1e-12) + np.mean(np.abs(replicates - 0.4) < 1e-12) / 2
    expected = np.quantile(replicates, stats.norm.cdf(2 * stats.norm.ppf(below) + np.array([-1.96, 1.96])))
    assert (interval.low, interval.high) == pytest.approx(tuple(expected), abs=1e-5)


def test_fisher_interval_of_pearson_equals_scipy():
    rng = np.random.default_rng(2)
    x = rng.standard_normal(10)
    y = x + rng.standard_normal(10)
    found = stats.pearsonr(x, y)
    interval = fisher_interval(found.statistic, n=10, coefficient="pearson", level=0.9)
    expected = found.confidence_interval(0.9)
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


@pytest.mark.parametrize(
    ("coefficient", "half"),
    [("spearman", 1.959964 * ((1 + 0.5**2 / 2) / 7) ** 0.5), ("kendall", 1.959964 * (0.437 / 6) ** 0.5)],
)
def test_fisher_intervals_of_ranks_have_their_own_variance(coefficient, half):
    interval = fisher_interval(0.5, n=10, coefficient=coefficient)
    assert np.arctanh([interval.low, interval.high]) == pytest.approx(
        np.arctanh(0.5) + np.array([-half, half]), abs=1e-6
    )


@pytest.mark.parametrize(
    ("estimate", "n", "reason"),
    [
        (None, 10, "the coefficient is undefined"),
        (0.5, 4, "4 systems, at least 5 are needed"),
        (1.0, 10, "the coefficient is at its limit"),
    ],
)
def test_there_is_not_always_a_fisher_interval(estimate, n, reason):
    interval = fisher_interval(estimate, n=n, coefficient="kendall")
    assert (interval.low, interval.high, interval.reason) == (None, None, reason)


@pytest.mark.parametrize("n", [5, 10])
def test_spearman_at_its_limit_has_the_interval_of_tau(n):
    """Both are 1 for one order, so both hold the same populations, whose rho follows from their r."""
    found = fisher_interval(1.0, n=n, coefficient="spearman")
    r = np.sin(np.pi / 2 * np.array([esscher_interval(1.0, n=n).low, 1.0]))
    assert (found.method, found.reason) == ("esscher", None)
    assert [found.low, found.high] == pytest.approx(6 / np.pi * np.arcsin(r / 2))
    turned = fisher_interval(-1.0, n=n, coefficient="spearman")
    assert (turned.low, turned.high) == pytest.approx((-found.high, -found.low))
    assert fisher_interval(1.0, n=3, coefficient="spearman").low is None


@pytest.mark.parametrize("n", [4, 10, 25])
def test_the_variance_of_tau_is_the_known_one_without_relation_and_nothing_at_the_limits(n):
    """Kendall (1938): 2 (2 n + 5) / (9 n (n - 1)) for unrelated scores."""
    assert tau_variance(0.0, n=n) == pytest.approx(2 * (2 * n + 5) / (9 * n * (n - 1)))
    assert tau_variance(1.0, n=n) == pytest.approx(0.0, abs=1e-12)
    assert tau_variance(-0.4, n=n) == pytest.approx(tau_variance(0.4, n=n))


def test_the_variance_of_tau_is_that_of_draws_from_a_normal_population():
    rng = np.random.default_rng(4)
    x, noise = rng.standard_normal((2, 4_000, 8))
    taus = correlate_rows(x, 0.8 * x + 0.6 * noise, "kendall")
    expected = tau_variance(2 / np.pi * np.arcsin(0.8), n=8)
    assert taus.var() == pytest.approx(expected, rel=0.08)


@given(st.integers(4, 40), st.floats(-1, 1))
def test_esschers_interval_ends_where_the_estimate_is_as_far_as_chance_has_it(n, estimate):
    interval = esscher_interval(estimate, n=n)
    assert -1.0 <= interval.low <= estimate <= interval.high <= 1.0
    for end in (interval.low, interval.high):
        distance = abs(estimate - end)
        reach = 1.959963984540054 * max(tau_variance(end, n=n), 0.0) ** 0.5
        assert distance == pytest.approx(reach, abs=1e-5) or abs(abs(end) - 1.0) < 1e-6
    turned = esscher_interval(-estimate, n=n)
    assert (turned.low, turned.high) == pytest.approx((-interval.high, -interval.low), abs=1e-6)


def test_perfect_agreement_has_an_interval_too():
    found = esscher_interval(1.0, n=10)
    assert (round(found.low, 3), found.high, found.method) == (0.755, 1.0, "esscher")
    assert esscher_interval(None, n=10).reason == "the coefficient is undefined"
    assert esscher_interval(1.0, n=3).reason == "3 systems, at least 4 are needed"


def test_a_value_drawn_often_counts_half_on_either_side():
    draws = np.repeat([0.1, 0.2, 0.3, 0.4], [4, 20, 950, 26])
    found = mid_interval(draws, estimate=0.3, method="hierarchical")
    # below 0.2 lie 4 and half of 20: (14 + 1) / 1,001 < 0.025; above 0.3 the 26, and half of them above 0.4
    assert (found.low, found.high, found.method, found.resamples) == (0.3, 0.3, "hierarchical", 1_000)
    assert mid_interval(draws, estimate=0.3, method="hierarchical", level=0.98).low == 0.2
    assert percentile_interval(draws).high == 0.4
    assert mid_interval(np.full(50, 0.5), estimate=0.5, method="hierarchical").low == 0.5
    short = mid_interval(np.array([0.1, np.nan, np.nan]), estimate=0.1, method="hierarchical")
    assert (short.low, short.degenerate) == (None, 2)
    assert short.reason == "only 1 of 3 resamples are defined"


@pytest.mark.parametrize(("estimate", "ends"), [(0.25, (0.25, 0.6)), (0.5, (0.3, 0.6)), (1.0, (0.3, 1.0))])
def test_an_interval_of_draws_reaches_to_its_estimate(estimate, ends):
    draws = np.repeat([0.3, 0.4, 0.5, 0.6], 250)
    found = mid_interval(draws, estimate=estimate, method="hierarchical")
    assert (found.low, found.high) == ends


@given(st.lists(st.integers(-3, 3), min_size=60, max_size=90))
def test_mid_p_of_nothing_is_above_five_percent_where_the_interval_holds_0(values):
    draws = np.array([-1e-17, *values], dtype=np.float64)
    found = mid_interval(draws, estimate=float(np.median(draws)), method="hierarchical")
    assert found.contains_zero == (bootstrap_p_value(draws, tied=0.5) > 0.05)


def test_what_is_tau_by_another_name_has_its_interval():
    tau = esscher_interval(0.6, n=10)
    same = concordance_interval(0.6, n=10, coefficient="kendall-c", tied=False)
    assert (same.low, same.high) == (tau.low, tau.high)
    share = concordance_interval(0.8, n=10, coefficient="pairwise-accuracy", tied=False)
    assert (share.low, share.high) == pytest.approx(((1 + tau.low) / 2, (1 + tau.high) / 2))
    tied = concordance_interval(0.8, n=10, coefficient="pairwise-accuracy", tied=True)
    assert (tied.low, tied.reason) == (
        None,
        "scores are tied, and with ties this coefficient does not estimate tau",
    )
    with pytest.raises(InputError, match="no interval by Esscher's variance for pearson"):
        concordance_interval(0.8, n=10, coefficient="pearson", tied=False)


def test_a_bootstrap_p_value_is_never_zero():
    assert bootstrap_p_value(np.full(99, 0.7)) == pytest.approx(2 / 100)
    assert bootstrap_p_value(np.full(99, 0.7), alternative="greater") == pytest.approx(1 / 100)
    assert bootstrap_p_value(np.full(99, 0.7), alternative="less") == 1.0
    assert bootstrap_p_value(np.array([0.5, -0.5, np.nan, 0.0])) == 1.0
    assert bootstrap_p_value(np.repeat([0.0, 0.7], [4, 95]), tied=0.5) == pytest.approx(2 * 3 / 100)
    assert bootstrap_p_value(np.full(3, np.nan)) is None


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="level must be between 0 and 1, not 95"):
        percentile_interval(np.ones(100), level=95)
    with pytest.raises(InputError, match="there is no Fisher interval for kendall-c"):
        fisher_interval(0.5, n=10, coefficient="kendall-c")
    with pytest.raises(InputError, match="alternative is two-sided, greater, less, not 'both'"):
        tail_p_value(above=1, below=1, total=2, alternative="both")
