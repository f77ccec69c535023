"""What each figure shows, in words for those who do not see it: its marks one by one, by their numbers."""

from collections.abc import Iterable, Iterator

from meta_eval.publish.figures import FIGURE_TITLES
from meta_eval.publish.figures.picture import PictureRow, picture_rows
from meta_eval.publish.figures.rows import (
    Line,
    deviation_boxes,
    forest_rows,
    heat_squares,
    lines_of,
    scatter_points,
    scatter_titles,
)
from meta_eval.report.numbers import PLAIN, estimate_text, interval_text, score_text
from meta_eval.report.schema import Report
from meta_eval.report.tables.papers.perseval_studies import lay_out_figure_3
from meta_eval.report.tables.studies import lay_out_ablation, lay_out_stability
from meta_eval.report.view import COEFFICIENTS, View


def figure_alt(name: str, report: Report, view: View) -> str:
    """The figure's title, and every mark that it draws with its numbers, in the order of the figure."""
    return answer_alt(report) if name == "answer" else _said(name, _marks(name, report, view))


def answer_alt(report: Report) -> str:
    """The same of the picture of the answer, which is drawn alike whatever the reader views."""
    return _said("answer", _answer_marks(report))


def _said(name: str, marks: Iterable[str]) -> str:
    return f"{FIGURE_TITLES[name]}. {'; '.join(marks)}."


def _answer_marks(report: Report) -> Iterator[str]:
    yield from map(_row, picture_rows(report))
    if report.answer.is_open:
        yield "drawn pale, because the ratings support none of the measures"


def _marks(name: str, report: Report, view: View) -> Iterator[str]:
    if name == "scatter":
        human, automatic = scatter_titles(view)
        yield f"Across: {human}. Up: {automatic}. Systems as across and up"
        yield from (
            f"{point.system} {score_text(point.human, PLAIN)} and {score_text(point.automatic, PLAIN)}"
            for point in scatter_points(report, view)
        )
    elif name == "forest":
        for row in forest_rows(report, view):
            yield _estimate(row.title, row.estimate, row.low, row.high, row.ceiling)
    elif name.startswith("heat-map-"):
        coefficient = name.removeprefix("heat-map-")
        yield f"{COEFFICIENTS[coefficient]} of measures with surrogates"
        for square in heat_squares(report, view, coefficient):
            yield f"{square.measure} with {square.surrogate} {square.text}"
    elif name == "deviations":
        for box in deviation_boxes(report, view):
            spread = interval_text(box.low, box.high, PLAIN)
            yield f"{box.title}, {box.share:.0%} of the pairs: {estimate_text(box.median, PLAIN)} ({spread})"
    else:
        lay_out = {"stability": lay_out_stability, "ablation": lay_out_ablation}.get(name, lay_out_figure_3)
        yield from _lines(lines_of(lay_out(report, view)))


def _row(row: PictureRow) -> str:
    if row.sentinel:
        return f"sentinel {row.title} {estimate_text(row.estimate, PLAIN)}"
    words = _estimate(row.title, row.estimate, row.low, row.high, row.ceiling)
    if row.null_high is not None:
        words += f", shuffled ratings {interval_text(row.null_low, row.null_high, PLAIN)}"
    return f"{words}, group {row.group}" if row.group else words


def _estimate(
    title: str, estimate: float, low: float | None, high: float | None, ceiling: float | None
) -> str:
    words = f"{title} {estimate_text(estimate, PLAIN)}"
    if low is not None:
        words += f", interval {interval_text(low, high, PLAIN)}"
    return words if ceiling is None else f"{words}, ceiling {estimate_text(ceiling, PLAIN)}"


def _lines(lines: Iterable[Line]) -> Iterator[str]:
    for title, points in lines:
        marks = (f"{score_text(y, PLAIN)} at {x:g}" for x, y in points if y is not None)
        yield f"{title}: {', '.join(marks)}"
