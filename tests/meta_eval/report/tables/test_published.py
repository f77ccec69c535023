"""Published tables laid out: every number in its place, ranks and what does not match in words."""

from dataclasses import replace

import pytest

from meta_eval.report.published.comparing import compare_published
from meta_eval.report.tables.published import lay_out_published
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
COPY, LONG = "Copy", "Theirs"
SAME = {"Long & wide": LONG}


def laid_out(kind, values):
    """Our report beside a table of these (score, system, surrogate, measure, number)."""
    options = {
        **REPORT.options,
        "published": [{"kind": kind, "name": f"{kind}.csv", "values": [list(value) for value in values]}],
        "same_systems": SAME,
    }
    report = replace(REPORT, options=options)
    report = replace(report, published=compare_published(report))
    return report.published[0], lay_out_published(report)


def rows_of(line):
    return tuple(cell and cell.row for cell in line.cells)


def test_systems_stand_in_lines_and_measures_in_columns():
    values = [
        ("egises", COPY, None, "rouge-l", 0.5),
        ("egises", COPY, None, "jsd", 0.25),
        ("egises", LONG, None, "jsd", 0.75),
        ("egises", "Elsewhere", None, "meteor", 0.5),
    ]
    table, (grid,) = laid_out("egises", values)
    assert (grid.heads, [column.title for column in grid.columns]) == (
        ("System",),
        ["ROUGE-L", "Jensen-Shannon"],
    )
    rows = {(row.system, row.measure): row for row in table.rows}
    assert {line.heads: rows_of(line) for line in grid.lines} == {
        (COPY,): (rows[COPY, "rouge-l"], rows[COPY, "jsd"]),
        (f"Long & wide ({LONG})",): (None, rows["Long & wide", "jsd"]),
    }
    assert {(cell.kind, cell.value, cell.published) for cell in grid.cells} == {
        ("score", row.ours, row.published) for row in table.rows
    }
    ranks = {(row.coefficient, row.measure): row for row in table.agreement}
    assert [(line.heads, rows_of(line)) for line in grid.foot] == [
        (("Ranks: Spearman’s ρ",), (ranks["spearman", "rouge-l"], ranks["spearman", "jsd"])),
        (("Ranks: Kendall’s τ-b",), (ranks["kendall", "rouge-l"], ranks["kendall", "jsd"])),
    ]
    assert grid.remarks == (
        "Only in ours: system Same_50%.",
        "Only in the published table: system Elsewhere; measure METEOR.",
    )


def test_coefficients_stand_together_by_surrogate_and_ranks_are_of_all_their_numbers():
    values = [
        (coefficient, None, surrogate, measure, number / 10)
        for number, (surrogate, coefficient, measure) in enumerate(
            (surrogate, coefficient, measure)
            for surrogate in ("rouge-l", "jsd")
            for coefficient in ("kendall", "pearson")
            for measure in ("rouge-l", "jsd")
        )
    ]
    table, (grid,) = laid_out("correlations", values)
    assert grid.heads == ("Coefficient", "Surrogate")
    assert sorted(line.heads for line in grid.lines) == sorted(
        (coefficient, surrogate)
        for coefficient in ("Kendall’s τ-b", "Pearson’s r")
        for surrogate in ("ROUGE-L", "Jensen-Shannon")
    )
    assert [line.heads[0] for line in grid.lines] == sorted(
        (line.heads[0] for line in grid.lines), key=grid.lines[0].heads[0].__ne__
    )
    assert grid.foot == ()
    rho, tau = [row for row in table.agreement if row.score == "pearson"]
    assert (
        f"Ranks of ours with theirs over the 4 numbers of Pearson’s r: Spearman’s ρ "
        f"{rho.estimate:.2f}; Kendall’s τ-b {tau.estimate:.2f}.".replace("-0", "−0")
    ) in grid.remarks


def test_a_table_without_measures_is_a_table_for_each_of_ours():
    values = [(score, COPY, None, None, 0.1) for score in ("100", "80", "bias", "variance")]
    table, grids = laid_out("stability", values)
    assert [grid.title.rpartition(", by ")[2] for grid in grids] == ["ROUGE-L", "Jensen-Shannon"]
    assert {tuple(column.title for column in grid.columns) for grid in grids} == {
        ("100 %", "80 %", "Bias", "Variance")
    }
    assert [cell.row for grid in grids for cell in grid.cells] == list(table.rows)
    assert [cell.kind for cell in grids[0].cells] == ["score", "score", "spread", "spread"]
    assert [bool(grid.remarks) for grid in grids] == [False, True]


def test_a_table_of_several_scores_names_them():
    values = [("egises", COPY, None, "jsd", 0.5), ("accuracy", COPY, None, "rouge-l", 0.5)]
    _, (grid,) = laid_out("thesis", values)
    assert sorted(column.title for column in grid.columns) == [
        "Accuracy by ROUGE-L",
        "EGISES by Jensen-Shannon",
    ]


@pytest.mark.parametrize(("columns", "below"), [(5, False), (6, True)])
def test_theirs_stand_below_ours_where_there_are_many_columns(columns, below):
    table, _ = laid_out("egises", [("egises", COPY, None, "jsd", 0.5)])
    rows = tuple(replace(table.rows[0], measure=f"m{number}") for number in range(columns))
    report = replace(REPORT, published=(replace(table, rows=rows, agreement=()),))
    assert lay_out_published(report)[0].below == below
