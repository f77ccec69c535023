"""Coefficients over items under weights of documents, against scipy on the items repeated as drawn."""

import numpy as np
import pytest
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.coefficients import pair_items, pearson_items, rank_items
from meta_eval.stats.coefficients.items import ItemTable
from meta_eval.stats.resampling.weights import draw_weights

SCIPY = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("coefficient", SCIPY)
def test_weights_are_repetitions(coefficient, tied):
    rng = np.random.default_rng(2)
    x = rng.standard_normal((2, 40))
    y = x[:1] + rng.standard_normal((3, 40))
    if tied:
        x, y = np.round(x), np.round(y)
    at = rng.integers(0, 7, 40)  # of eight documents, so that the last has no item
    weights = draw_weights(units=8, resamples=5, rng=rng)
    found = ItemTable(x, y, at, documents=8).under(weights, coefficient)
    assert found.shape == (5, 2, 3)
    for row, drawn in zip(found, weights, strict=True):
        repeated = np.repeat(np.arange(40), drawn[at].astype(int))
        expected = [[SCIPY[coefficient](a[repeated], b[repeated]).statistic for b in y] for a in x]
        np.testing.assert_allclose(row, expected, atol=1e-10)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("coefficient", SCIPY)
def test_a_draw_without_any_item_has_no_coefficient_and_leaves_the_others_alone(coefficient):
    x, y = np.random.default_rng(4).standard_normal((2, 1, 6))
    table = ItemTable(x, y, np.array([0, 0, 0, 0, 1, 1]), documents=3)
    weights = np.array([[1, 1, 1], [0, 0, 2], [2, 0, 1]], dtype=np.float64)
    found = table.under(weights, coefficient)[:, 0, 0]
    assert np.isnan(found).tolist() == [False, True, False]
    np.testing.assert_array_equal(found[[0, 2]], table.under(weights[[0, 2]], coefficient)[:, 0, 0])


def plain_pearson(x, y, weight):
    """Weighted covariance over the roots of both weighted variances."""
    x, y = (side - np.average(side, weights=weight) for side in (x, y))
    return (weight * x * y).sum() / np.sqrt((weight * x**2).sum() * (weight * y**2).sum())


def plain_spearman(x, y, weight):
    """`plain_pearson` of ranks: of each value what weighs less, and half of what weighs as much."""
    ranks = (((side[:, None] > side) + 0.5 * (side[:, None] == side)) @ weight for side in (x, y))
    return plain_pearson(*ranks, weight)


