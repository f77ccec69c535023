"""The table of sentinels: every number in its place, and the measures that agree less."""

from dataclasses import replace
from statistics import fmean

import pytest

from meta_eval.publish.latex import latex_tables
from meta_eval.publish.methods import cited_works
from meta_eval.publish.tables import column_meaning, report_table
from meta_eval.report.tables.sentinels import lay_out_sentinels, mean_of_measures
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content(surrogates=("rouge-l", "jsd"))).report
VIEW = View("degress", "jsd", "jsd")
TITLES = (
    "Length of the summary",
    "Random scores, mean of 1,000",
    "Random scores, 95 % quantile",
    "Penalty EDP alone, ROUGE-L",
    "Penalty EDP alone, Jensen-Shannon",
    "Accuracy alone, ROUGE-L",
    "Accuracy alone, Jensen-Shannon",
    "A constant",
)


def rows(**wanted):
    return [
        row
        for row in REPORT.inference.sentinels
        if all(getattr(row, name) == value for name, value in wanted.items())
    ]


def test_each_sentinel_has_a_line_with_its_coefficients_and_their_mean():
    grid = lay_out_sentinels(REPORT, VIEW)
    assert tuple(line.heads[0] for line in grid.lines) == TITLES
    assert [column.key for column in grid.columns] == ["kendall", "spearman", "pearson", "mean", "below"]
    for name, measure, at in (("length", None, 0), ("penalty", "jsd", 4), ("accuracy", "rouge-l", 5)):
        found = rows(human="degress_hj", sentinel=name, measure=measure)
        by_key = {(row.surrogate, row.coefficient): row.estimate for row in found}
        expected = [by_key["jsd", column] for column in ("kendall", "spearman", "pearson")]
        assert [cell.value for cell in grid.lines[at].cells[:4]] == [*expected, by_key[None, "kendall"]]
    (random,) = rows(human="degress_hj", sentinel="random", surrogate="jsd", coefficient="kendall")
    assert [grid.lines[at].cells[0].value for at in (1, 2)] == [random.estimate, random.quantile]
    constant = grid.lines[-1].cells[0]
    assert (constant.value, constant.reason) == (None, "one side has the same score for every system")


@pytest.mark.parametrize(
    ("estimate", "below"),
    [(-1.5, "none"), (0.9, "ROUGE-L"), (1.5, "ROUGE-L, Jensen-Shannon"), (None, "–")],
)
def test_measures_that_agree_less_stand_in_the_last_column(estimate, below):
    taus = {"rouge-l": 0.5, "jsd": 1.0}
    correlations = tuple(replace(row, estimate=taus[row.measure]) for row in REPORT.correlations)
    changed = tuple(replace(row, estimate=estimate) for row in REPORT.inference.sentinels)
    report = replace(
        REPORT, correlations=correlations, inference=replace(REPORT.inference, sentinels=changed)
    )
    assert lay_out_sentinels(report, VIEW).lines[0].cells[-1] == below


def test_the_mean_of_a_measure_is_over_the_surrogates():
    taus = [
        row.estimate
        for row in REPORT.correlations
        if (row.automatic, row.measure, row.coefficient) == ("degress", "jsd", "kendall")
    ]
    assert len(taus) == 2
    assert mean_of_measures(REPORT, "degress")["jsd"] == fmean(taus)


def test_egises_shows_what_holds_of_degress_and_an_older_report_shows_nothing():
    assert lay_out_sentinels(REPORT, View("egises", "jsd", "jsd")) == lay_out_sentinels(REPORT, VIEW)
    older = replace(REPORT, inference=replace(REPORT.inference, sentinels=()))
    assert lay_out_sentinels(older, VIEW).lines == ()
    assert "sentinels" not in latex_tables(older)
    assert "perrella2024guardians" not in cited_works(older)


def test_they_are_in_latex_in_the_methods_and_as_a_sheet_with_meanings():
    tables = latex_tables(REPORT, VIEW)
    for kind in ("degress", "perseval"):
        assert f"\\label{{tab:{kind}-sentinels}}" in tables
    assert "perrella2024guardians" in cited_works(REPORT)
    sheet = report_table(REPORT, "sentinels")
    assert len(sheet.rows) == len(REPORT.inference.sentinels)
    assert all(column_meaning("sentinels", column) for column in sheet.columns)
