"""The PDF: every part of the report is on its pages, and the same report gives the same bytes."""

import io
import shutil
import subprocess
from copy import deepcopy

import pytest

from meta_eval.publish import pdf, pdf_page, pdf_tables
from meta_eval.publish.heds import QUESTIONS, fill_datasheet
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.robustness import robustness_tables
from meta_eval.publish.studies import studies
from meta_eval.report.published import compare_published
from meta_eval.report.schema import read_report, row_record
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import SYSTEMS, make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
pdftotext = shutil.which("pdftotext")
needs_pdftotext = pytest.mark.skipif(
    pdftotext is None, reason="needs pdftotext, which this machine does not have"
)


def made(report=REPORT, **options):
    stream = io.BytesIO()
    write_pdf(stream, report, **options)
    return stream.getvalue()


def words(content):
    command = [pdftotext, "-layout", "-", "-"]
    text = subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()
    return " ".join(text.split())


@pytest.mark.parametrize(
    ("value", "shown"),
    [(None, "none"), (2e-7, "< 0.001"), (0.0009, "< 0.001"), (0.001, "0.001"), (1.0, "1.000")],
)
def test_a_small_p_is_never_shown_as_0(value, shown):
    assert pdf_tables._p_value(value) == shown


def test_the_same_report_gives_the_same_bytes():
    assert made() == made()
    assert made().startswith(b"%PDF")


@needs_pdftotext
def test_scores_and_estimates_of_every_system_and_measure_are_on_the_pages():
    text = words(made())
    rows = [row for row in REPORT["leaderboard"] if row["score"] in {"perseval", "perseval_hj"}]
    assert [row for row in rows if f"{row['value']:.3f} ({row['rank']})" not in text] == []
    assert [row for row in REPORT["correlations"] if f"{row['estimate']:.2f}" not in text] == []
    for heading in ("Answer", "PerSEval", "Raters", "Methods", "References", "Signatures"):
        assert heading in text


@needs_pdftotext
def test_intervals_ceilings_and_the_comparison_of_measures_are_on_the_pages():
    text = words(made())
    cells = [cell for cell in REPORT["inference"]["cells"] if cell["ci_low"] is not None]
    assert [cell for cell in cells if f"{cell['ci_low']:.2f} to {cell['ci_high']:.2f}" not in text] == []
    rows = pdf_tables.comparisons(REPORT)[1]
    assert [row for row in rows if " ".join(row) not in text] == []
    assert "Below each estimate its 95% interval." in text


@pytest.mark.parametrize(("method", "said"), [("hierarchical", True), ("bca", False)])
def test_intervals_about_scores_without_noise_are_called_that(method, said):
    cells = [{**cell, "ci_method": method} for cell in REPORT["inference"]["cells"]]
    report = {**REPORT, "inference": {**REPORT["inference"], "cells": cells}}
    note = pdf_tables.correlations_caption(report, "degress")
    assert ("that scores without noise would have" in note) == said
    assert "Below each estimate its 95% interval." in note


def test_a_correlation_carries_the_mark_of_its_adjusted_p_and_of_shared_distances():
    cells = [{**cell, "p_adjusted": 0.0005} for cell in REPORT["inference"]["cells"]]
    report = {**REPORT, "inference": {**REPORT["inference"], "cells": cells}}
    _title, header, rows = next(pdf_tables.correlations(report, "perseval"))
    shared = {cell["measure"]: cell["shared_input"] for cell in cells if cell["surrogate"] == "rouge-l"}
    assert header == ["Measure", "ROUGE-L", "Jensen-Shannon"]
    marks = [row[1].split("\n")[0].lstrip("-0123456789.") for row in rows if row[0] != "Ceiling"]
    assert marks == [f"***{'†' * shared[measure]}" for measure in ("rouge-l", "jsd")]


FAMILIES = with_inference(
    make_content(surrogates=("rouge-l", "jsd")),
    families={"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"},
).report


@needs_pdftotext
def test_families_levels_and_systems_left_out_are_on_the_pages_and_explained():
    view = choose_view(FAMILIES, {"surrogate": "jsd"})
    text = words(made(FAMILIES, view=view))
    for kind in ("perseval", "degress"):
        found = list(robustness_tables(FAMILIES, view, kind))
        assert [one.name for one in found] == ["families", "levels", "left_out_systems"]
        for one in found:
            assert one.title in text
            assert one.note in text
            assert [row for row in pdf_tables.robustness(one)[1] if " ".join(row) not in text] == []
    assert "Families: personalised (Copy, Long & wide); one for all (Same_50%)." in text


@needs_pdftotext
def test_accuracy_and_the_further_studies_are_on_the_pages():
    view = choose_view(FAMILIES, {"measure": "jsd", "surrogate": "rouge-l"})
    text = words(made(FAMILIES, view=view))
    accuracies = [row for row in FAMILIES["leaderboard"] if row["score"] == "accuracy"]
    assert [row for row in accuracies if f"{row['value']:.3f} ({row['rank']})" not in text] == []
    assert pdf.ACCURACY_NOTE in text
    shown = list(studies(FAMILIES, view))
    assert [(study.title, len(study.rows)) for study in shown] == [
        ("Stability of PerSEval", 2),
        ("Stability of DEGRESS", 2),
        ("Paradox: DEGRESS against PerSEval", 2),
        ("Aggregation: PerSEval by Jensen-Shannon with an accuracy measure", 2),
    ]
    for study in shown:
        assert f"{study.title} {study.note}" in text
        assert [row for row in study.rows if " ".join(row) not in text] == []


