"""Human scores of batches with so many ratings that a worker reads them."""

import pytest
from django.db import OperationalError, connection
from django.db.migrations.executor import MigrationExecutor
from django.urls import reverse
from django.utils import timezone

from survey_site.keeping.deleting import asked_name, delete_thing
from survey_site.keeping.dependents import fingerprint
from survey_site.scoring import jobs, rating_sets
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import RatingSet, ScoreRun
from survey_site.scoring.parts.services import cancel_run, retry_run
from survey_site.scoring.rating_sets import record_ratings
from survey_site.scoring.services import (
    execute_run,
    request_automatic,
    request_human,
    request_human_of,
    requeue_stale_runs,
)
from survey_site.survey.rating.leaving import withdraw_rater
from tests.factories.api import make_program
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch, rate_batch

pytestmark = pytest.mark.django_db
JSD = MeasureChoice(spec="jsd")


@pytest.fixture(autouse=True)
def few_pages(monkeypatch):
    monkeypatch.setattr(rating_sets, "FEW_PAGES", 0)


def ask(batch, **options):
    return request_human_of(batch=batch, choice=JSD, now=NOW, **options)


def compute(run):
    return execute_run(run=run, clock=lambda: NOW)


def leave(batch):
    withdraw_rater(rater=batch.people.filter(withdrawn_at=None).order_by("pk").first(), now=NOW)


def test_a_worker_reads_the_ratings_and_the_scores_are_those_of_a_small_batch(monkeypatch):
    batch = make_rated_batch()
    asked = ask(batch)
    assert (RatingSet.objects.count(), asked.rating_set, asked.is_unread) == (0, None, True)
    done = compute(asked)
    assert (done.status, done.error, done.rating_set) == ("done", "", RatingSet.objects.get())
    monkeypatch.setattr(rating_sets, "FEW_PAGES", 300)
    assert ask(batch) == done  # which was read at once: its key is that of the same ratings
    ScoreRun.objects.update(key="another", asked=None)
    assert compute(ask(batch)).records == done.records != []


def test_whoever_asks_by_the_api_reads_no_rating(monkeypatch, django_capture_on_commit_callbacks):
    batch, sent = make_rated_batch(), []
    monkeypatch.setattr("survey_site.scoring.tasks._send", lambda task, job: sent.append((task.name, job.pk)))
    monkeypatch.setattr(rating_sets, "read_ratings", lambda _batch: pytest.fail("the request reads ratings"))
    with django_capture_on_commit_callbacks(execute=True):
        program = make_program()
        answers = [program.post("score-runs/", {"measure": "jsd", "batch": batch.pk}) for _ in range(2)]
    run = ScoreRun.objects.get()
    assert [one.status_code for one in answers] == [202, 202]
    shown = program.get(f"score-runs/{run.pk}/").json()
    assert (shown["state"], shown["records"], shown["batch"]) == ("queued", [], batch.pk)
    assert sent == [("scoring.execute_run", run.pk)] * 2


def test_who_asks_for_the_same_gets_the_same_run_until_something_changes():
    batch = make_rated_batch()
    first = compute(ask(batch, min_raters=1))
    assert ask(batch, min_raters=1) == first
    assert ask(batch) != first
    leave(batch)
    after = ask(batch, min_raters=1)
    assert (after == first, after.is_waiting) == (False, True)


def test_who_asks_before_they_are_read_gets_the_run_that_waits():
    batch = make_rated_batch()
    waiting = ask(batch, min_raters=1)
    leave(batch)
    assert ask(batch, min_raters=1) == waiting
    assert ask(batch, min_raters=1, normalise="none") != waiting
    cancel_run(run=waiting, now=NOW)
    assert ask(batch, min_raters=1) != waiting


def test_ratings_withdrawn_before_they_are_read_are_fewer():
    batch = make_rated_batch()
    asked, rater = ask(batch, min_raters=1), batch.people.order_by("pk").first()
    withdraw_rater(rater=rater, now=NOW)
    done = compute(asked)
    assert (done.status, done.rating_set.withdrawn) == ("done", 0)
    assert rater.code not in {row[4] for row in done.rating_set.ratings}


def test_ratings_that_change_while_a_worker_reads_them_are_read_again(monkeypatch):
    batch = make_rated_batch(raters=3)
    asked, read, readings = ask(batch, min_raters=1), rating_sets.read_ratings, []

    def read_and_change(of):
        found = read(of)
        readings.append(connection.in_atomic_block)
        if len(readings) < 3:
            leave(batch)
        return found

    monkeypatch.setattr(rating_sets, "read_ratings", read_and_change)
    done = compute(asked)
    assert (done.status, len(readings), done.rating_set.withdrawn) == ("done", 3, 0)
    assert len({row[4] for row in done.rating_set.ratings}) == 1


@pytest.mark.parametrize(("withdrawn", "why"), [(1, "no pair has 2 ratings"), (2, "there are no ratings")])
def test_too_few_ratings_fail_the_run_with_a_reason(withdrawn, why, client, researcher):
    batch = make_rated_batch()
    asked = ask(batch)
    for _ in range(withdrawn):
        leave(batch)
    failed = compute(asked)
    assert (failed.status, why in failed.error) == ("failed", True)
    client.force_login(researcher)
    assert why in client.get(failed.get_absolute_url()).content.decode()
    rate_batch(batch, completions=3 * withdrawn)
    again = compute(ask(batch))
    assert (again == failed, again.status) == (False, "done")


