"""Tables of the page: order, ranks, reasons, colours."""

import pytest

from survey_site.reports.tables import build_heat_tables, build_leaderboard, digits_for, heat_step
from survey_site.reports.templatetags.report_numbers import coefficient, score


def row(system, side, measure, value, rank, **changes):
    return {
        "system": system,
        "side": side,
        "measure": measure,
        "score": "perseval_hj" if side == "human" else "perseval",
        "value": value,
        "rank": rank,
        "documents": 4,
        "pairs": 9,
        "reason": None if value is not None else "not in this survey",
    } | changes


RESULT = {
    "leaderboard": [
        row("A", "human", "jsd", 0.9, 1),
        row("B", "human", "jsd", 0.5, 2, documents=3),
        row("C", "human", "jsd", None, None, documents=0),
        row("A", "human", "bleu", 0.2, 2),
        row("B", "human", "bleu", 0.7, 1, documents=2),
        row("C", "human", "bleu", None, None, documents=0),
        row("C", "automatic", "jsd", 0.8, 1),
        row("B", "automatic", "jsd", 0.6, 2),
        row("A", "automatic", "jsd", 0.1, 3),
    ]
}


def correlation(coefficient, estimate, **changes):
    return {
        "automatic": "perseval",
        "measure": "jsd",
        "surrogate": "jsd",
        "coefficient": coefficient,
        "estimate": estimate,
        "n": 3,
        "reason": None if estimate is not None else "one side has the same score for every system",
        "shared_input": True,
    } | changes


def test_systems_stand_by_their_mean_rank_among_raters_and_those_without_one_last():
    board = build_leaderboard(RESULT, "perseval")
    assert [(column.key, column.first) for column in board.columns] == [
        ("human:jsd", True),
        ("human:bleu", False),
        ("automatic:jsd", True),
    ]
    assert [line.system for line in board.rows] == ["A", "B", "C"]
    assert [cell.value for cell in board.rows[1].cells] == [0.5, 0.7, 0.6]


@pytest.mark.parametrize(
    ("sort", "systems"),
    [("automatic:jsd", ["C", "B", "A"]), ("human:bleu", ["B", "A", "C"]), ("human:x", ["A", "B", "C"])],
)
def test_a_column_sorts_by_its_rank(sort, systems):
    assert [line.system for line in build_leaderboard(RESULT, "perseval", sort=sort).rows] == systems


def test_counts_of_both_sides_stand_together_and_a_range_where_measures_differ():
    board = build_leaderboard(RESULT, "perseval")
    assert {line.system: line.documents for line in board.rows} == {
        "A": "4 / 4",
        "B": "2–3 / 4",
        "C": "0 / 4",
    }


def test_equal_reasons_share_a_footnote():
    board = build_leaderboard(RESULT, "perseval")
    assert board.notes.items == [("a", "not in this survey")]
    assert [cell.note for cell in board.rows[2].cells] == ["a", "a", ""]


@pytest.mark.parametrize(
    ("values", "digits"), [([0.5, None, 0.0], 3), ([0.005], 3), ([0.5, 0.0049], 4), ([None], 3)]
)
def test_small_scores_get_a_fourth_decimal(values, digits):
    assert digits_for(values) == digits


def test_there_is_a_heat_map_for_each_coefficient_kendall_first():
    rows = [correlation("pearson", 0.5), correlation("spearman", None), correlation("kendall", -1.0)]
    tables, notes = build_heat_tables({"correlations": rows}, "perseval")
    cells = {table.coefficient: table.rows[0].cells[0] for table in tables}
    assert {name: (cell.value, cell.heat, cell.note) for name, cell in cells.items()} == {
        "kendall": (-1.0, 0, ""),
        "spearman": (None, None, "a"),
        "pearson": (0.5, 8, ""),
    }
    assert [table.coefficient for table in tables] == ["kendall", "spearman", "pearson"]
    assert notes.items == [("a", "one side has the same score for every system")]
    assert build_heat_tables({"correlations": rows}, "degress")[0] == []


@pytest.mark.parametrize(("estimate", "step"), [(-1, 0), (-0.05, 5), (0, 5), (0.89, 9), (0.91, 10), (1, 10)])
def test_colours_run_from_minus_one_to_one(estimate, step):
    assert heat_step(estimate) == step


@pytest.mark.parametrize(
    ("value", "text"),
    [
        *((0.12345, "0.123"), (0.0, "0.000"), (-0.0001, "0.000"), (-0.0006, "−0.001"), (1, "1.000")),
        *((0.0004, "< 0.001"), (3.5e-7, "< 0.001"), (1.6e-21, "0.000")),
    ],
)
def test_scores_have_three_decimals_and_a_real_minus_and_are_not_0_above_it(value, text):
    assert score(value) == text


@pytest.mark.parametrize(
    ("value", "text"), [(0.555, "0.56"), (-0.5, "−0.50"), (-0.001, "0.00"), (1.0, "1.00")]
)
def test_coefficients_have_two_decimals_and_a_real_minus(value, text):
    assert coefficient(value) == text
