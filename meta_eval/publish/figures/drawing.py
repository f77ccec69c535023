"""Every figure of a report by its name: drawn, titled, and described in words."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

from meta_eval.publish.figures.plots import forest_svg, heat_svg, lines_svg
from meta_eval.publish.figures.rows import (
    ablation_lines,
    forest_rows,
    heat_squares,
    scatter_points,
    scatter_titles,
    stability_lines,
)
from meta_eval.publish.figures.scatter import scatter_svg
from meta_eval.publish.figures.style import FIGURE_TYPES, render_figure
from meta_eval.report.cells import inference_of
from meta_eval.report.view import COEFFICIENTS, View

Report = Mapping[str, Any]


def draw_heat_map(report: Report, view: View, *, coefficient: str) -> str:
    across = f"{COEFFICIENTS[coefficient]} with {view.title}-HJ, by surrogate"
    return heat_svg(heat_squares(report, view, coefficient), across, f"{view.title} by measure")


def draw_scatter(report: Report, view: View) -> str:
    return scatter_svg(scatter_points(report, view), *scatter_titles(view))


def draw_forest(report: Report, view: View) -> str:
    title = f"{COEFFICIENTS['kendall']} of {view.title} with {view.title}-HJ by {view.surrogate_title}"
    return forest_svg(forest_rows(report, view), title)


def draw_stability(report: Report, view: View) -> str:
    lines = stability_lines(report, view)
    return lines_svg(lines, "Share of the documents", "Mean τ-b with the full ranking", "%")


def draw_ablation(report: Report, view: View) -> str:
    title = f"τ-b with PerSEval-HJ by {view.surrogate_title}"
    return lines_svg(ablation_lines(report, view), "Beta", title, ".1f")


FIGURES: Mapping[str, Callable[[Report, View], str]] = {
    **{f"heat-map-{name}": partial(draw_heat_map, coefficient=name) for name in COEFFICIENTS},
    "scatter": draw_scatter,
    "forest": draw_forest,
    "stability": draw_stability,
    "ablation": draw_ablation,
}
"""Each figure as SVG for a page; empty where there is nothing to draw."""

FIGURE_TITLES = {
    **{f"heat-map-{name}": f"Heat map, {title}" for name, title in COEFFICIENTS.items()},
    "scatter": "Scatter plot",
    "forest": "Forest plot",
    "stability": "Stability",
    "ablation": "Ablation of beta",
}
_IN_TABLES = {f"heat-map-{name}" for name in COEFFICIENTS if name != "kendall"}
"""Not drawn in the whole report as PDF, whose tables have their numbers."""


def drawable_figures(report: Report, view: View) -> dict[str, str]:
    """The figures that show something: each name with its title."""
    return {name: FIGURE_TITLES[name] for name, draw in FIGURES.items() if draw(report, view)}


def figure_images(report: Report, view: View) -> dict[str, bytes]:
    """Every figure of the whole report as PDF, as PNG by its caption."""
    drawn = {name: draw(report, view) for name, draw in FIGURES.items() if name not in _IN_TABLES}
    return {
        figure_caption(name, report, view): render_figure(svg, "png") for name, svg in drawn.items() if svg
    }


def figure_files(report: Report, view: View) -> Iterator[tuple[str, bytes]]:
    """Every figure that shows something, in every form: the name of its file and what is in it."""
    for name, draw in FIGURES.items():
        if svg := draw(report, view):
            yield from ((figure_file(name, view, form), render_figure(svg, form)) for form in FIGURE_TYPES)


def figure_file(name: str, view: View, form: str) -> str:
    """The name of a figure's file: what it is, of which scores, and its form."""
    return f"{name}-{view.kind}-{view.surrogate}-{view.measure}.{form}"


def figure_caption(name: str, report: Report, view: View) -> str:
    """What the figure shows, and what its marks mean."""
    surrogate = f"surrogate {view.surrogate_title}"
    level = inference_of(report).get("options", {}).get("level")
    about = {
        "heat-map-kendall": f"{view.title}. * beyond chance after adjustment; † surrogate and measure are "
        "the same, so both sides share distances.",
        "scatter": f"{view.title} by {view.measure_title}, {surrogate}; each point is a system.",
        "forest": f"{view.title}, {surrogate}. Point: estimate; line: {level or 0:.0%} interval; bar: "
        "ceiling.",
        "stability": f"{view.title}: rankings by samples of the documents against that by all.",
        "ablation": f"PerSEval, {surrogate}, over rated documents and pairs.",
    }
    return f"{FIGURE_TITLES[name]}: {about[name]}"
