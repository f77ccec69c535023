"""Tasks: thin, and harmless where the row or the broker is gone."""

from datetime import timedelta

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from survey_site.reports.rescue import hand_over_lost_work
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.jobs import STALE_AFTER
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.services import request_automatic
from survey_site.scoring.tasks import enqueue_run, execute_run_task
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def run():
    choice = MeasureChoice(spec="jsd")
    return request_automatic(corpus_row=make_scored_corpus(), choice=choice, now=NOW)


def test_the_task_computes_the_run(run):
    execute_run_task(run.pk)
    assert ScoreRun.objects.get().status == JobStatus.DONE


def test_a_second_message_does_not_keep_a_worker_waiting(run, monkeypatch):
    ScoreRun.objects.update(status=JobStatus.RUNNING, heartbeat_at=timezone.now())
    monkeypatch.setattr(jobs.time, "sleep", lambda _seconds: pytest.fail("the worker waits"))
    execute_run_task(run.pk)
    assert ScoreRun.objects.get().status == JobStatus.RUNNING


def test_a_message_left_over_does_not_begin_a_failed_run_again(run):
    ScoreRun.objects.update(status=JobStatus.FAILED, interruptions=jobs.MOST_INTERRUPTIONS)
    execute_run_task(run.pk)
    assert ScoreRun.objects.values_list("status", "interruptions").get() == (JobStatus.FAILED, 5)


def test_the_task_has_a_fixed_name_and_is_acknowledged_when_done():
    assert (execute_run_task.name, execute_run_task.acks_late) == ("scoring.execute_run", True)


def test_a_row_that_is_gone_is_logged(run, caplog):
    run.delete()
    execute_run_task(run.pk)
    assert "is gone; nothing to do" in caplog.text


def test_enqueueing_sends_the_id_once_the_row_is_committed(
    run, monkeypatch, django_capture_on_commit_callbacks
):
    sent = []
    monkeypatch.setattr(execute_run_task, "delay", sent.append)
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        enqueue_run(run)
        assert sent == []
    assert (sent, len(callbacks)) == ([run.pk], 1)


def test_without_a_broker_the_row_stays_queued(run, monkeypatch, caplog, django_capture_on_commit_callbacks):
    def refuse(_row_id):
        raise OperationalError("connection refused")

    monkeypatch.setattr(execute_run_task, "delay", refuse)
    with django_capture_on_commit_callbacks(execute=True):
        enqueue_run(run)
    assert ScoreRun.objects.get().status == JobStatus.QUEUED
    assert "no broker can be reached" in caplog.text


def test_what_no_broker_took_is_sent_at_the_next_look(run, monkeypatch, django_capture_on_commit_callbacks):
    """Not after the pause that follows a message which may still arrive."""
    sent = []

    def refuse_once(row_id):
        sent.append(row_id)
        if len(sent) == 1:
            raise OperationalError("connection refused")

    monkeypatch.setattr(execute_run_task, "delay", refuse_once)
    look = run.created_at + 2 * STALE_AFTER
    for seconds in (0, 5, 10):
        with django_capture_on_commit_callbacks(execute=True):
            hand_over_lost_work(now=look + timedelta(seconds=seconds))
    assert sent == [run.pk, run.pk]
