"""Whatever goes wrong comes as a problem document: what is wrong, what to do, and where it is explained."""

import re

import pytest
from django.test import Client

from survey_site.common.problems import CONTENT_TYPE, EXPLAINED
from survey_site.help.pages import read_page
from tests.factories.api import Program, make_program

pytestmark = pytest.mark.django_db

JSON = "application/json"


@pytest.fixture
def program():
    return make_program()


def checked(response):
    """The document of an answer that is one, with a type that leads to a row of the documentation."""
    body = response.json()
    assert response.headers["Content-Type"] == CONTENT_TYPE
    assert response.headers["Cache-Control"] == "private, no-store"
    assert {"type", "title", "status", "detail", "action"} <= set(body)
    assert body["status"] == response.status_code
    assert body["detail"]
    assert body["action"]
    assert body["type"].split("#")[0] == "http://testserver/help/api/"
    assert body["type"].split("#")[1] in read_page("api").anchors
    return body


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "nowhere/", 404),
        ("GET", "batches/0/", 404),
        ("GET", "batches/?cursor=cD1hYmM%3D", 404),
        ("GET", "batches/?state=lost", 422),
        ("GET", "batches/?q=%00", 400),
        ("PUT", "batches/", 405),
        ("POST", "batches/1/", 405),
        ("POST", "batches/", 422),
        ("GET", "reports/0/files/nothing.csv", 404),
    ],
)
def test_a_refusal_says_what_is_wrong(program, method, path, status):
    response = program.ask(method, path, {} if method == "POST" else None)
    assert checked(response)["status"] == status


def test_the_token_comes_before_all_else():
    response = Program().get("batches/0/")
    assert checked(response)["title"] == "A token is needed"
    assert response.headers["WWW-Authenticate"] == 'Bearer realm="Concord"'
    assert checked(Program("concord_wrong").get("batches/"))["status"] == 401


def test_405_says_which_methods_there_are(program):
    assert program.ask("DELETE", "batches/").headers["Allow"] == "GET, POST, HEAD"


@pytest.mark.parametrize(
    "body", ["{", "[" * 100_000, '{"name": NaN}', '{"seed": 1e999}', '"text"', "[]", "7"]
)
def test_a_body_that_cannot_be_read_or_makes_no_sense(program, body):
    response = program.ask("POST", "batches/", body.encode(), kind=f"{JSON}; charset=utf-8")
    assert checked(response)["status"] in {400, 422}


def test_types_that_are_not_taken_or_not_given(program):
    assert checked(program.ask("POST", "batches/", b"a,b", kind="text/csv"))["status"] == 415
    assert checked(program.get("batches/", Accept="text/html"))["status"] == 406


def test_every_wrong_field_is_named(program):
    sent = {"corpus": "one", "name": "", "raters": 0, "systems": ["", "B" * 300]}
    body = checked(program.post("batches/", sent))
    assert [one["field"] for one in body["errors"]] == ["corpus", "name", "systems.0", "systems.1", "raters"]
    assert body["detail"].startswith("These values do not make sense: corpus, name")


def test_a_body_that_is_too_long_is_refused_before_it_is_read(program, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert checked(program.post("batches/", {"name": "x" * 200}))["status"] == 413


def test_a_failure_of_the_code_says_nothing_of_it(program, monkeypatch):
    def fail(**_words):
        raise RuntimeError("a secret of the code")

    monkeypatch.setattr("survey_site.api.base_views.ListView.page", fail)
    response = program.get("batches/")
    assert checked(response)["status"] == 500
    assert b"secret" not in response.content


def test_pages_for_people_stay_pages(admin_client):
    response = admin_client.get("/batches/0/", headers={"Accept": "text/html"})
    assert (response.status_code, response.headers["Content-Type"]) == (404, "text/html; charset=utf-8")


def test_the_table_explains_every_status_that_the_schema_has(program):
    schema = Client().get("/api/v1/schema/").json()
    statuses = {
        status
        for methods in schema["paths"].values()
        for operation in methods.values()
        for status in operation["responses"]
        if status >= "400"
    }
    rows = {anchor for anchor in read_page("api").anchors if re.match(rf"{EXPLAINED}\d", anchor)}
    assert {f"{EXPLAINED}{status}" for status in statuses} <= rows
