"""p within families: every matching counted, released scores as published, and few false positives."""

from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.significance.within import (
    Matchings,
    WithinFamilies,
    correlation_within_families,
    explained_by_families,
)
from tests.meta_eval.released import FAMILIES, HUMAN, RELEASED


def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize(
    ("measure", "coefficient", "numbers", "explained"),
    [
        ("infolm", "pearson", (0.7337, 0.024, 0.789, 0.54), True),
        ("infolm", "spearman", (0.6242, 0.060, 0.697, 0.55), None),
        ("infolm", "kendall", (0.4222, 0.108, 0.511, 0.61), None),
        ("jsd", "kendall", (0.5111, 0.047, 0.511, 1.00), True),
        ("meteor", "spearman", (0.4909, 0.155, 0.697, 0.049), None),
        ("meteor", "pearson", (0.7292, 0.027, 0.809, 0.089), True),
    ],
)
def test_released_scores_are_explained_by_their_families(measure, coefficient, numbers, explained):
    estimate, p, mean, p_within = numbers
    x, y = HUMAN, RELEASED[measure]
    found = correlation_within_families(x, y, coefficient, families=FAMILIES, rng=rng())
    pooled = correlation_p_value(x, y, coefficient, rng=rng())
    assert found.estimate == correlate(x, y, coefficient).estimate == pytest.approx(estimate, abs=5e-5)
    assert pooled.p == pytest.approx(p, abs=5e-4)
    assert found.mean == pytest.approx(mean, abs=5e-4)
    assert found.p == pytest.approx(p_within, abs=5e-3)
    assert (found.method, found.matchings) == ("exact", 14_400)
    assert explained_by_families(found, coefficient, p_value=pooled.p, alpha=0.05) is explained


def count_plainly(x, y, families, coefficient):
    """The coefficient of every matching within families, one by one."""
    members = [[at for at, name in enumerate(families) if name == family] for family in sorted({*families})]
    values = []
    for orders in product(*(permutations(own) for own in members)):
        matched = list(y)
        for own, order in zip(members, orders, strict=True):
            for place, taken in zip(own, order, strict=True):
                matched[place] = y[taken]
        values.append(correlate(x, matched, coefficient).estimate)
    return np.array(values)


LEVELS = st.lists(st.integers(0, 3), min_size=6, max_size=6)


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
@settings(max_examples=15, deadline=None)
@given(x=LEVELS, y=LEVELS, families=st.permutations("aaabbc"))
def test_every_matching_is_counted_with_ties_and_without(coefficient, x, y, families):
    found = correlation_within_families(x, y, coefficient, families=families, rng=rng())
    estimate = correlate(x, y, coefficient).estimate
    if estimate is None:
        assert (found.p, found.reason) == (None, "one side has the same score for every system")
        return
    null = count_plainly(x, y, families, coefficient)
    away = np.abs(null - null.mean())
    assert found.matchings == null.size == 12
    assert found.mean == pytest.approx(null.mean(), abs=1e-12)
    assert found.p == np.mean(away >= abs(estimate - null.mean()) - 1e-9)
    assert found.least == np.mean(away >= away.max() - 1e-9)


def test_a_missing_score_leaves_its_system_out_and_a_column_may_follow_another():
    """One object serves a table, whose columns miss different systems."""
    both = Matchings(FAMILIES, rng=rng())
    y = RELEASED["infolm"]
    whole = both.test(HUMAN, y, "kendall")
    missing = both.test(HUMAN, [None, *y[1:]], "kendall")
    alone = correlation_within_families(HUMAN[1:], y[1:], "kendall", families=FAMILIES[1:], rng=rng())
    assert (missing.p, missing.mean, missing.matchings) == (alone.p, alone.mean, 2_880)
    assert both.test(HUMAN, y, "kendall") == whole
    assert both.test(y, HUMAN, "kendall").p == pytest.approx(whole.p, abs=1e-12)


def test_many_systems_are_sampled_and_p_is_never_0(monkeypatch):
    x = list(range(16))
    families = "a" * 8 + "b" * 8
    found = correlation_within_families(x, x, "spearman", families=families, rng=rng(), permutations=99)
    assert (found.p, found.method, found.matchings, found.least) == (0.01, "permutation", 99, 0.01)
    y = RELEASED["infolm"]
    exact = correlation_within_families(HUMAN, y, "spearman", families=FAMILIES, rng=rng())
    monkeypatch.setattr("meta_eval.stats.significance.within.EXACT_MATCHINGS", 100)
    sampled = correlation_within_families(HUMAN, y, "spearman", families=FAMILIES, rng=rng())
    assert (sampled.method, sampled.matchings) == ("permutation", 9_999)
    assert sampled.p == pytest.approx(exact.p, abs=0.02)
    assert sampled.mean == pytest.approx(exact.mean, abs=0.01)


def test_unrelated_families_are_seldom_called_significant_within():
    """Pooled p is below .05 in most such tables: the families lie 4 deviations apart."""
    random = np.random.default_rng(11)
    both = Matchings(FAMILIES, rng=rng())
    gap = np.repeat([0.0, 4.0], 5)
    within, pooled = [], []
    for _ in range(60):
        x, y = random.standard_normal((2, 10)) + gap
        within.append(both.test(x.tolist(), y.tolist(), "pearson").p)
        pooled.append(correlation_p_value(x.tolist(), y.tolist(), "pearson", rng=random).p)
    assert np.mean(np.array(within) <= 0.05) <= 0.07
    assert np.mean(np.array(pooled) <= 0.05) >= 0.9


@pytest.mark.parametrize(
    ("families", "reason"),
    [("aaaa", "all systems are of one family"), ("abcd", "no family has two systems with both scores")],
)
def test_where_nothing_can_change_places_there_is_no_p(families, reason):
    found = correlation_within_families([1, 2, 3, 4], [1, 3, 2, 4], "pearson", families=families, rng=rng())
    assert (found.p, found.reason) == (None, reason)
    assert explained_by_families(found, "pearson", p_value=0.01, alpha=0.05) is None


def test_sides_that_do_not_belong_together_are_refused():
    with pytest.raises(InputError, match="2 and 2 scores, but 3 systems with a family"):
        correlation_within_families([1, 2], [1, 2], "pearson", families="abc", rng=rng())


@pytest.mark.parametrize(
    ("found", "p_value", "explained"),
    [
        (WithinFamilies(0.01, "exact", 0.9, 0.6, 14_400, 0.001), 0.01, False),
        (WithinFamilies(0.20, "exact", 0.9, 0.6, 14_400, 0.001), 0.01, True),
        (WithinFamilies(0.01, "exact", 0.5, 0.6, 14_400, 0.001), 0.01, True),
        (WithinFamilies(0.01, "exact", -0.9, -0.6, 14_400, 0.001), 0.01, False),
        (WithinFamilies(0.01, "exact", -0.5, -0.6, 14_400, 0.001), 0.01, True),
        (WithinFamilies(0.20, "exact", 0.9, 0.6, 6, 0.100), 0.01, None),
        (WithinFamilies(0.20, "exact", 0.9, 0.6, 14_400, 0.001), 0.30, None),
    ],
)
def test_the_families_explain_what_they_give_by_themselves(found, p_value, explained):
    assert explained_by_families(found, "kendall", p_value=p_value, alpha=0.05) is explained
