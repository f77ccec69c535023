"""A worker is not held by a report whose scores wait for parts that others compute: it goes on meanwhile."""

import pytest
from django.utils import timezone

from meta_eval.errors import MeasureError
from survey_site.notices.models import Notice
from survey_site.reports.models import Report
from survey_site.reports.rescue import hand_over_lost_work
from survey_site.reports.tasks import build_report_task, enqueue_report
from survey_site.scoring import jobs
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts import cutting, joining, working
from survey_site.scoring.parts.services import cancel_run
from survey_site.scoring.tasks import compute_shards_task, execute_run_task
from survey_site.settings.queues import DEFAULT, GPU
from tests.factories.messages import take_messages
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

# A worker's transactions end, and then it sends its messages.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def broker(monkeypatch):
    return take_messages(
        monkeypatch, compute_shards_task, execute_run_task, build_report_task, queues=(DEFAULT, GPU)
    )


@pytest.fixture(autouse=True)
def _two_queues(settings, tmp_path, monkeypatch):
    """Parts of `jsd` wait for a GPU, which the worker that builds has not."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    settings.CONCORD_SHARD_QUEUES = (GPU,)
    monkeypatch.setattr(cutting, "_queue_of", lambda measure: GPU if measure.id == "jsd" else DEFAULT)
    monkeypatch.setattr(joining, "may_take", lambda queue: queue != GPU)


def ask(batch, *measures):
    report = make_report(
        batch=batch, built=False, measures=list(measures), resamples=1000, now=timezone.now()
    )
    enqueue_report(report)
    return report


def state(report):
    return Report.objects.get(pk=report.pk).status


def waiting():
    return list(ScoreRun.objects.filter(waits_for_parts=True).values_list("measure", flat=True))


def test_a_report_of_quick_scores_passes_one_that_waits_for_other_workers(broker):
    batch = make_rated_batch()
    large, small = ask(batch, "jsd", "bleu"), ask(batch, "bleu")
    broker.work(DEFAULT)
    assert (state(large), state(small), waiting()) == ("queued", "done", ["jsd"])
    assert ScoreRun.objects.get(measure="bleu").is_done
    broker.work(GPU)
    broker.work(DEFAULT)
    assert (state(large), waiting()) == ("done", [])
    assert broker.times(build_report_task, large) == 2  # begun and ended, no more
    assert Report.objects.get(pk=large.pk).failures == ()
    assert Notice.objects.filter(subject=str(large.pk)).count() == 1


def test_it_has_the_numbers_of_one_that_was_built_at_once(broker, settings, tmp_path, monkeypatch):
    report = ask(make_rated_batch(), "jsd", "bleu")
    for queue in (DEFAULT, GPU, DEFAULT):
        broker.work(queue)
    in_parts = Report.objects.get(pk=report.pk).result
    ScoreRun.objects.all().delete()
    monkeypatch.setattr(cutting, "_queue_of", lambda _measure: DEFAULT)
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 10**6, tmp_path / "in one piece"
    jobs.requeue(Report.objects.get(pk=report.pk), now=timezone.now())
    enqueue_report(report)
    broker.work(DEFAULT)
    assert Report.objects.get(pk=report.pk).result == in_parts


def test_a_message_sent_again_keeps_no_worker(broker, monkeypatch):
    report = ask(make_rated_batch(), "jsd")
    broker.work(DEFAULT)
    monkeypatch.setattr("survey_site.reports.tasks.build_report", None)  # to begin would fail
    reports, _, _ = hand_over_lost_work(now=timezone.now() + 10 * jobs.STALE_AFTER)
    assert reports == [report]
    broker.work(DEFAULT)
    assert state(report) == "queued"


def test_a_lost_message_is_sent_again(broker):
    report = ask(make_rated_batch(), "jsd")
    for queue in (DEFAULT, GPU):
        broker.work(queue)
    broker.queues[DEFAULT].clear()
    hand_over_lost_work(now=timezone.now() + 10 * jobs.STALE_AFTER)
    broker.work(DEFAULT)
    assert state(report) == "done"


def test_others_who_are_done_while_it_is_put_back_have_it_built(broker, monkeypatch):
    """The worker of the GPU, and the one that joins, are quicker than the report is put back."""
    report, put_back, quick = ask(make_rated_batch(), "jsd"), jobs.put_back, []

    def after_the_others(now):
        columns = put_back(now)
        if ScoreRun.objects.filter(waits_for_parts=True).exists() and not quick:
            quick.append(None)
            broker.work(GPU)
            broker.work(DEFAULT)
        return columns

    monkeypatch.setattr(jobs, "put_back", after_the_others)
    broker.work(DEFAULT)
    assert (len(quick), state(report)) == (1, "done")


def test_parts_that_fail_elsewhere_end_the_report(broker, monkeypatch):
    def fail(*_arguments, **_options):
        raise MeasureError("no such model here")

    report = ask(make_rated_batch(), "jsd", "bleu")
    broker.work(DEFAULT)
    monkeypatch.setattr(working, "_part_of", fail)
    for queue in (GPU, DEFAULT, GPU, DEFAULT):
        broker.work(queue)
    assert (state(report), broker.times(build_report_task, report)) == ("done", 2)
    assert "no such model here" in str(Report.objects.get(pk=report.pk).failures)


def test_a_run_that_is_cancelled_keeps_no_report_waiting(broker):
    report = ask(make_rated_batch(), "jsd", "bleu")
    broker.work(DEFAULT)
    cancel_run(run=ScoreRun.objects.get(measure="jsd"), now=timezone.now())
    broker.work(DEFAULT)
    assert (state(report), broker.times(build_report_task, report)) == ("done", 2)
    assert "cancelled" in str(Report.objects.get(pk=report.pk).failures)
