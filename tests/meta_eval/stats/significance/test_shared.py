"""p of several measures by max-T over the permutations of systems that they share."""

from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.significance.shared import shared_permutation_p_values

OF = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall": lambda x, y: stats.kendalltau(x, y).statistic,
    "pairwise-accuracy": lambda x, y: np.mean(
        [np.sign(x[i] - x[j]) == np.sign(y[i] - y[j]) for j in range(len(x)) for i in range(j)]
    ),
}


def plain_max_t(human, automatic, coefficient):
    """Step by step with nothing but loops: every permutation, the greatest of what is left, in order."""
    of, chance = OF[coefficient], 0.5 if coefficient == "pairwise-accuracy" else 0.0
    null = [[abs(of(order, one) - chance) for one in automatic] for order in permutations(human)]
    observed = [abs(of(human, one) - chance) for one in automatic]
    columns = list(zip(*null, strict=True))
    centre, spread = [np.mean(column) for column in columns], [np.std(column) for column in columns]

    def standard(value, at):
        return (value - centre[at]) / spread[at]

    left, adjusted, least = list(range(len(automatic))), {}, 0.0
    while left:
        first = max(left, key=lambda at: standard(observed[at], at))
        given = standard(observed[first], first) - 1e-9
        reached = sum(max(standard(row[at], at) for at in left) >= given for row in null)
        least = adjusted[first] = max(least, reached / len(null))
        left.remove(first)
    return [adjusted[at] for at in range(len(automatic))]


@pytest.mark.parametrize("coefficient", OF)
def test_adjusted_p_is_that_of_a_plain_loop_over_the_same_permutations(coefficient):
    rng = np.random.default_rng(3)
    human = rng.normal(size=6)
    automatic = np.stack([human + scale * rng.normal(size=6) for scale in (0.4, 1.0, 1.5, 6.0)])
    found = shared_permutation_p_values(human, automatic, coefficient, rng=rng)
    assert found == pytest.approx(plain_max_t(human, automatic, coefficient), abs=1e-12)


def test_tied_scores_are_permuted_like_others():
    human = np.array([1.0, 1.0, 2.0, 3.0, 4.0, 4.0])
    automatic = np.array([[1.0, 2.0, 2.0, 3.0, 5.0, 4.0], [3.0, 1.0, 1.0, 2.0, 2.0, 5.0]])
    found = shared_permutation_p_values(human, automatic, "kendall", rng=np.random.default_rng(0))
    assert found == pytest.approx(plain_max_t(human, automatic, "kendall"), abs=1e-12)


@pytest.mark.parametrize("coefficient", ["pearson", "spearman", "kendall", "kendall-c"])
def test_a_measure_alone_and_a_copy_of_it_keep_the_p_of_the_table(coefficient):
    rng = np.random.default_rng(8)
    human, other = rng.normal(size=7), rng.normal(size=7)
    alone = correlation_p_value(list(human), list(other), coefficient, rng=rng).p
    for measures in ([other], [other, other]):
        found = shared_permutation_p_values(human, np.stack(measures), coefficient, rng=rng)
        assert found == pytest.approx((alone,) * len(measures), abs=1e-12)


def test_more_systems_are_drawn_and_p_is_near_the_exact_one_and_never_zero():
    rng = np.random.default_rng(2)
    human = rng.normal(size=9)
    automatic = np.stack([human + rng.normal(size=9), human])
    alone = correlation_p_value(list(human), list(automatic[0]), "pearson", rng=rng).p
    found = shared_permutation_p_values(human, automatic[:1], "pearson", rng=rng)
    assert found[0] == pytest.approx(alone, abs=4 * (alone * (1 - alone) / 9_999) ** 0.5)
    assert shared_permutation_p_values(human, automatic, "pearson", rng=rng, permutations=99)[1] == 0.01


def test_a_system_without_a_score_counts_for_those_that_have_it():
    rng = np.random.default_rng(4)
    human, other = rng.normal(size=6), rng.normal(size=6)
    short = np.append(human, np.nan)
    longer = np.stack([np.append(other, 9.0), np.append(human, 1.0)])
    found = shared_permutation_p_values(short, longer, "pearson", rng=rng)
    assert found == shared_permutation_p_values(human, np.stack([other, human]), "pearson", rng=rng)
    missing = np.stack([np.where(np.arange(6) == 2, np.nan, human), np.full(6, np.nan)])
    lacking = shared_permutation_p_values(human, missing, "pearson", rng=rng)
    assert (lacking[0], lacking[1]) == (pytest.approx(2 / 720 * 3, abs=0.02), None)


def test_sides_of_other_systems_are_refused():
    with pytest.raises(InputError, match="do not match"):
        shared_permutation_p_values(np.zeros(3), np.zeros((2, 4)), "kendall", rng=np.random.default_rng(0))


def _draws(count, *, effect):
    """Human scores of six systems, and six measures that go together, `effect` of which is the raters'."""
    rng = np.random.default_rng(11)
    for _ in range(count):
        human, common = rng.normal(size=(2, 6))
        shared = effect * human + common
        yield human, shared + 0.3 * rng.normal(size=(6, 6))


def _found(human, automatic):
    rng = np.random.default_rng(0)
    alone = [correlation_p_value(list(human), list(one), "pearson", rng=rng).p for one in automatic]
    return shared_permutation_p_values(human, automatic, "pearson", rng=rng), adjust_p_values(alone)


def test_any_false_finding_is_as_rare_as_it_says():
    wrong = [min(_found(human, automatic)[0]) <= 0.05 for human, automatic in _draws(300, effect=0.0)]
    assert np.mean(wrong) <= 0.05 + 3 * (0.05 * 0.95 / 300) ** 0.5


def test_measures_that_go_together_are_found_more_often_than_by_holm():
    found = np.array([_found(human, automatic) for human, automatic in _draws(100, effect=1.5)])
    by_max_t, by_holm = (found <= 0.05).mean(axis=(0, 2))
    assert by_max_t > by_holm + 0.2  # 0.53 and 0.23
