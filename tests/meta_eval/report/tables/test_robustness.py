"""The tables that ask whether a coefficient holds: every number in its place, with reasons."""

from dataclasses import replace

import pytest

from meta_eval.report.shared import NOT_SHUFFLED, PENALTY_NOTE
from meta_eval.report.tables.coefficients import NOTHING_LEFT, lay_out_raters
from meta_eval.report.tables.robustness import (
    in_print,
    lay_out_families,
    lay_out_interval_methods,
    lay_out_left_out,
    lay_out_levels,
    lay_out_robustness,
    lay_out_within,
    systems_down,
)
from meta_eval.report.view import View
from tests.meta_eval.surveys import SYSTEMS, make_content, with_inference

REPORT = with_inference(
    make_content(surrogates=("rouge-l", "jsd")),
    families={"Copy": "personalised", "Long & wide": "personalised", "Same_50%": "one for all"},
).report
VIEW = View("degress", "jsd", "jsd")


def in_view(rows):
    return [row for row in rows if (row.automatic, row.surrogate) == (VIEW.kind, VIEW.surrogate)]


def test_families_stand_beside_all_systems():
    grid = lay_out_families(REPORT, VIEW)
    assert [(column.title, column.members, column.note) for column in grid.columns] == [
        ("All systems", (), "n = 3"),
        ("personalised", SYSTEMS[:2], "n = 2"),
        ("one for all", SYSTEMS[2:], "n = 1"),
    ]
    pooled, within = in_view(REPORT.correlations), in_view(REPORT.inference.families)
    assert [line.cells[0].row for line in grid.lines] == pooled
    assert [cell.row for line in grid.lines for cell in line.cells[1:]] == [
        cell for row in pooled for cell in within if cell.key == row.key
    ]
    assert grid.lines[0].cells[2].reason == "1 system of this family, at least 3 are needed"
    assert grid.below
    assert [cell.p_raters for line in grid.lines for cell in line.cells[1:]] == [
        cell.row.p_raters for line in grid.lines for cell in line.cells[1:]
    ]
    assert "Last, in brackets p of raters" in grid.note
    assert grid.note.endswith(" Families: personalised (Copy, Long & wide); one for all (Same_50%).")


def test_what_the_families_give_by_themselves_stands_beside_each_coefficient():
    grid = lay_out_within(REPORT, VIEW)
    rows = in_view(REPORT.correlations)
    assert [line.cells[0].row for line in grid.lines] == rows
    assert [[cell.value for cell in line.cells[:-1]] for line in grid.lines] == [
        [
            *(row.estimate, row.p_value, row.null_high, row.p_raters),
            *(row.families_mean, row.p_within, row.p_within_adjusted, row.within),
        ]
        for row in rows
    ]
    assert {row.p_within is None for row in rows} == {False}
    marked = replace(REPORT, correlations=tuple(replace(row, families_explain=True) for row in rows))
    assert [line.cells[-1] for line in lay_out_within(marked, VIEW).lines] == ["yes"] * len(rows)
    none = replace(REPORT, correlations=tuple(replace(row, within=None, within_reason=None) for row in rows))
    assert lay_out_within(none, VIEW).lines == ()


def test_what_the_raters_add_stands_beside_each_coefficient_of_the_surrogate():
    seen = replace(VIEW, kind="perseval")
    rows = [row for row in REPORT.correlations if (row.automatic, row.surrogate) == ("perseval", "jsd")]
    rows = [replace(row, p_raters=0.2, given_penalty=0.3 + at / 10) for at, row in enumerate(rows)]
    grid = lay_out_raters(replace(REPORT, correlations=tuple(rows)), seen)
    assert [column.title for column in grid.columns][-2:] == ["p of raters", "Given the penalty"]
    assert [[cell.value for cell in line.cells] for line in grid.lines] == [
        [row.estimate, row.p_value, row.null_mean, row.null_high, 0.2, row.given_penalty] for row in rows
    ]
    assert lay_out_raters(REPORT, VIEW).columns[-1].title == "p of raters"
    told = [replace(rows[0], given_penalty=None, penalty_share=0.99), *rows[1:]]
    last = [line.cells[-1] for line in lay_out_raters(replace(REPORT, correlations=tuple(told)), seen).lines]
    assert [cell.reason for cell in last] == [NOTHING_LEFT, *[None] * (len(rows) - 1)]


