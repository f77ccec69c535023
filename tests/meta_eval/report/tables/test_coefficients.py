"""Coefficients as grids: measures down, surrogates across, with certainty, marks and colour."""

from dataclasses import replace

import pytest

from meta_eval.report.tables.coefficients import given_note, heat_step, lay_out_coefficients, with_surrogates
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report


def test_there_is_a_grid_for_each_coefficient_kendall_first():
    grids = lay_out_coefficients(REPORT, "perseval")
    assert [grid.name for grid in grids] == ["kendall", "spearman", "pearson"]
    assert lay_out_coefficients(replace(REPORT, correlations=(), inference=None), "perseval") == []


@pytest.mark.parametrize("kind", ["perseval", "degress"])
def test_every_coefficient_of_the_report_stands_once_and_those_without_surrogate_last(kind):
    grids = lay_out_coefficients(REPORT, kind)
    rows = [row for row in (*REPORT.correlations, *REPORT.inference.bare) if row.automatic == kind]
    assert sorted((cell.row for grid in grids for cell in grid.cells if cell.row), key=repr) == sorted(
        rows, key=repr
    )
    keys = [[column.key for column in grid.columns] for grid in grids]
    bare = [""] if kind == "degress" else []
    assert keys == [["rouge-l", "jsd", *bare]] * 3
    assert [[column.key for column in grid.columns] for grid in with_surrogates(grids)] == [
        ["rouge-l", "jsd"]
    ] * 3


def test_a_cell_says_whether_it_is_beyond_chance_and_what_both_sides_share():
    taus = [row for row in REPORT.correlations if (row.automatic, row.coefficient) == ("perseval", "kendall")]
    rows = [
        replace(row, p_adjusted=0.01 if row.measure == "jsd" else 0.06, estimate=None if at else 0.5)
        for at, row in enumerate(taus)
    ]
    (grid,) = with_surrogates(lay_out_coefficients(replace(REPORT, correlations=tuple(rows)), "perseval"))
    cells = {(cell.row.measure, cell.row.surrogate): cell for cell in grid.cells}
    assert {key for key, cell in cells.items() if cell.significant} == {("jsd", "rouge-l"), ("jsd", "jsd")}
    assert {key for key, cell in cells.items() if cell.shared} == {("jsd", "jsd"), ("rouge-l", "rouge-l")}
    assert [cell.heat for cell in grid.cells] == [8, None, None, None]


def test_what_the_penalty_leaves_is_said_on_average_by_coefficient():
    rows = [
        replace(REPORT.correlations[0], coefficient="kendall", estimate=estimate, given_penalty=given)
        for estimate, given in [(0.8, 0.1), (0.6, 0.3), (0.5, None), (None, 0.4)]
    ]
    assert given_note(rows).endswith("on average: Kendall’s τ-b 0.20 in place of 0.70.")
    assert given_note(rows[2:]) == ""


def test_coefficients_of_which_the_penalty_leaves_nothing_are_counted():
    row = replace(REPORT.correlations[0], coefficient="kendall", estimate=0.9, surrogate="jsd")
    told = replace(row, penalty_share=0.99)
    assert given_note([told]) == (
        "1 coefficient has none (with Jensen-Shannon): the penalty alone tells one side completely, so "
        "nothing is left to correlate."
    )
    left = replace(told, given_penalty=0.2)
    assert given_note([left, told, told]).endswith(
        "Kendall’s τ-b 0.20 in place of 0.90. 2 coefficients have none (with Jensen-Shannon): the penalty "
        "alone tells one side completely, so nothing is left to correlate."
    )
    assert given_note([left, replace(told, coefficient="kendall-c"), row]).endswith("in place of 0.90.")


def test_the_foot_has_the_ceiling_of_each_surrogate():
    rows = [replace(row, ceiling=0.7 if row.surrogate == "jsd" else None) for row in REPORT.correlations]
    grid = lay_out_coefficients(replace(REPORT, correlations=tuple(rows)), "degress")[0]
    assert [(line.heads, [cell.value for cell in line.cells]) for line in grid.foot] == [
        (("Ceiling",), [None, 0.7, None])
    ]
    none = replace(REPORT, correlations=tuple(replace(row, ceiling=None) for row in rows))
    assert lay_out_coefficients(none, "degress")[0].foot == ()


@pytest.mark.parametrize(("estimate", "step"), [(-1, 0), (-0.05, 5), (0, 5), (0.89, 9), (0.91, 10), (1, 10)])
def test_colours_run_from_minus_one_to_one(estimate, step):
    assert heat_step(estimate) == step


def test_the_pairwise_accuracy_is_white_at_a_half():
    assert [heat_step(value, "pairwise-accuracy") for value in (0.0, 0.5, 1.0)] == [0, 5, 10]