def plain_kendall(x, y, weight):
    """Over all pairs of items, each as often as it is drawn: products of the signs of both differences."""
    pairs = np.outer(weight, weight)
    x, y = (np.sign(side[:, None] - side) for side in (x, y))
    return (pairs * x * y).sum() / np.sqrt((pairs * x**2).sum() * (pairs * y**2).sum())


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("coefficient", "plain"),
    [("pearson", plain_pearson), ("spearman", plain_spearman), ("kendall", plain_kendall)],
)
def test_each_coefficient_is_its_plain_version(coefficient, plain, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(0, 9, (2, 2, 30)).astype(float)
    at = rng.integers(0, 6, 30)
    weights = draw_weights(units=6, resamples=4, rng=rng)
    found = ItemTable(x, y, at, documents=6).under(weights, coefficient)
    expected = [[[plain(a, b, weight) for b in y] for a in x] for weight in weights[:, at]]
    np.testing.assert_allclose(found, expected, atol=1e-12)


@pytest.mark.parametrize("coefficient", SCIPY)
def test_a_constant_side_is_undefined(coefficient):
    x = np.stack([np.full(6, 0.3), np.arange(6.0)])
    y = np.arange(6.0)[None]
    at = np.arange(6)
    found = ItemTable(x, y, at, documents=6).under(np.ones((1, 6)), coefficient)
    np.testing.assert_allclose(found[0, :, 0], [np.nan, 1.0])
    one_left = np.eye(6)[:1] * 6
    assert np.isnan(ItemTable(x, y, at, documents=6).under(one_left, coefficient)).all()


@pytest.mark.parametrize(
    "setting",
    [
        {"CELLS": 1, "ROWS": 2},
        {"_WIDEST": 2},
        {"_WIDEST": 2, "CELLS": 1},
        {"_EXACT": 1},
        {"_DOCUMENTS": 1},
        {"_DOCUMENTS": 3, "ROWS": 1},
    ],
    ids=" ".join,
)
def test_the_result_does_not_depend_on_how_much_is_done_at_a_time(monkeypatch, setting):
    rng = np.random.default_rng(3)
    x, y = np.round(rng.standard_normal((2, 2, 60)), 1)
    at = np.repeat(np.arange(10), [1, 2, 3, 4, 5, 6, 7, 8, 9, 15])
    weights = draw_weights(units=10, resamples=9, rng=rng)
    table = ItemTable(x, y, at, documents=10)
    whole = {name: table.under(weights, name) for name in SCIPY}
    for name, value in setting.items():
        for module in (pearson_items, rank_items, pair_items):
            if hasattr(module, name):
                monkeypatch.setattr(module, name, value)
    for name, expected in whole.items():
        np.testing.assert_allclose(table.under(weights, name), expected, rtol=0, atol=1e-14)


@pytest.mark.parametrize("draws", [1, 8, 9, 60])
def test_concordances_are_added_up_exactly(draws):
    """However documents are joined: tau-b of whole numbers added up by pair of items, to the last bit."""
    rng = np.random.default_rng(6)
    x, y = rng.integers(0, 9, (2, 3, 70))
    at = np.sort(rng.integers(0, 12, 70))
    weights = draw_weights(units=12, resamples=draws, rng=rng)
    by_item = weights[:, at].astype(np.int64)
    signs_x, signs_y = (np.sign(side[:, :, None] - side[:, None, :]) for side in (x, y))

    def added_up(one, other):
        return np.einsum("rn,rm,hnm,hnm->rh", by_item, by_item, one, other, optimize=True)

    found = ItemTable(*(side.astype(float) for side in (x, y)), at, documents=12).under(weights, "kendall")
    for row in range(3):
        turned = np.roll(signs_y, row, axis=0)
        scale = np.sqrt(added_up(signs_x, signs_x)) * np.sqrt(added_up(turned, turned))
        expected = added_up(signs_x, turned) / scale
        columns = (np.arange(3) - row) % 3
        np.testing.assert_array_equal(found[:, np.arange(3), columns], expected)


def test_small_whole_numbers_weigh_as_any():
    rng = np.random.default_rng(4)
    x, y = rng.standard_normal((2, 2, 300))
    weights = draw_weights(units=30, resamples=9, rng=rng)
    table = ItemTable(x, y, np.arange(300) // 10, documents=30)
    for name in SCIPY:
        np.testing.assert_array_equal(
            table.under(weights.astype(np.uint16), name), table.under(weights, name)
        )


@pytest.mark.parametrize("coefficient", ["spearman", "kendall"])
def test_many_items_are_counted_without_rounding(coefficient):
    """Sums over pairs of these items pass what a float32 holds exactly; scipy's agree to the last digits."""
    rng = np.random.default_rng(5)
    x, y = rng.standard_normal((2, 1, 12_000))
    y = x + 0.01 * y
    drawn = np.array([[1.0, 1.0], [2.0, 0.0], [2.0, 1.0]])
    at = np.arange(12_000) % 2
    found = ItemTable(x, y, at, documents=2).under(drawn, coefficient)[:, 0, 0]
    for row, value in zip(drawn, found, strict=True):
        repeated = np.repeat(np.arange(12_000), row[at].astype(int))
        expected = SCIPY[coefficient](x[0, repeated], y[0, repeated]).statistic
        assert value == pytest.approx(expected, rel=0, abs=1e-13)


def test_kendall_of_one_document_that_outweighs_all_others_is_exact():
    """Each sum over a document's pairs has a float32 of its own here, the sum over all pairs has not."""
    x, y = np.random.default_rng(7).integers(0, 3, (2, 1, 4_001)).astype(float)
    weights = np.ones((1, 4_001))
    weights[0, 0] = 9_001
    found = ItemTable(x, y, np.arange(4_001), documents=4_001).under(weights, "kendall")[0, 0, 0]
    repeated = np.repeat(np.arange(4_001), weights[0].astype(int))
    expected = stats.kendalltau(x[0, repeated], y[0, repeated]).statistic
    assert found == pytest.approx(expected, rel=0, abs=1e-14)


def test_bad_calls_are_refused():
    rows, at = np.ones((1, 3)), np.arange(3)
    with pytest.raises(InputError, match="do not fit together"):
        ItemTable(rows, np.ones((1, 4)), at, documents=3)
    with pytest.raises(InputError, match="every item needs both scores"):
        ItemTable(rows, np.full((1, 3), np.nan), at, documents=3)
    with pytest.raises(InputError, match="not 'kendall-c'"):
        ItemTable(rows, rows, at, documents=3).under(np.ones((1, 3)), "kendall-c")
    with pytest.raises(InputError, match="weights of 2 documents do not fit 3"):
        ItemTable(rows, rows, at, documents=3).under(np.ones((1, 2)), "kendall")
