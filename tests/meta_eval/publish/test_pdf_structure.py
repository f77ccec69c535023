"""What the PDFs tell a screen reader: language, tags, tables, lists, figures in words, bookmarks."""

import hashlib
import io
from dataclasses import replace

import pytest

from meta_eval.publish import pdf_page
from meta_eval.publish.datasheet_pdf import write_datasheet_pdf
from meta_eval.publish.figures.drawing import figure_picture, report_pictures
from meta_eval.publish.files import FILES, Content
from meta_eval.publish.heds import QUESTIONS, SECTIONS, fill_datasheet
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.pdf_page import Page
from meta_eval.publish.pdf_summary import add_summary
from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.opening import headline_and_rest, what_ratings_carry
from meta_eval.report.tables.agreement import lay_out_agreement, lay_out_comparisons, lay_out_ranking
from meta_eval.report.tables.grid import Column, Grid, Line
from meta_eval.report.tables.scores import lay_out_leaderboard
from meta_eval.report.view import choose_view
from tests.meta_eval.publish.tagged import bookmarks, marked, owned, read, structure, text_of
from tests.meta_eval.surveys import make_content, with_inference

BUNDLE = with_inference(make_content(surrogates=("rouge-l", "jsd")))
REPORT = BUNDLE.report
VIEW = choose_view(REPORT, {})
PICTURE, FIGURES = figure_picture("answer", REPORT, VIEW), report_pictures(REPORT, VIEW)


def made(report=REPORT, **options):
    stream = io.BytesIO()
    write_pdf(stream, report, view=VIEW, **options)
    return stream.getvalue()


def page_of(*grids):
    page = Page("Tables")
    page.add_grids(grids, "Tables")
    return page.as_bytes()


WHOLE = made(picture=PICTURE, figures=FIGURES, about="Report 7 on A")


def test_the_document_says_its_language_its_title_and_that_it_is_accessible():
    root = read(WHOLE).trailer["/Root"]
    assert root["/Lang"] == "en"
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712 - an object of the reader
    assert root["/ViewerPreferences"]["/DisplayDocTitle"] == True  # noqa: E712
    assert read(WHOLE).metadata.title == f"Report on {REPORT.subject['batch']}"
    assert b"<pdfuaid:part>1<" in root["/Metadata"].get_data()


def test_whatever_is_on_a_page_is_of_one_element_or_decoration():
    pieces, bare = marked(WHOLE)
    assert bare == []
    assert owned(WHOLE) == pieces
    assert set(pieces.values()) == {1}


def test_a_table_has_titled_columns_and_as_many_cells_as_its_grid():
    grids = [lay_out_ranking(REPORT), lay_out_leaderboard(REPORT, "degress"), lay_out_agreement(REPORT)]
    grids.append(lay_out_comparisons(REPORT))
    tables = structure(page_of(*grids)).find("Table")
    assert [[len(row.children) for row in table.find("TR")] for table in tables] == [
        [len(cells) for cells in grid_texts(grid)] for grid in grids
    ]
    for table, grid in zip(tables, grids, strict=True):
        assert [part.kind for part in table.children] == ["Caption", "THead", "TBody"]
        heads = table.find("TH")
        assert len(heads) == len(grid.heads) + len(grid.columns)
        assert {head.attributes["/Scope"] for head in heads} == {"/Column"}
        assert {bool(cell.attributes["/Headers"]) for cell in table.find("TD")} == {True}


def test_a_long_table_repeats_its_header_and_cuts_no_row():
    lines = tuple(Line(heads=(f"line {n}",), cells=(f"first {n}\nsecond {n}",)) for n in range(90))
    made = page_of(
        Grid(name="g", title="Long", heads=("Which",), columns=(Column(title="Ends"),), lines=lines)
    )
    pages = range(1, len(read(made).pages) + 1)
    assert len(pages) == 3
    assert [text_of(made, page).count("Which Ends") for page in pages] == [1] * len(pages)
    at = [(text_of(made, page), page) for page in pages]
    where = {
        word: page
        for word in (f"{part} {n} " for part in ("first", "second") for n in range(90))
        for text, page in at
        if word in text
    }
    assert [n for n in range(90) if where[f"first {n} "] != where[f"second {n} "]] == []
    (table,) = structure(made).find("Table")
    assert (len(table.find("THead")), len(table.find("TR"))) == (1, 91)


