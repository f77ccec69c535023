"""PerSEval's Tables 1, 2, 7 and 8: the report's own rows, in the paper's places."""

from dataclasses import replace

import pytest

from meta_eval.report.tables.papers.perseval import (
    lay_out_table_1,
    lay_out_table_2,
    lay_out_table_7,
    lay_out_table_8,
)
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content, with_inference

CONTENT = make_content(measures=("jsd", "rouge-l"), surrogates=("jsd", "rouge-l"))
FAMILIES = {"Copy": "personalised", "Long & wide": "one for all", "Same_50%": "personalised"}
REPORT = with_inference(CONTENT, families=FAMILIES).report
VIEW = choose_view(REPORT, {})
SCORES = {
    "perseval": lay_out_table_1,
    "egises": lay_out_table_7,
    "p_acc": lay_out_table_8,
}


def scores_of(score):
    return {
        (row.system, row.measure): row
        for row in REPORT.leaderboard
        if (row.side, row.score) == ("automatic", score)
    }


@pytest.mark.parametrize("score", SCORES)
def test_systems_stand_by_family_with_a_rule_between_and_measures_as_in_the_paper(score):
    grid, rows = SCORES[score](REPORT, VIEW), scores_of(score)
    assert [(column.key, column.title) for column in grid.columns] == [
        ("rouge-l", "ROUGE-L"),
        ("jsd", "Jensen-Shannon"),
    ]
    assert [(line.heads, line.rule) for line in grid.lines] == [
        (("Copy",), False),
        (("Same_50%",), False),
        (("Long & wide",), True),
    ]
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [
        [rows[line.key, "rouge-l"], rows[line.key, "jsd"]] for line in grid.lines
    ]
    assert [cell.value for cell in grid.cells] == [cell.row.value for cell in grid.cells]
    assert grid.missing == ""
    assert grid.note.startswith("Lower" if score == "egises" else "Higher")


def test_captions_say_how_ours_are_made_and_remarks_how_the_published_table_was():
    perseval, egises, p_acc = (lay_out(REPORT, VIEW) for lay_out in SCORES.values())
    assert perseval.note == (
        "Higher is better. Ours: News, mode paper, normalise document, alpha 3.0, beta 1.7, gamma 4.0."
    )
    assert egises.note == "Lower is better. Ours: News, mode paper, normalise document."
    assert p_acc.note.endswith("alpha 0.5, beta 1.0.")
    first, published, ours = perseval.remarks
    assert first == "Rules part the families of systems: personalised, one for all."
    assert published.startswith("PerSEval's Table 1 was made with beta 1.0")
    assert ours.startswith("Ours are made with mode paper, normalise document, beta 1.7, so")


def test_without_families_there_is_no_rule_and_the_remark_says_how_to_get_one():
    bare = replace(REPORT, inference=None)
    grid = lay_out_table_1(bare, VIEW)
    assert [(line.key, line.rule) for line in grid.lines] == [
        ("Copy", False),
        ("Long & wide", False),
        ("Same_50%", False),
    ]
    assert "name them when the report is made" in grid.remarks[0]


def test_families_that_were_found_are_told_apart_from_those_that_were_named():
    found = with_inference(CONTENT).report
    assert [line.rule for line in lay_out_table_1(found, VIEW).lines] == [False, False, True]
    assert (
        lay_out_table_1(found, VIEW)
        .remarks[0]
        .endswith(f"Nobody named them: {found.inference.found_families.how}.")
    )


def test_a_missing_score_is_last_in_its_family_and_keeps_its_reason():
    rows = tuple(
        replace(row, value=None, rank=None, reason="no texts")
        if (row.system, row.score, row.measure) == ("Copy", "perseval", "rouge-l")
        else row
        for row in REPORT.leaderboard
    )
    grid = lay_out_table_1(replace(REPORT, leaderboard=rows), VIEW)
    assert [line.key for line in grid.lines] == ["Same_50%", "Copy", "Long & wide"]
    assert (grid.lines[1].cells[0].value, grid.lines[1].cells[0].reason) == (None, "no texts")


def test_a_report_without_scores_says_how_to_get_them():
    for report, why in (
        (replace(REPORT, leaderboard=(), problem=None), "with a measure that can be computed."),
        (replace(REPORT, leaderboard=(), problem="All failed."), "(All failed): mend that and make a new"),
    ):
        grid = lay_out_table_1(report, VIEW)
        assert (grid.lines, why in grid.missing) == ((), True)


def test_each_surrogate_is_a_block_of_three_coefficients():
    grid = lay_out_table_2(REPORT, VIEW)
    rows = {
        (row.surrogate, row.coefficient, row.measure): row
        for row in REPORT.correlations
        if row.automatic == "perseval"
    }
    assert [(line.ids, line.rule) for line in grid.lines] == [
        (("rouge-l", "pearson"), False),
        (("rouge-l", "spearman"), False),
        (("rouge-l", "kendall"), False),
        (("jsd", "pearson"), True),
        (("jsd", "spearman"), False),
        (("jsd", "kendall"), False),
    ]
    assert grid.lines[3].heads == ("Jensen-Shannon", "Pearson’s r")
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [
        [rows[*line.ids, "rouge-l"], rows[*line.ids, "jsd"]] for line in grid.lines
    ]
    assert {cell.low for cell in grid.cells} == {None}


def test_strength_is_marked_by_the_adjusted_p_and_what_speaks_against_a_number_stands_with_it():
    rows = tuple(replace(row, p_adjusted=0.004, p_raters=0.2) for row in REPORT.correlations)
    grid = lay_out_table_2(replace(REPORT, correlations=rows), VIEW)
    assert [cell.marks for cell in grid.lines[0].cells] == ["**†°", "**°"]
    assert "adjusted over all coefficients of the score (Holm); the paper marks p < 0.01." in grid.note
    assert "† surrogate and measure are the same" in grid.note
    assert "° ratings shuffled within questionnaires" in grid.note
    untested = tuple(replace(row, p_adjusted=None) for row in REPORT.correlations)
    grid = lay_out_table_2(replace(REPORT, correlations=untested), VIEW)
    assert "not tested, so none is marked" in grid.note


def test_agreement_is_missing_where_nobody_rated_and_simulated_raters_are_named():
    grid = lay_out_table_2(replace(REPORT, correlations=(), problem="No ratings."), VIEW)
    assert grid.missing == (
        "This report has no agreement of PerSEval with people (No ratings): mend that and make a new report, "
        "on the site or by the command report."
    )
    simulated = replace(REPORT, ratings={**REPORT.ratings, "simulated_ratings": 24})
    assert lay_out_table_2(simulated, VIEW).remarks[0] == (
        "SIMULATED: a program, not people, made 24 of the 24 ratings behind this."
    )
