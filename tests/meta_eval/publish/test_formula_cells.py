"""A study whose systems, documents, readers and raters have names that a spreadsheet would compute."""

import csv
import io
import json
import zipfile
from dataclasses import replace

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.files.cells import FORMULA_STARTS
from meta_eval.publish.bundle import verify_bundle
from meta_eval.publish.bundle.reading import open_bundle, read_data
from meta_eval.publish.files import FILES, Content
from meta_eval.publish.heds import fill_datasheet
from meta_eval.report.view import choose_view
from tests.meta_eval import surveys

NAMES = {
    "Copy": "=cmd|' /C calc'!A0",
    "Long & wide": "@SUM(1+1)",
    "Same_50%": "-lead",
    "bridge": "=bridge",
    "bakery": "+bakery",
    "reader1": "@one",
    "reader2": "=two",
    "r-0": "=rater",
}


@pytest.fixture(scope="module")
def content(tmp_path_factory) -> Content:
    """The small study, renamed."""
    small, path = surveys.make_content(), tmp_path_factory.mktemp("named") / "corpus.jsonl"
    records = (renamed(document.as_record()) for document in small.corpus.documents)
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    corpus, rows = read_jsonl(path), renamed(small.ratings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(surveys, "SYSTEMS", tuple(corpus.systems))
        report = surveys.make_study_report(corpus, rows, ("rouge-l", "jsd"), ("rouge-l",))
    named = replace(
        small,
        report=report,
        corpus=corpus,
        ratings=rows,
        questionnaires=renamed(small.questionnaires),
        plan=renamed(small.plan),
    )
    bundle = surveys.with_inference(named)
    return Content(
        report=bundle.report,
        view=choose_view(bundle.report, {}),
        datasheet=lambda: fill_datasheet(bundle.report),
        bundle=lambda: bundle,
    )


def renamed(value):
    """The same with every name changed, as a key too."""
    if isinstance(value, dict):
        return {NAMES.get(name, name): renamed(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return list(map(renamed, value))
    return NAMES.get(value, value) if isinstance(value, str) else value


def csv_files(content):
    """Every CSV file that a report gives, those in archives too, by name."""
    for name, file in FILES.items():
        made = file.make(content) if name.endswith((".csv", ".zip")) else None
        if made and name.endswith(".zip"):
            with zipfile.ZipFile(io.BytesIO(made)) as archive:
                inner = [one for one in archive.namelist() if one.endswith(".csv")]
                yield from ((f"{name}/{one}", archive.read(one).decode()) for one in inner)
        elif made:
            yield name, made.decode() if isinstance(made, bytes) else made


def is_formula(cell):
    try:
        float(cell)
    except ValueError:
        return cell.startswith(FORMULA_STARTS)
    return False


def formulas(text):
    lines = csv.reader(io.StringIO(text, newline=""))
    return [cell for line in lines for cell in line if is_formula(cell)]


def test_no_cell_of_any_csv_file_begins_like_a_formula(content):
    files = dict(csv_files(content))
    assert {"leaderboard.csv", "correlations.csv", "bundle.zip/ratings.csv"} <= set(files)
    assert {name: found for name, text in files.items() if (found := formulas(text))} == {}
    assert "\n'=cmd|' /C calc'!A0,automatic," in files["leaderboard.csv"]


def test_the_bundle_reads_its_names_back_and_verifies(content):
    stream = io.BytesIO(FILES["bundle.zip"].make(content))
    with open_bundle(stream) as archive:
        rows = read_data(archive).rows
    assert {row["system"] for row in rows} == {"user", *(NAMES[name] for name in surveys.SYSTEMS)}
    assert {row["rater"] for row in rows} == {"=rater", "r-1"}
    assert verify_bundle(stream).is_sound
