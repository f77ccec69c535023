"""The scatter plot: one specification, readable labels, nothing that breaks out of it."""

import re

import pytest

from meta_eval.publish.figures.rows import Point
from meta_eval.publish.figures.scatter import _label_box, _pixels, _place_labels, scatter_svg
from meta_eval.publish.figures.style import HEIGHT, WIDTH

CROWD = [Point(f"system-{i}", 0.5 + 0.004 * (i % 3), 0.5 + 0.004 * (i // 3)) for i in range(6)]


def overlaps(points, placements):
    boxes = [
        _label_box(x, y, point.system, place)
        for (x, y), point, place in zip(_pixels(points, WIDTH, HEIGHT), points, placements, strict=True)
    ]
    return sum(boxes[i].overlap(boxes[j]) > 0 for i in range(len(boxes)) for j in range(i))


def test_every_system_is_a_labelled_point():
    points = [Point("Alpha", 0.1, 0.9), Point("Beta", 0.4, 0.2)]
    svg = scatter_svg(points, "Raters", "Automatic")
    assert re.findall(r">(Alpha|Beta)</text>", svg) == ["Alpha", "Beta"]
    assert svg.count('aria-roledescription="point"') == 2
    assert ">Raters</text>" in svg
    assert ">Automatic</text>" in svg


def test_names_cannot_break_out_of_the_plot():
    svg = scatter_svg([Point("<script>alert(1)</script>&\"'", 0.1, 0.2)], "x", "y")
    assert "<script>" not in svg
    assert "&lt;script&gt;" in svg


def test_it_takes_the_colours_of_the_page_and_needs_no_inline_style():
    svg = scatter_svg([Point("A", 0.1, 0.2)], "x", "y")
    assert "currentColor" in svg
    assert "style=" not in svg
    assert not re.search(r'(fill|stroke)="#', svg)


def test_ticks_of_a_narrow_range_can_be_told_apart():
    svg = scatter_svg([Point("A", 0.0010, 0.0002), Point("B", 0.0014, 0.0003)], "x", "y")
    ticks = re.findall(r">(0\.\d+)</text>", svg)
    assert len(ticks) == len(set(ticks)) > 6


def test_labels_of_a_crowd_do_not_cover_each_other():
    points = [Point(f"system-{i}", 0.1 * (i % 2), 0.02 * i) for i in range(10)]
    beside = [(8.0, 0.0, "left")] * len(points)
    assert overlaps(points, beside) == 0
    close = [Point(f"system-{i}", 0.5 + 0.02 * (i % 2), 0.001 * i) for i in range(3)] + [
        Point("far", 0.0, 0.1)
    ]
    assert overlaps(close, [(8.0, 0.0, "left")] * 4) > 0
    assert overlaps(close, _place_labels(close, WIDTH, HEIGHT)) == 0


@pytest.mark.parametrize("points", [[Point("only", 0.3, 0.3)], CROWD])
def test_points_lie_inside_the_plot_even_where_all_are_equal(points):
    assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in _pixels(points, WIDTH, HEIGHT))


def test_labels_far_from_points_at_one_place_have_lines_that_lead_to_them():
    crowd = [Point(f"system-{number}", 0.0, 0.0) for number in range(12)]
    assert overlaps(crowd, _place_labels(crowd, WIDTH, HEIGHT)) == 0
    far = [place for place in _place_labels(crowd, WIDTH, HEIGHT) if abs(place[1]) > 20]
    assert len(far) > 3
    assert scatter_svg(crowd, "x", "y").count("mark-rule role-mark") == len(far)
    apart = [Point("a", 0.0, 0.0), Point("b", 1.0, 1.0)]
    assert scatter_svg(apart, "x", "y").count("mark-rule role-mark") == 0
