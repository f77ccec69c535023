"""A worker is not held by a run whose last parts others compute: it goes on, and is woken to join them."""

import pytest
from django.utils import timezone

from survey_site.reports.rescue import hand_over_lost_work
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts import cutting, joining
from survey_site.scoring.parts.services import cancel_run, retry_run
from survey_site.scoring.services import execute_run, request_automatic
from survey_site.scoring.storage import contributions_path
from survey_site.scoring.tasks import compute_shards_task, enqueue_run, execute_run_task
from survey_site.settings.queues import DEFAULT, GPU
from tests.factories.batches import NOW
from tests.factories.messages import take_messages
from tests.factories.scoring import make_scored_corpus

# A worker's transactions end, and then it sends its messages.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker(monkeypatch):
    return take_messages(monkeypatch, compute_shards_task, execute_run_task, queues=(DEFAULT, GPU))


@pytest.fixture(autouse=True)
def _two_queues(settings, tmp_path, monkeypatch):
    """Parts of `jsd` wait for a GPU, which the worker that joins has not; runs of `bleu` have no parts."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    settings.CONCORD_SHARD_QUEUES = (GPU,)
    monkeypatch.setattr(cutting, "_queue_of", lambda measure: GPU if measure.id == "jsd" else DEFAULT)
    monkeypatch.setattr(joining, "may_take", lambda queue: queue != GPU)


def ask(corpus, spec):
    run = request_automatic(corpus_row=corpus, choice=MeasureChoice(spec=spec), now=timezone.now())
    enqueue_run(run)
    return run


def states():
    return list(ScoreRun.objects.order_by("pk").values_list("measure", "status", "waits_for_parts"))


def bits(run):
    run.refresh_from_db()
    return run.records, contributions_path(run.contributions).read_bytes()


def test_a_small_run_passes_one_that_waits_for_other_workers(broker, settings, tmp_path, monkeypatch):
    corpus = make_scored_corpus()
    large = ask(corpus, "jsd")
    ask(corpus, "bleu")
    broker.work(DEFAULT)
    assert states() == [("jsd", "queued", True), ("bleu", "done", False)]
    assert large.shards.filter(status="queued").count() == 3
    broker.work(GPU)
    broker.work(DEFAULT)
    assert states() == [("jsd", "done", False), ("bleu", "done", False)]
    assert broker.times(execute_run_task, large) == 2  # begun and joined, no more
    in_parts = bits(large)
    large.shards.all().delete()
    jobs.requeue(large, now=NOW)
    monkeypatch.setattr(cutting, "_queue_of", lambda _measure: DEFAULT)
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 10**6, tmp_path / "in one piece"
    execute_run(run=large)
    assert bits(large) == in_parts


def test_a_message_sent_again_keeps_no_worker(broker, monkeypatch):
    large = ask(make_scored_corpus(), "jsd")
    broker.work(DEFAULT)
    monkeypatch.setattr(joining, "stream_of", None)  # to join would fail
    later = timezone.now() + 10 * jobs.STALE_AFTER
    _, runs, _ = hand_over_lost_work(now=later)
    assert runs == [large]
    broker.work(DEFAULT)
    assert states() == [("jsd", "queued", True)]


def test_a_lost_message_to_join_is_sent_again(broker):
    large = ask(make_scored_corpus(), "jsd")
    broker.work(DEFAULT)
    broker.work(GPU)
    broker.queues[DEFAULT].clear()
    hand_over_lost_work(now=timezone.now() + 10 * jobs.STALE_AFTER)
    broker.work(DEFAULT)
    assert (states(), large.shards.filter(status="done").count()) == ([("jsd", "done", False)], 3)


def test_a_last_part_that_ends_while_the_run_is_put_back_has_it_joined(broker, monkeypatch):
    """The worker of the GPU is quicker: it looks before the run is put back, and so sends nothing."""
    ask(make_scored_corpus(), "jsd")
    put_back = jobs.put_back

    def let_others_end(now):
        broker.work(GPU)
        return put_back(now)

    monkeypatch.setattr(jobs, "put_back", let_others_end)
    broker.work(DEFAULT)
    assert states() == [("jsd", "done", False)]


def test_a_run_that_waits_for_others_is_cancelled_and_tried_again(broker):
    large = ask(make_scored_corpus(), "jsd")
    broker.work(DEFAULT)
    cancel_run(run=large, now=timezone.now())
    broker.work(GPU)
    assert (states(), large.shards.filter(status="queued").count()) == ([("jsd", "failed", True)], 3)
    enqueue_run(retry_run(run=large, now=timezone.now()))
    for queue in (DEFAULT, GPU, DEFAULT):
        broker.work(queue)
    assert states() == [("jsd", "done", False)]


def test_lost_messages_to_the_workers_of_others_are_sent_again(broker):
    """A broker that lost them, or a part whose worker died: nobody else tells these workers of it."""
    large = ask(make_scored_corpus(), "jsd")
    broker.work(DEFAULT)
    broker.queues[GPU].clear()
    for minutes in (1, 2):
        hand_over_lost_work(now=timezone.now() + minutes * 10 * jobs.STALE_AFTER)
        broker.work(DEFAULT)
    broker.work(GPU)
    broker.work(DEFAULT)
    assert (states(), large.shards.filter(status="done").count()) == ([("jsd", "done", False)], 3)


def test_parts_of_a_queue_that_the_settings_name_no_more_are_taken_back(broker, settings, monkeypatch):
    """Workers with a GPU have left for good: who joins the run moves its parts to a queue that is served."""
    large = ask(make_scored_corpus(), "jsd")
    broker.work(DEFAULT)
    assert large.shards.filter(status="queued", queue=GPU).count() == 3
    broker.queues.clear()
    settings.CONCORD_SHARD_QUEUES = ()
    monkeypatch.setattr(cutting, "_queue_of", lambda _measure: DEFAULT)
    hand_over_lost_work(now=timezone.now() + 10 * jobs.STALE_AFTER)
    broker.work(DEFAULT)
    assert states() == [("jsd", "done", False)]


def test_a_run_that_is_cancelled_while_it_is_put_back_ends(broker, monkeypatch):
    large = ask(make_scored_corpus(), "jsd")
    put_back = jobs.put_back

    def let_somebody_cancel(now):
        cancel_run(run=large, now=now)
        return put_back(now)

    monkeypatch.setattr(jobs, "put_back", let_somebody_cancel)
    broker.work(DEFAULT)
    hand_over_lost_work(now=timezone.now() + 10 * jobs.STALE_AFTER)
    broker.work(DEFAULT)
    large.refresh_from_db()
    assert (large.status, large.error.startswith(joining.CANCELLED)) == ("failed", True)
