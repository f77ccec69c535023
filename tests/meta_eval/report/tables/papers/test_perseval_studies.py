"""PerSEval's Tables 3 to 6 and figure 3: the report's own numbers, in the paper's places."""

from dataclasses import replace

import pytest

from meta_eval.report.schema import Problem
from meta_eval.report.shared import NOT_SHUFFLED, PENALTY_NOTE, SAME_MEASURE
from meta_eval.report.tables.papers.perseval_studies import (
    lay_out_figure_3,
    lay_out_table_3,
    lay_out_table_4,
    lay_out_table_5,
    lay_out_table_6,
)
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

FAMILIES = {"Copy": "personalised", "Long & wide": "one for all", "Same_50%": "personalised"}
REPORT = with_inference(
    make_content(measures=("jsd", "rouge-l"), surrogates=("rouge-l",)), families=FAMILIES
).report
VIEW = View("degress", "jsd", "rouge-l")
STUDIES = {
    "paradox": lay_out_table_3,
    "stability": lay_out_table_4,
    "aggregation": lay_out_table_5,
    "ablation": lay_out_figure_3,
}


def with_parts(**parts):
    return replace(REPORT, inference=replace(REPORT.inference, **parts))


def columns(grid):
    return [column.key for column in grid.columns]


def test_the_paradox_has_two_lines_with_measures_across():
    rows = {(row.coefficient, row.measure): row for row in REPORT.inference.paradox}
    grid = lay_out_table_3(REPORT, VIEW)
    assert (columns(grid), [line.ids for line in grid.lines]) == (
        ["rouge-l", "jsd"],
        [("spearman",), ("kendall",)],
    )
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [
        [rows["spearman", "rouge-l"], rows["spearman", "jsd"]],
        [rows["kendall", "rouge-l"], rows["kendall", "jsd"]],
    ]
    assert [cell.value for cell in grid.cells] == [cell.row.estimate for cell in grid.cells]


def stability_of(measure):
    (row,) = (row for row in REPORT.inference.stability if (row.score, row.measure) == ("perseval", measure))
    return row


def test_stability_has_the_systems_of_the_measure_in_view_from_all_documents_to_a_fifth():
    grid = lay_out_table_4(REPORT, VIEW)
    assert columns(grid) == ["100", "80", "60", "40", "20", "bias", "variance"]
    assert [(line.key, line.rule) for line in grid.lines] == [
        ("Copy", False),
        ("Same_50%", False),
        ("Long & wide", True),
    ]
    systems = {system.system: system for system in stability_of("jsd").systems}
    assert [[cell.value for cell in line.cells] for line in grid.lines] == [
        [*systems[line.key].means, systems[line.key].bias, systems[line.key].variance] for line in grid.lines
    ]
    assert [(cell.kind, cell.digits) for cell in grid.lines[0].cells[-3:]] == [
        ("score", 4),
        ("spread", 3),
        ("spread", 3),
    ]
    assert "10 samples of so many percent of the documents (80 %: 2, 60 %: 2, 40 %: 1, 20 %: 1)" in grid.note


EPSILONS = {"rouge-l": {"spearman": 0.875, "kendall": 0.75}, "jsd": {"spearman": 0.5, "kendall": 0.25}}


def test_stability_by_measure_has_both_spreads_delta_and_both_epsilons():
    rows = tuple(
        replace(
            row,
            shares=tuple(
                replace(share, epsilon_overall=EPSILONS[row.measure][share.coefficient])
                for share in row.shares
            ),
        )
        for row in REPORT.inference.stability
    )
    grid = lay_out_table_6(with_parts(stability=rows), VIEW)
    studied = [stability_of("rouge-l"), stability_of("jsd")]
    assert columns(grid) == list(EPSILONS)
    assert {line.ids[0]: [cell.value for cell in line.cells] for line in grid.lines} == {
        "bias": [max(system.bias for system in row.systems) for row in studied],
        "variance": [max(system.variance for system in row.systems) for row in studied],
        "delta": [row.delta for row in studied],
        "epsilon_spearman": [0.875, 0.5],
        "epsilon_kendall": [0.75, 0.25],
    }


def test_an_epsilon_that_an_older_report_lacks_has_a_reason():
    older = [
        replace(row, shares=tuple(replace(share, epsilon_overall=None) for share in row.shares))
        for row in REPORT.inference.stability
    ]
    grid = lay_out_table_6(with_parts(stability=tuple(older)), VIEW)
    assert {(cell.value, cell.reason) for line in grid.lines[3:] for cell in line.cells} == {
        (None, "the report was made before it was kept: make a new one")
    }


