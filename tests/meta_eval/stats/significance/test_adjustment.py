import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from meta_eval.errors import InputError
from meta_eval.stats.significance.adjustment import adjust_p_values

P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


@given(P_VALUES)
def test_benjamini_hochberg_equals_scipy(p):
    np.testing.assert_allclose(
        adjust_p_values(p, method="benjamini-hochberg"), stats.false_discovery_control(p), atol=1e-12
    )


@given(P_VALUES)
def test_holm_rejects_what_stepping_down_rejects(p):
    adjusted = adjust_p_values(p)
    for alpha in (0.01, 0.05, 0.3):
        order = sorted(range(len(p)), key=lambda i: p[i])
        rejected = set()
        for step, index in enumerate(order):
            if p[index] * (len(p) - step) > alpha:
                break
            rejected.add(index)
        assert {i for i, value in enumerate(adjusted) if value <= alpha} == rejected


def test_holm_by_hand():
    assert adjust_p_values([0.01, 0.04, 0.03, 0.005]) == pytest.approx((0.03, 0.06, 0.06, 0.02))


def test_undefined_p_values_stay_so_and_do_not_count():
    assert adjust_p_values([0.02, None, 0.03]) == pytest.approx((0.04, None, 0.04))
    assert adjust_p_values([None]) == (None,)


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="adjustment is holm or benjamini-hochberg, not 'bonferroni'"):
        adjust_p_values([0.1], method="bonferroni")
    with pytest.raises(InputError, match="p-values must be from 0 to 1"):
        adjust_p_values([0.1, float("nan")])
