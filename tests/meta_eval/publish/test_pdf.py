"""The PDF: every part of the report is on its pages, and the same report gives the same bytes."""

import io
from dataclasses import replace
from functools import partial

import pytest

from meta_eval.publish import pdf, pdf_page
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.pdf_page import Page
from meta_eval.publish.pdf_text import grid_texts
from meta_eval.report.participants import read_participants
from meta_eval.report.primary import Primary
from meta_eval.report.published.comparing import compare_published
from meta_eval.report.tables.agreement import lay_out_agreement, lay_out_comparisons, lay_out_ranking
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.robustness import lay_out_robustness
from meta_eval.report.tables.scores import lay_out_accuracies, lay_out_leaderboard
from meta_eval.report.tables.studies import lay_out_left_out_counts, lay_out_signatures, lay_out_studies
from meta_eval.report.view import KINDS, choose_view
from tests.meta_eval.publish.tagged import read, structure, text_of
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report


def made(report=REPORT, **options):
    stream = io.BytesIO()
    write_pdf(stream, report, **options)
    return stream.getvalue()


def test_the_same_report_gives_the_same_bytes():
    assert made() == made()
    assert made().startswith(b"%PDF")


FAMILIES = with_inference(
    make_content(surrogates=("rouge-l", "jsd")),
    families={"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"},
).report
FAMILIES = replace(FAMILIES, left_out=tuple(replace(row, count=3) for row in FAMILIES.left_out))
VIEW = choose_view(FAMILIES, {"measure": "jsd", "surrogate": "jsd"})
GRIDS = [
    lay_out_ranking(FAMILIES),
    lay_out_comparisons(FAMILIES),
    lay_out_accuracies(FAMILIES, ["accuracy"]),
    lay_out_agreement(FAMILIES),
    lay_out_left_out_counts(FAMILIES),
    lay_out_signatures(FAMILIES),
    *lay_out_studies(FAMILIES, VIEW),
    *(lay_out_leaderboard(FAMILIES, kind) for kind in KINDS),
    *(grid for kind in ("perseval", "degress") for grid in lay_out_robustness(FAMILIES, VIEW, kind)),
]


def test_every_table_is_on_the_pages_with_its_title_note_and_lines():
    text = text_of(made(FAMILIES, view=VIEW))
    assert [grid.title for grid in GRIDS if grid.title not in text] == []
    assert [grid.note for grid in GRIDS if grid.note not in text] == []
    lines = [" ".join(" ".join(line).split()) for grid in GRIDS for line in grid_texts(grid)[1:]]
    assert len(lines) > 60
    assert [line for line in lines if line not in text] == []
    headings = "Answer", "PerSEval", "Raters", "Further questions", "Methods", "References", "Signatures"
    assert [heading for heading in headings if heading not in text] == []


def test_coefficients_stand_with_their_intervals_below():
    text = text_of(made())
    assert [row for row in REPORT.correlations if f"{row.estimate:.2f}" not in text] == []
    rows = [row for row in REPORT.correlations if row.ci_low is not None]
    assert [row for row in rows if f"{row.ci_low:.2f} to {row.ci_high:.2f}" not in text] == []
    assert "Below each estimate its 95% interval." in text


@pytest.mark.parametrize(("method", "said"), [("hierarchical", True), ("bca", False)])
def test_intervals_about_scores_without_noise_are_called_that(method, said):
    rows = tuple(replace(row, ci_method=method) for row in REPORT.correlations)
    unsaid = replace(REPORT.inference, limits=())
    note = pdf.correlations_caption(replace(REPORT, correlations=rows, inference=unsaid), "degress")
    assert ("that scores without noise would have" in note) == said
    assert "Below each estimate its 95% interval." in note


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (Cell(), "none"),
        (Cell(value=-0.5, p_adjusted=0.0005, shared=True), "-0.50***†"),
        (Cell(value=0.5, low=0.25, high=0.75), "0.50 (0.25 to 0.75)"),
        (Cell(value=0.5, carries=True), "0.50‡"),
        (Cell(kind="score", value=0.1234, rank=2), "0.123 (2)"),
        (Cell(kind="score", reason="none of them"), "none"),
        (Cell(kind="interval", low=0.25, high=0.75), "0.25 to 0.75"),
        (Cell(kind="p", value=0.0001), "< 0.001"),
        (Cell(kind="spread", value=0.00012), "0.00012"),
        (Cell(kind="rank correlation", value=0.5, n=4), "0.50 (n 4)"),
        (Cell(kind="score", value=None, published=0.25), "– (0.250)"),
        (None, ""),
        ("two", "two"),
    ],
)
def test_a_cell_is_its_number_with_what_belongs_to_it(cell, text):
    grid = Grid(name="", columns=(Column(title="One", group="Raters", note="n = 3"),))
    line = Line(heads=("head",), cells=(cell,))
    assert grid_texts(replace(grid, lines=(line,))) == [["", "Raters:\nOne\nn = 3"], ["head", text]]