NUMBERED = tuple(
    replace(row, metric=at / 100, accuracy_alone=None, combined=-at / 100)
    for at, row in enumerate(REPORT.inference.aggregation)
)


def values_of(columns):
    """The numbers of the measure in view, by accuracy measure and surrogate of each column."""
    rows = {
        (row.coefficient, row.accuracy, row.surrogate): row for row in NUMBERED if row.measure == VIEW.measure
    }
    return [
        [getattr(rows[coefficient, *column], field) for column in columns]
        for coefficient in ("spearman", "kendall")
        for field in ("metric", "accuracy_alone", "combined")
    ]


def test_aggregation_has_three_rankings_of_each_coefficient_by_measures_that_people_have_too():
    grid = lay_out_table_5(with_parts(aggregation=NUMBERED), VIEW)
    assert columns(grid) == ["rouge-l"]
    assert [(line.ids, line.rule) for line in grid.lines] == [
        (("spearman", "perseval"), False),
        (("spearman", "accuracy"), False),
        (("spearman", "both"), False),
        (("kendall", "perseval"), True),
        (("kendall", "accuracy"), False),
        (("kendall", "both"), False),
    ]
    assert [[cell.value for cell in line.cells] for line in grid.lines] == values_of([("rouge-l", "rouge-l")])
    assert "PerSEval-HJ with the same measure as surrogate." in grid.note
    assert grid.remarks[0].startswith("PerSEval's Table 5 ranks accuracy the wrong way round")


def test_aggregation_is_against_the_surrogate_in_view_where_none_is_an_accuracy_measure():
    other = tuple(replace(row, surrogate="bleu") for row in NUMBERED)
    grid = lay_out_table_5(with_parts(aggregation=other), replace(VIEW, surrogate="bleu"))
    assert columns(grid) == ["rouge-l", "jsd"]
    assert [[cell.value for cell in line.cells] for line in grid.lines] == values_of(
        [("rouge-l", "rouge-l"), ("jsd", "rouge-l")]
    )
    assert "PerSEval-HJ by BLEU." in grid.note


def test_the_figure_has_three_coefficients_by_beta():
    grid = lay_out_figure_3(REPORT, VIEW)
    assert grid.remarks[-1].startswith("PerSEval prints figure 3 without its numbers")
    assert columns(grid) == [str(1 + at / 10) for at in range(11)]
    assert [line.ids for line in grid.lines] == [("pearson",), ("spearman",), ("kendall",)]
    rows = {
        (row.coefficient, str(row.beta)): row
        for row in REPORT.inference.ablation
        if (row.measure, row.surrogate) == ("jsd", "rouge-l")
    }
    assert [[cell.row for cell in line.cells] for line in grid.lines] == [
        [rows[line.ids[0], beta] for beta in columns(grid)] for line in grid.lines
    ]


@pytest.mark.parametrize("part", STUDIES)
def test_what_a_report_lacks_is_said_with_how_to_get_it(part):
    asked = STUDIES[part]
    grid = asked(replace(REPORT, inference=None), VIEW)
    assert (grid.lines, grid.missing.startswith("This report was made without statistics")) == ((), True)
    failed = with_parts(**{part: ()}, problems=(Problem(part, "no memory left.", failed=True),))
    assert "(no memory left): mend that and make a new report" in asked(failed, VIEW).missing
    grid = asked(with_parts(**{part: ()}), VIEW)
    assert grid.missing.startswith("This report has no")
    assert grid.missing.endswith("make a new report, on the site or by the command report.")


def test_captions_of_aggregation_and_ablation_say_what_both_sides_share():
    table, figure = lay_out_table_5(REPORT, VIEW), lay_out_figure_3(REPORT, VIEW)
    same = "Accuracy shares the distances of PerSEval-HJ where surrogate and measure are the same."
    assert table.note.endswith(f" {PENALTY_NOTE} {same} {NOT_SHUFFLED}")
    twin = lay_out_table_5(REPORT, replace(VIEW, measure="rouge-l"))
    also = "PerSEval does, too, in the column of its own measure."
    assert twin.note.endswith(f" {PENALTY_NOTE} {same} {also} {NOT_SHUFFLED}")
    assert figure.note.endswith(f" {PENALTY_NOTE} {NOT_SHUFFLED}")
    own = lay_out_figure_3(REPORT, replace(VIEW, measure="rouge-l"))
    assert f" {SAME_MEASURE.capitalize()} {PENALTY_NOTE} {NOT_SHUFFLED}" in own.note
