"""A few settings of `tests/benchmarks/coverage.py`, small enough for every run.

The bounds are those in which a share of so many simulations lies with 99.9 % if the nominal value is right.
"""

import numpy as np
import pytest
from scipy import stats

from tests.benchmarks.coverage import (
    cover_documents,
    cover_raters,
    cover_systems,
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
    monkeypatch.setattr("tests.benchmarks.coverage.RESAMPLES", 250)


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


def test_of_intervals_over_documents_those_that_tables_use_cover():
    """BCa of ranks is too narrow: why tables over documents take the percentile interval for them."""
    shares = cover_documents(np.random.default_rng(3), 120, documents=60, signal=12.0)
    low, _ = bounds(120, 0.95)
    used = ["pearson extended-bca", "spearman extended-percentile"]
    assert_nominal(shares, used, simulations=120, nominal=0.95)
    assert shares["kendall bca"] < low <= shares["kendall extended-percentile"]


def test_where_documents_are_noisy_intervals_must_reach_beyond_their_resamples():
    """Noise pulls the estimate towards 0 and the resamples farther still: why intervals are extended."""
    shares = cover_documents(np.random.default_rng(4), 120, documents=60, signal=3.0, rho=0.9)
    low, _ = bounds(120, 0.95)
    assert shares["pearson percentile"] < 0.6 < low <= shares["pearson extended-bca"]
    for coefficient in ("spearman", "kendall"):
        assert shares[f"{coefficient} percentile"] < shares[f"{coefficient} extended-percentile"] - 0.1


def test_intervals_of_a_survey_cover_when_its_documents_are_resampled():
    shares = cover_raters(np.random.default_rng(5), 10, people=None, documents=20)
    low, _ = bounds(10, 0.95)
    assert shares["pearson documents percentile"] >= low
    assert shares["pearson two-stage percentile"] >= shares["pearson documents percentile"]


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
