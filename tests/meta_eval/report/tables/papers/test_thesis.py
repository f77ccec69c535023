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


def test_what_ours_lacks_is_said():
    grid = lay_out_table_5_4(with_measure("rouge-l", "bleu"), VIEW)
    assert [column.key for column in grid.columns] == ["egises_by_jsd"]  # not the thesis' measure
    assert "The thesis' measure is jsd-oov:preset=thesis, which this report has not." in grid.remarks
    assert any(remark.startswith("This report has no ROUGE-L: make a new") for remark in grid.remarks)
    assert "The thesis has ROUGE-1 and ROUGE-2, too, which are no measures here." in grid.remarks
    missing = lay_out_table_5_4(with_measure("jsd", "bleu"), VIEW)
    assert (missing.lines, missing.missing[:52]) == (
        (),
        "This report has no EGISES by jsd-oov or jsd: make a ",
    )
