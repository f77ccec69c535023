"""iCOPERNICUS' tables: from EGISES by prompt style, of a report or of tables that were given."""

from dataclasses import replace

from meta_eval.report.schema import ScoreRow
from meta_eval.report.view import View
from meta_eval.studies.icopernicus.paradoxes import find_paradoxes
from meta_eval.studies.icopernicus.tables import (
    PromptStudy,
    lay_out_table_3,
    lay_out_table_4,
    lay_out_table_5,
    lay_out_table_9,
    prompt_study_of,
)
from tests.meta_eval.surveys import make_content

EGISES = {
    "A": {"0-shot": 0.5, "2-shot w/o": 0.4, "2-shot w/": 0.6, "C-0-shot": 0.5, "C-2-shot w/": 0.3},
    "B": {"0-shot": 0.25, "2-shot w/o": 0.5, "2-shot w/": None, "C-0-shot": 0.2, "C-2-shot w/": 0.2},
}
HUMAN = {"B": {"C-0-shot": 0.3, "C-2-shot w/": 0.2}, "A": {"C-0-shot": 0.3, "C-2-shot w/": 0.2}}
STUDY = PromptStudy(
    egises=EGISES, human=HUMAN, baselines={"Old": 0.9, "New": 0.7}, measure="jsd", surrogate="bleu"
)
VIEW = View("egises", "rouge-l", "rouge-l")


def texts(grid):
    return [
        [cell if cell is None or isinstance(cell, str) else cell.value for cell in line.cells]
        for line in grid.lines
    ]


def test_egises_stands_by_model_and_style_in_the_papers_order():
    grid = lay_out_table_3(STUDY)
    assert [column.key for column in grid.columns] == list(EGISES["A"])
    assert [line.key for line in grid.lines] == ["A", "B"]
    assert texts(grid) == [list(EGISES["A"].values()), list(EGISES["B"].values())]


def test_a_paradox_is_a_yes_and_what_cannot_be_known_has_a_reason():
    grid = lay_out_table_4(STUDY)
    assert [column.key for column in grid.columns] == ["PX-1", "PX-2", "PX-3", "PX-4", "PX-5"]
    assert texts(grid) == [["no", "yes", "yes", None, "no"], ["yes", None, "no", None, "yes"]]
    assert grid.lines[1].cells[1].reason == "no EGISES of 2-shot w/"
    found = {(one.model, one.paradox): one.is_paradox for one in find_paradoxes(EGISES)}
    words = {True: "yes", False: "no", None: None}
    assert texts(grid) == [
        [words[found[line.key, column.key]] for column in grid.columns] for line in grid.lines
    ]
    other = lay_out_table_4(replace(STUDY, pairs="section-3"))
    assert texts(other)[0] == ["no", "yes", "yes", None, "no"]
    assert "PX-2: 2-shot w/o to 2-shot w/" in other.note


def test_the_best_models_stand_by_their_best_prompt_over_the_baselines():
    grid = lay_out_table_5(STUDY)
    assert [(line.key, line.rule) for line in grid.lines] == [
        ("B", False),
        ("A", False),
        ("New", True),
        ("Old", False),
    ]
    assert texts(grid) == [
        ["C-0-shot", 0.2, "PX-1, PX-5 (of 3 known)"],
        ["C-2-shot w/", 0.3, "PX-2, PX-3 (of 4 known)"],
        ["–", 0.7, "–"],
        ["–", 0.9, "–"],
    ]
    seven = {f"M{at}": {"0-shot": at / 10} for at in range(7)}
    lines = lay_out_table_5(PromptStudy(egises=seven)).lines
    assert [line.key for line in lines] == ["M0", "M1", "M2", "M3", "M4"]
    good = {"0-shot": 0.5, "2-shot w/o": 0.4, "2-shot w/": 0.3, "C-0-shot": 0.2, "C-2-shot w/": 0.1}
    assert texts(lay_out_table_5(PromptStudy(egises={"A": good}))) == [
        ["C-2-shot w/", 0.1, "no paradox (of 4 known)"]
    ]
    assert "no other systems" in lay_out_table_5(PromptStudy(egises=seven)).note


