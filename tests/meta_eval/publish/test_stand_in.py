"""Models beside people in a report: apart from every other number, in every form, sealed and recomputed."""

import io
import json
from dataclasses import replace

import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.files.frames import to_frame
from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.publish.latex import latex_document
from meta_eval.publish.long_form import report_json
from meta_eval.publish.making import make_report
from meta_eval.publish.methods import details_in_words
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.stand_in_tables import STAND_IN_TABLES
from meta_eval.publish.tables import column_meaning, report_tables
from meta_eval.ratings.of_models import ModelAnswer, ModelTable
from meta_eval.ratings.table import RatingTable
from meta_eval.report.inference.stand_in import StandInOptions
from meta_eval.report.schema import read_report, report_record
from meta_eval.report.tables.stand_in import lay_out_stand_in
from meta_eval.report.tables.stand_in_verdict import stand_in_sentence
from meta_eval.report.view import choose_view
from tests.meta_eval.model_ratings import FEW, make_study, tables_of_ratings

ASKED = StandInOptions(epsilon=0.15, mixed=True)


@pytest.fixture(scope="module")
def reports():
    """The report with models beside people, and the same without."""
    corpus, people, models = make_study()
    table = RatingTable(people, [{} for _ in people])
    asked = {"measures": ["jsd"], "surrogates": ["rouge-l"], "scale": "similarity", "inference": FEW}
    tables = tables_of_ratings(models)
    answers = [
        ModelAnswer(one.pair, one.rating, order, 0) for one in tables[1].answers for order in ("ab", "ba")
    ]
    answers[0] = replace(answers[0], rating=None, reason="refused")
    tables = (tables[0], ModelTable(tables[1].rater, tuple(answers)))
    with_models = make_report(corpus, table, **asked, models=tables, stand_in=ASKED)
    return with_models, make_report(corpus, table, **asked)


def test_no_other_number_of_a_report_rests_on_a_model(reports):
    with_models, without = (report_record(made.report) for made in reports)
    found = with_models["inference"].pop("stand_in")
    assert with_models == without
    assert [one["rater"] for one in found] == ["model:good", "model:idle"]
    assert [one["alternative_annotator_test"]["epsilon"] for one in found] == [0.15, 0.15]
    assert [row["rater"] for row in found[0]["alternative_annotator_test"]["raters"]] == ["1", "2", "3", "4"]


def test_nothing_of_it_is_in_a_report_that_was_not_asked_for_models(reports):
    _, without = reports
    text = report_json(without.report)
    assert ("stand_in" in text, "model:" in text) == (False, False)
    assert lay_out_stand_in(without.report, choose_view(without.report, {})) == []
    assert {table.name for table in report_tables(without.report)}.isdisjoint(STAND_IN_TABLES)
    assert "language model" not in " ".join(details_in_words(without.report))


def test_a_report_with_models_reads_back_as_it_was(reports):
    record = json.loads(report_json(reports[0].report))
    assert read_report(record) == reports[0].report


def test_every_form_shows_models_beside_people(reports):
    report = reports[0].report
    grids = {grid.name: grid for grid in lay_out_stand_in(report, choose_view(report, {}))}
    assert list(grids) == [
        "stand_in_agreement",
        "stand_in_test",
        "stand_in_systems",
        "stand_in_mixed",
        "stand_in_leanings",
        "stand_in_scale",
        "stand_in_missing",
    ]
    heads = [line.heads[0] for line in grids["stand_in_systems"].lines]
    assert heads == ["good (model)", "idle (model)", "Jensen-Shannon"]
    assert "idle rated 59 of the 60 pairs" in grids["stand_in_systems"].remarks[0]
    tables = {table.name: table for table in report_tables(report)}
    assert set(STAND_IN_TABLES) - set(tables) == {"stand_in_unanswered"}
    for name in set(STAND_IN_TABLES) & set(tables):
        assert all(column_meaning(name, column) for column in tables[name].columns)
        assert len(to_frame(tables[name].rows)) == len(tables[name].rows)
    latex = latex_document(report)
    assert all(f"tab:{name}" in latex for name in grids)
    assert "prediction-powered inference" in " ".join(details_in_words(report))
    stream = io.BytesIO()
    write_pdf(stream, report)
    assert stream.getvalue().startswith(b"%PDF")