def test_where_there_is_no_room_what_belongs_to_a_number_stands_below_it():
    cells = (Cell(value=0.5, low=0.25, high=0.75), Cell(kind="score", value=0.5, published=0.25))
    grid = Grid(name="", lines=(Line(heads=(), cells=cells),), below=True)
    assert grid_texts(grid)[1] == ["0.50\n0.25 to 0.75", "0.500\n(0.250)"]


def test_a_leaderboard_of_many_measures_is_a_table_a_side():
    rows = [row for row in REPORT.leaderboard if row.score in {"perseval", "perseval_hj"}]
    many = tuple(replace(row, measure=f"m{number}") for row in rows for number in range(5))
    title = "PerSEval of each system, with its rank"
    assert text_of(made()).count(title) == 1
    text = text_of(made(replace(REPORT, leaderboard=many)))
    assert text.count(title) == 2
    assert text.count("Higher is better; in brackets the rank. Raters:") == 1


def test_the_size_of_a_figure_is_read_from_its_first_tag():
    assert pdf_page.svg_size('<svg width="300" class="x" height="200.5"><g width="1"></g></svg>') == (
        300,
        200.5,
    )
    with pytest.raises(ValueError, match="must say its width and height in its first tag, which is <svg>"):
        pdf_page.svg_size('<svg><rect width="1" height="1"></rect></svg>')


def test_simulated_ratings_are_named_at_the_top():
    report = replace(REPORT, ratings={**REPORT.ratings, "simulated_ratings": 24})
    assert "SIMULATED: a program, not people, made 24 of these ratings." in text_of(made(report))[:400]


def test_without_the_machines_fonts_latin_and_greek_are_written_all_the_same(monkeypatch):
    monkeypatch.setattr(pdf_page, "typeset", partial(pdf_page.typeset, system_fonts=False))
    page = pdf_page.Page("Zoë’s “τ” −1")
    page.title_block([])
    page.add_grid(lay_out_ranking(REPORT))
    content = page.as_bytes()
    assert "Zoë’s “τ” −1" in text_of(content)
    assert b"<pdfuaid:part>1<" in read(content).trailer["/Root"]["/Metadata"].get_data()


def test_a_table_too_wide_for_one_line_and_a_very_long_name_still_fit_the_page():
    rows = tuple(replace(row, system=f"{row.system} {'x' * 300}") for row in REPORT.leaderboard)
    page = pdf_page.Page("Wide")
    page.add_grid(lay_out_leaderboard(replace(REPORT, leaderboard=rows), "degress"))
    (table,) = structure(page.as_bytes()).find("Table")
    left, _, right, _ = table.attributes["/BBox"]
    assert (left, right) == (pytest.approx(51, abs=1), pytest.approx(544, abs=1))


def test_ours_stand_beside_published_numbers_on_the_pages():
    table = {"kind": "egises", "name": "table7.csv", "values": [["egises", "Copy", None, "jsd", 0.125]]}
    options = {**REPORT.options, "published": [table]}
    report = replace(REPORT, published=tuple(compare_published(replace(REPORT, options=options))))
    ours = report.published[0].rows[0].ours
    text = text_of(made(report))
    assert "Published numbers" in text
    assert f"System Jensen-Shannon Copy {ours:.3f} (0.125)" in text
    assert "Only in ours: system Long & wide, Same_50%; measure ROUGE-L." in text
    assert "Published numbers" not in text_of(made())


def test_participants_and_the_declared_primary_have_tables_of_their_own(monkeypatch):
    drawn = {}
    add_grid = Page.add_grid

    def noted(page, grid, heading=""):
        drawn[grid.name] = (heading, len(grid.lines))
        add_grid(page, grid, heading)

    monkeypatch.setattr(Page, "add_grid", noted)
    declared = Primary(coefficient="pearson", surrogate="rouge-l")
    assert REPORT.inference is not None
    inference = replace(REPORT.inference, options=replace(REPORT.inference.options, primary=declared))
    kept = {"question": "age", "answered": 12, "totals": [{"choice": "18 to 24", "people": "12"}]}
    made(replace(REPORT, inference=inference, participants=read_participants([kept])))
    assert drawn["primary"] == ("Declared primary", sum(map(declared.covers, REPORT.correlations)))
    assert drawn["participants"] == ("Participants", 2)
