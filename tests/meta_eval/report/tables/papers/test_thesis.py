"""The thesis' Table 5.4: EGISES by Jensen-Shannon and ROUGE-L in percent."""

from dataclasses import replace

from meta_eval.report.tables.papers.thesis import lay_out_table_5_4
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content()).report
VIEW = choose_view(REPORT, {})


def with_measure(old, new):
    rows = tuple(replace(row, measure=new) if row.measure == old else row for row in REPORT.leaderboard)
    return replace(REPORT, leaderboard=rows)


def test_the_most_personalised_system_is_first_with_rouge_in_percent():
    grid = lay_out_table_5_4(with_measure("jsd", "jsd-oov"), VIEW)
    rows = {(row.system, row.score, row.measure): row for row in REPORT.leaderboard}
    assert [column.key for column in grid.columns] == ["egises_jsd", "rougeL"]
    assert [line.key for line in grid.lines] == ["Copy", "Long & wide", "Same_50%"]
    assert [[cell.value for cell in line.cells] for line in grid.lines] == [
        [rows[line.key, "egises", "jsd"].value, 100 * rows[line.key, "accuracy", "rouge-l"].value]
        for line in grid.lines
    ]
    assert [cell.digits for cell in grid.lines[0].cells] == [5, 2]
    assert "The thesis' measure is jsd-oov:preset=thesis, which this report has not." not in grid.remarks


def test_each_rouge_that_the_report_has_stands_in_the_thesis_order():
    halves = [
        replace(row, measure="rouge-1", value=row.value / 2)
        for row in REPORT.leaderboard
        if (row.score, row.measure, row.side) == ("accuracy", "rouge-l", "automatic")
    ]
    report = replace(REPORT, leaderboard=(*REPORT.leaderboard, *halves))
    grid = lay_out_table_5_4(report, VIEW)
    assert [column.title for column in grid.columns[1:]] == ["ROUGE-1", "ROUGE-L"]
    assert [column.key for column in grid.columns[1:]] == ["rouge1", "rougeL"]
    assert all(line.cells[1].value == line.cells[2].value / 2 for line in grid.lines)
    assert any(remark.startswith("This report has no ROUGE-2: make a new") for remark in grid.remarks)


def test_what_ours_lacks_is_said():
    grid = lay_out_table_5_4(with_measure("rouge-l", "bleu"), VIEW)
    assert [column.key for column in grid.columns] == ["egises_by_jsd"]  # not the thesis' measure
    assert "The thesis' measure is jsd-oov:preset=thesis, which this report has not." in grid.remarks
    lacking = [remark for remark in grid.remarks if remark.startswith("This report has no ROUGE")]
    assert [remark.partition(":")[0] for remark in lacking] == [
        "This report has no ROUGE-1, ROUGE-2 and ROUGE-L"
    ]
    assert lacking[0].endswith("with rouge-1, rouge-2 and rouge-l among its measures.")
    missing = lay_out_table_5_4(with_measure("jsd", "bleu"), VIEW)
    assert (missing.lines, missing.missing[:52]) == (
        (),
        "This report has no EGISES by jsd-oov or jsd: make a ",
    )
