"""Taking part and consent, as a program reads and changes them."""

import pytest

from survey_site.batches.services import launch_batch
from survey_site.survey.people.participation import read_participation
from tests.factories.api import make_program
from tests.factories.batches import NOW, make_batch

pytestmark = pytest.mark.django_db


@pytest.fixture
def program():
    return make_program()


def changed(program, batch, body, **headers):
    return program.ask("PATCH", f"batches/{batch.pk}/participation/", body, headers=headers)


def test_what_is_left_out_stays_and_what_changed_meanwhile_is_kept(program):
    batch = make_batch(launched=False)
    path = f"batches/{batch.pk}/participation/"
    first = program.get(path)
    body = {"entry": "panel", "questions": ["gender"], "failed_code": "NO", "failed_controls": 2}
    made = changed(program, batch, body, **{"If-Match": first.headers["ETag"]})
    assert (made.status_code, made.json()) == (200, {**first.json(), **body})
    assert made.headers["ETag"] == program.get(path).headers["ETag"]
    assert changed(program, batch, {"contact": "x"}, **{"If-Match": first.headers["ETag"]}).status_code == 412
    assert changed(program, batch, {"contact": "x"}).json() == {**made.json(), "contact": "x"}
    assert read_participation(batch).failed_controls == 2


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"return_address": "http://example.org/"}, "return_address"),
        ({"panel_parameter": "a b"}, "panel_parameter"),
        ({"failed_code": "NO"}, "failed_controls"),
        ({"age_bands": "30 to 20"}, "age_bands"),
        ({"questions": ["shoe size"]}, "questions.0"),
    ],
)
def test_the_rules_of_the_page_hold(program, body, field):
    batch = make_batch(launched=False)
    answer = changed(program, batch, body)
    assert (answer.status_code, [one["field"] for one in answer.json()["errors"]]) == (422, [field])


def test_a_launched_batch_keeps_its_settings_but_not_its_consent(program):
    batch = make_batch(launched=False)
    launch_batch(batch=batch, now=NOW)
    assert changed(program, batch, {"contact": "x"}).status_code == 409
    path = f"batches/{batch.pk}/consent/"
    before = program.get(path)
    made = program.post(path, {"text": "I agree."}, If_Match=before.headers["ETag"])
    shown = {"language": "en", "version": 2, "written_in": "en", "text": "I agree."}
    assert made.json() == {"texts": [shown]} == program.get(path).json()
    assert program.post(path, {"text": "Again."}, If_Match=before.headers["ETag"]).status_code == 412
    assert program.post(path, {"text": "x", "language": "zz"}).status_code == 404
    assert make_program("researcher").post(path, {"text": "x"}).status_code == 403