def test_a_run_whose_worker_was_killed_while_it_read_is_read_by_another():
    asked = ask(make_rated_batch())
    jobs.take_up(asked, now=NOW)
    assert requeue_stale_runs(now=NOW + 2 * jobs.STALE_AFTER) == [asked]
    assert compute(asked).status == "done"


def test_who_was_taken_for_dead_goes_on_from_what_another_has_read(monkeypatch):
    batch = make_rated_batch()
    asked, read, others = ask(batch, min_raters=1), rating_sets.read_ratings, []

    def read_beside_another(of):
        found = read(of)
        monkeypatch.setattr(rating_sets, "read_ratings", read)
        ScoreRun.objects.update(heartbeat_at=None)
        others.append(compute(asked))
        leave(batch)
        return found

    monkeypatch.setattr(rating_sets, "read_ratings", read_beside_another)
    late = compute(ScoreRun.objects.get())
    assert (late.rating_set, late.key) == (RatingSet.objects.get(), others[0].key)


@pytest.mark.django_db(transaction=True)
def test_ratings_that_could_not_be_stored_are_read_again(monkeypatch):
    """The database is lost once where the run is told of its ratings: nothing of them is stored then."""
    monkeypatch.setattr(jobs, "PAUSES", (0.0,) * 4)
    asked, save, lost = ask(make_rated_batch()), ScoreRun.save, []

    def save_or_lose(run, *arguments, **named):
        save(run, *arguments, **named)
        if "rating_set" in named.get("update_fields", ()) and not lost:
            lost.append(RatingSet.objects.count())
            raise OperationalError("the database is gone")

    monkeypatch.setattr(ScoreRun, "save", save_or_lose)
    done = compute(asked)
    done.refresh_from_db()
    assert (lost, done.status, done.error) == ([1], "done", "")
    assert done.rating_set == RatingSet.objects.get()


def test_where_the_same_ratings_have_a_run_already_each_has_a_key_and_a_file():
    batch = make_rated_batch()
    other = compute(request_human(rating_set=record_ratings(batch=batch, now=NOW), choice=JSD, now=NOW))
    asked = ask(batch)
    key = asked.key
    done = compute(asked)
    assert (done.status, done.rating_set, done.records) == ("done", other.rating_set, other.records)
    assert (done.key, done.contributions == other.contributions) == (key, False)
    assert (ask(batch), ScoreRun.objects.count()) == (done, 2)


def test_one_that_waits_for_its_ratings_is_cancelled_and_tried_again(client, researcher):
    asked = ask(make_rated_batch())
    cancelled = cancel_run(run=asked, now=NOW)
    assert (cancelled.status, compute(cancelled).is_unread) == ("failed", True)
    assert compute(retry_run(run=cancelled, now=NOW)).status == "done"


def test_one_that_is_cancelled_while_it_is_read_ends(monkeypatch):
    asked, read = ask(make_rated_batch()), rating_sets.read_ratings

    def read_and_cancel(of):
        cancel_run(run=asked, now=NOW)
        return read(of)

    monkeypatch.setattr(rating_sets, "read_ratings", read_and_cancel)
    ended = compute(asked)
    assert (ended.status, ended.error.startswith("It was cancelled")) == ("failed", True)


def test_pages_show_a_run_whose_ratings_are_not_read(client, researcher, admin_user):
    asked = ask(make_rated_batch())
    client.force_login(researcher)
    assert "Waiting for a worker" in client.get(asked.get_absolute_url()).content.decode()
    jobs.take_up(asked, now=timezone.now())
    page = client.get(asked.get_absolute_url()).content.decode()
    assert ("Reading the ratings" in page, "small enough" in page) == (True, False)
    client.force_login(admin_user)
    addresses = [reverse("admin:scoring_scorerun_change", args=[asked.pk]), reverse("operations:status")]
    assert [client.get(address).status_code for address in addresses] == [200, 200]


def test_one_that_waits_for_its_ratings_goes_with_its_batch():
    batch = make_rated_batch()
    ask(batch)
    type(batch).objects.filter(pk=batch.pk).update(status="closed", closed_at=NOW)
    batch.refresh_from_db()
    delete_thing(thing=batch, typed=asked_name(batch), seen=fingerprint(batch), now=NOW)
    assert ScoreRun.objects.count() == 0


def test_who_reads_for_a_batch_that_is_deleted_meanwhile_ends(monkeypatch):
    batch = make_rated_batch()
    asked, read = ask(batch), rating_sets.read_ratings

    def read_and_delete(of):
        found = read(of)
        ScoreRun.objects.all().delete()
        return found

    monkeypatch.setattr(rating_sets, "read_ratings", read_and_delete)
    assert execute_run(run=asked, clock=lambda: NOW).is_done is False
    assert RatingSet.objects.count() == 0


def test_the_version_before_knows_none_that_are_not_read(transactional_db):
    batch = make_rated_batch()
    read = compute(ask(batch))
    leave(batch)
    ask(batch)
    automatic = request_automatic(corpus_row=batch.corpus, choice=JSD, now=NOW)
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    before = [("scoring", "0007_part_times")]
    executor.migrate(before)
    try:
        earlier = executor.loader.project_state(before).apps.get_model("scoring", "ScoreRun")
        assert set(earlier.objects.values_list("pk", flat=True)) == {read.pk, automatic.pk}
    finally:
        MigrationExecutor(connection).migrate(latest)
    assert set(ScoreRun.objects.values_list("pk", "asked")) == {(read.pk, None), (automatic.pk, None)}
