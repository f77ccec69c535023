from itertools import product

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.resampling.bootstrap import RowCache, bootstrap_correlation
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.intervals import bootstrap_p_value, mid_interval
from meta_eval.stats.resampling.samples import ScoreSample, fixed_score, resample_systems
from meta_eval.stats.significance.comparison import (
    compare_by_bootstrap,
    compare_by_permutation,
    rank_clusters,
)
from meta_eval.stats.significance.williams import compare_by_williams, williams_t

SYSTEMS, DOCUMENTS = 6, 9


def metrics(seed: int = 1, systems: int = SYSTEMS, documents: int = DOCUMENTS):
    rng = np.random.default_rng(seed)
    human = rng.standard_normal(systems)
    x = human[:, None] + rng.standard_normal((systems, documents))
    y = 5 + 3 * rng.standard_normal((systems, documents))
    return x, y, human


@pytest.mark.parametrize("coefficient", ["pearson", "kendall", "kendall-c"])
def test_several_scores_of_people_are_compared_by_the_mean_coefficient(coefficient):
    """Against each swap made by hand, and where a system lacks a score, too."""
    x, y, first = metrics()
    people = np.stack([first, np.random.default_rng(8).standard_normal(SYSTEMS)])
    rng = np.random.default_rng(1)
    standard = [(side - side.mean()) / side.std() for side in (x, y)]

    def difference(swapped):
        sides = [np.where(swapped[:, None], *pair).mean(axis=1) for pair in (standard[::-1], standard)]
        means = [
            np.mean([correlate(list(side), list(human), coefficient).estimate for human in people])
            for side in sides
        ]
        return means[0] - means[1]

    every = [difference(np.array(one)) for one in product((False, True), repeat=SYSTEMS)]
    found = compare_by_permutation(x, y, people, coefficient, rng=rng)
    assert found.difference == pytest.approx(every[0])
    assert found.p_value == pytest.approx(np.mean(np.abs(every) >= abs(every[0]) - 1e-9))
    lacking = np.where(np.arange(SYSTEMS) == 2, np.nan, people)
    fewer = compare_by_permutation(x, y, lacking, coefficient, rng=rng)
    assert fewer.n == SYSTEMS - 1
    assert 0 < fewer.p_value <= 1


def test_williams_t_of_steigers_example():
    """Steiger 1980 and R's psych::r.test(103, .5, .4, .1): t = 0.89, p = 0.37."""
    t = williams_t(0.5, 0.4, 0.1, n=103)
    assert t == pytest.approx(0.89, abs=0.005)
    assert 2 * stats.t.sf(t, 100) == pytest.approx(0.37, abs=0.005)
    assert williams_t(0.4, 0.5, 0.1, n=103) == -t


def test_williams_equals_its_formula_with_a_determinant():
    x, y, z = np.random.default_rng(3).standard_normal((3, 12))
    found = compare_by_williams(list(x), list(y), list(z))
    r = np.corrcoef([z, x, y])
    mean = (r[0, 1] + r[0, 2]) / 2
    t = (r[0, 1] - r[0, 2]) * np.sqrt(
        11 * (1 + r[1, 2]) / (2 * 11 / 9 * np.linalg.det(r) + mean**2 * (1 - r[1, 2]) ** 3)
    )
    assert found.statistic == pytest.approx(t)
    assert found.p_value == pytest.approx(2 * stats.t.sf(abs(t), 9))
    assert found.difference == pytest.approx(r[0, 1] - r[0, 2])
    greater, less = (
        compare_by_williams(list(x), list(y), list(z), alternative=way).p_value for way in ("greater", "less")
    )
    assert greater == pytest.approx(stats.t.sf(t, 9))
    assert greater + less == pytest.approx(1.0)


def test_a_metric_that_opposes_people_does_not_win_by_its_absolute_value():
    """nlpstats' own test data (its seed 12): r = -0.29 and 0.16 with people. Of absolute values the first
    metric looks better, one-sided p = 0.27; signed, it is worse."""
    state = np.random.RandomState(12)
    x, y, z = (state.random_sample((9, 5)).ravel() for _ in range(3))
    r = [correlate(list(a), list(b), "pearson").estimate for a, b in ((x, z), (y, z), (x, y))]
    assert r[:2] == pytest.approx([-0.2858, 0.1595], abs=1e-4)
    unsigned = williams_t(*np.abs(r), n=45)
    assert stats.t.sf(unsigned, 42) == pytest.approx(0.2716978, abs=1e-6)
    found = compare_by_williams(list(x), list(y), list(z), alternative="greater")
    assert found.statistic < 0 < unsigned
    c = np.corrcoef([z, x, y])
    spread = 2 * 44 / 42 * np.linalg.det(c) + (sum(r[:2]) / 2) ** 2 * (1 - r[2]) ** 3
    signed = (r[0] - r[1]) * np.sqrt(44 * (1 + r[2]) / spread)
    assert found.p_value == pytest.approx(stats.t.sf(signed, 42), abs=1e-12)
    assert found.p_value > 0.98


