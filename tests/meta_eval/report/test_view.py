"""What a reader looks at: chosen by a query, the best measure where it chooses none."""

from dataclasses import replace

import pytest

from meta_eval.publish.figures.rows import Point, scatter_points
from meta_eval.report.schema import ScoreRow
from meta_eval.report.view import choose_view
from tests.meta_eval.surveys import make_content


def row(system, side, measure, value):
    score = "degress_hj" if side == "human" else "degress"
    return ScoreRow(system, side, measure, score, value, None, 3, 4, 9, higher_is_better=True, reason=None)


REPORT = make_content().report
RESULT = replace(
    REPORT,
    answer=replace(REPORT.answer, ranking=(replace(REPORT.answer.ranking[0], measure="bleu"),)),
    leaderboard=(
        row("A", "human", "jsd", 0.9),
        row("B", "human", "jsd", None),
        row("C", "human", "jsd", 0.3),
        row("A", "automatic", "rouge-l", 0.5),
        row("A", "automatic", "bleu", 0.8),
        row("B", "automatic", "bleu", 0.6),
        row("C", "automatic", "bleu", None),
    ),
)


def test_the_best_measure_is_shown_first():
    view = choose_view(RESULT, {})
    assert (view.kind, view.measure, view.surrogate, view.sort) == ("degress", "bleu", "jsd", "")


@pytest.mark.parametrize("measure", ["jsd", "", "no such"])
def test_a_measure_without_automatic_scores_is_not_shown(measure):
    assert choose_view(RESULT, {"measure": measure}).measure == "bleu"


def test_only_systems_with_both_scores_are_plotted():
    assert scatter_points(RESULT, choose_view(RESULT, {})) == [Point("A", 0.9, 0.8)]
