"""The plot of what positions do to ratings."""

import pytest

from meta_eval.stats.rankings.position import PositionEffects, PositionShift
from survey_site.desk.quality.position_plot import plot_positions


def test_shifts_and_their_intervals_lie_around_the_middle():
    shifts = (PositionShift(1, 30, 0.75, 0.15, 1.35), PositionShift(2, 30, -0.75, -1.5, 0.0))
    plot = plot_positions(PositionEffects(30, shifts))
    assert (plot.reach, [mark.x for mark in plot.marks]) == (1.5, [150, 450])
    heights = [pytest.approx((mark.y, mark.low, mark.high)) for mark in plot.marks]
    assert heights == [(37.5, 67.5, 7.5), (112.5, 150.0, 75.0)]
    assert [mark.is_clear for mark in plot.marks] == [True, False]


def test_small_shifts_do_not_fill_the_plot_and_none_is_no_plot():
    plot = plot_positions(PositionEffects(30, (PositionShift(1, 30, 0.01, -0.02, 0.04),)))
    assert plot.reach == 0.5
    assert plot_positions(PositionEffects(3, reason="too few")) is None
