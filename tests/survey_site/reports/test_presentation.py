"""What of a report is shown."""

import pytest

from meta_eval.publish.figures.rows import Point, scatter_points
from meta_eval.report.view import choose_view
from survey_site.reports.presentation import list_signatures


def row(system, side, measure, value):
    score = "perseval_hj" if side == "human" else "perseval"
    return {"system": system, "side": side, "measure": measure, "score": score, "value": value}


RESULT = {
    "answer": {"ranking": [{"measure": "bleu"}]},
    "leaderboard": [
        row("A", "human", "jsd", 0.9),
        row("B", "human", "jsd", None),
        row("C", "human", "jsd", 0.3),
        row("A", "automatic", "rouge-l", 0.5),
        row("A", "automatic", "bleu", 0.8),
        row("B", "automatic", "bleu", 0.6),
        row("C", "automatic", "bleu", None),
    ],
}


def test_the_best_measure_is_shown_first():
    view = choose_view(RESULT, {})
    assert (view.kind, view.measure, view.surrogate, view.sort) == ("perseval", "bleu", "jsd", "")


@pytest.mark.parametrize("measure", ["jsd", "", "no such"])
def test_a_measure_without_automatic_scores_is_not_shown(measure):
    assert choose_view(RESULT, {"measure": measure}).measure == "bleu"


def test_only_systems_with_both_scores_are_plotted():
    assert scatter_points(RESULT, choose_view(RESULT, {})) == [Point("A", 0.9, 0.8)]


def test_a_signature_of_both_sides_is_shown_once():
    signature = {"measure": "bleu", "options": {"n": 1, "smoothing": "none"}}
    entries = [
        {"side": side, "measure": "bleu", "digest": "d", "signature": signature}
        for side in ("automatic", "human")
    ]
    (shown,) = list_signatures({"signatures": entries})
    assert (shown.measure, shown.sides) == ("bleu", ("automatic", "human"))
    assert shown.fields == (("measure", "bleu"), ("options", "n = 1, smoothing = none"))
