"""The PDF of the papers' tables: the same bytes, every table, a rule where families part."""

import io
import re
from dataclasses import replace

from meta_eval.publish.files import FILES, Content, files_in_folder
from meta_eval.publish.papers import PAPER_TABLES
from meta_eval.publish.papers_pdf import write_papers_pdf
from meta_eval.publish.pdf_page import Page
from meta_eval.report.tables.grid import Column, Grid, Line
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content, with_inference

BUNDLE = with_inference(make_content(surrogates=("rouge-l", "jsd")))
REPORT = BUNDLE.report
VIEW = choose_view(REPORT, {})
CONTENT = Content(report=REPORT, view=VIEW, datasheet=tuple, bundle=lambda: BUNDLE)


def made(report=REPORT, **options):
    stream = io.BytesIO()
    write_papers_pdf(stream, report, VIEW, **options)
    return stream.getvalue()


def headings(content):
    """The titles of the PDF's outline."""
    found = re.findall(rb"/Title \(((?:\\.|[^\\)])*)\)", content)
    return [
        title.replace(rb"\(", b"(").decode("latin-1").replace("\x00", "").removeprefix("þÿ")
        for title in found
    ]


def lines_drawn(rule):
    """How many strokes a page with this table has."""
    page = Page("x")
    page.compress = False
    lines = (Line(heads=("A",), cells=("1",)), Line(heads=("B",), cells=("2",), rule=rule))
    page.add_grid(Grid(name="g", title="T", columns=(Column(title="n"),), lines=lines))
    return page.as_bytes().count(b" l S")


def test_the_same_report_gives_the_same_bytes():
    assert made() == made()
    assert made().startswith(b"%PDF")


def test_every_table_has_a_heading_and_what_is_missing_stands_last():
    found = [title for title in headings(made()) if "As in the papers" not in title]
    assert found == [
        *(table.place for name, table in PAPER_TABLES.items() if not name.startswith("icopernicus")),
        "Not in this report",
    ]


def test_a_rule_parts_two_lines():
    assert lines_drawn(rule=True) > lines_drawn(rule=False)


def test_the_figure_stands_with_its_numbers():
    image = FILES["perseval-figure-3.png"].make(CONTENT)
    assert made(figures={"perseval-figure-3": image}).count(b"/Subtype /Image") == 1
    assert made().count(b"/Subtype /Image") == 0
    assert FILES["papers.pdf"].make(CONTENT) == made(figures={"perseval-figure-3": image})


def test_the_folder_holds_what_has_numbers_each_table_twice():
    names = [name for name, _ in files_in_folder(CONTENT, ["papers"])]
    assert names == [
        "papers.pdf",
        "papers.tex",
        *(
            f"papers/{name}.{ending}"
            for name in PAPER_TABLES
            if not name.startswith("icopernicus")
            for ending in ("tex", "csv")
        ),
    ]
    bare = replace(CONTENT, report=replace(REPORT, inference=None))
    assert "papers/perseval-table-4.csv" not in dict(files_in_folder(bare, ["papers"]))
