import pytest

from meta_eval.errors import InputError
from meta_eval.stats.rankings.sensitivity import check_sensitivity, leave_one_system_out
from meta_eval.stats.resampling.intervals import Interval

SYSTEMS = ["a", "b", "c", "d", "far"]
X = [1.0, 2.0, 3.0, 4.0, 30.0]
Y = [4.0, 3.0, 2.0, 1.0, 30.0]
"""Four systems on which the two sides disagree, and one far away from them."""


def test_one_system_can_carry_the_result():
    found = check_sensitivity(X, Y, "pearson", systems=SYSTEMS)
    assert found.overall.estimate > 0.9
    assert found.carried_by == ("far",)
    assert found.warnings == ("without far the coefficient is -1.00 instead of 0.98",)
    assert [one.system for one in found.left_out] == SYSTEMS
    assert found.left_out[4].change == pytest.approx(-1 - found.overall.estimate)


def test_a_large_change_without_a_turn_is_a_warning_too():
    x, y = [1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 0]
    found = check_sensitivity(x, y, "spearman", systems="abcdef", large_change=0.5)
    assert found.carried_by == ("f",)
    assert found.warnings == ("without f the coefficient is 1.00 instead of 0.14",)
    assert check_sensitivity(x, y, "spearman", systems="abcdef", large_change=0.9).carried_by == ()
    steady = check_sensitivity([1, 2, 3, 4, 5], [1, 2, 3, 4, 5], "spearman", systems="abcde")
    assert (steady.carried_by, steady.warnings) == ((), ())


def test_a_coefficient_that_is_undefined_without_a_system_hangs_on_it():
    found = check_sensitivity([1, 1, 2], [1, 2, 3], "kendall", systems="abc")
    assert found.carried_by == ("c",)
    assert found.warnings == (
        "without c the coefficient is undefined: one side has the same score for every system",
    )


def test_an_interval_that_holds_zero_is_a_warning():
    interval = Interval(-0.1, 0.8, "bca", 0.95)
    found = check_sensitivity([1, 2, 3, 4], [1, 2, 3, 4], "kendall", systems="abcd", interval=interval)
    assert found.interval_contains_zero is True
    assert found.warnings == ("the 95% interval holds 0: no agreement and its opposite are both possible",)
    clear = check_sensitivity(
        [1, 2, 3, 4], [1, 2, 3, 4], "kendall", systems="abcd", interval=Interval(0.1, 0.8, "bca", 0.95)
    )
    assert (clear.interval_contains_zero, clear.warnings) == (False, ())


def test_systems_without_both_scores_are_not_left_out_again():
    rows = leave_one_system_out([1, 2, 3, None], [1, 3, 2, 4], "kendall", systems="abcd")
    assert [(row.system, row.correlation.n) for row in rows] == [("a", 2), ("b", 2), ("c", 2)]


def test_bad_calls_are_refused():
    with pytest.raises(InputError, match="2 systems, but 3 and 3 scores"):
        leave_one_system_out([1, 2, 3], [1, 2, 3], "kendall", systems="ab")
