"""`publish`: a stored report as the papers' tables, one or all, to standard output or files."""

import csv
import io
from dataclasses import replace

import pytest

from meta_eval.publish.bundle import write_bundle
from meta_eval.publish.long_form import report_json
from meta_eval.publish.papers import PAPER_TABLES, render_paper
from meta_eval.report.schema import read_report, report_record
from meta_eval.report.view import choose_view
from tests.meta_eval.cli.running import run
from tests.meta_eval.surveys import make_content, with_inference

CONTENT = with_inference(make_content(surrogates=("rouge-l", "jsd")))
REPORT = read_report(report_record(CONTENT.report))
FILLED = [name for name in PAPER_TABLES if not name.startswith("icopernicus")]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The report as its JSON file and as a bundle."""
    folder = tmp_path_factory.mktemp("stored")
    (folder / "report.json").write_text(report_json(REPORT), encoding="utf-8")
    with (folder / "bundle.zip").open("wb") as stream:
        write_bundle(stream, CONTENT)
    return folder


def expected(name, form, **query):
    table, view = PAPER_TABLES[name], choose_view(REPORT, query)
    return render_paper(table, table.lay_out(REPORT, view), form)


@pytest.mark.parametrize("file", ["report.json", "bundle.zip"])
@pytest.mark.parametrize("form", ["text", "csv", "latex"])
def test_a_table_of_a_stored_report_is_written_to_standard_output(stored, file, form):
    done = run("publish", stored / file, "--as", "perseval-table-4", "--format", form)
    assert (done.returncode, done.stdout) == (0, expected("perseval-table-4", form))


def test_the_measure_and_the_surrogate_may_be_chosen(stored):
    chosen = ("--show", "measure=jsd", "--show", "surrogate=jsd")
    done = run("publish", stored / "report.json", "--as", "perseval-figure-3", *chosen)
    assert done.stdout == expected("perseval-figure-3", "text", measure="jsd", surrogate="jsd")
    assert done.stdout != expected("perseval-figure-3", "text")


def test_several_tables_stand_below_each_other_each_once(stored):
    names = ("--as", "perseval-table-7", "--as", "perseval-table-1", "--as", "perseval-table-7")
    done = run("publish", stored / "report.json", *names)
    assert done.stdout == "\n".join(
        expected(name, "text") for name in ("perseval-table-7", "perseval-table-1")
    )


def test_all_go_into_a_folder_and_what_has_no_rows_is_named(stored, tmp_path):
    done = run("publish", stored / "report.json", "--as", "all", "--format", "csv", "--out", tmp_path / "new")
    files = {path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "new").iterdir()}
    assert files == {f"{name}.csv": expected(name, "csv") for name in FILLED}
    assert done.returncode == 0
    assert [line.split(":")[1].strip() for line in done.stderr.splitlines()] == [
        name for name in PAPER_TABLES if name not in FILLED
    ]
    run("publish", stored / "report.json", "--as", "all", "--format", "latex", "--out", tmp_path / "tex")
    assert {path.name for path in (tmp_path / "tex").iterdir()} == {f"{name}.tex" for name in PAPER_TABLES}


def test_one_table_goes_into_a_file(stored, tmp_path):
    place = tmp_path / "table.csv"
    run("publish", stored / "report.json", "--as", "perseval-table-1", "--format", "csv", "--out", place)
    rows = list(csv.reader(io.StringIO(place.read_text(encoding="utf-8"))))
    assert rows[0] == ["system", "rouge-l", "jsd"]
    assert [row[0] for row in rows[1:]] == ["Copy", "Long & wide", "Same_50%"]


def test_without_a_name_the_tables_are_listed_with_what_is_missing(stored, tmp_path):
    lines = run("publish", stored / "report.json").stdout.splitlines()
    assert [line.split(":")[0] for line in lines if not line.startswith(" ")] == list(PAPER_TABLES)
    assert sum(line.startswith("    not in this report: There are no") for line in lines) == 4
    bare = tmp_path / "bare.json"
    bare.write_text(report_json(replace(REPORT, inference=None)), encoding="utf-8")
    lines = run("publish", bare).stdout.splitlines()
    assert sum("was made without statistics" in line for line in lines) == 5


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--as", "table-1"), "--as knows perseval-table-1, "),
        (
            ("--as", "icopernicus-table-3", "--format", "csv"),
            "icopernicus-table-3: There are no scores of EGISES by",
        ),
        (("--as", "all", "--format", "csv"), "say into which folder, --out FOLDER"),
        (("--as", "all", "--show", "score=egises"), "--show knows measure, surrogate, not 'score'"),
        (("--as", "all", "--show", "measure=bleu"), "--show measure=bleu: there are rouge-l, jsd"),
        (("--as", "perseval-table-1", "--out", "/"), "is a folder; name a file"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(stored, arguments, message):
    done = run("publish", stored / "report.json", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("Error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read: No such file or directory"),
        ("system,jsd\n", "neither JSON nor a bundle"),
        ("[1, 2]", "this is no report"),
        ('{"schema": "concord-report", "schema_version": 1}', "the report is of version 1"),
    ],
)
def test_what_is_no_stored_report_is_refused(tmp_path, text, message):
    place = tmp_path / "report.json"
    if text is not None:
        place.write_text(text, encoding="utf-8")
    done = run("publish", place, "--as", "all")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr
