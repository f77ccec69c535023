import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.stats.coefficients.registry import ALL_COEFFICIENTS, REGISTRY
from meta_eval.stats.coefficients.rows import correlate_rows


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
@given(r=st.floats(-0.999, 0.999), n=st.integers(3, 200))
def test_there_and_back(coefficient, r, n):
    curves = REGISTRY[coefficient].normal
    assert curves.to_pearson(curves.of_pearson(r, n), n) == pytest.approx(r, abs=1e-6)


@pytest.mark.parametrize("coefficient", ALL_COEFFICIENTS)
def test_the_ends_and_the_middle_of_the_range(coefficient):
    info = REGISTRY[coefficient]
    for r, value in ((-1.0, info.lowest), (0.0, info.chance), (1.0, info.highest)):
        assert info.normal.of_pearson(r, 7) == pytest.approx(value)
        assert info.normal.to_pearson(value, 7) == pytest.approx(r, abs=1e-9)


@pytest.mark.parametrize("coefficient", ["spearman", "kendall", "kendall-c", "pairwise-accuracy"])
@pytest.mark.parametrize("n", [4, 10])
def test_the_expectation_is_the_mean_over_many_samples(coefficient, n):
    rng = np.random.default_rng(1)
    x, error = rng.standard_normal((2, 6_000, n))
    found = correlate_rows(x, 0.7 * x + np.sqrt(1 - 0.49) * error, coefficient)
    error_of_mean = found.std() / np.sqrt(len(found))
    assert REGISTRY[coefficient].normal.of_pearson(0.7, n) == pytest.approx(
        found.mean(), abs=4 * error_of_mean
    )
