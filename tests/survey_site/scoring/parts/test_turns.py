"""A worker that computes a large run gives way to smaller work, with one process for all of it."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from meta_eval.corpus import documents as values
from survey_site.corpus.services import import_corpus
from survey_site.reports.rescue import hand_over_lost_work
from survey_site.scoring import jobs, services
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts import joining, turns
from survey_site.scoring.parts.services import cancel_run, retry_run
from survey_site.scoring.parts.waking import wake_joiner
from survey_site.scoring.parts.working import take_shard
from survey_site.scoring.services import execute_run, request_automatic
from survey_site.scoring.storage import contributions_path
from survey_site.scoring.tasks import compute_shards_task, enqueue_run, execute_run_task
from survey_site.settings.queues import DEFAULT
from tests.factories.batches import NOW
from tests.factories.messages import note_parts, take_messages
from tests.factories.scoring import make_values

# A worker's transactions end, and then it sends its messages.
pytestmark = pytest.mark.django_db(transaction=True)
BEGIN = execute_run_task.name
LATER = 10 * jobs.STALE_AFTER


@pytest.fixture
def worker(monkeypatch):
    """The only worker, of one process; what it computed and joined, in order.

    meanwhile: what others do in the middle of a part, by how many parts were computed before it.
    """
    save = services.save_contributions
    worker = take_messages(monkeypatch, compute_shards_task, execute_run_task)
    worker.joined, worker.meanwhile = [], {}

    def join(scores, *, key):
        worker.joined.append(ScoreRun.objects.get(key=key).pk)
        return save(scores, key=key)

    monkeypatch.setattr(services, "save_contributions", join)
    worker.computed = note_parts(monkeypatch, worker.meanwhile)
    return worker


@pytest.fixture(autouse=True)
def _short_turns(settings, tmp_path, monkeypatch):
    """Each document is a part; who computes a run looks after each whether other work comes first."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    monkeypatch.setattr(joining, "SLICE", timedelta(0))
    monkeypatch.setattr(joining, "LOOK_EVERY", timedelta(0))


def ask(documents, spec="jsd"):
    """Somebody asks for the scores of a corpus of so many documents; of one alone there are no parts."""
    corpus = values.Corpus(make_values().documents[:documents])
    row = import_corpus(corpus=corpus, name="News", source="test", now=NOW).corpus
    run = request_automatic(corpus_row=row, choice=MeasureChoice(spec=spec), now=timezone.now())
    enqueue_run(run)
    return run


def left_for_another(worker):
    """A large run, put back after its first part, and what came first and is still to be begun."""
    asked = []
    large = ask(3)
    worker.meanwhile[0] = lambda: asked.append(ask(1, "bleu"))
    worker.work(messages=1)
    large.refresh_from_db()
    assert (large.status, large.waits_for_parts) == ("queued", True)
    return large, asked[0]


def bits(run):
    run.refresh_from_db()
    return run.status, run.records, contributions_path(run.contributions).read_bytes()


def test_a_small_run_asked_for_meanwhile_is_done_before_the_large_one(worker, settings, tmp_path):
    large, small = left_for_another(worker)
    assert (len(worker.computed), worker.joined) == (1, [])
    worker.work()
    assert worker.joined == [small.pk, large.pk]  # each once
    assert len(set(worker.computed)) == len(worker.computed) == 4
    assert set(large.shards.values_list("status", "interruptions")) == {("done", 0)}
    assert worker.times(execute_run_task, large) == 2  # begun and joined, no more
    in_turns = bits(large)
    large.shards.all().delete()
    jobs.requeue(large, now=NOW)
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 10**6, tmp_path / "in one piece"
    execute_run(run=large)
    assert bits(large) == in_turns


def test_messages_of_parts_that_lie_before_it_let_it_pass(worker):
    """Else each of them works for its slice first: with 32 messages half an hour."""
    left_for_another(worker)
    assert [name for name, _ in worker.messages] == [compute_shards_task.name] * 3 + [BEGIN] + [
        compute_shards_task.name
    ]
    worker.work(messages=3)
    assert (len(worker.computed), worker.messages[0][0]) == (1, BEGIN)


def test_a_run_alone_is_not_left(worker):
    large = ask(3)
    worker.work(messages=1)
    assert (worker.joined, len(worker.computed), worker.times(execute_run_task, large)) == ([large.pk], 3, 1)


def test_before_its_slice_is_over_a_run_is_not_left(worker, monkeypatch):
    monkeypatch.setattr(joining, "SLICE", timedelta(minutes=1))
    large, small = ask(3), ask(1, "bleu")
    worker.work()
    assert worker.joined == [large.pk, small.pk]


def test_who_asked_to_wait_for_a_run_gets_it(worker):
    """A command computes it now: no message would have it go on."""
    large = ask(3)
    ask(1, "bleu")
    execute_run(run=large)
    assert worker.joined == [large.pk]