def test_levels_stand_side_by_side_with_their_intervals():
    grid = lay_out_levels(REPORT, VIEW)
    assert [column.title for column in grid.columns] == [
        "Systems",
        "Within documents",
        "Within systems",
        "Reader pairs",
    ]
    rows = in_view(REPORT.inference.levels)
    assert [cell.row for cell in grid.cells] == rows
    assert [(cell.value, cell.low, cell.high) for cell in grid.cells] == [
        (row.estimate, row.ci_low, row.ci_high) for row in rows
    ]
    assert "In brackets the 95% interval." in grid.note
    without = [row for row in REPORT.inference.levels if row.level != "item"]
    fewer = replace(REPORT, inference=replace(REPORT.inference, levels=tuple(without)))
    assert {line.cells[3].row for line in lay_out_levels(fewer, VIEW).lines} == {None}


def test_both_intervals_stand_beside_the_one_used():
    grid = lay_out_interval_methods(REPORT, VIEW)
    rows = in_view(REPORT.inference.interval_methods)
    used = in_view(REPORT.correlations)
    assert [[(cell.low, cell.high) for cell in line.cells[1:]] for line in grid.lines] == [
        [(cell.ci_low, cell.ci_high), (row.percentile_low, row.percentile_high), (row.bca_low, row.bca_high)]
        for cell, row in zip(used, rows, strict=True)
    ]


def test_every_system_is_left_out_in_a_column_of_its_own():
    grid = lay_out_left_out(REPORT, VIEW)
    rows = in_view(REPORT.inference.left_out_systems)
    assert [column.title for column in grid.columns] == ["All", *SYSTEMS]
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [[row, *row.systems] for row in rows]
    assert [cell.carries for line in grid.lines for cell in line.cells[1:]] == [
        one.carries for row in rows for one in row.systems
    ]


def test_in_print_a_system_left_out_is_a_line_and_tau_alone_is_shown():
    page, grid = lay_out_left_out(REPORT, VIEW), systems_down(lay_out_left_out(REPORT, VIEW))
    taus = [line for line in page.lines if line.key == "kendall"]
    assert [line.heads for line in grid.lines] == [("none",), *((name,) for name in SYSTEMS)]
    assert [column.title for column in grid.columns] == ["ROUGE-L", "Jensen-Shannon†"]
    assert [line.cells for line in grid.lines] == list(zip(*(line.cells for line in taus), strict=True))


def test_a_score_has_the_tables_that_have_lines():
    names = ["raters", "within_families", "families", "levels", "left_out_systems"]
    assert [grid.name for grid in lay_out_robustness(REPORT, VIEW, "perseval")] == names
    none = replace(REPORT, inference=None)
    assert list(lay_out_robustness(none, VIEW, "perseval")) == []
    assert lay_out_interval_methods(none, VIEW).lines == ()


@pytest.mark.parametrize("lay_out", [lay_out_families, lay_out_levels])
def test_in_print_lines_of_a_coefficient_stand_together_as_readers_see_them(lay_out):
    grid = lay_out(REPORT, VIEW)
    mixed = replace(grid, lines=grid.lines[::-1])
    titles = ["Kendall’s τ-b", "Spearman’s ρ", "Pearson’s r"]
    assert [line.heads[0] for line in in_print(mixed).lines] == [title for title in titles for _ in range(2)]
    assert sorted(in_print(mixed).lines, key=repr) == sorted(grid.lines, key=repr)
    assert "†: surrogate and measure are the same" in grid.note


@pytest.mark.parametrize("lay_out", [lay_out_levels, lay_out_left_out])
def test_tables_without_shuffled_ratings_say_so(lay_out):
    assert lay_out(REPORT, VIEW).note.endswith(NOT_SHUFFLED)
    assert PENALTY_NOTE not in lay_out(REPORT, VIEW).note
    assert f"{PENALTY_NOTE} {NOT_SHUFFLED}" in lay_out(REPORT, replace(VIEW, kind="perseval")).note
