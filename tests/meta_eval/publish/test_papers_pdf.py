"""The PDF of the papers' tables: the same bytes, every table, a rule where families part."""

import io
from dataclasses import replace

from meta_eval.publish.figures.drawing import figure_picture
from meta_eval.publish.files import FILES, Content, files_in_folder
from meta_eval.publish.papers import FIGURE_3, PAPER_TABLES
from meta_eval.publish.papers_pdf import write_papers_pdf
from meta_eval.publish.pdf_page import Page
from meta_eval.report.tables.grid import Column, Grid, Line
from meta_eval.report.view import choose_view
from tests.meta_eval.publish.tagged import bookmarks, structure, widths_of_lines
from tests.meta_eval.surveys import make_content, with_inference

BUNDLE = with_inference(make_content(surrogates=("rouge-l", "jsd")))
REPORT = BUNDLE.report
VIEW = choose_view(REPORT, {})
CONTENT = Content(report=REPORT, view=VIEW, datasheet=tuple, bundle=lambda: BUNDLE)


def made(report=REPORT, **options):
    stream = io.BytesIO()
    write_papers_pdf(stream, report, VIEW, **options)
    return stream.getvalue()


def rules_drawn(rule):
    """How often a page with this table paints a line of each width."""
    page = Page("x")
    lines = (Line(heads=("A",), cells=("1",)), Line(heads=("B",), cells=("2",), rule=rule))
    page.add_grid(Grid(name="g", title="T", columns=(Column(title="n"),), lines=lines))
    return widths_of_lines(page.as_bytes())


def test_the_same_report_gives_the_same_bytes():
    assert made() == made()
    assert made().startswith(b"%PDF")


def test_every_table_has_a_heading_and_what_is_missing_stands_last():
    assert bookmarks(made()) == [
        *(table.place for name, table in PAPER_TABLES.items() if not name.startswith("icopernicus")),
        "Not in this report",
    ]


def test_a_light_rule_stands_between_lines_and_a_strong_one_where_families_part():
    assert rules_drawn(rule=False) == {0.8: 1, 0.4: 2}
    assert rules_drawn(rule=True) == {0.8: 2, 0.4: 1}


def test_the_figure_stands_with_its_numbers():
    picture = figure_picture(FIGURE_3, REPORT, VIEW)
    (figure,) = structure(made(figure=picture)).find("Figure")
    assert figure.alt == picture.alt
    assert structure(made()).find("Figure") == []
    assert FILES["papers.pdf"].make(CONTENT) == made(figure=picture)


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
