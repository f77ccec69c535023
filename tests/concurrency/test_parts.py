"""Parts of a run and several workers: threads that meet, and processes that are killed."""

import os
import subprocess
import sys
from datetime import timedelta
from threading import Event

import pytest
from django.conf import settings as site
from django.db import connection, transaction
from django.utils import timezone

from meta_eval.distances.computing import DistanceStream
from survey_site.common.locking import lock_first_row
from survey_site.corpus.queries import load_corpus
from survey_site.scoring import jobs, services
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.scoring.parts import joining
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.working import take_shard
from survey_site.scoring.services import execute_run, request_automatic
from survey_site.scoring.storage import contributions_path
from survey_site.scoring.tasks import compute_shards_task
from survey_site.settings.table import BASE_DIR
from tests.concurrency.conftest import WAIT_SECONDS
from tests.factories.batches import NOW
from tests.factories.processes import database_url
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def run(settings, tmp_path, monkeypatch):
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    monkeypatch.setattr(joining, "POLL_SECONDS", 0.02)
    return request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)


def bits(run):
    run.refresh_from_db()
    return run.status, run.records, contributions_path(run.contributions).read_bytes()


def in_one_piece(run, settings, tmp_path):
    run.shards.all().delete()
    jobs.requeue(run, now=NOW)
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 10**6, tmp_path / "in one piece"
    execute_run(run=run)
    return bits(run)


def begin(run):
    jobs.take_up(run, now=timezone.now())
    run.refresh_from_db()
    assert cut(run, stream_of(run, load_corpus(run.corpus)))


def test_a_worker_that_joins_in_the_middle_helps_at_once(run, in_threads, monkeypatch, settings, tmp_path):
    """Who computes the run is held up in its first part; the worker that comes computes all the others."""
    compute, held, helped = DistanceStream.compute, Event(), Event()

    def hold(stream, shard):
        if not held.is_set():
            held.set()
            assert helped.wait(WAIT_SECONDS)
        return compute(stream, shard)

    def join():
        assert held.wait(WAIT_SECONDS)
        compute_shards_task("celery")
        seen = list(ScoreShard.objects.order_by("number").values_list("status", flat=True))
        helped.set()
        return seen

    monkeypatch.setattr(DistanceStream, "compute", hold)
    ended = in_threads(lambda: execute_run(run=run), join)
    assert ended[1] == ["running", "done", "done"]
    assert bits(run) == in_one_piece(run, settings, tmp_path)


def test_two_workers_never_take_the_same_part(run, in_threads):
    begin(run)

    def take():
        taken = []
        while shard := take_shard("celery", now=timezone.now()):
            taken.append(shard.number)
        return taken

    taken = in_threads(take, take, take)
    assert sorted(number for one in taken for number in one) == [0, 1, 2]


def test_who_takes_a_part_passes_over_one_that_another_is_about_to_take(run, in_threads):
    if connection.vendor != "postgresql":
        pytest.skip("SQLite has one writer at a time: nobody else is about to take a part.")
    begin(run)
    locked, taken = Event(), Event()

    def hold():
        with transaction.atomic():
            first = lock_first_row(ScoreShard.objects.order_by("number"))
            locked.set()
            assert taken.wait(WAIT_SECONDS)
        return first.number

    def take():
        assert locked.wait(WAIT_SECONDS)
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '2s'")  # who waited would be stuck
            return take_shard("celery", now=timezone.now()).number
        finally:
            taken.set()

    assert in_threads(hold, take) == [0, 1]


def test_two_who_compute_a_run_join_it_once(run, in_threads, settings, tmp_path, monkeypatch):
    monkeypatch.setattr(jobs, "POLL_SECONDS", 0.02)
    save, joined = services.save_contributions, []
    monkeypatch.setattr(
        services, "save_contributions", lambda *scores, key: joined.append(key) or save(*scores, key=key)
    )
    ended = in_threads(lambda: execute_run(run=run), lambda: execute_run(run=ScoreRun.objects.get()))
    assert joined == [run.key]
    assert [one.status for one in ended] == ["done", "done"]
    assert set(run.shards.values_list("status", "interruptions")) == {("done", 0)}
    assert bits(run) == in_one_piece(run, settings, tmp_path)


def test_killed_workers_leave_the_result_the_same(run, settings, tmp_path, monkeypatch):
    """Real processes are killed, each in the middle of a part; who joins waits for no sign of life."""
    begin(run)
    taken = [kill_in_the_middle(tmp_path) for _ in range(2)]
    assert taken == ["0", "1"]
    assert run.shards.filter(status=JobStatus.RUNNING).count() == 2
    monkeypatch.setattr(joining, "LOOK_EVERY", timedelta(0))
    monkeypatch.setattr(jobs, "STALE_AFTER", timedelta(0))
    ScoreRun.objects.update(heartbeat_at=None)
    execute_run(run=run)
    assert list(run.shards.values_list("status", "interruptions")) == [("done", 1), ("done", 1), ("done", 0)]
    assert bits(run) == in_one_piece(run, settings, tmp_path)


def kill_in_the_middle(folder):
    """Start a worker process, wait until it is about to compute a part, and kill it; which part it was."""
    environment = {
        **os.environ,
        "SECRET_KEY": site.SECRET_KEY,
        "DATABASE_URL": database_url(),
        "CONCORD_DATA_DIR": str(folder),
        "CONCORD_SHARD_PAIRS": "1",
    }
    with subprocess.Popen(
        [sys.executable, "-m", "tests.concurrency.part_worker"],
        env=environment,
        cwd=BASE_DIR,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        number = process.stdout.readline().strip()
        process.kill()
        return number
