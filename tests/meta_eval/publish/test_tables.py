"""Tables as CSV: each of the report, whole, and all of them in one archive."""

import csv
import io
import zipfile
from dataclasses import replace

import pytest

from meta_eval.publish.tables import TABLE_TITLES, report_tables, table_csv, table_names, write_tables
from meta_eval.report.limits import limits_of_report
from meta_eval.report.schema import PublishedComparison, row_record
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
TABLES = {table.name: table for table in report_tables(REPORT)}


def archive(report=REPORT):
    stream = io.BytesIO()
    write_tables(stream, report)
    return stream


def read(text):
    return list(csv.DictReader(io.StringIO(text)))


@pytest.mark.parametrize("name", TABLES)
def test_a_table_reads_back_with_every_digit(name):
    rows = read(table_csv(TABLES[name]))
    assert [tuple(row) for row in rows] == [TABLES[name].columns] * len(TABLES[name].rows)
    for row, expected in zip(rows, TABLES[name].rows, strict=True):
        numbers = {key: value for key, value in expected.items() if isinstance(value, float)}
        assert {key: float(row[key]) for key in numbers} == numbers
        assert [key for key in row if (row[key] == "") != (expected.get(key) in {None, ""})] == []


def test_names_are_those_of_the_tables_with_rows_in_order():
    assert table_names(REPORT) == list(TABLES)
    assert [name for name in TABLE_TITLES if name in TABLES] == list(TABLES)
    assert table_names(replace(REPORT, inference=None)) == [
        "leaderboard",
        "correlations",
        "limits",
        "left_out",
        "signatures",
    ]


def test_the_archive_holds_every_table_and_the_same_report_the_same_bytes():
    with zipfile.ZipFile(archive()) as opened:
        found = {name: opened.read(name).decode() for name in opened.namelist()}
    assert found == {f"{name}.csv": table_csv(table) for name, table in TABLES.items()}
    assert archive().getvalue() == archive().getvalue()


def test_what_is_said_beside_the_numbers_is_a_table_too():
    published = PublishedComparison(
        kind="p_acc", title="P-Acc", name="t8.csv", rows=(), agreement=(), unmatched=(), remarks=("Made so.",)
    )
    report = replace(REPORT, published=(published,), notes=("2 texts are empty.",))
    (table,) = [table for table in report_tables(report) if table.name == "limits"]
    said = [(row["about"], row["limit"]) for row in read(table_csv(table))]
    limits = limits_of_report(REPORT)
    assert (len(limits) > 1, len(REPORT.answer.reasons) > 1) == (True, True)
    assert said == [
        *(("no answer", reason.why) for reason in REPORT.answer.reasons),
        *(("answer", caution) for caution in REPORT.answer.cautions),
        *(("intervals", limit) for limit in limits),
        ("published: t8.csv", "Made so."),
        ("notes", "2 texts are empty."),
    ]


def test_every_part_of_the_statistics_is_in_a_table():
    record = row_record(REPORT.inference)
    parts = {name for name, rows in (record | record["further"]).items() if rows}
    in_words = {"options", "problems"}  # on the sheet "about", and below the tables
    assert parts - {*in_words, "further"} <= set(TABLES)
    assert [row["ceiling"] for row in TABLES["correlations"].rows] == [
        row.ceiling for row in REPORT.correlations
    ]


def test_pairs_of_ratings_are_counted_from_1():
    rows = TABLES["rating_pairs"].rows
    counts = REPORT.inference.agreement.table
    assert [(row["rating"], row["other_rating"]) for row in rows[:7]] == [
        *((1, n) for n in range(1, 7)),
        (2, 1),
    ]
    assert [row["count"] for row in rows] == [count for line in counts for count in line]


def test_stability_names_samples_that_may_hold_a_document_twice():
    options = replace(REPORT.inference.options, stability_replacement=True)
    drawn = replace(REPORT, inference=replace(REPORT.inference, options=options))
    names = ("stability", "stability_systems")
    for report, wanted in ((REPORT, False), (drawn, True)):
        tables = {table.name: table for table in report_tables(report)}
        assert [{row["replacement"] for row in tables[name].rows} for name in names] == [{wanted}, {wanted}]


def test_the_score_of_all_documents_is_a_share_of_1():
    whole = [row for row in TABLES["stability_systems"].rows if row["share"] == 1.0]
    expected = [system.means[0] for row in REPORT.inference.stability for system in row.systems]
    assert [row["mean"] for row in whole] == expected
