"""The other studies as grids: the numbers of the report, of the measure and the surrogate in view."""

from dataclasses import replace

from meta_eval.report.numbers import group_letter
from meta_eval.report.shared import MARK, NOT_SHUFFLED, PENALTY_NOTE, SAME_MEASURE
from meta_eval.report.tables.agreement import lay_out_agreement, lay_out_comparisons, lay_out_ranking
from meta_eval.report.tables.papers.perseval_studies import lay_out_table_4, lay_out_table_6
from meta_eval.report.tables.studies import (
    lay_out_ablation,
    lay_out_left_out_counts,
    lay_out_signatures,
    lay_out_stability,
    lay_out_studies,
)
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
VIEW = View("perseval", "jsd", "rouge-l")


def with_parts(**parts):
    return replace(REPORT, inference=replace(REPORT.inference, **parts))


def test_each_study_has_the_numbers_of_the_report():
    rows = [  # three systems give the same number often
        replace(row, metric=at / 100, accuracy_alone=None, combined=-at / 100)
        for at, row in enumerate(REPORT.inference.aggregation)
    ]
    grids = lay_out_studies(with_parts(aggregation=tuple(rows)), VIEW)
    assert [(grid.title, len(grid.lines)) for grid in grids] == [
        ("Stability of PerSEval", 2),
        ("Stability of DEGRESS", 2),
        ("Paradox: DEGRESS against PerSEval", 2),
        ("Aggregation: PerSEval by Jensen-Shannon with an accuracy measure", 2),
        ("Do measures deviate alike?", 2),
    ]
    for grid, score in zip(grids, ("perseval", "degress"), strict=False):
        studied = [row for row in REPORT.inference.stability if row.score == score]
        assert [[(cell.value, cell.low, cell.high) for cell in line.cells[:-1]] for line in grid.lines] == [
            [(one.mean, one.minimum, one.maximum) for one in row.shares if one.coefficient == "kendall"]
            for row in studied
        ]
        assert [line.cells[-1].value for line in grid.lines] == [row.delta for row in studied]
    assert [cell.row for cell in grids[2].cells] == list(REPORT.inference.paradox)
    joined = [
        row for row in rows if (row.measure, row.surrogate, row.coefficient) == ("jsd", "rouge-l", "kendall")
    ]
    assert [[cell.value for cell in line.cells] for line in grids[3].lines] == [
        [row.metric, None, row.combined] for row in joined
    ]
    assert lay_out_studies(replace(REPORT, inference=None), VIEW) == []


def test_stability_says_whether_a_sample_may_hold_a_document_twice():
    """On page and in print, and in the papers' Tables 4 and 6."""
    options = replace(REPORT.inference.options, stability_replacement=True)
    for report, said in (
        (REPORT, "A sample holds no document twice"),
        (with_parts(options=options), "A sample may hold a document twice"),
    ):
        notes = [
            lay_out(report, VIEW).note for lay_out in (lay_out_stability, lay_out_table_4, lay_out_table_6)
        ]
        assert [said in note for note in notes] == [True, True, True]


def test_egises_is_as_stable_as_degress():
    degress, egises = (lay_out_studies(REPORT, replace(VIEW, kind=kind))[1] for kind in ("degress", "egises"))
    assert degress.lines == egises.lines


def test_beta_runs_across_and_measures_down():
    grid = lay_out_ablation(REPORT, VIEW)
    rows = [
        row
        for row in REPORT.inference.ablation
        if (row.surrogate, row.coefficient) == (VIEW.surrogate, "kendall")
    ]
    assert [line.key for line in grid.lines] == ["rouge-l", "jsd"]
    assert [cell.row for cell in grid.cells] == rows
    assert [column.title for column in grid.columns] == [
        f"β = {cell.row.beta}" for cell in grid.lines[0].cells
    ]
    assert lay_out_ablation(replace(REPORT, inference=None), VIEW).lines == ()


def test_measures_stand_as_ranked_and_each_two_are_compared():
    ranking, comparisons = lay_out_ranking(REPORT), lay_out_comparisons(REPORT)
    assert [line.key for line in ranking.lines] == [row.measure for row in REPORT.inference.ranking]
    assert [line.heads[0] for line in ranking.lines] == ["DEGRESS", "DEGRESS", "PerSEval", "PerSEval"]
    assert [(line.cells[2].value, line.cells[3].value) for line in ranking.lines] == [
        (row.null_high, row.p_raters_adjusted) for row in REPORT.inference.ranking
    ]
    assert [line.cells[5:] for line in ranking.lines] == [
        (f"{row.significant} of {row.surrogates}", group_letter(row.group))
        for row in REPORT.inference.ranking
    ]
    assert [[cell.value for cell in line.cells] for line in comparisons.lines] == [
        [row.difference, None, row.p_value, row.p_systems, row.p_adjusted]
        for row in REPORT.inference.comparisons
    ]


def test_the_raters_agreement_says_why_a_coefficient_is_missing_only_where_one_is():
    study = REPORT.inference.agreement
    whole = tuple(replace(row, estimate=0.5, reason=None) for row in study.coefficients)
    grid = lay_out_agreement(with_parts(agreement=replace(study, coefficients=whole)))
    assert [column.title for column in grid.columns] == ["Estimate", "Interval"]
    missing = (replace(whole[0], estimate=None, reason="too few"), *whole[1:])
    grid = lay_out_agreement(with_parts(agreement=replace(study, coefficients=missing)))
    assert [line.cells[2] for line in grid.lines] == ["too few", *[""] * (len(whole) - 1)]
    assert lay_out_agreement(with_parts(agreement=None)).lines == ()


def test_what_was_left_out_is_named_with_its_count_and_signatures_by_their_start():
    counted = [row for row in REPORT.left_out if row.count]
    assert [line.heads[0] for line in lay_out_left_out_counts(REPORT).lines] == [
        str(row.count) for row in counted
    ]
    assert [line.heads for line in lay_out_signatures(REPORT).lines] == [
        (row.side, row.measure, row.digest[:32]) for row in REPORT.signatures
    ]


def test_aggregation_and_ablation_say_what_both_sides_share():
    aggregation, ablation = lay_out_studies(REPORT, VIEW)[3], lay_out_ablation(REPORT, VIEW)
    assert aggregation.name == "aggregation"
    assert aggregation.note.endswith(
        f" {PENALTY_NOTE} PerSEval-HJ shares its distances with accuracy by ROUGE-L. {NOT_SHUFFLED}"
    )
    assert ablation.note == f"{MARK}: {SAME_MEASURE} {PENALTY_NOTE} {NOT_SHUFFLED}"
    assert {line.heads[0] for line in ablation.lines} == {"ROUGE-L†", "Jensen-Shannon"}
