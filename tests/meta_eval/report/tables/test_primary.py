"""The table of the declared primary coefficient: its measures, best first, with every p."""

from dataclasses import replace

from meta_eval.report.options import InferenceOptions
from meta_eval.report.primary import Primary
from meta_eval.report.schema import Inference, RankedMeasure
from meta_eval.report.tables.agreement import lay_out_comparisons, lay_out_ranking
from meta_eval.report.tables.primary import lay_out_primary
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content

REPORT = make_content(surrogates=("rouge-l", "jsd")).report
DECLARED = Primary(coefficient="pearson", surrogate="jsd")


def declared(**changes):
    ranked = RankedMeasure(
        measure="jsd",
        estimate=0.5,
        n=3,
        surrogates=1,
        ci_low=None,
        ci_high=None,
        ci_method=None,
        ci_over="documents",
        ci_level=0.95,
        ci_reason=None,
        ceiling=None,
        significant=0,
        carried_by=(),
        group=1,
        score="degress",
        p_raters_adjusted=0.03,
    )
    rows = tuple(
        replace(row, p_value=0.2, p_max_t=0.3, p_adjusted=0.9) if DECLARED.covers(row) else row
        for row in REPORT.correlations
    )
    inference = Inference(options=InferenceOptions(primary=DECLARED), ranking=(ranked,), **changes)
    return replace(REPORT, correlations=rows, inference=inference)


def test_the_family_stands_best_first_with_every_p():
    report = declared()
    grid = lay_out_primary(report)
    family = [row for row in report.correlations if DECLARED.covers(row)]
    best_first = sorted(family, key=lambda row: -row.estimate)
    assert [line.key for line in grid.lines] == [row.measure for row in best_first]
    assert [cell.value for cell in grid.lines[0].cells[2:5]] == [0.2, 0.3, 0.9]
    of_jsd = next(line for line in grid.lines if line.key == "jsd")
    assert of_jsd.cells[5].value == 0.03


def test_there_is_no_table_where_nothing_was_declared_or_it_has_no_numbers():
    assert not lay_out_primary(REPORT).lines
    assert not lay_out_primary(declared(primary_reason="the report has no human scores by BLEU")).lines


def test_tables_and_view_name_the_declared_coefficient_and_surrogate():
    report = declared()
    assert lay_out_ranking(report).columns[0].title == "Pearson's r"
    assert "Pearson's r" in lay_out_comparisons(report).title
    assert choose_view(report, {}).surrogate == "jsd"
    assert choose_view(REPORT, {}).surrogate == "rouge-l"
