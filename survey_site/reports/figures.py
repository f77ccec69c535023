"""Figures of a report as files for papers: those of the page, in black on white."""

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import vl_convert

from meta_eval.report.answer import measure_title
from survey_site.reports import pages
from survey_site.reports.charts import scatter_svg
from survey_site.reports.pages import axis_titles
from survey_site.reports.plots import HeatSquare, heat_svg
from survey_site.reports.presentation import View, scatter_points
from survey_site.reports.tables import COEFFICIENTS, HeatTable, build_heat_tables

BLACK = "#111111"
SCALE = 3.0
_SVG_TAG = re.compile(r"(<svg[^>]*>)")
_PAPER = '<rect width="100%" height="100%" fill="white"/>'

FIGURE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "pdf": "application/pdf"}


def draw_scatter(result: dict[str, Any], view: View) -> str:
    points = scatter_points(result, view)
    return scatter_svg(points, *axis_titles(view)) if points else ""


def draw_heat_map(result: dict[str, Any], view: View, *, coefficient: str) -> str:
    tables, _notes = build_heat_tables(result, view.kind)
    return "".join(_draw_heat(table, view) for table in tables if table.coefficient == coefficient)


def _draw_heat(table: HeatTable, view: View) -> str:
    squares = [
        HeatSquare(row.title, surrogate, cell.value, "*" * cell.significant + "†" * cell.shared)
        for row in table.rows
        for surrogate, cell in zip(table.surrogates, row.cells, strict=True)
    ]
    return heat_svg(squares, f"{table.title} with {view.title}-HJ, by surrogate", f"{view.title} by measure")


HEAT_MAPS = {f"heat-map-{name}": partial(draw_heat_map, coefficient=name) for name in COEFFICIENTS}
FIGURES: Mapping[str, Callable[[dict[str, Any], View], str]] = {
    **HEAT_MAPS,
    "scatter": draw_scatter,
    **pages.FIGURES,
}
"""Each figure as SVG; empty where there is nothing to draw."""

FIGURE_TITLES = {
    **{f"heat-map-{name}": f"Heat map, {title}" for name, title in COEFFICIENTS.items()},
    "scatter": "Scatter plot",
    "forest": "Forest plot",
    "stability": "Stability",
    "ablation": "Ablation of beta",
}
_IN_TABLES = HEAT_MAPS.keys() - {"heat-map-kendall"}
"""Not drawn in the whole report as PDF, whose tables have their numbers."""


def drawable_figures(result: dict[str, Any], view: View) -> dict[str, str]:
    """The figures that show something: each name with its title."""
    return {name: FIGURE_TITLES[name] for name, draw in FIGURES.items() if draw(result, view)}


def figure_images(result: dict[str, Any], view: View) -> dict[str, bytes]:
    """Every figure that shows something, as PNG by its caption."""
    drawn = {name: draw(result, view) for name, draw in FIGURES.items() if name not in _IN_TABLES}
    return {_caption(name, result, view): render_figure(svg, "png") for name, svg in drawn.items() if svg}


def _caption(name: str, result: dict[str, Any], view: View) -> str:
    """What the figure shows, and what its marks mean."""
    surrogate = f"surrogate {measure_title(view.surrogate)}"
    level = (result.get("inference") or {}).get("options", {}).get("level")
    about = {
        "heat-map-kendall": f"{view.title}. * beyond chance after adjustment; † surrogate and measure are "
        "the same, so both sides share distances.",
        "scatter": f"{view.title} by {measure_title(view.measure)}, {surrogate}; each point is a system.",
        "forest": f"{view.title}, {surrogate}. Point: estimate; line: {level or 0:.0%} interval; bar: "
        "ceiling.",
        "stability": f"{view.title}: rankings by samples of the documents against that by all.",
        "ablation": f"PerSEval, {surrogate}, over rated documents and pairs.",
    }
    return f"{FIGURE_TITLES[name]}: {about[name]}"


def render_figure(svg: str, form: str) -> bytes:
    """A figure of the page as svg, png (288 dots an inch) or pdf.

    On a page the ink takes the colour of the text around it; a file has no text around it.
    """
    printed = _SVG_TAG.sub(rf"\1{_PAPER}", svg.replace("currentColor", BLACK), count=1)
    if form == "png":
        png: bytes = vl_convert.svg_to_png(printed, scale=SCALE, ppi=96)
        return png
    if form == "pdf":
        pdf: bytes = vl_convert.svg_to_pdf(printed)
        return pdf
    return printed.encode()
