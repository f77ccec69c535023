"""A few settings of `tests/benchmarks/coverage.py`, small enough for every run.

The bounds are those in which a share of so many simulations lies with 99.9 % if the nominal value is right.
"""

import numpy as np
import pytest
from scipy import stats

from tests.benchmarks.trials import (
    Documents,
    Raters,
    cover_differences,
    cover_documents,
    cover_raters,
    cover_systems,
)
from tests.benchmarks.trials_of_tests import (
    reject_correlation,
    reject_equal_metrics,
    reject_williams,
)


def bounds(simulations: int, nominal: float) -> tuple[float, float]:
    low, high = stats.binom.interval(0.999, simulations, nominal)
    return low / simulations, high / simulations


def assert_nominal(shares: dict, names: list[str], *, simulations: int, nominal: float) -> None:
    low, high = bounds(simulations, nominal)
    assert {name: low <= shares[name] <= high for name in names} == dict.fromkeys(names, True), shares


@pytest.fixture(autouse=True)
def _few_resamples(monkeypatch):
    monkeypatch.setattr("tests.benchmarks.trials.RESAMPLES", 250)


def test_of_intervals_over_ten_systems_those_by_fisher_cover():
    """The percentile interval of Pearson is too narrow: why tables of other systems do not show it."""
    shares = cover_systems(np.random.default_rng(1), 200, systems=10, rho=0.6)
    names = ["pearson fisher", "spearman fisher", "kendall esscher"]
    assert_nominal(shares, names, simulations=200, nominal=0.95)
    assert shares["pearson percentile"] < shares["pearson fisher"] - 0.02


def test_where_agreement_is_high_esschers_variance_covers_and_fishers_z_does_not():
    shares = cover_systems(np.random.default_rng(2), 300, systems=10, rho=0.9)
    assert_nominal(shares, ["kendall esscher"], simulations=300, nominal=0.95)
    assert shares["kendall fisher"] < shares["kendall esscher"] - 0.02


USED = [f"{coefficient} hierarchical" for coefficient in ("pearson", "spearman", "kendall")]


def test_of_intervals_over_documents_those_that_tables_use_cover():
    """BCa of ranks is too narrow where documents are precise: why tables do not take it."""
    shares = cover_documents(np.random.default_rng(3), 150, Documents(apart=10.0, rho=0.7, documents=60))
    assert_nominal(shares, USED, simulations=150, nominal=0.95)
    assert shares["kendall bca"] < bounds(150, 0.95)[0]
    assert shares["kendall hierarchical, width"] < shares["kendall percentile, width"]


@pytest.mark.parametrize(("apart", "rho"), [(3.0, 0.9), (1.0, 0.7)])
def test_where_documents_are_noisy_percentiles_of_resamples_miss_the_truth(apart, rho):
    """Noise pulls the estimate towards 0 and the resamples farther still."""
    design = Documents(apart=apart, rho=rho, documents=60)
    shares = cover_documents(np.random.default_rng(4), 150, design)
    low, _ = bounds(150, 0.95)
    assert all(shares[name] >= low for name in USED), shares
    assert all(shares[name.replace("hierarchical", "percentile")] < low for name in USED), shares


def test_the_difference_of_two_metrics_is_covered_and_p_says_the_same():
    shares = cover_differences(np.random.default_rng(9), 100, apart=3.0, rho=0.7, between=0.5)
    low, _ = bounds(100, 0.95)
    assert all(shares[name] >= low for name in USED), shares
    # where no draw is 0, the draw beside it counts half for the interval and whole for p
    assert max(shares[f"{name}, p says otherwise"] for name in USED) <= 0.02


def test_intervals_of_a_survey_cover_when_its_documents_or_raters_are_resampled(monkeypatch):
    monkeypatch.setattr("tests.benchmarks.trials.RATER_RESAMPLES", 100)
    shares = cover_raters(np.random.default_rng(5), 25, Raters(documents=20, systems=6))
    low, _ = bounds(25, 0.95)
    drawn = ("documents", "raters", "raters within documents")
    assert all(shares[f"{name}: {used}"] >= low for name in drawn for used in USED), shares
    for used in USED:
        assert shares[f"raters within documents: {used}, width"] > shares[f"documents: {used}, width"]


@pytest.mark.parametrize("skewed", [False, True])
def test_exact_p_values_are_wrong_as_often_as_they_say(skewed):
    shares = reject_correlation(np.random.default_rng(6), 150, systems=8, skewed=skewed)
    assert_nominal(shares, ["pearson exact", "spearman exact"], simulations=150, nominal=0.05)
    assert shares["kendall exact"] <= bounds(150, 0.05)[1]  # few values of tau: p jumps past 0.05


@pytest.mark.parametrize("rho", [-0.5, 0.5])
def test_williams_is_wrong_as_often_as_it_says(rho):
    shares = reject_williams(np.random.default_rng(7), 200, systems=10, rho=rho, between=0.5)
    names = ["pearson two-sided", "pearson greater"]
    assert_nominal(shares, names, simulations=200, nominal=0.05)


def test_swapping_systems_is_right_where_swapping_documents_too_finds_too_much():
    """Metrics with levels of their own for each system, equally good: only whole systems may be swapped."""
    shares = reject_equal_metrics(np.random.default_rng(8), 60, level=0.7)
    assert_nominal(shares, ["permutation of systems"], simulations=60, nominal=0.05)
    assert shares["permutation of both"] > bounds(60, 0.05)[1]
