import pytest

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import (
    OTHERS,
    correlate_within_families,
    members_of,
    parse_families,
)
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
