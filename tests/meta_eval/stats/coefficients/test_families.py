from itertools import combinations

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import (
    OTHERS,
    correlate_within_families,
    members_of,
    parse_families,
    pool_within_families,
)
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS
from meta_eval.stats.rankings.sensitivity import check_sensitivity

FAMILIES = {"a": "plain", "b": "plain", "c": "plain", "d": "personal", "e": "personal", "f": "personal"}
X = [1.0, 2.0, 3.0, 11.0, 12.0, 13.0]
Y = [3.0, 2.0, 1.0, 13.0, 12.0, 11.0]
"""Two families that lie far apart, and within each of which the two sides disagree."""


def test_within_families_the_sign_may_turn():
    assert correlate(X, Y, "pearson").estimate > 0.9
    rows = correlate_within_families(X, Y, "pearson", systems="abcdef", families=FAMILIES)
    assert [(row.family, row.systems, row.correlation.estimate) for row in rows] == [
        ("plain", ("a", "b", "c"), pytest.approx(-1.0)),
        ("personal", ("d", "e", "f"), pytest.approx(-1.0)),
    ]
    sensitivity = check_sensitivity(X, Y, "pearson", systems="abcdef", families=FAMILIES)
    assert sensitivity.families == rows
    assert check_sensitivity(X, Y, "pearson", systems="abcdef").families == ()


def test_two_systems_of_a_family_give_no_coefficient():
    rows = correlate_within_families(
        X[:5], [*Y[:2], None, *Y[3:5]], "kendall", systems="abcde", families=FAMILIES
    )
    assert [(row.correlation.n, row.correlation.estimate, row.correlation.reason) for row in rows] == [
        (2, None, "2 systems of this family, at least 3 are needed")
    ] * 2


def test_families_are_read_as_typed_and_the_rest_is_a_family_too():
    found = parse_families(["personalised = PENS, GTP", "copies=Copy"], ["PENS", "GTP", "Copy", "BART"])
    assert found == {"PENS": "personalised", "GTP": "personalised", "Copy": "copies", "BART": OTHERS}
    assert members_of(found, ["BART", "GTP", "PENS", "Copy"]) == {
        OTHERS: (0,),
        "personalised": (1, 2),
        "copies": (3,),
    }
    assert parse_families([], ["PENS"]) == {}


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (["personalised"], "a family is written NAME=SYSTEM,SYSTEM, not 'personalised'"),
        (["personalised="], "not 'personalised='"),
        (["=PENS"], "not '=PENS'"),
        (["p=PENS,None"], "family 'p' names 'None', but there are PENS, GTP"),
        (["p=PENS", "q=PENS"], "'PENS' stands in the families 'p' and 'q'"),
    ],
)
def test_bad_families_are_refused(texts, message):
    with pytest.raises(InputError, match=message):
        parse_families(texts, ["PENS", "GTP"])


def test_a_system_without_a_family_is_refused():
    with pytest.raises(InputError, match="no family is given for b"):
        correlate_within_families([1, 2], [1, 2], "kendall", systems="ab", families={"a": "x"})


def test_the_pooled_pearson_is_the_partial_correlation_given_the_family():
    """By regression of both sides on indicators of the families."""
    random = np.random.default_rng(2)
    families = list("aaaabbbbbcc")
    indicators = np.array([[name == family for family in "abc"] for name in families], dtype=float)
    x, y = random.standard_normal((2, 11)) + 5.0 * indicators.argmax(axis=1)
    left = [side - indicators @ np.linalg.lstsq(indicators, side, rcond=None)[0] for side in (x, y)]
    found = pool_within_families(x, y, "pearson", families=families)
    assert (found.n, found.estimate) == (11, pytest.approx(stats.pearsonr(*left).statistic, abs=1e-12))


def test_pooled_rank_coefficients_rest_on_ranks_and_pairs_of_each_family():
    x, y = [1, 2, 3, 4, 9, 8, 8, 20], [2, 1, 4, 3, 5, 9, 9, 0]
    families = "aaaabbbc"
    ranks = [
        np.concatenate([stats.rankdata(side[:4]) - 2.5, stats.rankdata(side[4:7]) - 2.0]) for side in (x, y)
    ]
    rho = ranks[0] @ ranks[1] / np.sqrt((ranks[0] @ ranks[0]) * (ranks[1] @ ranks[1]))
    assert pool_within_families(x, y, "spearman", families=families).estimate == pytest.approx(rho, abs=1e-12)
    pairs = [(i, j) for i, j in combinations(range(7), 2) if families[i] == families[j]]
    one, other = (np.array([np.sign(side[i] - side[j]) for i, j in pairs]) for side in (x, y))
    tau = one @ other / np.sqrt((one @ one) * (other @ other))
    assert pool_within_families(x, y, "kendall", families=families).estimate == pytest.approx(tau, abs=1e-12)
    alike = np.mean(one == other)
    found = pool_within_families(x, y, "pairwise-accuracy", families=families)
    assert (found.n, found.estimate) == (7, pytest.approx(alike, abs=1e-12))
    own = [stats.kendalltau(x[rows], y[rows], variant="c").statistic for rows in (slice(0, 4), slice(4, 7))]
    weighted = (6 * own[0] + 3 * own[1]) / 9
    assert pool_within_families(x, y, "kendall-c", families=families).estimate == pytest.approx(
        weighted, abs=1e-12
    )


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
def test_one_family_has_the_coefficient_of_all_and_distance_changes_none(coefficient):
    random = np.random.default_rng(3)
    x, y = random.standard_normal((2, 7))
    assert pool_within_families(x, y, coefficient, families="a" * 7).estimate == pytest.approx(
        correlate(x, y, coefficient).estimate, abs=1e-12
    )
    families = "aaabbbb"
    apart = np.repeat([0.0, 50.0], [3, 4])
    found = pool_within_families(x, y, coefficient, families=families)
    far = pool_within_families(x + apart, y - apart, coefficient, families=families)
    assert far.estimate == pytest.approx(found.estimate, abs=1e-12)


@pytest.mark.parametrize(
    ("x", "families", "reason"),
    [
        ([1, 2, 3], "abc", "no family has two systems with both scores"),
        ([1, None, 3], "aab", "no family has two systems with both scores"),
        ([1, 1, 3], "aab", "one side has one score for all systems of a family"),
    ],
)
def test_a_pooled_coefficient_that_is_undefined_says_why(x, families, reason):
    found = pool_within_families(x, [1, 2, 3], "spearman", families=families)
    assert (found.estimate, found.reason) == (None, reason)


def test_families_that_fit_no_scores_are_refused():
    with pytest.raises(InputError, match="3 values, 3 values and 2 families do not belong together"):
        pool_within_families([1, 2, 3], [1, 2, 3], "kendall", families="ab")
