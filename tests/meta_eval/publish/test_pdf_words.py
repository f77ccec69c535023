"""Words of any length in the PDFs: they keep to the page and to their column, and are copied whole."""

import io
import json

import numpy as np
import pytest
import typst
from PIL import Image

from meta_eval.files.package import data_file
from meta_eval.publish import pdf_page
from meta_eval.publish.figures import Picture
from meta_eval.publish.pdf_page import Page
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from tests.meta_eval.publish.tagged import bookmarks, marked, read, structure, text_of

NAME = "perseval_pens_2026_survey_round_2_of_ten_systems_and_sixty_raters_final_version_for_the_paper"
UNBROKEN = "W" * 300
SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="20"><path d="M0 0h40v20z"/></svg>'
MARGIN = slice(546, None)
"""Of a page drawn with a pixel a point: what lies right of its 18 mm margin."""
DARK = 200


@pytest.fixture
def drawn(monkeypatch):
    """The pages as shades of grey, a row of pixels a line."""

    def draw(page):
        with monkeypatch.context() as patch:
            patch.setattr(pdf_page, "typeset", json.dumps)
            given = {"content": page.as_bytes()}
        template = data_file(pdf_page.TEMPLATE).read_bytes()
        pages = typst.compile(template, sys_inputs=given, format="png", ppi=72.0)
        pages = pages if isinstance(pages, list) else [pages]
        return [np.asarray(Image.open(io.BytesIO(one)).convert("L")) for one in pages]

    return draw


def grid_of(names, lines=2):
    cells = tuple(Cell(value=0.5) for _ in names)
    rows = tuple(Line(heads=(name,), cells=cells) for name in names[:lines])
    columns = tuple(Column(title=name) for name in names)
    return Grid(name="g", title="Table", heads=(names[0],), columns=columns, lines=rows)


def everything_says(word):
    """A page of each block, all of the one word."""
    page = Page(f"Report on {word}")
    with page.summary():
        page.title_block([f"Corpus: {word}"])
        page.headline(f"{word} is best")
        page.bullets([word])
    page.section(word, [f"We took {word}"])
    page.heading(word, level=2)
    page.note(word)
    page.question(word, [word])
    page.add_pictures([Picture(svg=SVG, caption=word, alt="A wedge")])
    line = Line(heads=("1",), cells=())
    page.add_grid(Grid(name="g", title=word, note=word, heads=("A",), columns=(), lines=(line,)))
    return page


@pytest.mark.parametrize("word", [NAME * 3, UNBROKEN], ids=["with marks", "without marks"])
def test_no_word_runs_into_the_margin(word, drawn):
    pages = drawn(everything_says(word))
    assert [int(page[:, MARGIN].min()) for page in pages] == [255] * len(pages)
    assert all(page[:, : MARGIN.start].min() < DARK for page in pages)


@pytest.mark.parametrize("letters", ["my_plug_in_measure_for_headlines_{}", "x{}" * 12, "W" * 90 + "{}"])
def test_no_word_of_a_table_runs_into_the_next_column(letters, drawn):
    """Between columns of one width nothing stands but the rules across: of the header, and of two lines."""
    page = Page("R")
    page.add_grid(grid_of([letters.replace("{}", str(number)) for number in range(7)]))
    (shades,) = drawn(page)
    left, share = 18 / 25.4 * 72, 174 / 25.4 * 72 / 8
    strips = [shades[:720, round(left + share * column) - 2] for column in range(1, 9)]
    assert [np.count_nonzero(np.diff(np.flatnonzero(strip < 250)) > 1) + 1 for strip in strips] == [3] * 8


def test_a_long_name_ends_its_lines_behind_its_marks():
    page = Page("R")
    page.paragraphs([f"We took {NAME} and no other."])
    first, second, *_ = read(page.as_bytes()).pages[0].extract_text().splitlines()
    assert first.startswith("We took perseval_pens_")
    assert first.endswith("_")
    assert second.endswith(" and no other.")


def test_what_fits_on_a_line_of_its_own_is_not_cut():
    digest = "0a" * 32
    page = Page("R")
    page.paragraphs([f"The report from which this was made has the SHA-256 {digest}."])
    assert f" {digest}." in text_of(page.as_bytes())


@pytest.mark.parametrize("word", [NAME, UNBROKEN], ids=["with marks", "without marks"])
def test_long_words_are_copied_and_read_aloud_whole(word):
    content = everything_says(word).as_bytes()
    text = "".join(text_of(content).split())
    assert text.count(word) == 13
    assert [one.title for one in structure(content).find("H1")] == [word]
    assert bookmarks(content) == [word, [word, word]]
    assert marked(content)[1] == []


@pytest.mark.parametrize("text", ["", " ", "\0"])
def test_a_heading_without_text_is_none(text):
    page = Page("R")
    page.heading(text)
    page.section(text, ["Ten people rated."])
    page.question(text, ["Yes."])
    content = page.as_bytes()
    assert bookmarks(content) == []
    assert text_of(content) == "Ten people rated. Yes. R - page 1 of 1"


@pytest.mark.parametrize("title", ["", " \n"])
def test_a_document_without_a_title_is_refused(title):
    with pytest.raises(ValueError, match="must say what the document is"):
        Page(title)
