"""Measures beside each other over pairs of readers, as a grid and as boxes."""

from dataclasses import replace

from meta_eval.publish.figures.rows import deviation_boxes
from meta_eval.report.schema import DeviationRow
from meta_eval.report.tables.deviations import lay_out_deviations
from tests.meta_eval.report.tables.test_further import REPORT, VIEW

VALUES = {"pearson": 0.5, "spearman": 0.25, "kendall": 0.125}


def row(measure, other, coefficient, share, *, form="means", median=0.2):
    return DeviationRow(
        measure=measure,
        measure_form="means",
        other=other,
        other_form=form,
        coefficient=coefficient,
        estimate=VALUES[coefficient],
        ci_low=-0.1,
        ci_high=0.4,
        reason=None,
        systems_defined=2,
        lowest_system=0.0,
        highest_system=0.3,
        reader_pairs=1234,
        pairs_left_out=0,
        share_of_pairs=share,
        samples=20,
        sample_lowest=-0.2,
        sample_q1=0.1,
        sample_median=median,
        sample_q3=0.3,
        sample_highest=0.9,
    )


def report(rows):
    further = replace(REPORT.inference.further, deviations=tuple(rows))
    return replace(REPORT, inference=replace(REPORT.inference, further=further))


MADE = report(
    row(*sides, coefficient, share, form=form, median=None if share == 0.3 and form == "ratios" else 0.2)
    for *sides, form in (
        ("jsd", "rouge-l", "means"),
        ("rouge-l", "rouge-l", "ratios"),
        ("jsd", "jsd", "ratios"),
    )
    for coefficient in VALUES
    for share in (0.3, 0.9)
)


def test_the_measure_in_view_stands_beside_the_others_and_its_own_ratios():
    grid = lay_out_deviations(MADE, replace(VIEW, measure="rouge-l"))
    assert [line.heads for line in grid.lines] == [
        ("Jensen-Shannon and ROUGE-L",),
        ("ROUGE-L and ROUGE-L (ratios)",),
    ]
    assert [column.key for column in grid.columns] == [*VALUES, "interval", "systems", "pairs"]
    for line in grid.lines:
        assert [cell.value for cell in line.cells[:3]] == list(VALUES.values())
        assert line.cells[3:] == ("−0.10 to 0.40", "0.00 to 0.30", "1,234")


def test_boxes_are_kendalls_samples_where_there_are_any():
    boxes = deviation_boxes(MADE, replace(VIEW, measure="rouge-l"))
    assert [(box.title, box.share) for box in boxes] == [
        ("Jensen-Shannon and ROUGE-L", 0.3),
        ("Jensen-Shannon and ROUGE-L", 0.9),
        ("ROUGE-L and ROUGE-L (ratios)", 0.9),
    ]
    assert {(box.low, box.q1, box.median, box.q3, box.high) for box in boxes} == {(-0.2, 0.1, 0.2, 0.3, 0.9)}


def test_a_report_without_the_study_has_no_line():
    assert lay_out_deviations(replace(MADE, inference=None), VIEW).lines == ()
    assert deviation_boxes(report([]), VIEW) == []