def test_studies_have_the_numbers_of_the_report():
    report = deepcopy(FAMILIES)
    inference = report["inference"]
    for number, row in enumerate(inference["aggregation"]):  # three systems give the same number often
        row |= {"metric": number / 100, "accuracy_alone": None, "combined": -number / 100}
    view = choose_view(report, {"measure": "jsd", "surrogate": "rouge-l"})
    _perseval, degress, paradox, aggregation = studies(report, view)
    share = next(row for row in inference["stability"] if row["score"] == "degress")["shares"]
    first = next(one for one in share if one["coefficient"] == "kendall")
    assert degress.rows[0][1] == f"{first['mean']:.2f} ({first['minimum']:.2f} to {first['maximum']:.2f})"
    assert [cell for row in paradox.rows for cell in row[1:]] == [
        f"{row['estimate']:.2f}" for row in inference["paradox"]
    ]
    joined = [
        row
        for row in inference["aggregation"]
        if (row["measure"], row["surrogate"], row["coefficient"]) == ("jsd", "rouge-l", "kendall")
    ]
    assert [row[1:] for row in aggregation.rows] == [
        [f"{row['metric']:.2f}", "none", f"{row['combined']:.2f}"] for row in joined
    ]


def test_the_printed_table_has_the_numbers_of_the_report():
    view = choose_view(FAMILIES, {"surrogate": "rouge-l"})
    report = deepcopy(FAMILIES)
    found = [
        row
        for row in report["inference"]["left_out_systems"]
        if (row["automatic"], row["surrogate"], row["coefficient"]) == ("perseval", "rouge-l", "kendall")
    ]
    found[1]["systems"][2]["carries"] = True
    _families, _levels, left_out = robustness_tables(report, view, "perseval")
    header, rows = pdf_tables.robustness(left_out)
    assert [row[0] for row in rows] == ["none", *SYSTEMS]
    assert header == ["Left out", "ROUGE-L†", "Jensen-Shannon"]
    assert [[cell.rstrip("‡") for cell in row[1:]] for row in rows] == [
        [f"{row['estimate']:.2f}" for row in found],
        *([f"{row['systems'][at]['estimate']:.2f}" for row in found] for at in range(3)),
    ]
    assert [cell.endswith("‡") for row in rows[1:] for cell in row[1:]] == [
        row["systems"][at]["carries"] for at in range(3) for row in found
    ]


def test_a_leaderboard_of_many_measures_is_two_tables_with_the_same_systems():
    rows = [row for row in REPORT["leaderboard"] if row["score"] in {"perseval", "perseval_hj"}]
    many = [{**row, "measure": f"m{number}"} for row in rows for number in range(5)]
    one = list(pdf_tables.leaderboards(REPORT, "perseval"))
    two = list(pdf_tables.leaderboards({**REPORT, "leaderboard": many}, "perseval"))
    assert [len(header) for header, _ in one] == [5]
    assert [[title.split(":")[0] for title in header[1:]] for header, _ in two] == [
        ["Raters"] * 5,
        ["Automatic"] * 5,
    ]
    assert [[row[0] for row in body] for _, body in two] == [[row[0] for row in one[0][1]]] * 2


@needs_pdftotext
def test_the_datasheet_follows_with_every_question():
    text = words(made(datasheet=fill_datasheet(REPORT)))
    assert [question.number for question in QUESTIONS if f" {question.number} " not in text] == []
    assert "Human evaluation datasheet" not in words(made())


def test_columns_fit_without_breaking_a_word_where_the_page_is_wide_enough():
    page = pdf_page.Page("Test")
    rows = [["System", *["Jensen-Shannon"] * 6], ["reader-extract-noisy", *["0.123 (10)"] * 6]]
    widths = page._fit(rows)
    assert sum(widths) <= page.epw
    page.set_font(page.family, style="B", size=page.font_size_pt)
    assert [cell for cell, width in zip(rows[0], widths, strict=True) if page._text_width(cell) > width] == []


def test_the_size_of_a_figure_is_read_from_its_file():
    header = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + (300).to_bytes(4) + (200).to_bytes(4)
    assert pdf_page._png_size(header) == (300, 200)


@needs_pdftotext
def test_simulated_ratings_are_named_at_the_top():
    report = {**REPORT, "ratings": {**REPORT["ratings"], "simulated_ratings": 24}}
    assert "SIMULATED: a program, not people, made 24 of these ratings." in words(made(report))[:400]


@needs_pdftotext
def test_without_the_font_latin_letters_are_written_all_the_same(monkeypatch):
    monkeypatch.setattr(pdf_page, "_font_folder", lambda: None)
    report = {**REPORT, "subject": {**REPORT["subject"], "batch": "Zoë’s “τ” −1"}}
    text = words(made(report))
    assert 'Report on Zoë\'s "tau" -1' in text
    assert "+: surrogate and measure are the same" in text


def test_a_table_too_wide_for_one_line_and_a_very_long_name_still_make_pages():
    rows = [{**row, "system": f"{row['system']} {'x' * 300}"} for row in REPORT["leaderboard"]]
    assert made({**REPORT, "leaderboard": rows}).startswith(b"%PDF")


@needs_pdftotext
def test_ours_stand_beside_published_numbers_on_the_pages():
    table = {"kind": "egises", "name": "table7.csv", "values": [["egises", "Copy", None, "jsd", 0.125]]}
    report = {**REPORT, "options": {**REPORT["options"], "published": [table]}}
    report["published"] = [row_record(table) for table in compare_published(read_report(report))]
    ours = report["published"][0]["rows"][0]["ours"]
    text = words(made(report))
    assert "Published numbers" in text
    assert f"System Jensen-Shannon Copy {ours:.3f} (0.125)" in text
    assert "Only in ours: system Long & wide, Same_50%; measure ROUGE-L." in text
    assert "Published numbers" not in words(made())
