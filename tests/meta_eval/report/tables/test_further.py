"""The further questions as grids: the numbers of the report, of the score and the surrogate in view."""

from dataclasses import replace

import pytest

from meta_eval.report.limits import NOTICED_LIMIT, RANKS_LIMIT, SOFT_LIMIT
from meta_eval.report.shared import NOT_SHUFFLED, PENALTY_NOTE
from meta_eval.report.tables.further import lay_out_further
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
ASKED = REPORT.inference.further
VIEW = View("degress", "jsd", "rouge-l")


def grids(view=VIEW, **parts):
    report = replace(REPORT, inference=replace(REPORT.inference, further=replace(ASKED, **parts)))
    return {grid.name: grid for grid in lay_out_further(report, view)}


def in_view(rows):
    return [row for row in rows if (row.automatic, row.surrogate) == ("degress", "rouge-l")]


def test_each_question_has_a_grid_of_the_measures_in_view():
    found = grids()
    assert [(name, len(grid.lines)) for name, grid in found.items()] == [
        ("soft_accuracy", 2),
        ("calibrated_ties", 2),
        ("pair_accuracy", 2),
        ("outliers", 2),
        ("system_ranks", 3),
        ("unanswered", 3),
    ]
    assert all(len(line.cells) == len(grid.columns) for grid in found.values() for line in grid.lines)
    assert lay_out_further(replace(REPORT, inference=None), VIEW) == []


def test_egises_has_the_grids_of_degress():
    assert grids(replace(VIEW, kind="egises")) == grids()


@pytest.mark.parametrize("best", ["jsd", "rouge-l"])
def test_the_measure_with_the_highest_mean_is_what_others_are_tested_against(best):
    """Against the first surrogate the other one is better, over both the best is."""
    other = {"jsd": "rouge-l", "rouge-l": "jsd"}[best]
    values = {("rouge-l", other): 0.9, ("jsd", other): 0.3, ("rouge-l", best): 0.8, ("jsd", best): 0.6}
    rows = tuple(
        replace(row, estimate=values[row.surrogate, row.measure] if row.automatic == "degress" else 0.1)
        for row in ASKED.soft_accuracy
    )
    p_values = {"degress": 0.04, "perseval": 0.9}
    differences = tuple(replace(row, p_adjusted=p_values[row.automatic]) for row in ASKED.soft_differences)
    grid = grids(soft_accuracy=rows, soft_differences=differences)["soft_accuracy"]
    cells = {line.key: line.cells for line in grid.lines}
    assert {key: (one.value, mean.value) for key, (one, mean, _) in cells.items()} == {
        other: (0.9, pytest.approx(0.6)),
        best: (0.8, pytest.approx(0.7)),
    }
    assert cells[best][2] == "best"
    assert (cells[other][2].kind, cells[other][2].value) == ("p", 0.04)


def test_accuracy_and_epsilon_stand_side_by_side_by_grouping():
    rows = tuple(
        replace(row, estimate=at / 100, epsilon=at / 1000, tied=0.1 if row.grouping == "item" else None)
        for at, row in enumerate(ASKED.calibrated_ties)
    )
    grid = grids(calibrated_ties=rows)["calibrated_ties"]
    assert [column.title for column in grid.columns] == [
        "Within documents",
        "ε",
        "Within systems",
        "ε",
        "Any two",
        "ε",
    ]
    for line in grid.lines:
        own = {row.grouping: row for row in in_view(rows) if row.measure == line.key}
        assert [cell.value for cell in line.cells] == [
            value for name in ("item", "system", "none") for value in (own[name].estimate, own[name].epsilon)
        ]
    assert "Pairs that people tie: within documents 10 %." in grid.note


def test_each_subset_of_pairs_has_its_share_and_count():
    rows = tuple(replace(row, estimate=0.5, pairs=at) for at, row in enumerate(ASKED.pair_accuracy))
    given = {"noticed": 0.2, "beyond": 7, "ci_low": 0.1, "ci_high": 0.3}
    noticed = tuple(replace(row, **given) for row in ASKED.noticed)
    grid = grids(pair_accuracy=rows, noticed=noticed)["pair_accuracy"]
    for line in grid.lines:
        own = {row.subset: row for row in in_view(rows) if row.measure == line.key}
        assert [(cell.value, cell.n) for cell in line.cells[:4]] == [
            (0.5, own[name].pairs) for name in ("all", "significant", "close", "best")
        ]
        assert (line.cells[4].value, *line.cells[5:]) == (0.2, "0.1 to 0.3", "7")
    assert NOTICED_LIMIT in grid.note


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [(0.1, None, "0.1 or more"), (None, None, None), (0.00123, 0.5, "0.0012 to 0.5")],
)
def test_the_interval_of_a_noticed_difference_may_be_open_above(low, high, shown):
    noticed = tuple(replace(row, ci_low=low, ci_high=high) for row in ASKED.noticed)
    assert {line.cells[5] for line in grids(noticed=noticed)["pair_accuracy"].lines} == {shown}


def test_outliers_are_named():
    grid = grids()["outliers"]
    assert [column.key for column in grid.columns] == [
        f"{name} {which}" for name in ("kendall", "spearman", "pearson") for which in ("all", "without")
    ]
    assert [cell.value for cell in grid.lines[0].cells[-2:]] == [
        value
        for row in in_view(ASKED.outliers)
        if (row.measure, row.coefficient) == (grid.lines[0].key, "pearson")
        for value in (row.all_systems, row.estimate)
    ]
    named = tuple(replace(row, outliers=("Copy",)) for row in ASKED.outliers)
    assert grids(outliers=named)["outliers"].note.startswith("Outliers: Copy. ")
    none = tuple(replace(row, outliers=()) for row in ASKED.outliers)
    assert grids(outliers=none)["outliers"].note.startswith("No system is an outlier. ")


def test_systems_stand_by_rank_with_the_ranks_they_may_have():
    ranks = {"Copy": (2.0, 1, 3), "Long & wide": (1.0, 1, 1), "Same_50%": (None, None, None)}
    rows = tuple(
        replace(row, rank=rank, rank_low=low, rank_high=high, cluster=1, value=0.5)
        for row in ASKED.system_ranks
        for rank, low, high in (ranks[row.system],)
    )
    lines = grids(system_ranks=rows)["system_ranks"].lines
    assert [(line.key, line.cells[1:]) for line in lines] == [
        ("Long & wide", ("1", "1", "1")),
        ("Copy", ("2", "1 to 3", "1")),
        ("Same_50%", (None, None, None)),
    ]
    assert lines[2].cells[0].reason == "no score"


@pytest.mark.parametrize("name", ["soft_accuracy", "calibrated_ties", "pair_accuracy", "outliers"])
def test_each_grid_against_people_says_what_both_sides_share(name):
    found = {kind: grids(replace(VIEW, kind=kind))[name] for kind in ("degress", "perseval")}
    assert [[line.heads[0] for line in grid.lines] for grid in found.values()] == [
        ["ROUGE-L†", "Jensen-Shannon"]
    ] * 2
    assert all("†: surrogate and measure are the same" in grid.note for grid in found.values())
    assert {kind: PENALTY_NOTE in grid.note for kind, grid in found.items()} == {
        "degress": False,
        "perseval": True,
    }
    assert all(NOT_SHUFFLED in grid.note for grid in found.values())


def test_what_soft_accuracy_and_ranks_do_not_hold_stands_below_them():
    assert grids()["soft_accuracy"].note.endswith(SOFT_LIMIT)
    assert RANKS_LIMIT in grids()["system_ranks"].note
