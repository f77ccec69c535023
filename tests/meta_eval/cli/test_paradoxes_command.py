"""`paradoxes`: scores of people beside automatic ones, and the tables of iCOPERNICUS."""

import json
from pathlib import Path

import pytest

from meta_eval.publish.papers import PAPER_TABLES, PROMPT_TABLES, render_paper
from meta_eval.studies.icopernicus.tables import PromptStudy
from tests.meta_eval.cli.running import results, run

MACHINE = {"A: C-0-shot": 0.5, "A: C-2-shot w/": 0.4, "B: C-0-shot": 0.3, "B: C-2-shot w/": 0.3}
PEOPLE = {"A: C-0-shot": 0.6, "A: C-2-shot w/": 0.7, "B: C-0-shot": 0.2, "B: C-2-shot w/": 0.2}
STUDY = PromptStudy(
    egises={"A": {"C-0-shot": 0.5, "C-2-shot w/": 0.4}, "B": {"C-0-shot": 0.3, "C-2-shot w/": 0.3}},
    human={"A": {"C-0-shot": 0.6, "C-2-shot w/": 0.7}, "B": {"C-0-shot": 0.2, "C-2-shot w/": 0.2}},
    baselines={"Old": 0.9},
    measure="jsd",
    surrogate="jsd",
)


@pytest.fixture
def files(tmp_path):
    """Results of `score`, with a system that no prompt made, and of `human`, by two surrogates."""
    machine = [{"system": name, "measure": "jsd", "egises": value} for name, value in MACHINE.items()]
    machine.append({"system": "Old", "measure": "jsd", "egises": 0.9})
    people = [
        {"system": name, "surrogate": surrogate, "egises_hj": value}
        for surrogate, less in (("jsd", 0.0), ("bleu", 0.1))
        for name, value in ((name, value - less) for name, value in PEOPLE.items())
    ]
    for name, records in (("score", machine), ("human", people)):
        (tmp_path / f"{name}.json").write_text(json.dumps(records), encoding="utf-8")
    return tmp_path


def sides(files):
    human = ("--human", files / "human.json", "--surrogate", "jsd")
    return ("paradoxes", files / "score.json", *human, "--baseline", "Old")


def test_people_stand_beside_the_automatic_scores(files):
    rows = {(row["model"], row["paradox"]): row for row in results(*sides(files))}
    assert len(rows) == 12
    asked = ("is_paradox", "human_poorer_egises", "human_richer_egises", "human_is_paradox", "alike")
    assert [rows["A", "PX-5"][name] for name in asked] == [False, 0.6, 0.7, True, False]
    assert [rows["B", "PX-5"][name] for name in asked] == [True, 0.2, 0.2, True, True]
    assert [rows["A", "PX-1"][name] for name in ("human_is_paradox", "human_reason", "alike")] == [
        None,
        "no EGISES of 0-shot and 2-shot w/o",
        None,
    ]


def test_a_model_that_only_people_scored_has_its_records_too(tmp_path):
    for name, models in (("score", "A"), ("human", "AB")):
        lines = "".join(f"{model},0.5,0.6\n" for model in models)
        (tmp_path / f"{name}.csv").write_text(f"model,0-shot,2-shot w/o\n{lines}", encoding="utf-8")
    rows = results("paradoxes", tmp_path / "score.csv", "--human", tmp_path / "human.csv")
    found = {row["model"]: row for row in rows if row["paradox"] == "PX-1"}
    assert (found["A"]["alike"], found["B"]["alike"]) == (True, None)
    assert (found["B"]["is_paradox"], found["B"]["human_is_paradox"]) == (None, True)


@pytest.mark.parametrize("name", PROMPT_TABLES)
@pytest.mark.parametrize("form", ["text", "latex", "csv"])
def test_each_table_of_the_paper_is_laid_out(files, name, form):
    done = run(*sides(files), "--as", name, "--format", form)
    assert (done.returncode, done.stdout) == (
        0,
        render_paper(PAPER_TABLES[name], PROMPT_TABLES[name](STUDY), form),
    )


