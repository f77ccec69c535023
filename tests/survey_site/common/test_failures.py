"""A database that does not answer for a while: everybody is told to try again, and then it works again."""

import json
from contextlib import suppress
from threading import Event
from types import SimpleNamespace

import pytest
from django.db import InterfaceError, OperationalError, ProgrammingError, connection
from django.test import Client

from survey_site.rehearsal import person as persons
from survey_site.rehearsal.browser import Reply
from survey_site.survey.models import Rating
from tests.factories.accounts import make_user
from tests.factories.batches import make_batch
from tests.factories.corpus import make_corpus
from tests.survey_site.survey.pages.test_pages import AS_JSON, codes, start, url

GONE = OperationalError("connection to server failed: the database system is starting up")


@pytest.fixture
def visitor():
    return Client(raise_request_exception=False)


@pytest.fixture
def failing():
    """Every statement fails so, as long as the context lasts."""

    def fails_with(error):
        def fail(*_asked):
            raise error

        return connection.execute_wrapper(fail)

    return fails_with


@pytest.mark.django_db
@pytest.mark.parametrize("error", [GONE, InterfaceError("the connection is closed")])
def test_raters_are_told_to_try_again_and_what_they_try_then_is_stored(visitor, failing, error):
    batch = make_batch(corpus=make_corpus(documents=1))
    page = start(visitor, batch).url
    item = codes(visitor.get(page))[0].removeprefix("rating-")
    answer = {"item": item, "value": 4}
    with failing(error):
        answers = [visitor.get(url("join", batch)), visitor.get(page), visitor.post(f"{page}rate/", answer)]
    assert [(one.status_code, one.headers["Retry-After"]) for one in answers] == [(503, "5")] * 3
    assert "The database of this site does not answer just now" in answers[0].content.decode()
    assert not Rating.objects.exists()
    assert visitor.post(f"{page}rate/", answer, headers=AS_JSON).json() == {"value": 4}


@pytest.mark.django_db
def test_staff_and_programs_are_told_so_too(visitor, failing):
    visitor.force_login(make_user(role="admin"))
    with failing(GONE):
        page, program = visitor.get("/batches/"), visitor.get("/api/v1/batches/")
    assert (page.status_code, program.status_code) == (503, 503)
    told = json.loads(program.content)
    assert program.headers["Content-Type"] == "application/problem+json"
    assert (told["status"], program.headers["Retry-After"]) == (503, "5")
    assert told["action"] == "Try again after the seconds in the header Retry-After."


@pytest.mark.django_db
@pytest.mark.parametrize(
    "error",
    [
        ProgrammingError("no such column"),
        OperationalError("no such table: batches_batch"),
        OperationalError("attempt to write a readonly database"),
        RuntimeError("a fault of ours"),
    ],
)
def test_a_fault_of_the_program_stays_one(visitor, failing, error):
    batch = make_batch(corpus=make_corpus(documents=1))
    with failing(error):
        answer = visitor.get(url("join", batch))
    assert (answer.status_code, "Retry-After" in answer.headers) == (500, False)
    assert "Something went wrong on our side" in answer.content.decode()


@pytest.mark.django_db
def test_the_log_says_why(visitor, failing, caplog):
    batch = make_batch(corpus=make_corpus(documents=1))
    with failing(GONE):
        visitor.get(url("join", batch))
    (line,) = [one for one in caplog.records if one.exc_info]
    assert (line.levelname, line.exc_info[1]) == ("ERROR", GONE)


def test_a_scripted_rater_waits_for_a_database_longer_than_for_a_fault(monkeypatch):
    """Rehearsals once took five quick answers while PostgreSQL recovered for a reason to give up."""
    monkeypatch.setattr(persons.time, "sleep", lambda _seconds: None)

    def asked(status, *, is_to_wait):
        """How often somebody asks a site that answers so twenty times, and then as it should."""
        replies = [Reply(status, "", "", is_to_wait)] * 20 + [Reply(200, "", "")]
        somebody = object.__new__(persons.Person)
        somebody.number, somebody.stage = 1, SimpleNamespace(stop=Event())
        somebody.logbook = SimpleNamespace(exchanges=[])
        with suppress(persons.GaveUp):
            somebody.persist(lambda: somebody._exchange("join", lambda: replies.pop(0), {200}))
        return len(somebody.logbook.exchanges)

    assert asked(503, is_to_wait=True) == 21
    assert asked(503, is_to_wait=False) == asked(500, is_to_wait=False) == persons.MOST_FAULTS