def test_a_worker_leaves_no_parts_to_a_queue_that_it_does_not_serve(worker, monkeypatch):
    """Nobody may serve it any more; who computes a run takes such parts itself."""
    monkeypatch.setattr(turns, "serves", lambda _queue: False)
    large, _ = ask(3), ask(1, "bleu")
    worker.work(messages=1)
    assert worker.joined == [large.pk]


def test_the_smaller_of_two_runs_in_parts_is_done_first(worker):
    smaller = []
    large = ask(3)
    worker.meanwhile[0] = lambda: smaller.append(ask(2, "bleu"))
    worker.work()
    assert worker.joined == [smaller[0].pk, large.pk]
    assert [worker.times(execute_run_task, run) for run in (large, smaller[0])] == [2, 1]


def test_a_run_that_turns_out_to_be_larger_gives_way_again(worker):
    """Neither is taken up again before it is joined: they do not leave for one another again and again."""
    larger = []
    large = ask(2)
    worker.meanwhile[0] = lambda: larger.append(ask(3, "bleu"))
    worker.work()
    assert worker.joined == [large.pk, larger[0].pk]
    assert [worker.times(execute_run_task, run) for run in (large, larger[0])] == [2, 2]
    assert len(set(worker.computed)) == len(worker.computed) == 5


def test_parts_go_on_where_the_message_of_what_comes_first_was_lost(worker):
    large, small = left_for_another(worker)
    worker.messages.remove((BEGIN, (small.pk,)))
    worker.work()
    assert worker.joined == [large.pk]
    hand_over_lost_work(now=timezone.now() + LATER)
    worker.work()
    assert worker.joined == [large.pk, small.pk]


def test_a_run_that_waits_to_be_joined_comes_before_more_parts_of_others(worker):
    """Its last part is done, and many messages of parts may lie before the one that has it joined."""
    large, _ = left_for_another(worker)
    worker.work(messages=4)  # three that let it pass, and the small run
    assert not turns.work_waits()
    while shard := take_shard(DEFAULT, now=timezone.now()):
        assert not turns.work_waits()
        jobs.finish(shard, now=timezone.now())
    assert turns.work_waits()
    wake_joiner(large)
    worker.work()
    assert (worker.times(execute_run_task, large), bits(large)[0], turns.work_waits()) == (2, "done", False)


def test_a_message_sent_again_does_not_take_up_a_run_that_was_left(worker, monkeypatch):
    large, _ = left_for_another(worker)
    worker.messages.clear()
    hand_over_lost_work(now=timezone.now() + LATER)
    assert (BEGIN, (large.pk,)) in worker.messages
    execute_run_task(large.pk)
    large.refresh_from_db()
    assert (large.status, len(worker.computed)) == ("queued", 1)
    worker.work()  # the messages of its parts were sent again too
    assert sorted(ScoreRun.objects.values_list("status", flat=True)) == ["done", "done"]


def test_a_lost_part_of_a_run_that_was_left_waits_for_no_long_pause(worker):
    """Nobody is at work on the run who would take it: its age would make the pause hours."""
    large, _ = left_for_another(worker)
    take_shard(DEFAULT, now=NOW)
    worker.messages.clear()
    ScoreRun.objects.update(created_at=timezone.now() - timedelta(days=1), sent_at=timezone.now())
    hand_over_lost_work(now=timezone.now())
    assert set(worker.messages) == {(compute_shards_task.name, (DEFAULT,))}
    worker.work()
    assert list(large.shards.values_list("status", "interruptions")) == [
        ("done", 0),
        ("done", 1),
        ("done", 0),
    ]


def test_how_far_a_run_is_that_was_left_is_told(worker, researcher_client):
    large, _ = left_for_another(worker)
    seen = []

    def look():
        row = ScoreRun.objects.get(pk=large.pk)
        page = researcher_client.get(reverse("runs:detail", args=[large.pk])).content.decode()
        seen.append((row.done, row.total, "Computing" in page, "Waiting for a worker" in page))

    worker.meanwhile[3] = look  # after one of it, the small run, and one more of it
    worker.work()
    parts = large.shards.order_by("number").values_list("pairs", flat=True)
    assert seen == [(sum(parts[:2]), sum(parts), True, False)]


def test_others_who_end_the_last_part_while_it_is_put_back_have_it_joined_once(worker, monkeypatch):
    put_back, large = jobs.put_back, ask(3)

    def after_the_others(now):
        compute_shards_task(DEFAULT, True)
        return put_back(now)

    monkeypatch.setattr(jobs, "put_back", after_the_others)
    small = ask(1, "bleu")
    worker.work()
    assert worker.joined == [small.pk, large.pk]
    assert len(set(worker.computed)) == len(worker.computed) == 4


def test_a_run_that_was_left_is_cancelled_and_tried_again(worker):
    large, small = left_for_another(worker)
    cancel_run(run=large, now=timezone.now())
    worker.work()
    large.refresh_from_db()
    assert (large.status, worker.joined, len(worker.computed)) == ("failed", [small.pk], 2)
    enqueue_run(retry_run(run=large, now=timezone.now()))
    worker.work()
    assert worker.joined == [small.pk, large.pk]
    assert len(set(worker.computed)) == len(worker.computed) == 4
