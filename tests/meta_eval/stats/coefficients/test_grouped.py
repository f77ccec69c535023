"""Pairs of summaries in groups, and ties that are made."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients import grouped
from meta_eval.stats.coefficients.grouped import (
    GROUPINGS,
    calibrate_ties,
    coefficients_by_group,
)
from meta_eval.stats.coefficients.ties import snap_ties
from tests.meta_eval.stats.oracles import oracle_tables

THEIR_GROUPS = {"none": "none", "sys": "system", "item": "item"}
THEIR_NAMES = {"acc23": "acc-eq", "23": "tau-23", "b": "tau-b"}
FEW_VALUES = st.sampled_from([0.0, 0.25, 0.5, 1.0, np.nan])
TABLES = st.tuples(arrays(float, (4, 5), elements=FEW_VALUES), arrays(float, (4, 5), elements=FEW_VALUES))


def accuracy_within(human, metric, grouping, epsilon):
    """The accuracy with ties of the metric within `epsilon`, pair by pair: the mean over the groups."""
    both = np.isfinite(human) & np.isfinite(metric)
    groups = {"none": both.reshape(1, -1), "system": both, "item": both.T}[grouping]
    people, machine = (np.where(both, side, np.nan) for side in (human, metric))
    for side in (people, machine):
        side[both] = snap_ties(side[both])
    laid_out = [side.T if grouping == "item" else side for side in (people, machine)]
    shares = []
    for there, *sides in zip(groups, *(side.reshape(groups.shape) for side in laid_out), strict=True):
        known = zip(*(side[there].tolist() for side in sides), strict=True)
        right = [
            np.sign(p - other_p) == (0 if abs(m - other_m) <= epsilon else np.sign(m - other_m))
            for (p, m), (other_p, other_m) in combinations(known, 2)
        ]
        shares += [np.mean(right)] if right else []
    return np.mean(shares)


@pytest.mark.shared
@pytest.mark.parametrize("theirs", THEIR_GROUPS)
@pytest.mark.parametrize("name", THEIR_NAMES)
def test_each_group_has_the_coefficient_of_the_oracle(shared, theirs, name):
    for human, metric, table in oracle_tables(shared):
        found = coefficients_by_group(human, metric, THEIR_NAMES[name], THEIR_GROUPS[theirs])
        wanted = [np.nan if value is None else value for value in table["groups"][theirs][name]]
        np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.shared
@pytest.mark.parametrize("theirs", THEIR_GROUPS)
def test_calibrated_ties_are_those_of_the_oracle(shared, theirs):
    """Two epsilons may give the same accuracy: rounding chooses the oracle's, ours is the smallest."""
    for human, metric, table in oracle_tables(shared):
        found = calibrate_ties(human, metric, THEIR_GROUPS[theirs])
        wanted = table["groups"][theirs]
        assert found.estimate == pytest.approx(wanted["acc23_calibrated"]["value"], abs=1e-9)
        assert found.tau == pytest.approx(wanted["23_calibrated"]["value"], abs=1e-9)
        for epsilon in (wanted[f"{name}_calibrated"]["epsilon"] for name in ("acc23", "23")):
            if found.epsilon != pytest.approx(epsilon, abs=1e-9):
                assert found.epsilon < epsilon
                assert accuracy_within(human, metric, found.grouping, epsilon) == pytest.approx(
                    found.estimate, abs=1e-9
                )


@pytest.mark.shared
def test_the_oracle_chooses_another_epsilon_in_seven_of_180_searches(shared):
    others = [
        theirs
        for human, metric, table in oracle_tables(shared)
        for theirs, ours in THEIR_GROUPS.items()
        for name in ("acc23", "23")
        if calibrate_ties(human, metric, ours).epsilon
        != pytest.approx(table["groups"][theirs][f"{name}_calibrated"]["epsilon"], abs=1e-9)
    ]
    assert others == ["item", "sys", "sys", "sys", "sys", "item", "item"]


@settings(max_examples=40)
@given(TABLES, st.sampled_from(GROUPINGS))
def test_no_epsilon_is_better_than_the_calibrated_one(table, grouping):
    found = calibrate_ties(*table, grouping)
    if found.estimate is None:
        assert found.reason == "no group has two summaries"
        return
    tried = [accuracy_within(*table, grouping, epsilon) for epsilon in (0.0, 0.25, 0.5, 0.75, 1.0)]
    assert found.estimate == pytest.approx(max(tried), abs=1e-12)
    assert found.without == pytest.approx(tried[0], abs=1e-12)
    assert accuracy_within(*table, grouping, found.epsilon) == pytest.approx(found.estimate, abs=1e-12)


@given(TABLES)
def test_tau_of_all_summaries_is_that_of_scipy(table):
    there = np.isfinite(table).all(axis=0)
    human, metric = (side[there] for side in table)
    wanted = stats.kendalltau(human, metric).statistic if len(human) > 1 else np.nan
    np.testing.assert_allclose(coefficients_by_group(*table, "tau-b", "none"), [wanted], atol=1e-12)


def test_rounding_breaks_no_tie_of_people():
    human = np.array([[0.3, 0.1 + 0.2, 0.5]])
    metric = np.array([[1.0, 1.0, 2.0]])
    assert coefficients_by_group(human, metric, "acc-eq", "system").tolist() == [1.0]


def test_the_share_of_ties_and_the_pairs_are_counted():
    human = np.array([[1.0, 2.0], [1.0, np.nan], [3.0, 4.0]])
    found = calibrate_ties(human, np.array([[0.1, 0.2], [0.3, 0.1], [0.4, 0.5]]), "item")
    assert (found.groups, found.pairs, found.tied) == (2, 4, 0.25)


def test_too_many_pairs_are_refused_before_they_fill_memory(monkeypatch):
    monkeypatch.setattr(grouped, "MOST_PAIRS", 5)
    scores = np.arange(6.0).reshape(2, 3)
    with pytest.raises(InputError, match="more than 5 pairs of summaries; group them"):
        calibrate_ties(scores, scores, "none")
    assert calibrate_ties(scores, scores, "item").estimate == 1.0


@pytest.mark.parametrize(
    ("shape", "coefficient", "grouping", "message"),
    [
        ((2, 3), "acc-eq", "item", r"scores of shape \(2, 2\) cannot be set against others of \(2, 3\)"),
        ((2, 2), "tau-d", "item", "coefficient is acc-eq, tau-23, tau-b, not 'tau-d'"),
        ((2, 2), "acc-eq", "page", "grouping is none, system, item, not 'page'"),
    ],
)
def test_what_cannot_be_compared_is_refused(shape, coefficient, grouping, message):
    with pytest.raises(InputError, match=message):
        coefficients_by_group(np.ones((2, 2)), np.ones(shape), coefficient, grouping)


def test_of_epsilons_that_are_equal_but_for_rounding_the_smallest_is_taken():
    human = np.array([[2.0, 2.0, 1.0], [2.0, 2.0, 2.0], [2.0, 2.0, 1.0]])
    metric = np.array([[2.0, 2.0, 4.0], [3.0, 4.0, 5.0], [2.0, 5.0, 2.0]])
    assert accuracy_within(human, metric, "item", 2.0) == pytest.approx(7 / 9)
    assert accuracy_within(human, metric, "item", 3.0) == pytest.approx(7 / 9)
    assert calibrate_ties(human, metric, "item").epsilon == 2.0
