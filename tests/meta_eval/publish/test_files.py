"""The files of a report: each once by its name, made where it has something to hold."""

import json
from dataclasses import replace
from typing import get_args

from meta_eval.publish.files import FILES, Content, files_in_folder
from meta_eval.publish.forms import Form
from meta_eval.publish.heds import fill_datasheet
from meta_eval.publish.tables import table_names
from meta_eval.report.schema import report_record
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

BUNDLE = with_inference(make_content(surrogates=("rouge-l", "jsd")))
REPORT = BUNDLE.report
CONTENT = Content(
    report=REPORT,
    view=View("degress", "jsd", "rouge-l"),
    datasheet=lambda: fill_datasheet(REPORT),
    bundle=lambda: BUNDLE,
)
QUICK = ("json", "csv", "latex", "methods", "datasheet")


def test_every_form_has_files_and_what_sums_up_others_has_none():
    assert {file.form for file in FILES.values()} == {*get_args(Form), None}
    assert [file.name for file in FILES.values() if file.form is None] == ["tables.zip"]


def test_a_folder_gets_the_files_of_its_forms_that_hold_something_in_the_order_asked_for():
    files = dict(files_in_folder(CONTENT, ["csv", "json", "csv"]))
    assert list(files) == [*(f"{name}.csv" for name in table_names(REPORT)), "report.json"]
    assert json.loads(files["report.json"]) == report_record(BUNDLE.report)
    bare = replace(CONTENT, report=replace(REPORT, inference=None))
    assert "ranking.csv" not in dict(files_in_folder(bare, ["csv"]))


def test_a_figure_is_kept_under_the_name_of_what_it_shows_and_nothing_is_drawn_of_nothing():
    figure = FILES["scatter.svg"]
    assert figure.kept_as(CONTENT.view) == "scatter-degress-rouge-l-jsd.svg"
    assert figure.make(CONTENT).startswith(b"<svg")
    assert figure.make(replace(CONTENT, report=replace(REPORT, leaderboard=()))) is None
    assert FILES["report.json"].kept_as(CONTENT.view) == "report.json"


def test_what_depends_on_the_view_says_so():
    other = replace(CONTENT, view=replace(CONTENT.view, surrogate="jsd"))
    changed = {
        file.name for file in FILES.values() if file.form in QUICK and file.make(CONTENT) != file.make(other)
    }
    assert changed == {file.name for file in FILES.values() if file.form in QUICK and "view" in file.takes}


def test_a_bundle_holds_texts_or_their_hashes():
    takes = [file.name for file in FILES.values() if "texts" in file.takes]
    assert takes == ["bundle.zip"]
    make = FILES["bundle.zip"].make
    assert b"corpus.jsonl" in make(CONTENT)
    assert b"corpus.jsonl" not in make(replace(CONTENT, share_texts=False))
