"""A model's run while others meddle: two workers, somebody who cancels, somebody who deletes the batch."""

from datetime import timedelta
from threading import Event

import pytest
from django.utils import timezone

from survey_site.batches.services import close_batch
from survey_site.common.errors import ConflictError
from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.model_raters import stopping
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
