"""A model's run while others meddle: two workers, somebody who cancels, somebody who deletes the batch."""

from datetime import timedelta
from threading import Event

import pytest
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from survey_site.batches.models import Batch
from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.model_raters import asking, stopping
from survey_site.model_raters.models import ModelRating, ModelRun
from survey_site.model_raters.services import cancel_run, execute_run, retry_run
from survey_site.model_raters.storage import replies_folder
from survey_site.scoring import jobs
from tests.factories.batches import NOW
from tests.factories.model_raters import configured, request_one, run_one
from tests.factories.scoring import make_rated_batch

pytestmark = pytest.mark.django_db(transaction=True)

WAIT_SECONDS = 60
REQUESTS = 15
LATER = NOW + timedelta(days=1)


@pytest.fixture(autouse=True)
def _quick(monkeypatch, settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 0.02)
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.02)


@pytest.fixture
def batch():
    return make_rated_batch()


@pytest.fixture
def noticed(monkeypatch):
    """Set once a run has seen that it is cancelled."""
    event, look = Event(), stopping._is_cancelled

    def watch(run):
        found = look(run)
        if found:
            event.set()
        return found

    monkeypatch.setattr(stopping, "_is_cancelled", watch)
    return event


def test_two_workers_ask_each_question_once(batch, settings, in_threads):
    with configured(settings) as server:
        run = request_one(batch)
        ended = in_threads(lambda: execute_run(run=run), lambda: execute_run(run=ModelRun.objects.get()))
    run.refresh_from_db()
    assert [type(one) for one in ended] == [ModelRun, ModelRun]
    assert (run.is_done, run.requests, server.requests) == (True, REQUESTS, REQUESTS)


def test_a_run_that_asks_is_cancelled_and_goes_on_without_asking_again(batch, settings, in_threads, noticed):
    """The server answers the first four and then holds its breath until the run was told to stop."""
    asked, cancelled = Event(), Event()

    def hold():
        if len(server.seen.bodies) > 4 and not cancelled.is_set():
            asked.set()
            cancelled.wait(WAIT_SECONDS)

    def cancel():
        assert asked.wait(WAIT_SECONDS)
        row = cancel_run(run=ModelRun.objects.get(), now=timezone.now())
        assert row.is_being_cancelled
        assert noticed.wait(WAIT_SECONDS)
        cancelled.set()

    with configured(settings, before=hold) as server:
        run = request_one(batch)
        ended = in_threads(lambda: execute_run(run=run), cancel)
        assert ended[1] is None
        run.refresh_from_db()
        before = server.requests
        assert (run.is_cancelled, before < REQUESTS) == (True, True)
        done = execute_run(run=retry_run(run=run, now=timezone.now()))
    done.refresh_from_db()
    assert (done.is_done, done.requests, server.requests) == (True, REQUESTS, REQUESTS)


def test_a_batch_that_a_model_rates_at_this_moment_is_not_deleted(batch, settings):
    close_batch(batch=batch, now=NOW)
    with configured(settings):
        jobs.take_up(request_one(batch), now=LATER)
    batch.refresh_from_db()
    with pytest.raises(ConflictError, match="A language model is rating it"):
        delete_thing(thing=batch, typed=asked_name(batch), seen=fingerprint(batch), now=LATER)
    assert ModelRun.objects.count() == 1


def test_runs_ratings_and_replies_go_with_their_batch(batch, settings):
    close_batch(batch=batch, now=NOW)
    with configured(settings):
        run_one(batch)
    folder = replies_folder(batch.pk)
    assert any(file.is_file() for file in folder.rglob("*.parquet"))
    batch.refresh_from_db()
    delete_thing(thing=batch, typed=asked_name(batch), seen=fingerprint(batch), now=LATER)
    assert (ModelRun.objects.count(), ModelRating.objects.count(), folder.exists()) == (0, 0, False)


def test_a_run_whose_batch_was_deleted_ends_without_a_word(batch, settings):
    close_batch(batch=batch, now=NOW)
    with configured(settings) as server:
        run = request_one(batch)
        batch.refresh_from_db()
        delete_thing(thing=batch, typed=asked_name(batch), seen=fingerprint(batch), now=LATER)
        assert execute_run(run=run) is run
    assert server.requests == 0


def test_a_try_after_a_lost_connection_counts_on_from_what_was_sent(batch, settings, monkeypatch):
    rate, tries = asking.rate_pairs, []

    def lose_once(*arguments, **options):
        tries.append(1)
        if len(tries) == 1:
            raise OperationalError("gone")
        return rate(*arguments, **options)

    monkeypatch.setattr(asking, "rate_pairs", lose_once)
    monkeypatch.setattr(jobs, "PAUSES", (0,))
    with configured(settings) as server:
        run = run_one(batch)
    assert (run.is_done, run.requests, server.requests) == (True, REQUESTS, REQUESTS)
    assert run.prompt_tokens > 1000


def test_a_connection_that_is_lost_at_the_last_count_is_no_interruption(batch, settings, monkeypatch):
    store, calls = stopping._store, []

    def lose_once(run, columns):
        calls.append(columns)
        if len(calls) == 1:
            raise OperationalError("gone")
        return store(run, columns)

    monkeypatch.setattr(stopping, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(stopping, "_store", lose_once)
    with configured(settings):
        run = run_one(batch)
    assert (run.is_done, run.interruptions, run.requests) == (True, 0, REQUESTS)


def test_a_run_that_was_deleted_sends_nothing_more_and_leaves_no_replies(
    batch, settings, in_threads, monkeypatch
):
    asked, noticed, store = Event(), Event(), stopping._store

    def watch(run, columns):
        is_there = store(run, columns)
        if is_there is False:
            noticed.set()
        return is_there

    def hold():
        if len(server.seen.bodies) > 4:
            asked.set()
            noticed.wait(WAIT_SECONDS)

    def delete():
        assert asked.wait(WAIT_SECONDS)
        row = Batch.objects.get(pk=batch.pk)
        later = timezone.now() + timedelta(days=1)
        delete_thing(thing=row, typed=asked_name(row), seen=fingerprint(row), now=later)

    monkeypatch.setattr(stopping, "_store", watch)
    close_batch(batch=batch, now=NOW)
    with configured(settings, before=hold) as server:
        run = request_one(batch)
        in_threads(lambda: execute_run(run=run), delete)
    assert ModelRun.objects.count() == 0
    assert server.requests < REQUESTS
    assert not replies_folder(batch.pk).exists()


def test_ratings_are_stored_in_short_transactions(batch, settings, monkeypatch):
    monkeypatch.setattr(asking, "STORED_AT_ONCE", 5)
    with configured(settings):
        run = request_one(batch)
        with CaptureQueriesContext(connection) as queries:
            execute_run(run=run)
    said = [one["sql"].replace("BEGIN IMMEDIATE", "BEGIN").split(" (")[0] for one in queries.captured_queries]
    writes = [
        number for number, sql in enumerate(said) if sql.startswith('INSERT INTO "model_raters_modelrating"')
    ]
    assert [(said[one - 1], said[one + 1]) for one in writes] == [("BEGIN", "COMMIT")] * 3
