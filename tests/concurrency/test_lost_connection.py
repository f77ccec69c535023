"""A database connection that dies while a run is computed or somebody rates: both go on, and say how."""

from contextlib import closing, contextmanager
from threading import Timer

import pytest
from django.db import OperationalError, close_old_connections, connection
from django.test import Client

from survey_site.scoring import services
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, RunKind, ScoreRun
from survey_site.scoring.services import execute_run, request_automatic
from survey_site.survey.models import Rating
from tests.factories.batches import NOW, make_batch
from tests.factories.corpus import make_corpus
from tests.factories.scoring import make_scored_corpus
from tests.survey_site.survey.pages.test_pages import codes, start

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lose_the_connection():
    """PostgreSQL ends our session. SQLite has none: there the file is locked, and we wait no longer."""
    with closing(connection.copy()) as other:

        def lose():
            cursor = other.cursor()
            if connection.vendor == "postgresql":
                pid = connection.connection.info.backend_pid
                cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [pid])
                return
            connection.connection.execute("PRAGMA busy_timeout = 0")
            cursor.execute("BEGIN IMMEDIATE")
            Timer(0.5, lambda: other.connection.execute("ROLLBACK")).start()

        yield lose


@pytest.mark.parametrize(
    ("fault", "end"),
    [
        (None, (JobStatus.DONE, "")),
        (ZeroDivisionError("no"), (JobStatus.FAILED, "Unexpected error (ZeroDivisionError): no")),
    ],
)
def test_a_run_outlives_its_connection(fault, end, lose_the_connection, monkeypatch):
    run = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)
    compute = services.COMPUTATIONS[RunKind.AUTOMATIC]

    def compute_and_lose(*arguments):
        scores = compute(*arguments)
        lose_the_connection()
        if fault:
            raise fault
        return scores

    monkeypatch.setitem(services.COMPUTATIONS, RunKind.AUTOMATIC, compute_and_lose)
    execute_run(run=run)
    assert ScoreRun.objects.values_list("status", "error").get() == end


def test_a_run_whose_connection_is_lost_in_the_middle_goes_on(lose_the_connection, monkeypatch, pauses):
    run = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)
    compute, calls = services.COMPUTATIONS[RunKind.AUTOMATIC], []

    def lose_once(*arguments):
        calls.append(ScoreRun.objects.values_list("interruptions", "error").get())
        if len(calls) == 1:
            lose_the_connection()
            ScoreRun.objects.update(done=1)  # the next statement meets the loss
        return compute(*arguments)

    monkeypatch.setitem(services.COMPUTATIONS, RunKind.AUTOMATIC, lose_once)
    execute_run(run=run)
    assert ScoreRun.objects.values_list("status", "error", "interruptions").get() == (JobStatus.DONE, "", 1)
    assert [count for count, _ in calls] == [0, 1]
    assert calls[1][1].startswith("Interrupted 1 time, the last time by OperationalError: ")
    assert pauses[:1] == [1]


def test_a_machine_that_fails_again_and_again_fails_the_run(monkeypatch, pauses):
    run = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)

    def fail(*_arguments):
        raise OperationalError("the disk is full.")

    monkeypatch.setitem(services.COMPUTATIONS, RunKind.AUTOMATIC, fail)
    execute_run(run=run)
    assert ScoreRun.objects.values_list("status", "error").get() == (
        JobStatus.FAILED,
        "Interrupted 5 times, the last time by OperationalError: the disk is full. "
        "Look at the server (manage.py doctor), then try again.",
    )
    assert pauses == [1, 2, 4, 4]


@contextmanager
def lost_connection():
    """PostgreSQL ends our session. On SQLite the file is locked meanwhile, and we do not wait for it."""
    with closing(connection.copy()) as other:
        cursor = other.cursor()
        if connection.vendor == "postgresql":
            cursor.execute("SELECT pg_terminate_backend(%s, 10000)", [connection.connection.info.backend_pid])
            yield
            return
        connection.connection.execute("PRAGMA busy_timeout = 0")
        cursor.execute("BEGIN IMMEDIATE")
        yield
        cursor.execute("ROLLBACK")
        connection.close()  # the next one waits again


def test_a_rater_whose_answer_meets_the_loss_is_asked_to_send_it_again():
    """Between two requests Django closes a connection that does not answer."""
    batch, rater = make_batch(corpus=make_corpus(documents=1)), Client(raise_request_exception=False)
    page = start(rater, batch).url
    answer = {"item": codes(rater.get(page))[0].removeprefix("rating-"), "value": 5}
    with lost_connection():
        refused = rater.post(f"{page}rate/", answer)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "5")
    close_old_connections()
    assert rater.post(f"{page}rate/", answer).json() == {"value": 5}
    assert Rating.objects.get().value == 5
