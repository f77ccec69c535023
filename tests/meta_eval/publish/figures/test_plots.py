"""Forest plot and lines: what they show is told apart without colour, and nothing breaks out of them."""

import re
from dataclasses import replace
from io import BytesIO

import pytest
from PIL import Image

from meta_eval.publish.figures.plots import (
    forest_spec,
    forest_svg,
    heat_spec,
    heat_svg,
    lines_spec,
    lines_svg,
)
from meta_eval.publish.figures.rows import ForestRow, HeatSquare
from meta_eval.publish.figures.style import render_figure

ROWS = (ForestRow("ROUGE-L", 0.6, 0.2, 0.9, 0.8, 0.03), ForestRow("BLEU", -0.1, None, None, None, None))
LINES = (("ROUGE-L", ((1.0, 0.5), (1.1, 0.7))), ("BLEU", ((1.0, None), (1.1, 0.4))))


def test_a_forest_plot_has_a_point_for_each_measure_and_a_bar_where_there_is_a_ceiling():
    svg = forest_svg(ROWS, "tau")
    assert svg.count('aria-roledescription="point"') == 2
    assert svg.count('aria-roledescription="tick"') == 1
    assert re.findall(r">(ROUGE-L|BLEU)</text>", svg) == ["ROUGE-L", "BLEU"]


def test_a_png_says_that_it_has_300_dots_an_inch():
    svg = forest_svg(ROWS, "tau")
    with Image.open(BytesIO(render_figure(svg, "png"))) as image:
        assert image.info["dpi"] == pytest.approx((300, 300), abs=0.01)
        width = float(re.search(r'<svg[^>]* width="([\d.]+)"', svg)[1])
        assert image.width == pytest.approx(4 * width, abs=1)


def test_the_axis_of_a_forest_plot_holds_zero_and_the_lowest_end():
    def domain(*rows):
        return forest_spec(rows, title="tau")["layer"][1]["encoding"]["x"]["scale"]["domain"]

    assert domain(*ROWS) == [-0.25, 1]
    assert domain(ForestRow("A", 0.1, -0.61, 0.7, None, None)) == [-0.75, 1]
    assert domain(ForestRow("A", -0.9, -1.0, -0.2, None, None)) == [-1.0, 1]


def test_lines_differ_in_dash_and_mark_and_a_missing_value_is_no_point():
    spec = lines_spec(LINES, x_title="Beta", y_title="tau", format=".1f")
    values = (
        next(iter(spec["datasets"].values())) if "datasets" in spec else spec["layer"][0]["data"]["values"]
    )
    assert [(row["line"], row["x"], row["y"]) for row in values] == [
        ("ROUGE-L", 1.0, 0.5),
        ("ROUGE-L", 1.1, 0.7),
        ("BLEU", 1.1, 0.4),
    ]
    line, marks = (layer["encoding"] for layer in spec["layer"])
    assert line["strokeDash"]["scale"]["range"] == [[1, 0], [6, 3]]
    assert marks["shape"]["scale"]["range"] == ["circle", "square"]


def test_a_forest_plot_has_room_for_long_titles_in_a_wide_font():
    (row,) = ROWS[:1]
    long = "Jensen-Shannon, ratio to document"
    axis = forest_spec([replace(row, title=long)], title="tau")["layer"][1]["encoding"]["y"]["axis"]
    assert axis["labelLimit"] == 0
    assert axis["minExtent"] > 7 * len(long)


def test_a_legend_writes_long_titles_out():
    title = "Jensen-Shannon, ratio to document"
    svg = lines_svg(((title, LINES[0][1]), LINES[1]), "Beta", "tau")
    assert f">{title}</text>" in svg


def test_figures_without_values_are_empty():
    assert forest_svg((), "tau") == ""
    assert lines_svg((("BLEU", ((1.0, None),)),), "Beta", "tau") == ""


def test_figures_take_the_ink_of_the_page_and_no_title_breaks_out():
    row = ForestRow("<script>alert(1)</script>", 0.6, 0.2, 0.9, 0.8, 0.03)
    for svg in (forest_svg((row,), "tau"), lines_svg((("<script>", ((1.0, 0.5),)),), "Beta", "tau")):
        assert "<script>" not in svg
        assert "currentColor" in svg
        assert "style=" not in svg


SQUARES = (HeatSquare("ROUGE-L", "BLEU", 0.9, "*†"), HeatSquare("JSD", "BLEU", -0.4, ""))


def test_a_heat_map_writes_each_value_with_its_sign_and_marks():
    svg = heat_svg((*SQUARES, HeatSquare("none", "BLEU", None, "")), "by surrogate", "by measure")
    assert [
        text for text in ("0.90*†", "−0.40", "–", "ROUGE-L", "by surrogate") if f">{text}<" not in svg
    ] == []


def test_what_is_not_above_0_is_white_and_what_is_dark_has_white_digits():
    svg = heat_svg(SQUARES, "x", "y")
    assert len(re.findall(r'fill="rgb\(255, 255, 255\)" stroke', svg)) == 1
    assert re.search(r'fill="#ffffff">0\.90', svg)
    assert re.search(r'fill="#111111">−0\.40', svg)


def test_a_heat_map_without_a_value_is_empty_and_many_names_are_slanted():
    assert heat_svg((HeatSquare("a", "b", None, ""),), "x", "y") == ""
    many = [HeatSquare("a", str(number), 0.5, "") for number in range(8)]
    assert heat_spec(many, x_title="x", y_title="y")["layer"][0]["encoding"]["x"]["axis"]["labelAngle"] == -45


def test_a_forest_plot_for_a_phone_is_as_wide_as_one_and_has_all_points():
    rows = [ForestRow(title, 0.9, 0.8, 1.0, 0.95, 0.01) for title in ("ROUGE-L†", "Jensen-Shannon")]
    title = "Kendall’s τ-b of DEGRESS with DEGRESS-HJ by ROUGE-SU4"
    wide, narrow = (forest_svg(rows, title, narrow=narrow) for narrow in (False, True))
    width = [float(re.search(r'width="([\d.]+)"', svg)[1]) for svg in (wide, narrow)]
    assert (width[0] > 400, width[1] < 320) == (True, True)
    assert narrow.count('aria-roledescription="point"') == wide.count('aria-roledescription="point"') == 2
