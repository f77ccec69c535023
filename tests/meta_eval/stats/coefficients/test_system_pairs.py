"""Pairs of systems that a metric orders as people do, and the difference that people notice."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.system_pairs import (
    noticed_difference,
    noticed_steps,
    pair_accuracies,
)

SCORES = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0]), min_size=6, max_size=6)


def by_subset(*asked, **options):
    return {one.subset: (one.estimate, one.pairs) for one in pair_accuracies(*asked, **options)}


@given(st.permutations(range(6)), st.permutations(range(6)))
def test_of_all_pairs_without_ties_it_is_the_pairwise_accuracy(human, metric):
    wanted = correlate(human, metric, "pairwise-accuracy").estimate
    assert by_subset(human, metric)["all"] == (pytest.approx(wanted, abs=1e-12), 15)


def test_pairs_that_people_tie_are_left_out_and_ties_of_the_metric_are_wrong():
    assert by_subset([1, 1, 2], [0.1, 0.2, 0.2])["all"] == (0.5, 2)


def test_rounding_makes_no_order():
    assert by_subset([1, 2, 3], [0.1 + 0.2, 0.3, 0.4])["all"] == (pytest.approx(2 / 3), 3)
    assert by_subset([0.1 + 0.2, 0.3, 0.4], [1, 2, 3])["all"] == (1.0, 2)


def test_significant_pairs_are_those_below_alpha():
    p_values = np.array([0.049, 0.05, np.nan])
    assert by_subset([1, 2, 3], [1, 2, 3], p_values)["significant"] == (1.0, 1)
    assert by_subset([1, 2, 3], [1, 2, 3], p_values, alpha=0.06)["significant"] == (1.0, 2)
    assert "significant" not in by_subset([1, 2, 3], [1, 2, 3])
    with pytest.raises(InputError, match="2 p-values cannot be those of 3 pairs"):
        pair_accuracies([1, 2, 3], [1, 2, 3], p_values[:2])


def test_p_values_stay_with_their_pairs_where_a_system_has_no_score():
    p_values = np.array([1.0, 1.0, 1.0, 1.0, 1.0, 0.01])
    assert by_subset([1, None, 3, 4], [1, 2, 3, 4], p_values)["significant"] == (1.0, 1)


def test_close_pairs_are_half_of_all_by_the_metric_and_what_ties_with_the_last():
    human, metric = [1, 2, 3, 4], [0.2, 0.1, 0.5, 0.9]
    assert by_subset(human, metric)["close"] == (0.75, 4)
    assert by_subset(human, [0.2, 0.1, 0.5, 1.5])["close"] == (pytest.approx(2 / 3), 3)


def test_best_systems_are_the_better_half_by_people():
    assert by_subset([1, 2, 3, 4, 5], [9, 1, 5, 4, 6])["best"] == (pytest.approx(2 / 3), 3)


def test_without_such_pairs_there_is_a_reason():
    found = pair_accuracies([1, 1, None], [1, 2, 3], np.ones(3))
    assert {(one.estimate, one.pairs, one.reason) for one in found} == {
        (None, 0, "there is no such pair that people order")
    }
    with pytest.raises(InputError, match="2 values cannot be paired with 3"):
        pair_accuracies([1, 2], [1, 2, 3])


def noticed_by_definition(human, metric, share):
    """Max over starts of the least mean over ends: isotonic regression, written out."""
    first, second = np.triu_indices(len(human), 1)
    people, machine = (np.subtract(np.take(side, first), np.take(side, second)) for side in (human, metric))
    kept = (people != 0) & (machine != 0)
    size, right = np.abs(machine[kept]), (np.sign(people) == np.sign(machine))[kept]
    steps = np.unique(size)
    for step in steps:
        fitted = max(
            min(right[(size >= low) & (size <= high)].mean() for high in steps[steps >= step])
            for low in steps[steps <= step]
        )
        if fitted >= share - 1e-12:
            return step, int((size >= step).sum())
    return None, 0


@given(SCORES, SCORES, st.sampled_from([0.6, 0.8, 0.95]))
def test_the_difference_is_where_isotonic_regression_reaches_the_share(human, metric, share):
    found = noticed_difference(human, metric, share=share)
    assert (found.difference, found.beyond) == noticed_by_definition(human, metric, share)


@given(
    st.lists(SCORES, min_size=3, max_size=3),
    st.lists(SCORES, min_size=3, max_size=3),
    st.sampled_from([0.6, 0.8, 0.95]),
)
def test_many_rows_at_once_have_the_difference_of_each(human, metric, share):
    """Infinite where a row has none; ties on either side and equal differences included."""
    found = noticed_steps(np.array(human), np.array(metric), share=share)
    wanted = [noticed_difference(*row, share=share).difference for row in zip(human, metric, strict=True)]
    assert found.tolist() == [np.inf if one is None else pytest.approx(one, abs=1e-9) for one in wanted]


def test_a_metric_that_opposes_people_has_no_such_difference():
    found = noticed_difference([1, 2, 3, 4], [4, 3, 2, 1])
    assert (found.difference, found.pairs) == (None, 6)
    assert found.reason == "even the largest differences are ordered as people do in 0% alone"
    assert noticed_difference([1, 2], [1, 1]).reason == "no pair of systems is ordered by both sides"
    with pytest.raises(InputError, match=r"the share must be above 0\.5 and below 1, not 0\.5"):
        noticed_difference([1, 2], [1, 2], share=0.5)
