"""A report whose scores are large gives way to a smaller one, with one worker of one process for both."""

from collections import deque
from datetime import timedelta

import pytest
from celery import current_app
from django.utils import timezone

from meta_eval.distances.computing import DistanceStream
from survey_site.notices.models import Notice
from survey_site.reports.models import Report
from survey_site.reports.tasks import build_report_task, enqueue_report
from survey_site.scoring import jobs
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts import cutting, joining
from survey_site.scoring.tasks import compute_shards_task, execute_run_task
from survey_site.settings.queues import DEFAULT
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

# A worker's transactions end, and then it sends its messages.
pytestmark = pytest.mark.django_db(transaction=True)
TASKS = {task.name: task for task in (compute_shards_task, execute_run_task, build_report_task)}


class Worker:
    def __init__(self):
        self.messages, self.handled, self.computed, self.meanwhile = deque(), [], [], []

    def send(self, name, args, queue=DEFAULT):
        assert queue == DEFAULT
        self.messages.append((name, args))

    def work(self):
        while self.messages:
            name, args = self.messages.popleft()
            TASKS[name].run(*args)
            self.handled.append((name, *args))
            assert len(self.handled) < 200, "work without an end"

    def times(self, task, row):
        return self.handled.count((task.name, row.pk))


@pytest.fixture
def worker(monkeypatch):
    worker, compute = Worker(), DistanceStream.compute

    def note(stream, shard):
        while worker.meanwhile:
            worker.meanwhile.pop()()
        blocks, counts = compute(stream, shard)
        if counts.compared:  # else it was read from the store
            worker.computed.append((stream.signature.digest, shard.span.first))
        return blocks, counts

    monkeypatch.setattr(current_app, "send_task", worker.send)
    monkeypatch.setattr(DistanceStream, "compute", note)
    for task in (execute_run_task, build_report_task):
        monkeypatch.setattr(task, "delay", lambda key, name=task.name: worker.send(name, (key,)))
    return worker


@pytest.fixture(autouse=True)
def _short_turns(settings, tmp_path, monkeypatch):
    """Runs of `jsd` and `rouge-l` have parts; who computes one looks after each whether other work waits."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    monkeypatch.setattr(joining, "SLICE", timedelta(0))
    monkeypatch.setattr(joining, "LOOK_EVERY", timedelta(0))
    monkeypatch.setattr(
        joining, "cut", lambda run, stream: run.measure != "bleu" and cutting.cut(run, stream)
    )


def ask(batch, *measures, surrogates=("bleu",)):
    report = make_report(
        batch=batch,
        built=False,
        measures=list(measures),
        surrogates=list(surrogates),
        resamples=1000,
        now=timezone.now(),
    )
    enqueue_report(report)
    return report


def ends(*reports):
    return [Report.objects.get(pk=report.pk).finished_at for report in reports]


def test_a_small_report_asked_for_meanwhile_is_done_before_the_large_one(
    worker, settings, tmp_path, monkeypatch
):
    batch, small = make_rated_batch(), []
    large = ask(batch, "jsd", "rouge-l")
    worker.meanwhile.append(lambda: small.append(ask(batch, "bleu")))
    worker.work()
    first, last = ends(small[0], large)
    assert first < ScoreRun.objects.get(measure="jsd").finished_at < last
    assert first < ScoreRun.objects.get(measure="rouge-l").started_at  # none was begun before the small one
    assert worker.times(build_report_task, large) == 2  # begun and ended, no more
    assert len(set(worker.computed)) == len(worker.computed)
    assert Notice.objects.filter(subject=str(large.pk)).count() == 1
    in_turns = Report.objects.get(pk=large.pk)
    assert (in_turns.status, in_turns.failures) == ("done", ())
    ScoreRun.objects.all().delete()
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 10**6, tmp_path / "in one piece"
    monkeypatch.undo()
    jobs.requeue(in_turns, now=timezone.now())
    build_report_task(large.pk)
    assert Report.objects.get(pk=large.pk).result == in_turns.result


def test_a_report_alone_is_not_left_for_runs_of_its_own(worker):
    report = ask(make_rated_batch(), "jsd", "rouge-l", surrogates=("jsd",))
    worker.work()
    assert Report.objects.get(pk=report.pk).status == "done"
    assert worker.times(build_report_task, report) == 1
    assert not [one for one in worker.handled if one[0] == execute_run_task.name]  # nothing was put back


def test_two_reports_on_the_same_large_scores_are_both_done(worker):
    batch, other = make_rated_batch(), []
    first = ask(batch, "jsd", "rouge-l")
    worker.meanwhile.append(lambda: other.append(ask(batch, "jsd")))
    worker.work()
    assert set(Report.objects.values_list("status", flat=True)) == {"done"}
    assert len(set(worker.computed)) == len(worker.computed)
    assert worker.times(build_report_task, first) <= 3