def test_a_short_table_stays_on_one_page():
    lines = tuple(Line(heads=(f"line {n}",), cells=("1",)) for n in range(12))
    grid = Grid(name="g", title="Short", heads=("Which",), columns=(Column(title="One"),), lines=lines)
    made = page_of(*[grid] * 5)
    texts = [text_of(made, page) for page in range(1, len(read(made).pages) + 1)]
    assert [text.count("line 0 ") for text in texts] == [text.count("line 11 ") for text in texts]
    assert len(texts) > 1


def test_every_figure_is_said_in_words():
    figures = structure(WHOLE).find("Figure")
    assert [figure.alt for figure in figures] == [picture.alt for picture in (PICTURE, *FIGURES)]
    first = REPORT.answer.ranking[0]
    assert f"{first.title} {first.mean:.2f}" in PICTURE.alt


def test_bullets_are_lists():
    items = structure(WHOLE).find("LI")
    cautions = len(REPORT.answer.cautions) + bool(REPORT.answer.declared)
    assert len(items) == len(what_ratings_carry(REPORT)) + cautions + 2
    assert {tuple(part.kind for part in item.children) for item in items} == {("Lbl", "LBody")}


def test_bookmarks_are_the_headings():
    tree, outline = structure(WHOLE), bookmarks(WHOLE)
    assert [title for title in outline if isinstance(title, str)] == [one.title for one in tree.find("H1")]
    assert outline[:2] == ["Answer", [one.title for one in tree.find("H2")]]
    assert outline[2:4] == ["Measures", "DEGRESS"]
    assert outline[-3:] == ["Details of the methods", "References", "Signatures"]


def test_the_first_page_stands_alone_as_a_summary():
    text = text_of(WHOLE, 1)
    headline, rest = headline_and_rest(REPORT.answer)
    carried = [f"{one.title}: {one.text}" for one in what_ratings_carry(REPORT)]
    digest = hashlib.sha256(FILES["report.json"].make(CONTENT).encode()).hexdigest()
    parts = [headline, rest, PICTURE.caption, *carried, *REPORT.answer.cautions, REPORT.answer.declared]
    parts += ["3 systems, 3 documents surveyed of 3", "Report 7 on A", digest, "meta_eval verify BUNDLE.zip"]
    assert [part for part in parts if part not in text] == []
    assert text_of(WHOLE, 2).startswith("Measures")


CONTENT = Content(report=REPORT, view=VIEW, datasheet=lambda: fill_datasheet(REPORT), bundle=lambda: BUNDLE)


def test_a_summary_of_many_words_is_written_smaller_to_stay_on_its_page():
    cautions = tuple(f"{number}. {REPORT.answer.cautions[0]}" for number in range(1, 11))
    page = Page("Long")
    with page.summary():
        wordy = replace(REPORT, answer=replace(REPORT.answer, cautions=cautions))
        add_summary(page, wordy, PICTURE, about="", digest="0" * 64)
    page.heading("Measures")
    content = page.as_bytes()
    assert [caution for caution in cautions if caution not in text_of(content, 1)] == []
    assert text_of(content, 2).startswith("Measures")


def test_the_datasheet_is_a_file_of_its_own_with_every_question_as_a_heading():
    sheet = FILES["datasheet.pdf"].make(CONTENT)
    stream = io.BytesIO()
    write_datasheet_pdf(stream, fill_datasheet(REPORT), batch=REPORT.subject["batch"])
    assert sheet == stream.getvalue()
    tree = structure(sheet)
    assert [one.title for one in tree.find("H1")] == [f"{name} {title}" for name, title in SECTIONS.items()]
    assert [one.title for one in tree.find("H2")] == [f"{one.number} {one.label}" for one in QUESTIONS]
    assert marked(sheet)[1] == []
    assert "datasheet" not in text_of(WHOLE).lower()


def test_a_letter_that_no_font_has_leaves_the_tags_and_takes_the_claim():
    content = page_of(replace(lay_out_ranking(REPORT), title="Clay \U00012000"))
    root = read(content).trailer["/Root"]
    assert root["/MarkInfo"]["/Marked"] == True  # noqa: E712
    assert b"pdfuaid" not in root["/Metadata"].get_data()
    assert marked(content)[1] == []


def test_a_fault_of_the_template_is_no_missing_letter(monkeypatch):
    monkeypatch.setattr(pdf_page, "TEMPLATE", "README.md")
    with pytest.raises(pdf_page.TypesettingError, match="expected expression"):
        page_of()


def test_a_typesetter_that_is_killed_is_told_of(monkeypatch, tmp_path):
    program = tmp_path / "typesetter.py"
    program.write_text("import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
    monkeypatch.setattr(pdf_page, "_TYPESETTER", program)
    with pytest.raises(pdf_page.TypesettingError, match="The program that typesets ended with -9"):
        page_of()
