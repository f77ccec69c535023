"""The workbook: every table, every number to the last digit, every column explained, no formula."""

import io
from dataclasses import replace

import openpyxl
import pytest

from meta_eval.publish.tables import column_meaning, report_tables
from meta_eval.publish.xlsx import write_xlsx
from meta_eval.report.schema import row_record
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report


def workbook(report=REPORT):
    stream = io.BytesIO()
    write_xlsx(stream, report)
    return stream


def sheets(report=REPORT):
    book = openpyxl.load_workbook(workbook(report))
    return {sheet.title: [list(row) for row in sheet.iter_rows(values_only=True)] for sheet in book}


TABLES = report_tables(REPORT)


@pytest.mark.parametrize("table", TABLES, ids=[table.name for table in TABLES])
def test_a_sheet_holds_its_table_exactly(table):
    header, *rows = sheets()[table.name]
    assert header == list(table.columns)
    assert rows == [[row.get(column) for column in table.columns] for row in table.rows]


def test_a_number_that_needs_17_digits_reads_back_the_same():
    row = replace(REPORT.leaderboard[0], value=0.1 + 0.2)
    found = sheets(replace(REPORT, leaderboard=(row,)))["leaderboard"]
    assert found[1][found[0].index("value")] == 0.1 + 0.2


@pytest.mark.parametrize(
    ("column", "value", "look"),
    [
        ("value", 0.1 + 0.2, "0.000"),
        ("value", 0.0, "0.000"),
        ("value", -0.0004, "0.0E+00"),
        ("pairs", 12345, "#,##0"),
    ],
)
def test_a_number_shows_the_digits_that_say_something(column, value, look):
    row = replace(REPORT.leaderboard[0], **{column: value})
    book = openpyxl.load_workbook(workbook(replace(REPORT, leaderboard=(row,))))
    header, cells = book["leaderboard"].iter_rows()
    [cell] = [cell for name, cell in zip(header, cells, strict=True) if name.value == column]
    assert (cell.value, cell.number_format) == (value, look)


def test_all_parts_of_the_statistics_have_a_sheet():
    names = [table.name for table in TABLES]
    record = row_record(REPORT.inference)
    parts = {name for name, rows in (record | record["further"]).items() if rows}
    assert parts - {"options", "problems", "limits", "further"} <= set(names)
    assert names[:2] == ["leaderboard", "correlations"]


def test_every_column_of_every_sheet_is_explained():
    explained = sheets()["columns"][1:]
    assert explained == [
        [table.name, column, column_meaning(table.name, column)]
        for table in TABLES
        for column in table.columns
    ]


def test_a_name_that_looks_like_a_formula_stays_text():
    row = replace(REPORT.leaderboard[0], system="=1+1")
    found = sheets(replace(REPORT, leaderboard=(row,)))["leaderboard"]
    assert found[1][0] == "=1+1"
    book = openpyxl.load_workbook(workbook(replace(REPORT, leaderboard=(row,))))
    assert book["leaderboard"]["A2"].data_type == "s"


def test_the_same_report_gives_the_same_bytes():
    assert workbook().getvalue() == workbook().getvalue()
