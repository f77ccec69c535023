"""Raters and measures together, as grids."""

from dataclasses import replace

import pytest

from meta_eval.report.schema import (
    AdjustedRow,
    CombinationRow,
    DependabilityRow,
    FurtherQuestions,
    RaterAmongMeasuresRow,
    RatingComponentRow,
    Unanswered,
)
from meta_eval.report.tables.judges import lay_out_judges
from meta_eval.report.view import View
from tests.meta_eval.surveys import make_content, with_inference

REPORT = with_inference(make_content()).report
VIEW = View("degress", "jsd", "rouge-l")


def grids(view=VIEW, **parts):
    asked = FurtherQuestions(**parts)
    report = replace(REPORT, inference=replace(REPORT.inference, further=asked))
    return {grid.name: grid for grid in lay_out_judges(report, view)}


def among(rater, measure, own, estimate):
    return RaterAmongMeasuresRow(rater=rater, measure=measure, own=own, estimate=estimate, pages=7)


def test_without_answers_there_is_no_grid():
    assert grids() == {}
    assert lay_out_judges(replace(REPORT, inference=None), VIEW) == []


def test_raters_and_measures_stand_in_one_list():
    rows = (
        among("rater 1", "jsd", 0.6, 0.6),
        among("rater 1", "rouge-l", 0.6, 0.2),
        among("rater 2", "jsd", 0.3, 0.5),
        among("rater 2", "rouge-l", 0.3, None),
        among("rater 2", "bleu", 0.3, None),
    )
    lines = grids(raters_among_measures=rows)["raters_among_measures"].lines
    assert [(line.key, line.cells[0].value, *line.cells[1:]) for line in lines] == [
        ("rater 1", 0.6, None, "7"),
        ("Jensen-Shannon", pytest.approx(0.55), "2 of 2", None),
        ("rater 2", 0.3, None, "7"),
        ("ROUGE-L", 0.2, "0 of 1", None),
    ]


def test_combinations_are_those_of_the_view():
    row = CombinationRow(
        human="degress_hj",
        surrogate="rouge-l",
        automatic="degress",
        combination="best two",
        held_out=0.7,
        one_left_out=0.8,
        fitted=0.9,
        pairs=45,
        weights=("jsd 0.50", "bleu 0.50"),
    )
    other = replace(row, surrogate="jsd", held_out=0.1)
    (line,) = grids(combinations=(other, row))["combinations"].lines
    assert (line.heads, *(cell.value for cell in line.cells[:3]), *line.cells[3:]) == (
        ("Best two",),
        0.7,
        0.8,
        0.9,
        "45",
        "jsd 0.50, bleu 0.50",
    )
    assert grids(replace(VIEW, kind="egises"), combinations=(row,))["combinations"].lines == (line,)
    assert grids(replace(VIEW, kind="perseval"), combinations=(row,)) == {}


def test_components_have_their_shares_or_a_reason():
    rows = (
        RatingComponentRow(factor="rater", component=0.5, component_share=0.254, levels=12, reason=None),
        RatingComponentRow(factor="page", component=None, component_share=None, levels=9, reason="why"),
    )
    lines = grids(rating_components=rows)["rating_components"].lines
    assert [(line.heads, line.cells[0].value, line.cells[0].reason, *line.cells[1:]) for line in lines] == [
        (("Rater (severity)",), 0.5, None, "25 %", "12"),
        (("Page of a rater",), None, "why", None, "9"),
    ]


def test_systems_and_raters_stand_plain_and_by_the_model():
    system = AdjustedRow(system="A", plain=3.1, adjusted=3.4, ratings=20)
    rater = AdjustedRow(rater="rater 1", plain=0.5, adjusted=0.2, ratings=8)
    found = grids(adjusted_means=(system,), severities=(rater,))
    for name, row, key in (("adjusted_means", system, "A"), ("severities", rater, "rater 1")):
        (line,) = found[name].lines
        assert (line.key, [cell.value for cell in line.cells[:2]], line.cells[2]) == (
            key,
            [row.plain, row.adjusted],
            str(row.ratings),
        )


def test_documents_stand_down_and_raters_across():
    rows = tuple(
        DependabilityRow(
            documents=documents, raters=raters, relative=documents / 100 + raters / 10, absolute=0.0
        )
        for documents in (5, 10)
        for raters in (1, 2)
    )
    grid = grids(dependability=rows)["dependability"]
    assert [column.title for column in grid.columns] == ["1 rater", "2 raters"]
    assert [(line.key, [cell.value for cell in line.cells]) for line in grid.lines] == [
        ("5", [pytest.approx(0.15), pytest.approx(0.25)]),
        ("10", [pytest.approx(0.2), pytest.approx(0.3)]),
    ]


def test_questions_without_answer_say_why():
    found = grids(unanswered=(Unanswered(question="combinations", reason="3 systems"),))
    assert [line.heads for line in found["unanswered"].lines] == [("Measures together", "3 systems")]
