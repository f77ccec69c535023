from typing import get_args

import numpy as np
import pytest
from hypothesis import given

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.grouped import calibrate_ties
from meta_eval.stats.coefficients.levels import (
    Level,
    LevelCorrelation,
    correlate_level,
)
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from tests.meta_eval.stats.coefficients.test_grouped import TABLES
from tests.meta_eval.stats.oracles import oracle_tables


def scores(seed: int = 1):
    rng = np.random.default_rng(seed)
    x = rng.random((5, 8))
    y = x + rng.random((5, 8))
    y[0, 2] = np.nan
    y[:, 7] = 0.5
    return x, y


@pytest.mark.parametrize("coefficient", [*COEFFICIENTS, "kendall-c", "pairwise-accuracy"])
def test_levels_by_loops(coefficient):
    x, y = scores()
    system = correlate(list(x.mean(axis=1)), list(np.nanmean(y, axis=1)), coefficient)
    by_system = [correlate(list(a), list(b), coefficient).estimate for a, b in zip(x, y, strict=True)]
    by_document = [correlate(list(a), list(b), coefficient).estimate for a, b in zip(x.T, y.T, strict=True)]
    item = correlate(list(x.ravel()), list(y.ravel()), coefficient)
    found = {level: correlate_level(x, y, coefficient, level=level) for level in get_args(Level)}
    assert found["system"] == LevelCorrelation(
        "system", coefficient, 5, pytest.approx(system.estimate, abs=1e-12)
    )
    defined = [value for value in by_document if value is not None]
    assert len(defined) == (
        8 if coefficient == "pairwise-accuracy" else 7
    )  # one side of the last is constant
    assert found["document"] == LevelCorrelation(
        "document",
        coefficient,
        len(defined),
        pytest.approx(np.mean(defined), abs=1e-12),
        undefined=8 - len(defined),
    )
    assert found["within-system"] == LevelCorrelation(
        "within-system", coefficient, 5, pytest.approx(np.mean(by_system), abs=1e-12)
    )
    assert found["item"] == LevelCorrelation("item", coefficient, 39, pytest.approx(item.estimate, abs=1e-12))


@given(TABLES)
def test_the_pairwise_accuracy_is_that_of_calibrated_ties_without_made_ones(table):
    """At each level, with ties, gaps, and groups in which a side is constant; by rows and by items alike."""
    human, metric = table
    for level, grouping in (("document", "item"), ("within-system", "system"), ("item", "none")):
        found = correlate_level(human, metric, "pairwise-accuracy", level=level)
        wanted = calibrate_ties(human, metric, grouping)
        assert found.estimate == (wanted.without and pytest.approx(wanted.without, abs=1e-12))
        if level != "item":
            assert found.n == wanted.groups


def test_systems_may_be_scored_on_other_documents():
    x, y = scores()
    assert correlate_level(x, y[:, :3], "kendall", level="system").n == 5
    with pytest.raises(InputError, match=r"\(5, 8\) and \(5, 3\) cannot be correlated by document"):
        correlate_level(x, y[:, :3], "kendall", level="document")


def test_undefined_levels_have_a_reason():
    x = np.array([[1.0, 2.0], [1.0, 2.0]])
    y = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert correlate_level(x, y, "kendall", level="document") == LevelCorrelation(
        "document", "kendall", 0, None, "no document has two systems that differ on both sides", undefined=2
    )
    once = correlate_level(x, np.array([[1.0, 1.0], [3.0, 4.0]]), "kendall", level="within-system")
    assert (once.n, once.undefined, once.estimate) == (1, 1, pytest.approx(1.0))
    never = correlate_level(x, np.array([[1.0, 1.0], [3.0, 3.0]]), "kendall", level="within-system")
    assert never == LevelCorrelation(
        "within-system",
        "kendall",
        0,
        None,
        "no system has two documents that differ on both sides",
        undefined=2,
    )
    reasons = [
        correlate_level(x, side, "kendall", level="item").reason
        for side in (np.ones((2, 2)), np.full((2, 2), np.nan))
    ]
    assert reasons == ["one side is the same for every item", "fewer than two items have both scores"]
    with pytest.raises(InputError, match="level is system, document, within-system, item, not 'summary'"):
        correlate_level(x, y, "kendall", level="summary")


THEIR_GROUPS = {"none": "item", "sys": "within-system", "item": "document"}
"""What the oracle groups by, and the level that is: without groups, by system, by item."""


@pytest.mark.shared
@pytest.mark.parametrize("theirs", THEIR_GROUPS)
def test_each_level_is_the_grouping_of_the_oracle(shared, theirs):
    for human, metric, table in oracle_tables(shared):
        values = [value for value in table["groups"][theirs]["b"] if value is not None]
        found = correlate_level(human, metric, "kendall", level=THEIR_GROUPS[theirs])
        assert found.estimate == pytest.approx(np.mean(values), abs=1e-9)
        if theirs != "none":
            assert found.n == len(values)