def test_a_mixed_survey_is_in_no_form_of_a_report_that_was_not_asked_for_it(reports):
    asked = reports[0].report
    models = tuple(replace(one, mixed=()) for one in asked.inference.stand_in)
    report = replace(asked, inference=replace(asked.inference, stand_in=models))
    names = [grid.name for grid in lay_out_stand_in(report, choose_view(report, {}))]
    every = [grid.name for grid in lay_out_stand_in(asked, choose_view(asked, {}))]
    assert names == [name for name in every if name != "stand_in_mixed"]
    assert {table.name for table in report_tables(asked)} - {
        table.name for table in report_tables(report)
    } == {"stand_in_mixed"}
    words = " ".join(details_in_words(report))
    assert ("prediction-powered" in words, "alternative annotator test" in words) == (False, True)


def test_the_sentence_says_whether_a_model_may_stand_in(reports):
    good, idle = map(stand_in_sentence, reports[0].report.inference.stand_in)
    assert good.startswith("good may stand in for one of these raters on these texts: it beats 100 % of them")
    assert idle.startswith("idle may not stand in for these raters on these texts: it beats 0 % of them")


def test_a_bundle_holds_the_answers_and_verify_recomputes_from_them(reports):
    made = reports[0]
    content = made.content().bundle()
    stream = io.BytesIO()
    write_bundle(stream, content)
    found = verify_bundle(stream)
    assert (found.is_sound, found.differences) == (True, ())
    other = [replace(one, rating=6) for one in made.models[0].answers]
    stream = io.BytesIO()
    write_bundle(stream, replace(content, models=(ModelTable("model:good", tuple(other)), made.models[1])))
    differing = {one.path.partition(".")[2].partition("[")[0] for one in verify_bundle(stream).differences}
    assert differing == {"stand_in"}


def test_models_that_give_no_score_cost_their_part_alone(reports):
    """Gold pairs of other documents give no score, and no other statistics hang on them."""
    made = reports[0]
    gold = tuple(one for one in made.models[0].answers if one.pair.system == GOLD)
    asked = {"measures": ["jsd"], "surrogates": ["rouge-l"], "scale": "similarity", "inference": FEW}
    corpus, people, _ = make_study()
    table = RatingTable(people, [{} for _ in people])
    report = make_report(corpus, table, **asked, models=[ModelTable("model:gold", gold)]).report
    found, without = report_record(report), report_record(reports[1].report)
    (one,) = found["inference"].pop("stand_in")
    assert found == without
    reason = "the model rated none of the pairs of which human scores are made"
    assert {part["reason"] for part in one["unanswered"]} == {reason}


def test_options_that_a_report_does_not_keep_are_refused(reports):
    corpus, people, models = make_study()
    table = RatingTable(people, [{} for _ in people])
    asked = {"measures": ["jsd"], "surrogates": ["rouge-l"], "scale": "similarity", "inference": FEW}
    for options in (StandInOptions(expert="p1"), StandInOptions(named=True)):
        with pytest.raises(InputError, match=r"a report keeps no rater's name.*judge stand-in"):
            make_report(corpus, table, **asked, models=tables_of_ratings(models), stand_in=options)


def test_nothing_is_decided_where_people_agree_no_more_than_by_chance(reports):
    report = reports[0].report
    good = report.inference.stand_in[0]
    rows = tuple(replace(row, ci_low=0.0) for row in good.agreement_of_people.coefficients)
    chance = replace(good, agreement_of_people=replace(good.agreement_of_people, coefficients=rows))
    said = "good may stand in for a rater is not decided: people agree no more than by chance."
    assert said in stand_in_sentence(chance)
    (grid,) = [
        grid
        for grid in lay_out_stand_in(
            replace(report, inference=replace(report.inference, stand_in=(chance,))),
            choose_view(report, {}),
        )
        if grid.name == "stand_in_test"
    ]
    assert grid.lines[0].cells[-1] == "not decided: people agree no more than by chance"
    assert grid.remarks == ("good: people agree no more than by chance.",)
    assert "16 % of tests instead of 5 %" in grid.note
