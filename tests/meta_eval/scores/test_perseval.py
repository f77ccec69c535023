from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.scores.perseval import LARGEST, PenaltyOptions, effective_penalty


def test_perfect_summaries_are_hardly_penalised():
    # ADP = ACP = sig(0; 4, 1) = 1/10001, so EDP = 1 - 1/(1 + 10^3 exp(-10^1.7 x 2/10001)).
    x = 2 / 10001
    expected = 1 - 1 / (1 + 10**3 * np.exp(-(10**1.7) * x))
    assert effective_penalty(np.zeros((1, 3)), PenaltyOptions())[0] == pytest.approx(
        [expected] * 3, rel=1e-12
    )


def test_a_far_best_reader_penalises_everybody():
    found = effective_penalty(np.full((1, 2), 0.95), PenaltyOptions())
    assert found[0] == pytest.approx([0, 0], abs=1e-6)


def test_a_reader_far_from_the_best_is_penalised_alone():
    found = effective_penalty(np.array([[0.1, 0.1, 0.9]]), PenaltyOptions())[0]
    assert found[0] == found[1] > 0.99
    assert found[2] < 1e-6


def test_a_missing_distance_is_no_penalty_and_no_reader():
    found = effective_penalty(np.array([[0.1, np.nan, 0.3], [np.nan] * 3]), PenaltyOptions())
    assert np.isnan(found).tolist() == [[False, True, False], [True, True, True]]
    alone = effective_penalty(np.array([[0.1, 0.3]]), PenaltyOptions())
    assert found[0][[0, 2]].tolist() == alone[0].tolist()


def in_sixty_digits(distances):
    """Eq. 4 to 7 as they are printed, with the usual shape."""
    with localcontext() as context:
        context.prec = 60
        a, delta, ten = [Decimal(one) for one in distances], Decimal("1e-7"), Decimal(10)
        best, mean = min(a), sum(a) / len(a)
        adp = 1 / (1 + ten**4 * (-10 * best / (1 - best + delta)).exp())
        acp = [1 / (1 + ten**4 * (-10 * (one - best) / (mean - best + delta)).exp()) for one in a]
        return [float(1 - 1 / (1 + ten**3 * (-(ten ** Decimal("1.7")) * (adp + one)).exp())) for one in acp]


@given(st.lists(st.integers(0, 1000).map(lambda thousandth: thousandth / 1000), min_size=1, max_size=6))
@example([0.7, 0.72])
@example([1.0, 1.0])
def test_the_penalty_keeps_its_digits_however_small_it_is(distances):
    found = effective_penalty(np.array([distances]), PenaltyOptions())[0]
    assert found.tolist() == pytest.approx(in_sixty_digits(distances), rel=1e-7, abs=0)


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.floats(-5, 5),
    st.floats(-3, 4),
    st.floats(-5, 8),
)
def test_penalties_stay_between_0_and_1_whatever_the_shape(distances, alpha, beta, gamma):
    found = effective_penalty(np.array([distances]), PenaltyOptions(alpha, beta, gamma))
    assert ((found >= 0) & (found <= 1)).all()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 400, -101.0, 10**400, "1"])
@pytest.mark.parametrize("name", ["alpha", "beta", "gamma"])
def test_a_shape_beyond_all_use_is_refused(name, value):
    with pytest.raises(InputError, match=f"{name} must be a number from -100 to 100, not "):
        PenaltyOptions(**{name: value})


def test_the_largest_shapes_overflow_nothing():
    distances = np.array([[0.0, 1e-9, 1.0]])
    with np.errstate(all="raise", under="ignore"):
        found = effective_penalty(distances, PenaltyOptions(LARGEST, LARGEST, LARGEST))
    assert ((found >= 0) & (found <= 1)).all()