def test_people_stand_beside_the_automatic_paradoxes_with_how_many_are_alike():
    grid = lay_out_table_9(STUDY)
    assert [column.title for column in grid.columns] == [
        "C-0-shot",
        "C-2-shot w/",
        "PX-5, raters",
        "PX-5, automatic",
    ]
    assert [column.group for column in grid.columns] == [""] * 4
    assert [line.key for line in grid.lines] == ["B", "A"]
    assert texts(grid) == [[0.3, 0.2, "no", "yes"], [0.3, 0.2, "no", "no"]]
    assert [line.cells for line in grid.foot] == [(None, None, "1 of 2", None)]
    assert "EGISES-HJ by BLEU" in grid.title


def test_what_is_missing_is_said_with_how_to_get_it():
    empty = PromptStudy(egises={})
    for lay_out in (lay_out_table_3, lay_out_table_4, lay_out_table_5):
        grid = lay_out(empty)
        assert (grid.lines, grid.columns) == ((), ())
        assert "name systems MODEL: STYLE" in grid.missing
    grid = lay_out_table_9(replace(STUDY, human={}))
    assert (grid.lines, grid.missing.startswith("There are no human scores by prompt style")) == ((), True)


def test_named_systems_without_any_score_leave_no_empty_table():
    nothing = PromptStudy(egises={"A": {"0-shot": None, "2-shot w/": None}}, baselines={"Old": 0.9})
    said = "because no system that is named after its prompt has an EGISES."
    for lay_out, what in (
        (lay_out_table_3, "scores of EGISES by prompt style"),
        (lay_out_table_5, "models to rank"),
    ):
        grid = lay_out(nothing)
        assert (grid.lines, grid.columns, grid.missing) == ((), (), f"There are no {what}, {said}")


def test_jensen_shannon_without_a_value_gives_way_to_the_measure_in_view():
    rows = (
        score_row("A: 0-shot", "automatic", None),
        score_row("A: 0-shot", "automatic", 0.1, "rouge-l"),
        score_row("A: 0-shot", "human", None),
        score_row("A: 0-shot", "human", 0.2, "rouge-l"),
    )
    study = prompt_study_of(replace(make_content().report, leaderboard=rows), VIEW)
    assert (study.measure, study.egises) == ("rouge-l", {"A": {"0-shot": 0.1}})
    assert (study.surrogate, study.human) == ("rouge-l", {"A": {"0-shot": 0.2}})


def score_row(system, side, value, measure="jsd"):
    score = "egises_hj" if side == "human" else "egises"
    return ScoreRow(system, side, measure, score, value, 1, 2, 3, 4, False, None)


def test_a_report_gives_egises_by_jensen_shannon_and_what_no_prompt_made_as_baseline():
    report = make_content().report
    rows = (
        score_row("A: 0-shot", "automatic", 0.5),
        score_row("A: 0-shot", "automatic", 0.1, "rouge-l"),
        score_row("A: 2-shot w/o", "automatic", 0.6),
        score_row("NAML", "automatic", 0.9),
        score_row("A: 0-shot", "human", 0.2),
        score_row("A: 2-shot w/o", "human", None),
        score_row("NAML", "human", 0.8),
    )
    simulated = {**report.ratings, "simulated_ratings": 24}
    study = prompt_study_of(replace(report, leaderboard=rows, ratings=simulated), VIEW)
    assert (study.egises, study.human, study.baselines) == (
        {"A": {"0-shot": 0.5, "2-shot w/o": 0.6}},
        {"A": {"0-shot": 0.2}},
        {"NAML": 0.9},
    )
    assert (study.measure, study.surrogate) == ("jsd", "jsd")
    assert lay_out_table_9(study).remarks[0].startswith("SIMULATED")
    for lay_out in (lay_out_table_3, lay_out_table_4, lay_out_table_5, lay_out_table_9):
        assert lay_out(study).note.endswith(" Ours: News, mode paper, normalise document.")
    bare = prompt_study_of(report, VIEW)
    assert (bare.egises, bare.human) == ({}, {})
    assert list(bare.baselines) == ["Copy", "Long & wide", "Same_50%"]
