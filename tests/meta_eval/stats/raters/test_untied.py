import numpy as np
import pytest

from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.raters import untied
from meta_eval.stats.raters.untied import Untied, slices


@pytest.mark.parametrize("systems", [2, 3, 10, 31])
def test_rows_without_ties_correlate_as_all_rows_do(systems):
    x, y = np.random.default_rng(systems).standard_normal((2, 40, systems))
    found = Untied(x).correlate(Untied(y))
    assert list(found) == list(COEFFICIENTS)
    for coefficient, values in found.items():
        np.testing.assert_allclose(values, correlate_rows(x, y, coefficient), atol=1e-12)


def test_each_row_meets_many_as_arrays_are_broadcast():
    rng = np.random.default_rng(1)
    many, one = rng.standard_normal((2, 4, 6, 5)), rng.standard_normal((4, 1, 5))
    for coefficient, values in Untied(many).correlate(Untied(one)).items():
        expected = [
            [correlate_rows(rows, row[0], coefficient) for rows, row in zip(side, one, strict=True)]
            for side in many
        ]
        np.testing.assert_allclose(values, expected, atol=1e-12)


def test_pieces_hold_every_row_once_and_bound_what_is_held(monkeypatch):
    monkeypatch.setattr(untied, "_AT_ONCE", 1000)
    pieces = [np.arange(25)[piece].tolist() for piece in slices(25, each=20, systems=5)]
    assert pieces == [list(range(start, start + 5)) for start in range(0, 25, 5)]  # 5 x 20 x 10 differences
    assert list(slices(2, each=9999, systems=50)) == [slice(0, 1), slice(1, 2)]  # one row, if it must be
