import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS, COEFFICIENTS, REGISTRY
from meta_eval.stats.coefficients.rows import (
    correlate_rising,
    correlate_rows,
    has_unit_rows,
    rising_rows,
    unit_rows,
)

SCORES = arrays(np.float64, (4, 6), elements=st.one_of(st.integers(-3, 3).map(float), st.just(np.nan)))


@given(SCORES, SCORES)
def test_every_row_equals_the_coefficient_of_that_row(x, y):
    for coefficient in ALL_COEFFICIENTS:
        expected = [correlate(list(a), list(b), coefficient).estimate for a, b in zip(x, y, strict=True)]
        np.testing.assert_allclose(
            correlate_rows(x, y, coefficient), np.array(expected, dtype=float), atol=1e-12
        )


@pytest.mark.parametrize("n", [2, 3, 10, 31])
def test_without_ties_what_rises_is_enough(n):
    x, y = np.random.default_rng(n).standard_normal((2, 40, n))
    of_order = [name for name, info in REGISTRY.items() if info.without_ties]
    assert set(of_order) >= {"spearman", "kendall", "kendall-c", "pairwise-accuracy"}
    for coefficient in of_order:
        np.testing.assert_allclose(
            correlate_rising(rising_rows(x), rising_rows(y), n, coefficient),
            correlate_rows(x, y, coefficient),
            atol=1e-12,
        )


def test_what_rises_stands_in_the_order_of_the_pairs():
    assert rising_rows(np.array([[2.0, 1.0, 3.0]])).tolist() == [[True, False, False]]
    values = np.random.default_rng(3).standard_normal((2, 3, 6))
    first, second = np.triu_indices(6, 1)
    np.testing.assert_array_equal(rising_rows(values), values[..., first] > values[..., second])


def test_one_vector_serves_all_rows():
    rng = np.random.default_rng(1)
    x, y = rng.random((5, 7)), rng.random(7)
    for coefficient in ALL_COEFFICIENTS:
        expected = correlate_rows(x, np.tile(y, (5, 1)), coefficient)
        np.testing.assert_array_equal(correlate_rows(x, y, coefficient), expected)


def test_ties_but_for_rounding_are_ties_in_rows_too():
    x = np.array([[0.3, 0.1 + 0.2, 0.5, 0.1]])
    y = np.array([4.0, 1.0, 3.0, 2.0])
    for coefficient in ("spearman", "kendall", "kendall-c", "pairwise-accuracy"):
        assert correlate_rows(x, y, coefficient)[0] == pytest.approx(
            correlate([0.3, 0.3, 0.5, 0.1], list(y), coefficient).estimate, abs=1e-12
        )


def test_tau_c_takes_both_sides_together():
    assert [name for name in COEFFICIENTS if not has_unit_rows(name)] == []
    assert not has_unit_rows("kendall-c")
    with pytest.raises(InputError, match=r"unit vectors are there for .*, not 'kendall-c'"):
        unit_rows(np.ones((2, 3)), "kendall-c")


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
@pytest.mark.parametrize("row", [[3.0], [3.0, np.nan, np.nan], [np.nan, np.nan]])
def test_one_pair_of_values_has_no_coefficient(coefficient, row):
    values = np.array([row, row])
    assert np.isnan(correlate_rows(values, values, coefficient)).tolist() == [True, True]
