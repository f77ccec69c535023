"""Leaderboards as grids: systems down, a column a side and measure, each score in its place."""

from dataclasses import replace

import pytest

from meta_eval.report.schema import ScoreRow
from meta_eval.report.tables.scores import (
    counts_behind,
    lay_out_accuracies,
    lay_out_leaderboard,
    sort_by_rank,
)
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report


def row(system, side, measure, value, rank, **changes):
    given = {
        "system": system,
        "side": side,
        "measure": measure,
        "score": "perseval_hj" if side == "human" else "perseval",
        "value": value,
        "rank": rank,
        "ranked": 3,
        "documents": 4,
        "pairs": 9,
        "higher_is_better": True,
        "reason": None if value is not None else "not in this survey",
    }
    return ScoreRow(**(given | changes))


BOARD = lay_out_leaderboard(
    replace(
        REPORT,
        leaderboard=(
            row("A", "human", "jsd", 0.9, 1),
            row("B", "human", "jsd", 0.5, 2, documents=3),
            row("C", "human", "jsd", None, None, documents=0),
            row("A", "human", "bleu", 0.2, 2),
            row("B", "human", "bleu", 0.7, 1, documents=2),
            row("C", "human", "bleu", None, None, documents=0),
            row("C", "automatic", "jsd", 0.8, 1),
            row("B", "automatic", "jsd", 0.6, 2),
            row("A", "automatic", "jsd", 0.1, 3),
        ),
    ),
    "perseval",
)


def test_a_column_is_of_a_side_and_a_measure_and_the_first_of_a_side_is_marked():
    assert [(column.key, column.title, column.group, column.first) for column in BOARD.columns] == [
        ("human:jsd", "Jensen-Shannon", "Raters", True),
        ("human:bleu", "BLEU", "Raters", False),
        ("automatic:jsd", "Jensen-Shannon", "Automatic", True),
    ]
    lines = {line.key: [(cell.value, cell.rank) for cell in line.cells] for line in BOARD.lines}
    assert lines["B"] == [(0.5, 2), (0.7, 1), (0.6, 2)]
    assert [cell.reason for cell in BOARD.lines[2].cells] == ["not in this survey"] * 2 + [None]


@pytest.mark.parametrize(
    ("key", "systems"),
    [("", "ABC"), ("automatic:jsd", "CBA"), ("human:bleu", "BAC"), ("human:x", "ABC")],
)
def test_systems_stand_by_rank_and_those_without_one_last(key, systems):
    assert "".join(line.key for line in sort_by_rank(BOARD, key).lines) == systems


def test_counts_of_both_sides_stand_together_and_a_range_where_measures_differ():
    found = {line.key: counts_behind(line, "documents") for line in BOARD.lines}
    assert found == {"A": "4 / 4", "B": "2–3 / 4", "C": "0 / 4"}


@pytest.mark.parametrize("kind", ["perseval", "degress", "egises"])
def test_every_score_of_the_report_stands_once(kind):
    rows = [row for row in REPORT.leaderboard if row.score in {kind, f"{kind}_hj"}]
    cells = [cell.row for cell in lay_out_leaderboard(REPORT, kind).cells]
    assert sorted(cells, key=repr) == sorted(rows, key=repr)
    assert lay_out_leaderboard(REPORT, kind).note.startswith("Lower" if kind == "egises" else "Higher")


def test_accuracy_stands_before_what_was_made_of_it():
    columns = lay_out_accuracies(REPORT).columns
    assert [(column.title, column.first) for column in columns][:3] == [
        ("ROUGE-L", True),
        ("Jensen-Shannon", False),
        ("P-Acc, ROUGE-L", True),
    ]
    assert {cell.row.score for cell in lay_out_accuracies(REPORT, ["accuracy"]).cells} == {"accuracy"}
