"""Tau-b under weights equals SciPy's of the observations written out as often as the weights say."""

import numpy as np
import pytest
from scipy import stats

from meta_eval.stats.coefficients import repeated_kendall
from meta_eval.stats.coefficients.repeated_kendall import kendall_of_repeats


def written_out(x, y, weights):
    repeats = (np.repeat(np.arange(len(x)), row.astype(int)) for row in weights)
    return [stats.kendalltau(x[at], y[at]).statistic for at in repeats]


@pytest.mark.parametrize("count", [8, 63, 64, 65, 200, 700])
@pytest.mark.parametrize("levels", [3, 40, 10_000])
def test_it_equals_observations_written_out(count, levels):
    generator = np.random.default_rng([count, levels])
    x, y = generator.integers(0, levels, size=(2, count)) / levels
    weights = generator.integers(0, 4, size=(9, count)).astype(float)
    np.testing.assert_allclose(kendall_of_repeats(x, y, weights), written_out(x, y, weights), atol=1e-12)


def test_weights_too_large_for_single_precision_are_counted_exactly(monkeypatch):
    generator = np.random.default_rng(1)
    x, y = generator.random((2, 150))
    weights = generator.integers(0, 4, size=(5, 150)).astype(float)
    expected = kendall_of_repeats(x, y, weights)
    monkeypatch.setattr(repeated_kendall, "_EXACT", 0)
    monkeypatch.setattr(repeated_kendall, "_CELLS", 1)
    assert kendall_of_repeats(x, y, weights).tolist() == expected.tolist()


def test_what_rounding_alone_keeps_apart_is_tied():
    x, y = np.array([0.3, 0.1 + 0.2, 0.5]), np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(
        kendall_of_repeats(x, y, np.ones((1, 3))), kendall_of_repeats(x.round(6), y, np.ones((1, 3)))
    )


def test_a_side_that_is_constant_under_the_weights_has_none():
    x, y = np.array([0.0, 1.0, 1.0]), np.array([0.0, 1.0, 2.0])
    weights = np.array([[0.0, 1.0, 1.0], [3.0, 0.0, 0.0], [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
    assert kendall_of_repeats(x, y, weights).tolist()[3] == 1.0
    assert np.isnan(kendall_of_repeats(x, y, weights)[:3]).all()
    assert kendall_of_repeats(x[:0], y[:0], weights[:, :0]).shape == (4,)
