"""Means and slopes over documents: equal to the plain sums, and wider where ratings hang together."""

from math import sqrt

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.raters.leanings import mean_over_clusters, slope_over_clusters


def test_clusters_of_one_give_the_usual_interval_of_a_mean():
    values = np.random.default_rng(0).normal(2, 1, 25)
    found = mean_over_clusters(values, range(25))
    assert (found.low, found.high) == pytest.approx(
        stats.t.interval(0.95, 24, values.mean(), stats.sem(values))
    )


def test_copies_within_a_cluster_do_not_narrow_the_interval():
    values = np.random.default_rng(1).normal(size=12)
    once = mean_over_clusters(values, range(12))
    often = mean_over_clusters(np.repeat(values, 5), np.repeat(np.arange(12), 5).tolist())
    assert (often.low, often.high, often.n) == (pytest.approx(once.low), pytest.approx(once.high), 60)


def test_a_slope_equals_least_squares_and_its_robust_error_by_sums():
    rng = np.random.default_rng(2)
    x, clusters = rng.random(30), np.arange(30) % 6
    y = 3 - 2 * x + 0.3 * rng.standard_normal(30)
    found = slope_over_clusters(x, y, clusters.tolist())
    line = stats.linregress(x, y)
    rest = y - line.intercept - line.slope * x
    sums = [float((((x - x.mean()) * rest)[clusters == one]).sum()) for one in range(6)]
    error = sqrt(6 / 5 * sum(one * one for one in sums)) / float(((x - x.mean()) ** 2).sum())
    half = stats.t.ppf(0.975, 5) * error
    assert (found.estimate, found.low, found.high) == pytest.approx(
        (line.slope, line.slope - half, line.slope + half)
    )


def test_what_has_no_interval_says_why():
    assert mean_over_clusters([1, 2], ["a", "b"]).reason.startswith("2 documents are too few")
    assert mean_over_clusters([1, 1, 1], "abc").reason.startswith("nothing varies")
    with pytest.raises(InputError, match="all values are equal"):
        slope_over_clusters([1, 1], [2, 3], "ab")
    with pytest.raises(InputError, match="0 values"):
        mean_over_clusters([], [])
