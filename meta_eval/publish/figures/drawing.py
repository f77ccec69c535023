"""Every figure of a report by its name: drawn, titled, and described in words."""

from collections.abc import Callable, Mapping
from functools import partial

from meta_eval.publish.figures import FIGURE_TITLES, Picture
from meta_eval.publish.figures.boxes import boxes_svg
from meta_eval.publish.figures.describing import figure_alt
from meta_eval.publish.figures.picture import draw_picture
from meta_eval.publish.figures.plots import forest_svg, heat_svg, lines_svg
from meta_eval.publish.figures.rows import (
    deviation_boxes,
    forest_rows,
    heat_squares,
    lines_of,
    scatter_points,
    scatter_titles,
)
from meta_eval.publish.figures.scatter import scatter_svg
from meta_eval.publish.figures.style import render_figure
from meta_eval.report.schema import Report
from meta_eval.report.tables.papers.perseval_studies import lay_out_figure_3
from meta_eval.report.tables.studies import lay_out_ablation, lay_out_stability
from meta_eval.report.view import COEFFICIENTS, View


def draw_heat_map(report: Report, view: View, *, coefficient: str) -> str:
    across = f"{COEFFICIENTS[coefficient]} with {view.title}-HJ, by surrogate"
    return heat_svg(heat_squares(report, view, coefficient), across, f"{view.title} by measure")


def draw_scatter(report: Report, view: View, *, narrow: bool = False) -> str:
    return scatter_svg(scatter_points(report, view), *scatter_titles(view), narrow=narrow)


def draw_forest(report: Report, view: View, *, narrow: bool = False) -> str:
    title = f"{COEFFICIENTS['kendall']} of {view.title} with {view.title}-HJ by {view.surrogate_title}"
    return forest_svg(forest_rows(report, view), title, narrow=narrow)


def draw_stability(report: Report, view: View) -> str:
    lines = lines_of(lay_out_stability(report, view))
    return lines_svg(lines, "Share of the documents", "Mean τ-b with the full ranking", "%")


def draw_ablation(report: Report, view: View) -> str:
    title = f"τ-b with PerSEval-HJ by {view.surrogate_title}"
    return lines_svg(lines_of(lay_out_ablation(report, view)), "Beta", title, ".1f")


def draw_deviations(report: Report, view: View) -> str:
    title = f"{COEFFICIENTS['kendall']} of deviations"
    return boxes_svg(deviation_boxes(report, view), "Share of the pairs of readers", title)


def draw_figure_3(report: Report, view: View) -> str:
    """PerSEval's figure 3: a line for each coefficient of the measure and the surrogate in view."""
    title = f"PerSEval by {view.measure_title} with HJ by {view.surrogate_title}"
    return lines_svg(lines_of(lay_out_figure_3(report, view)), "Beta", title, ".1f")


FIGURES: Mapping[str, Callable[[Report, View], str]] = {
    "answer": lambda report, _view: draw_picture(report),
    **{f"heat-map-{name}": partial(draw_heat_map, coefficient=name) for name in COEFFICIENTS},
    "scatter": draw_scatter,
    "forest": draw_forest,
    "stability": draw_stability,
    "ablation": draw_ablation,
    "deviations": draw_deviations,
    "perseval-figure-3": draw_figure_3,
}
"""Each figure as SVG for a page; empty where there is nothing to draw."""

_NOT_AGAIN = {
    "answer",
    "perseval-figure-3",
    *(f"heat-map-{name}" for name in COEFFICIENTS if name != "kendall"),
}
"""Not among the figures of the whole report as PDF: it opens with the one, another stands with the papers'
tables, and it has the numbers of the others in its tables."""


def drawable_figures(report: Report, view: View) -> dict[str, str]:
    """The figures that show something: each name with its title."""
    return {name: FIGURE_TITLES[name] for name, draw in FIGURES.items() if draw(report, view)}


def report_pictures(report: Report, view: View) -> list[Picture]:
    """Every figure of the whole report as PDF that shows something."""
    names = (name for name in FIGURES if name not in _NOT_AGAIN)
    return [picture for name in names if (picture := figure_picture(name, report, view))]


def figure_picture(name: str, report: Report, view: View) -> Picture | None:
    """The figure as it stands in a PDF; None where it shows nothing."""
    svg = FIGURES[name](report, view)
    if not svg:
        return None
    return Picture(
        svg=render_figure(svg, "svg").decode(),
        caption=figure_caption(name, report, view),
        alt=figure_alt(name, report, view),
    )


PICTURE_CAPTION = (
    "Point: estimate; line: interval; grey band: ratings shuffled within questionnaires, from their mean to "
    "what 95 % of them do not exceed; tick: ceiling; open diamond: sentinel, a score that cannot know how "
    "personalised a summary is (of each kind the one that agrees most); letter: measures of one group cannot "
    "be told apart from its best. Pale: the ratings support none of the measures."
)


def figure_caption(name: str, report: Report, view: View) -> str:
    """What the figure shows, and what its marks mean."""
    surrogate = f"surrogate {view.surrogate_title}"
    level = report.inference.options.level if report.inference else 0
    about = {
        "answer": PICTURE_CAPTION,
        "heat-map-kendall": f"{view.title}. * beyond chance after adjustment; † surrogate and measure are "
        "the same, so both sides share distances; ° shuffled ratings reach it in more than 5 of 100 tries.",
        "scatter": f"{view.title} by {view.measure_title}, {surrogate}; each point is a system.",
        "forest": f"{view.title}, {surrogate}. Point: estimate; line: {level:.0%} interval; bar: ceiling.",
        "stability": f"{view.title}: rankings by samples of the documents against that by all.",
        "ablation": f"PerSEval, {surrogate}, over rated documents and pairs.",
        "deviations": f"{view.measure_title} beside other measures, random samples of the pairs of readers "
        "of all systems. Box: quartiles; bar: median; line: lowest to highest.",
        "perseval-figure-3": f"PerSEval by {view.measure_title}, {surrogate}, over rated documents.",
    }
    return f"{FIGURE_TITLES[name]}: {about[name]}"