def test_williams_takes_the_systems_that_all_three_have():
    x, y, z = np.random.default_rng(3).standard_normal((3, 8)).tolist()
    whole = compare_by_williams(x, y, z, "kendall")
    assert compare_by_williams([*x, None, 1.0], [*y, 2.0, None], [*z, 3.0, 4.0], "kendall") == whole
    assert whole.n == 8


@pytest.mark.parametrize(
    ("x", "y", "z", "reason"),
    [
        ([1, 2, 3], [1, 3, 2], [2, 1, 3], "3 systems, at least 4 are needed"),
        ([1, 2, 3, 4], [2, 4, 6, 8], [2, 1, 3, 5], "the two metrics agree perfectly with each other"),
        ([1, 1, 1, 1], [2, 4, 6, 8], [2, 1, 3, 5], "one side has the same score for every system"),
    ],
)
def test_williams_says_where_it_is_undefined(x, y, z, reason):
    found = compare_by_williams(x, y, z)
    assert (found.difference, found.p_value, found.reason) == (None, None, reason)


def swapped_difference(x, y, human, mask, coefficient="pearson") -> float:
    """Standardise, swap, average, correlate: one swap after the other."""
    x, y = ((side - np.nanmean(side)) / np.nanstd(side) for side in (x, y))
    first, second = np.where(mask, y, x), np.where(mask, x, y)
    one, two = (
        correlate(list(np.nanmean(side, axis=1)), list(human), coefficient).estimate
        for side in (first, second)
    )
    return one - two


@pytest.mark.parametrize("coefficient", ["pearson", "kendall"])
def test_swaps_of_systems_are_all_enumerated(coefficient):
    x, y, human = metrics()
    none = np.zeros((SYSTEMS, 1), dtype=bool)
    observed = swapped_difference(x, y, human, none, coefficient)
    null = np.array(
        [
            swapped_difference(x, y, human, np.array(mask)[:, None], coefficient)
            for mask in product((False, True), repeat=SYSTEMS)
        ]
    )
    for alternative, extreme in (
        ("two-sided", np.abs(null) >= abs(observed) - 1e-10),
        ("greater", null >= observed - 1e-10),
        ("less", null <= observed + 1e-10),
    ):
        found = compare_by_permutation(
            x, y, human, coefficient, rng=np.random.default_rng(0), swap="systems", alternative=alternative
        )
        assert found.difference == pytest.approx(observed)
        assert found.p_value == pytest.approx(extreme.mean())


@pytest.mark.parametrize("swap", ["both", "documents", "cells"])
def test_sampled_swaps_follow_the_distribution_of_all_swaps(swap):
    x, y, human = metrics(systems=4, documents=2)
    masks = {
        "both": [
            np.logical_xor(np.array(a)[:, None], np.array(b))
            for a in product((False, True), repeat=4)
            for b in product((False, True), repeat=2)
        ],
        "documents": [np.tile(b, (4, 1)) for b in product((False, True), repeat=2)],
        "cells": [np.reshape(c, (4, 2)) for c in product((False, True), repeat=8)],
    }[swap]
    observed = swapped_difference(x, y, human, np.zeros((4, 2), dtype=bool))
    null = np.array([swapped_difference(x, y, human, mask) for mask in masks])
    expected = np.mean(np.abs(null) >= abs(observed) - 1e-10)
    assert 0.05 < expected < 0.95
    found = compare_by_permutation(
        x, y, human, "pearson", rng=np.random.default_rng(0), swap=swap, permutations=4_000
    )
    assert found.p_value == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize("swap", ["both", "cells"])
def test_a_sampled_p_is_never_zero_and_does_not_depend_on_the_batch(swap):
    human = np.arange(20.0)
    rng = np.random.default_rng(2)
    x = human[:, None] + 0.01 * rng.standard_normal((20, 4))
    y = -human[:, None] + 0.01 * rng.standard_normal((20, 4))
    found = [
        compare_by_permutation(
            x, y, human, "pearson", rng=np.random.default_rng(1), swap=swap, permutations=39, batch=batch
        )
        for batch in (500, 13)
    ]
    assert found[0].p_value == pytest.approx(1 / 40)
    assert found[0] == found[1]


