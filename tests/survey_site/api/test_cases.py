"""Requests made up from the schema, right and wrong ones, as everybody: no failure, no answer that it lacks.

A few of each operation with a fixed seed; `python -m tests.benchmarks.api_cases` sends as many as one likes.
"""

import pytest

from survey_site.accounts.permissions import Role
from survey_site.api import base_views
from tests.factories.api_cases import PEOPLE, Found, headers_of, load_schema, try_operation
from tests.factories.api_world import make_world

pytestmark = pytest.mark.django_db

CASES = 2


@pytest.fixture(scope="module")
def world(make_once):
    return make_once(make_world)


def tried(world, *, people=PEOPLE, only="", cases=CASES):
    found, senders = Found(), {person: headers_of(person) for person in people}
    for result in load_schema().get_all_operations():
        if only in (operation := result.ok()).label:
            try_operation(operation, numbers=world, people=senders, cases=cases, found=found)
    return found


def test_every_answer_is_one_that_the_schema_has(world):
    found = tried(world)
    assert found.faults == {}
    assert found.cases >= CASES * len({label for label, _ in found.statuses}) > 80


def test_a_failure_and_an_answer_that_the_schema_lacks_are_found(world, monkeypatch):
    monkeypatch.setattr(base_views.ListView, "page", lambda *_rows, **_more: 1 / 0)
    found = tried(world, people=[Role.ADMIN], only="GET /api/v1/uploads/")
    assert [fault.partition(": ")[2] for fault in found.faults] == ["ServerError, UndefinedStatusCode (500)"]