def test_several_tables_stand_below_each_other(files, tmp_path):
    out = tmp_path / "tables.txt"
    run(*sides(files), "--as", "all", "--out", out)
    assert out.read_text(encoding="utf-8") == "\n".join(
        render_paper(PAPER_TABLES[name], lay_out(STUDY), "text") for name, lay_out in PROMPT_TABLES.items()
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--format", "latex"), "--format latex is of a table: say which, --as icopernicus-table-3"),
        (("--as", "icopernicus-table-4", "--format", "json"), "--as writes text, latex, or one table as csv"),
        (("--as", "all", "--format", "csv"), "--as writes text, latex, or one table as csv"),
        (("--as", "perseval-table-1"), "--as knows icopernicus-table-3, "),
        (("--baseline", "New"), "--baseline names 'New', which is no system of"),
    ],
)
def test_what_cannot_be_is_refused(files, arguments, message):
    done = run(*sides(files), *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_what_the_files_leave_open_must_be_said(files):
    done = run("paradoxes", files / "score.json", "--baseline", "Old", "--human", files / "human.json")
    assert (done.returncode, "paradoxes are of one surrogate: choose one of jsd, bleu" in done.stderr) == (
        2,
        True,
    )
    done = run("paradoxes", files / "score.json")
    assert (done.returncode, "system 'Old' is not named MODEL: STYLE" in done.stderr) == (2, True)
    done = run(
        "paradoxes",
        files / "score.json",
        "--baseline",
        "Old",
        "--as",
        "icopernicus-table-9",
        "--format",
        "csv",
    )
    assert (done.returncode, "There are no human scores by prompt style" in done.stderr) == (2, True)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """The demo's documents with two systems of prompts, and one with a random second reader."""
    place = tmp_path_factory.mktemp("prompts") / "corpus.jsonl"
    named = {"reader-extract": "R: C-0-shot", "title": "R: C-2-shot w/", "lead": "R: C-0-shot, random User2"}
    lines = []
    for line in Path("fixtures/demo/corpus.jsonl").read_text(encoding="utf-8").splitlines()[:12]:
        record = json.loads(line)
        record["m_summary_dict"] = {
            reader: {"user": texts["user"], **{new: texts[old] for old, new in named.items()}}
            for reader, texts in record["m_summary_dict"].items()
        }
        lines.append(json.dumps(record) + "\n")
    place.write_text("".join(lines), encoding="utf-8")
    return place


def test_a_corpus_is_scored_on_shared_cases_with_how_sure_each_paradox_is(corpus):
    rows = {row["paradox"]: row for row in results("paradoxes", "--corpus", corpus, "-m", "jsd")}
    found = rows["PX-5"]
    assert (found["is_paradox"], found["verdict"], found["documents"]) == (True, "paradox", 12)
    assert found["difference"] == found["shared_richer_egises"] - found["shared_poorer_egises"] > 0
    assert found["ci_low"] > 0
    assert (rows["PX-1"]["verdict"], rows["PX-1"]["documents"]) == (None, 0)
    (change,) = results("paradoxes", "--corpus", corpus, "-m", "jsd", "--adversarial")
    assert (change["style"], change["verdict"], change["change"] > 0) == ("C-0-shot", "worse", True)


def test_summaries_are_of_orders_and_what_is_asked_twice_is_refused(files, corpus):
    scores = files / "score.json"
    rows = results("paradoxes", scores, "--baseline", "Old", "--summary")
    assert [(row["paradox"], row["gaining"], row["others"], row["unknown"]) for row in rows][4] == (
        "PX-5",
        1,
        1,
        0,
    )
    for typed, message in (
        ((), "give either a file of EGISES or --corpus CORPUS"),
        ((scores, "--corpus", corpus, "-m", "jsd"), "give either a file of EGISES or --corpus CORPUS"),
        (("--corpus", corpus), "--corpus is scored by a measure"),
        ((scores, "--summary", "--adversarial"), "choose one"),
        ((scores, "--adversarial", "--baseline", "Old"), "no system is named MODEL: STYLE, random User2"),
    ):
        done = run("paradoxes", *typed)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
