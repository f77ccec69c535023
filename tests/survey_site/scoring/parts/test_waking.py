"""Which messages wake workers, when, and for which queue."""

from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone
from kombu.exceptions import OperationalError

from survey_site.corpus.queries import load_corpus
from survey_site.reports.rescue import hand_over_lost_work
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import ScoreRun, ScoreShard
from survey_site.scoring.parts import cutting, waking, working
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.queues import may_take
from survey_site.scoring.services import request_automatic
from survey_site.scoring.tasks import compute_shards_task
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def sent(monkeypatch):
    """The queues of the messages that were sent."""
    queues = []
    monkeypatch.setattr(current_app, "send_task", lambda _name, args, queue: queues.append((args, queue)))
    return queues


@pytest.fixture
def run(settings, tmp_path):
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    row = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="jsd"), now=NOW)
    jobs.take_up(row, now=timezone.now())
    row.refresh_from_db()
    assert cut(row, stream_of(row, load_corpus(row.corpus)))
    return row


def test_workers_are_woken_for_each_part_that_waits(run, sent, django_capture_on_commit_callbacks):
    with django_capture_on_commit_callbacks(execute=True):
        waking.wake_workers(run)
    assert sent == [(("celery",), "celery")] * 3


def test_without_a_broker_one_try_is_enough(monkeypatch, caplog):
    tries = []

    def refuse(*_arguments, **_options):
        tries.append(1)
        raise OperationalError("connection refused")

    monkeypatch.setattr(current_app, "send_task", refuse)
    waking.send_wakes("cpu", 5)
    assert (len(tries), "no broker can be reached" in caplog.text) == (1, True)


def test_a_worker_that_joins_wakes_at_once_and_the_others_after_a_pause(
    run, sent, django_capture_on_commit_callbacks
):
    now = timezone.now()

    def look(**options):
        sent.clear()
        with django_capture_on_commit_callbacks(execute=True):
            hand_over_lost_work(**options)
        return [queue for _, queue in sent]

    ScoreRun.objects.update(created_at=now, sent_at=now)
    assert look(now=now) == []
    assert look(now=now, joined=True) == ["celery"] * 3
    assert look(now=now + timedelta(seconds=5)) == []


def test_a_lost_part_is_put_back_by_the_look_for_lost_work(run, sent):
    working.take_shard_of(run.pk, now=NOW)
    hand_over_lost_work(now=timezone.now())
    assert ScoreShard.objects.values_list("status", "interruptions").get(number=0) == ("queued", 1)


def test_the_task_computes_what_waits_and_hands_on_what_is_left(run, sent, monkeypatch):
    monkeypatch.setattr(working, "SLICE", timedelta(0))
    compute_shards_task("celery")
    assert sent == [(("celery",), "celery")]
    monkeypatch.undo()
    compute_shards_task("celery")
    assert set(ScoreShard.objects.values_list("status", flat=True)) == {"done"}


@pytest.mark.parametrize(
    ("queues", "neural", "queue"),
    [
        ([], True, "celery"),
        (["cpu"], False, "cpu"),
        (["cpu"], True, "cpu"),
        (["gpu"], True, "gpu"),
        (["gpu"], False, "celery"),
        (["cpu", "gpu"], True, "gpu"),
        (["cpu", "gpu"], False, "cpu"),
    ],
)
def test_neural_measures_wait_for_a_gpu_where_there_is_one(queues, neural, queue, settings, monkeypatch):
    settings.CONCORD_SHARD_QUEUES = queues
    monkeypatch.setattr(cutting, "NeuralMeasure", object if neural else int)
    assert cutting._queue_of(object()) == queue


def test_who_joins_leaves_parts_for_a_gpu_to_workers_that_serve_its_queue(monkeypatch):
    assert (may_take("gpu"), may_take("cpu")) == (True, True)  # no worker: it computes all
    monkeypatch.setattr(current_app.amqp.queues, "_consume_from", {"celery": None})
    assert (may_take("gpu"), may_take("cpu")) == (False, True)
