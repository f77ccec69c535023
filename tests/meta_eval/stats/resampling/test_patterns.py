"""Draws of groups of units against a plain search for the different ones."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.stats.resampling.patterns import find_patterns


@given(st.integers(0, 999), st.integers(1, 40), st.lists(st.integers(0, 4), max_size=12), st.integers(0, 5))
def test_every_draw_of_a_group_is_there_once(seed, draws, more, most):
    groups = np.array([*range(5), *more])  # each of five groups has a unit at least
    weights = np.random.default_rng(seed).integers(0, most + 1, (draws, len(groups))).astype(float)
    found = find_patterns(weights, groups)
    of_group = [len(np.unique(weights[:, groups == group], axis=0)) for group in range(5)]
    assert len(found.weights) == max(of_group)
    for group in range(5):
        own = groups == group
        np.testing.assert_array_equal(found.weights[found.at[:, group]][:, own], weights[:, own])
        assert len(np.unique(found.at[:, group])) == of_group[group]


def test_by_hand():
    weights = np.array([[2.0, 0.0, 1.0], [1.0, 1.0, 1.0], [2.0, 0.0, 1.0]])
    found = find_patterns(weights, np.array([0, 0, 1]))
    np.testing.assert_array_equal(found.at, [[1, 0], [0, 0], [1, 0]])
    np.testing.assert_array_equal(found.weights[:, :2], [[1, 1], [2, 0]])
    np.testing.assert_array_equal(found.weights[:, 2], [1, 1])


@pytest.mark.parametrize("units", [30, 200])
def test_many_units_in_a_group_do_not_overflow(units):
    weights = np.random.default_rng(1).integers(0, 100, (50, units)).astype(float)
    weights[1] = weights[0]
    found = find_patterns(weights, np.zeros(units, dtype=np.int64))
    assert found.weights.shape == (49, units)
    np.testing.assert_array_equal(found.weights[found.at[:, 0]], weights)
