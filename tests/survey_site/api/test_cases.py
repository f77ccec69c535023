"""Right and wrong requests of all operations, as everybody: no failure, no answer that the schema lacks.

They are the same each time; `python -m tests.benchmarks.api_cases` draws as many others as one likes.
"""

import gc

import pytest

from survey_site.accounts.permissions import Role
from survey_site.api import base_views
from tests.factories.api import make_program
from tests.factories.api_cases import PEOPLE, Found, headers_of, load_schema, try_fixed, try_operation
from tests.factories.api_world import make_world

pytestmark = pytest.mark.django_db

UPLOADS = "GET /api/v1/uploads/"
BATCHES = "GET /api/v1/batches/"
NOTICES = "GET /api/v1/notices/"
CLOSED = {"boolean", "integer", "number"}


@pytest.fixture(autouse=True)
def _no_collector():
    """Python up to 3.11.7 ends in a SystemError where the collector comes between the parts of a syntax tree,
    which hypothesis asks for to describe what it draws (python/cpython, issue 106905).
    """
    gc.disable()
    yield
    gc.enable()


@pytest.fixture(scope="module")
def world(make_once):
    return make_once(make_world)


@pytest.fixture(scope="module")
def operations():
    return {one.label: one for one in (result.ok() for result in load_schema().get_all_operations())}


def test_every_answer_is_one_that_the_schema_has(world, operations, settings):
    settings.CONCORD_LLM_MODELS = ["judge-1"]  # planned; nothing is asked
    found, people = Found(), {person: headers_of(person) for person in PEOPLE}
    for one in operations.values():
        try_fixed(one, numbers=world, people=people, found=found)
    assert found.faults == {}
    assert {label for label, _ in found.statuses} == set(operations)
    done = {label for label, status in found.statuses if status < 300}
    assert len(done) > 0.7 * len(operations)


def test_a_failure_and_an_answer_that_the_schema_lacks_are_found(world, operations, monkeypatch):
    monkeypatch.setattr(base_views.ListView, "page", lambda *_rows, **_more: 1 / 0)
    people, fixed, drawn = {Role.ADMIN: headers_of(Role.ADMIN)}, Found(), Found()
    try_fixed(operations[UPLOADS], numbers=world, people=people, found=fixed)
    try_operation(operations[UPLOADS], numbers=world, people=people, cases=8, found=drawn)
    fault = f"{UPLOADS}: ServerError, UndefinedStatusCode (500)"
    assert list(fixed.faults) == [fault]
    assert fault in drawn.faults  # whatever else was drawn


def test_what_is_told_of_another_project_is_found(world, operations, monkeypatch):
    (person, *_), fixed = [one for one in PEOPLE if one.endswith("elsewhere")], Found()
    people = {one: headers_of(one) for one in (person, Role.ADMIN)}
    try_fixed(operations[BATCHES], numbers=world, people=people, found=fixed)
    assert fixed.faults == {}
    monkeypatch.setattr(base_views, "visible", lambda rows, _user: rows)
    try_fixed(operations[BATCHES], numbers=world, people=people, found=fixed)
    monkeypatch.setattr(base_views, "require_visible", lambda *_asked: True)
    try_fixed(operations[f"{BATCHES}{{id}}/plan/"], numbers=world, people=people, found=fixed)
    assert list(fixed.faults) == [
        f"{BATCHES}: {person} is told of the first project (200)",
        f"{BATCHES}{{id}}/plan/: {person} gets 200",
    ]


def closed_parameters(operations, world):
    """Addresses of things that there are, and the parameters of each that take some values alone."""
    for label, one in operations.items():
        kind = one.path.removeprefix("/api/v1/").split("/")[0]
        if not label.startswith("GET") or ("{id}" in one.path and kind not in world):
            continue
        for given in one.definition.raw.get("parameters", []):
            shape = given["schema"]
            if given["in"] == "query" and ("enum" in shape or shape.get("type") in CLOSED):
                yield one.path.replace("{id}", str(world.get(kind, [0])[0])), given["name"]


def test_a_value_that_no_filter_knows_is_refused_by_name(world, operations):
    program, closed = make_program(), list(closed_parameters(operations, world))
    assert (NOTICES.removeprefix("GET "), "unread") in closed
    for address, name in closed:
        answer = program.get(f"{address}?{name}=maybe")
        fields = [one["field"] for one in answer.json().get("errors", [])]
        assert (answer.status_code, name in fields) == (422, True), (address, name)


def test_true_and_false_narrow_and_an_empty_word_is_refused(world):
    program = make_program()
    found = [len(program.get(f"notices/?unread={word}").json()["results"]) for word in ("true", "FALSE")]
    assert found == [2, 0]
    empty = [program.get(f"{one}=").status_code for one in ("notices/?unread", "batches/?archive")]
    assert (empty, program.get("batches/?q=").status_code) == ([422, 422], 200)
