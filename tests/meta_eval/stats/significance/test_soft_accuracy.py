"""Soft pairwise accuracy, its p-values by flipped documents, and PERM-BOTH between two metrics."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.significance.flips import draw_flips, pair_confidences, pair_p_values
from meta_eval.stats.significance.soft_accuracy import (
    compare_soft_accuracies,
    soft_accuracy_of,
    soft_pairwise_accuracy,
)
from tests.meta_eval.stats.oracles import oracle_tables


def scores(seed, systems=5, documents=12, noise=1.0):
    rng = np.random.default_rng(seed)
    return np.arange(systems)[:, None] / 2 + noise * rng.normal(size=(systems, documents))


@pytest.mark.shared
def test_the_soft_accuracy_of_the_oracle_comes_out(shared):
    """Both are sampled, .002 apart at most, but where ties are broken by rounding: see the next test."""
    apart = {}
    for number, (human, metric, table) in enumerate(oracle_tables(shared)):
        flips = draw_flips(human.shape[1], permutations=70_000, rng=np.random.default_rng(7))
        sides = pair_confidences(human, flips), pair_confidences(metric, flips)
        found = soft_accuracy_of(*sides, documents=human.shape[1])  # one way round, as the oracle's
        assert found.pairs == len(human) * (len(human) - 1) // 2
        apart[number] = abs(found.estimate - table["soft_pairwise_accuracy"])
    assert {number for number, distance in apart.items() if distance > 0.002} == {4, 19, 28}
    assert max(apart.values()) < 0.004


@pytest.mark.shared
@pytest.mark.parametrize("number", [0, 4, 19, 28])
def test_what_is_left_is_how_the_oracle_rounds(shared, number):
    """It sums in single precision, which breaks some ties with the observed difference."""
    human, metric, table = oracle_tables(shared)[number]
    flips = draw_flips(human.shape[1], permutations=70_000, rng=np.random.default_rng(7)).astype(np.float32)
    first, second = np.triu_indices(len(human), 1)

    def in_single_precision(values):
        values = values.astype(np.float32)
        sums, observed = flips @ values.T, values.sum(axis=1)
        return np.mean(sums[:, first] - sums[:, second] >= observed[first] - observed[second], axis=0)

    distances = np.abs(in_single_precision(human) - in_single_precision(metric))
    assert 1 - distances.mean() == pytest.approx(table["soft_pairwise_accuracy"], abs=0.001)


def test_flips_are_all_ways_where_they_are_few():
    rng = np.random.default_rng(0)
    assert sorted(map(tuple, draw_flips(3, permutations=8, rng=rng))) == sorted(product((-1, 1), repeat=3))
    assert draw_flips(4, permutations=8, rng=rng).shape == (8, 4)
    with pytest.raises(InputError, match="0 permutations of 4 documents cannot be drawn"):
        draw_flips(4, permutations=0, rng=rng)


def test_a_confidence_is_the_exact_p_of_scipy():
    table = scores(1, systems=3, documents=8)
    flips = draw_flips(8, permutations=256, rng=np.random.default_rng(0))
    wanted = [
        stats.permutation_test(
            (table[i], table[j]),
            lambda x, y: np.mean(x - y),
            permutation_type="samples",
            alternative="greater",
        ).pvalue
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    np.testing.assert_allclose(pair_confidences(table, flips), wanted, atol=1e-12)


def test_pairs_are_over_the_documents_that_both_systems_have():
    table = np.array([[5.0, 6.0, np.nan], [1.0, 2.0, 9.0], [np.nan, np.nan, np.nan]])
    flips = draw_flips(3, permutations=8, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(pair_confidences(table, flips), [0.25, np.nan, np.nan])


def test_systems_that_never_differ_have_p_1():
    flips = draw_flips(4, permutations=16, rng=np.random.default_rng(0))
    assert pair_confidences(np.ones((2, 4)), flips).tolist() == [1.0]


def test_the_order_of_the_systems_moves_no_soft_accuracy():
    """On whole ratings over seven documents, which tie often."""
    rng = np.random.default_rng(4)
    human, metric, other = rng.integers(1, 4, (3, 5, 7)).astype(float)
    human[1] = human[0]
    found = []
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        sides = human[order], metric[order]
        soft = soft_pairwise_accuracy(*sides, rng=np.random.default_rng(0)).estimate
        more = compare_soft_accuracies(*sides[::-1], other[order], rng=np.random.default_rng(0))
        found.append([soft, more.difference])
    np.testing.assert_allclose(found, [found[0]] * 3, atol=1e-12)


def test_many_pairs_in_small_batches_are_as_those_at_once(monkeypatch):
    table, flips = scores(2), draw_flips(12, permutations=500, rng=np.random.default_rng(3))
    at_once = pair_confidences(table, flips)
    monkeypatch.setattr("meta_eval.stats.significance.flips._BATCH", 70)
    np.testing.assert_array_equal(pair_confidences(table, flips), at_once)


def test_a_metric_that_is_as_sure_as_people_has_1():
    human = scores(3)
    found = soft_pairwise_accuracy(human, 3 * human - 2, rng=np.random.default_rng(0))
    assert (found.estimate, found.pairs, found.documents) == (1.0, 10, 12)


def test_both_sides_see_the_documents_that_both_have():
    human, metric = scores(4), scores(5)
    human[:, 10:] = np.nan
    metric[:, 10:] *= -99.0
    wanted = soft_pairwise_accuracy(human[:, :10], metric[:, :10], rng=np.random.default_rng(0))
    found = soft_pairwise_accuracy(human, metric, rng=np.random.default_rng(0))
    assert found.estimate == pytest.approx(wanted.estimate, abs=0.03)
    assert found.documents == 10


def test_without_common_documents_there_is_a_reason_and_no_number():
    empty = np.full((3, 4), np.nan)
    found = soft_pairwise_accuracy(empty, scores(1, 3, 4), rng=np.random.default_rng(0))
    assert (found.estimate, found.reason) == (
        None,
        "fewer than two systems have both scores on common documents",
    )
    compared = compare_soft_accuracies(empty, empty, empty, rng=np.random.default_rng(0))
    assert (compared.difference, compared.p_value, compared.reason) == (None, None, found.reason)
    with pytest.raises(InputError, match="cannot be set against"):
        soft_pairwise_accuracy(empty, scores(1), rng=np.random.default_rng(0))


def test_the_difference_is_that_of_the_soft_accuracies():
    human, near, far = scores(6, documents=60), scores(7, documents=60), scores(8, documents=60, noise=9.0)
    found = compare_soft_accuracies(near, far, human, rng=np.random.default_rng(0), permutations=99)
    alone = [
        soft_pairwise_accuracy(human, side, rng=np.random.default_rng(1)).estimate for side in (near, far)
    ]
    assert found.difference == pytest.approx(alone[0] - alone[1], abs=0.01)
    other_way = compare_soft_accuracies(far, near, human, rng=np.random.default_rng(0), permutations=99)
    assert other_way.difference == pytest.approx(-found.difference, abs=1e-12)
    assert found.p_value <= 0.05


def test_equally_good_metrics_differ_by_chance_in_about_5_percent():
    """Two metrics with independent noise about the same systems: 200 tests."""
    rng = np.random.default_rng(11)
    found = []
    for seed in range(200):
        human, one, other = (scores(1000 * seed + side, documents=15, noise=2.0) for side in range(3))
        found.append(compare_soft_accuracies(one, other, human, rng=rng, permutations=99).p_value)
    assert 0.01 <= np.mean(np.array(found) <= 0.05) <= 0.09


def test_the_same_metric_twice_has_p_1():
    human, metric = scores(1), scores(2)
    found = compare_soft_accuracies(metric, metric, human, rng=np.random.default_rng(0), permutations=49)
    assert (found.difference, found.p_value) == (0.0, 1.0)


def test_two_sided_p_is_twice_the_smaller_tail():
    table = scores(1, systems=3, documents=8)
    flips = draw_flips(8, permutations=256, rng=np.random.default_rng(0))
    wanted = [
        stats.permutation_test(
            (table[i], table[j]), lambda x, y: np.mean(x - y), permutation_type="samples"
        ).pvalue
        for i, j in ((0, 1), (0, 2), (1, 2))
    ]
    np.testing.assert_allclose(pair_p_values(table, flips), wanted, atol=1e-12)
    assert pair_p_values(np.array([[1.0, 2.0], [0.0, 0.0]]), np.ones((4, 2)) * -1).tolist() == [0.25]


def plain_soft_accuracy(human, metric):
    """By the normal distribution that flipped documents have, pair by pair."""

    def confidence(values, one, other):
        apart = [a - b for a, b in zip(values[one], values[other], strict=True)]
        return stats.norm.sf(sum(apart) / math.sqrt(sum(each**2 for each in apart)))

    distances = [
        abs(confidence(human, one, other) - confidence(metric, one, other))
        for one, other in combinations(range(len(human)), 2)
    ]
    return 1 - sum(distances) / len(distances)


def test_perm_both_is_a_plain_count_over_all_swaps():
    """Every way to swap three systems and three documents, written out; the sampled p is near it."""
    human, first, second = (scores(seed, systems=3, documents=3) for seed in (21, 22, 23))
    one, other = ((side - side.mean()) / side.std() for side in (first, second))

    def difference(systems, documents):
        swapped = [[s * d < 0 for d in documents] for s in systems]
        near, far = np.where(swapped, other, one), np.where(swapped, one, other)
        return plain_soft_accuracy(human, near) - plain_soft_accuracy(human, far)

    observed = difference((1, 1, 1), (1, 1, 1))
    null = [difference(s, d) for s in product((-1, 1), repeat=3) for d in product((-1, 1), repeat=3)]
    for alternative, share in (
        ("greater", np.mean([value >= observed - 1e-9 for value in null])),
        ("less", np.mean([value <= observed + 1e-9 for value in null])),
    ):
        found = compare_soft_accuracies(
            first,
            second,
            human,
            rng=np.random.default_rng(0),
            permutations=9_999,
            alternative=alternative,
        )
        assert found.difference == pytest.approx(observed, abs=1e-12)
        assert found.p_value == pytest.approx(share, abs=0.02)
