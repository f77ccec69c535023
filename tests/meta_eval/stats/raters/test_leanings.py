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


def plainly(x, y, clusters):
    """Slope, error and degrees of freedom by whole matrices, after Bell and McCaffrey (2002)."""
    design = np.column_stack([np.ones(len(x)), x])
    bread = np.linalg.inv(design.T @ design)
    weights = design @ bread[:, 1]
    left = np.eye(len(x)) - design @ bread @ design.T
    adjusted = []
    for one in sorted(set(clusters)):
        mine = np.flatnonzero(np.array(clusters) == one)
        values, vectors = np.linalg.eigh(left[np.ix_(mine, mine)])
        adjusted.append(left[:, mine] @ vectors @ np.diag(values**-0.5) @ vectors.T @ weights[mine])
    sums = [float(one @ y) for one in adjusted]
    moments = np.array(adjusted) @ np.array(adjusted).T
    freedom = np.trace(moments) ** 2 / np.trace(moments @ moments)
    return float(weights @ y), sqrt(sum(one * one for one in sums)), float(freedom)


@pytest.mark.parametrize("sizes", [[5] * 6, [1, 2, 3, 5, 8], [20, 2, 2, 2]])
def test_a_slope_equals_least_squares_and_its_robust_error_by_whole_matrices(sizes):
    rng = np.random.default_rng(2)
    clusters = rng.permutation(np.repeat(np.arange(len(sizes)), sizes)).tolist()
    x = 100 + rng.random(sum(sizes))
    y = 3 - 2 * x + 0.3 * rng.standard_normal(len(x))
    found = slope_over_clusters(x, y, clusters)
    slope, error, freedom = plainly(x - x.mean(), y, clusters)
    half = stats.t.ppf(0.975, freedom) * error
    assert slope == pytest.approx(stats.linregress(x, y).slope)
    assert (found.estimate, found.low, found.high) == pytest.approx((slope, slope - half, slope + half))


@pytest.mark.parametrize("documents", [4, 6, 20])
def test_intervals_of_slopes_hold_with_few_documents(documents):
    """Lengths differ by document and are skewed, and half the variance is shared within each of them."""
    rng, surveys, held = np.random.default_rng(5), 1_000, 0
    clusters = np.repeat(np.arange(documents), 10)
    for _ in range(surveys):
        x = 0.7 * rng.exponential(size=documents)[clusters] + 0.3 * rng.random(len(clusters))
        y = rng.standard_normal(documents)[clusters] + rng.standard_normal(len(clusters))
        found = slope_over_clusters(x, y, clusters.tolist())
        held += found.low <= 0 <= found.high
    assert 0.94 < held / surveys < 0.98


def test_what_has_no_interval_says_why():
    assert mean_over_clusters([1, 2], ["a", "b"]).reason.startswith("2 documents are too few")
    assert mean_over_clusters([1, 1, 1], "abc").reason.startswith("nothing varies")
    alone = slope_over_clusters([0, 1, 0, 0], [1, 5, 2, 3], ["a", "b", "c", "d"])
    assert (alone.estimate, alone.low) == (pytest.approx(3.0), None)
    assert alone.reason == "one document alone decides it, so no interval can be told"
    with pytest.raises(InputError, match="all values are equal"):
        slope_over_clusters([1, 1], [2, 3], "ab")
    with pytest.raises(InputError, match="0 values"):
        mean_over_clusters([], [])
