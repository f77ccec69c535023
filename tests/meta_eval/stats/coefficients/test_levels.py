import numpy as np
import pytest

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.levels import (
    LevelCorrelation,
    correlate_level,
)
from meta_eval.stats.coefficients.registry import COEFFICIENTS


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
    by_document = [correlate(list(a), list(b), coefficient).estimate for a, b in zip(x.T, y.T, strict=True)]
    item = correlate(list(x.ravel()), list(y.ravel()), coefficient)
    found = {
        level: correlate_level(x, y, coefficient, level=level) for level in ("system", "document", "item")
    }
    assert found["system"] == LevelCorrelation(
        "system", coefficient, 5, pytest.approx(system.estimate, abs=1e-12)
    )
    assert by_document[7] is None
    assert found["document"] == LevelCorrelation(
        "document", coefficient, 7, pytest.approx(np.mean(by_document[:7]), abs=1e-12), undefined=1
    )
    assert found["item"] == LevelCorrelation("item", coefficient, 39, pytest.approx(item.estimate, abs=1e-12))


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
    reasons = [
        correlate_level(x, side, "kendall", level="item").reason
        for side in (np.ones((2, 2)), np.full((2, 2), np.nan))
    ]
    assert reasons == ["one side is the same for every item", "fewer than two items have both scores"]
    with pytest.raises(InputError, match="level is system, document, item, not 'summary'"):
        correlate_level(x, y, "kendall", level="summary")
