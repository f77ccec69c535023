"""The papers' tables of a report as a PDF of its own, which leaves the report's own PDF as short as it is."""

from dataclasses import replace
from typing import IO

from meta_eval.publish.figures import Picture
from meta_eval.publish.long_form import without_paths
from meta_eval.publish.papers import FIGURE_3, PAPER_TABLES
from meta_eval.publish.pdf_page import Page
from meta_eval.report.schema import Report
from meta_eval.report.tables.papers.layout import simulated_remarks
from meta_eval.report.view import View

ABOUT = (
    "The tables of the papers, as the papers lay them out, with the numbers of this report. They have no "
    "intervals; the report has."
)


def write_papers_pdf(
    stream: IO[bytes],
    report: Report,
    view: View,
    *,
    figure: Picture | None = None,
    about: str = "",
) -> None:
    """Write every table that the report fills; `figure` is PerSEval's figure 3, where there is one.

    What it cannot fill stands at the end, with what is missing. The same input gives the same bytes.
    """
    report = without_paths(report)
    page = Page(f"As in the papers: {report.subject.get('batch', '')}")
    page.title_block([about, *simulated_remarks(report)])
    page.paragraphs([ABOUT])
    lacking = []
    for table in PAPER_TABLES.values():
        grid = table.lay_out(report, view)
        if not grid.lines:
            lacking.append(f"{table.place}: {grid.missing}")
            continue
        page.add_grid(replace(grid, title=f"{grid.title}."), heading=table.place)
        for words in grid.remarks:
            page.note(words)
        if figure and table.name == FIGURE_3:
            page.add_pictures([replace(figure, caption=grid.title)])
    if lacking:
        page.section("Not in this report", [])
        page.bullets(lacking)
    stream.write(page.as_bytes())