def test_only_documents_that_both_metrics_have_are_compared():
    x, y, human = metrics()
    y[:, -2:] = np.nan
    whole = compare_by_permutation(x, y, human, "pearson", rng=np.random.default_rng(0))
    cut = compare_by_permutation(x[:, :-2], y[:, :-2], human, "pearson", rng=np.random.default_rng(0))
    assert whole.difference == pytest.approx(cut.difference)
    assert whole.p_value == cut.p_value


def test_comparisons_that_cannot_be_made_say_so():
    x, y, human = metrics()
    found = compare_by_permutation(x, y, np.ones(SYSTEMS), "kendall", rng=np.random.default_rng(0))
    assert (found.difference, found.p_value, found.reason) == (None, None, "a coefficient is undefined")
    with pytest.raises(InputError, match="do not fit together"):
        compare_by_permutation(x, y[:, 1:], human, "kendall", rng=np.random.default_rng(0))
    with pytest.raises(InputError, match="swap is systems, both, documents, cells, not 'inputs'"):
        compare_by_permutation(x, y, human, "kendall", rng=np.random.default_rng(0), swap="inputs")


def test_the_bootstrap_compares_within_each_resample():
    x, y, human = metrics(documents=30)
    people = np.repeat(human[:, None], 30, axis=1)
    samples = resample_documents({"x": x, "y": y, "z": people}, resamples=400, rng=np.random.default_rng(1))
    samples = resample_systems(samples, rng=np.random.default_rng(2))
    found = compare_by_bootstrap(
        samples["x"], samples["y"], samples["z"], "pearson", method="bca", cache=RowCache()
    )
    apart = [bootstrap_correlation(samples[key], samples["z"], "pearson") for key in "xy"]
    differences = apart[0].replicates - apart[1].replicates
    assert found.difference == pytest.approx(
        apart[0].correlation.estimate - apart[1].correlation.estimate, abs=1e-12
    )
    defined = differences[np.isfinite(differences)]
    assert found.standard_error == pytest.approx(defined.std(ddof=1))
    tails = [(np.sum(defined <= 0) + 1) / (len(defined) + 1), (np.sum(defined >= 0) + 1) / (len(defined) + 1)]
    assert found.p_value == pytest.approx(2 * min(tails))
    assert found.interval.method == "bca"
    assert found.interval.low < found.difference < found.interval.high


def test_the_interval_holds_a_difference_that_no_resample_reaches():
    """The first score keeps its order in no resample, the second in all: their biases do not cancel."""
    observed = np.arange(6.0)
    rng = np.random.default_rng(3)
    jumbled = np.array([rng.permutation(6) for _ in range(200)], dtype=np.float64)
    x = ScoreSample(observed, jumbled)
    y = ScoreSample(observed[[0, 2, 1, 3, 4, 5]], np.tile(observed, (200, 1)))
    people = fixed_score(observed**2, resamples=200)
    plain, modelled = (
        compare_by_bootstrap(x, y, people, "kendall", method=method)
        for method in ("percentile", "hierarchical")
    )
    assert plain.interval.high < plain.difference
    assert modelled.interval.low < modelled.difference <= modelled.interval.high
    pairs = [bootstrap_correlation(people, side, "kendall", method="hierarchical") for side in (x, y)]
    differences = pairs[0].replicates - pairs[1].replicates
    assert modelled.p_value == bootstrap_p_value(differences, tied=0.5)
    difference = modelled.difference
    assert modelled.interval == mid_interval(differences, estimate=difference, method="hierarchical")


def test_the_bootstrap_of_an_undefined_difference_says_so():
    samples = [fixed_score(np.array(side), resamples=50) for side in ([1.0, 2, 3], [3.0, 1, 2], [1.0, 1, 1])]
    found = compare_by_bootstrap(*samples, "kendall")
    assert (found.difference, found.p_value, found.reason) == (None, None, "a coefficient is undefined")


def test_clusters_are_groups_that_cannot_be_told_apart_from_their_best():
    estimates = {"a": 0.2, "b": 0.9, "c": 0.7, "d": None, "e": 0.5, "f": 0.4}
    p = {
        ("b", "c"): 0.30,
        ("b", "e"): 0.01,
        ("f", "b"): 0.20,  # far below the best, but too unsure to be told apart
        ("a", "b"): 0.04,
        ("a", "e"): None,
    }
    assert rank_clusters(estimates, p) == (("b", "c", "f"), ("e", "a"))
    assert rank_clusters(estimates, {**p, ("a", "e"): 0.001}) == (("b", "c", "f"), ("e",), ("a",))
    with pytest.raises(InputError, match="there is no p-value for 'b' against 'c'"):
        rank_clusters({"b": 0.9, "c": 0.7}, {})
