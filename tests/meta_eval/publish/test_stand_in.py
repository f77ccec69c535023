"""Models beside people in a report: apart from every other number, in every form, sealed and recomputed."""

import io
import json
from dataclasses import replace

import pytest

from meta_eval.files.frames import to_frame
from meta_eval.publish.bundle import verify_bundle, write_bundle
from meta_eval.publish.latex import latex_document
from meta_eval.publish.long_form import report_json
from meta_eval.publish.making import make_report
from meta_eval.publish.methods import details_in_words
from meta_eval.publish.pdf import write_pdf
from meta_eval.publish.stand_in_tables import STAND_IN_TABLES
from meta_eval.publish.tables import column_meaning, report_tables
from meta_eval.ratings.of_models import ModelAnswer, ModelTable, tables_of_ratings
from meta_eval.ratings.table import RatingTable
from meta_eval.report.inference.stand_in import StandInOptions
from meta_eval.report.schema import read_report, report_record
from meta_eval.report.tables.stand_in import lay_out_stand_in, stand_in_sentence
from meta_eval.report.view import choose_view
from tests.meta_eval.model_ratings import FEW, make_study


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
    with_models = make_report(corpus, table, **asked, models=tables, stand_in=StandInOptions(epsilon=0.15))
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
