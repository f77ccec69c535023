"""Background work: what is queued again, how progress is kept, and the beat that shows a living process."""

from datetime import timedelta

import pytest

from survey_site.scoring import jobs, services
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.services import (
    requeue_stale_runs,
)
from tests.factories.batches import NOW
from tests.survey_site.scoring.test_services import LONG_AGO, clock, request_rouge

pytestmark = pytest.mark.django_db


def test_requeueing_takes_the_dead_and_the_long_waiting_and_no_others():
    runs = {name: request_rouge() for name in ("dead", "alive", "lost", "new", "again", "done", "failed")}
    states = {
        "dead": {"status": JobStatus.RUNNING, "heartbeat_at": NOW - 2 * jobs.STALE_AFTER},
        "alive": {"status": JobStatus.RUNNING, "heartbeat_at": NOW},
        "lost": {"status": JobStatus.QUEUED},
        "new": {"status": JobStatus.QUEUED, "created_at": NOW - jobs.STALE_AFTER / 2},
        "again": {"status": JobStatus.QUEUED, "requeued_at": NOW - jobs.STALE_AFTER / 2},
        "done": {"status": JobStatus.DONE},
        "failed": {"status": JobStatus.FAILED},
    }
    for name, state in states.items():
        ScoreRun.objects.filter(pk=runs[name].pk).update(**{"created_at": LONG_AGO, **state})
    assert requeue_stale_runs(now=NOW) == [runs["dead"], runs["lost"]]
    stored = {name: ScoreRun.objects.get(pk=run.pk).status for name, run in runs.items()}
    assert stored == {
        "dead": "queued", "alive": "running", "lost": "queued",
        "new": "queued", "again": "queued", "done": "done", "failed": "failed",
    }  # fmt: skip


def test_a_run_that_kills_its_process_is_not_tried_for_ever():
    run = request_rouge()
    ends = []
    for death in range(jobs.MOST_INTERRUPTIONS):
        moment = NOW + death * 3 * jobs.STALE_AFTER
        assert jobs.take_up(run, now=moment).status == JobStatus.RUNNING
        again = requeue_stale_runs(now=moment + 2 * jobs.STALE_AFTER)
        run.refresh_from_db()
        ends.append((again == [run], run.status, run.interruptions, run.error))
    gone = "Its process ended {} before it was done."
    assert ends == [
        (True, JobStatus.QUEUED, 1, gone.format("1 time")),
        *((True, JobStatus.QUEUED, count, gone.format(f"{count} times")) for count in (2, 3, 4)),
        (
            False,
            JobStatus.FAILED,
            5,
            f"{gone.format('5 times')} The machine may lack memory for it. {jobs.LOOK}",
        ),
    ]
    tried = jobs.take_up(run, now=NOW)  # by hand
    assert (tried.interruptions, tried.error) == (0, "")


def test_work_that_waits_is_handed_over_again_less_and_less_often():
    request_rouge()
    ScoreRun.objects.update(created_at=NOW)
    seconds = [second for second in range(121) if requeue_stale_runs(now=NOW + timedelta(seconds=second))]
    assert seconds == [11, 23, 47, 95]


def test_progress_is_stored_about_once_a_second(django_assert_num_queries, monkeypatch):
    run = request_rouge()
    seen, seconds = [], iter(range(1000, 2000))
    monkeypatch.setattr(services.time, "monotonic", lambda: next(seconds) / 100)
    report = services._stored_progress(run, lambda done, _total: seen.append(done))
    with django_assert_num_queries(4):
        for done in range(1, 301):
            report(done, 300)
    assert seen == list(range(1, 301))
    assert (ScoreRun.objects.get().done, ScoreRun.objects.get().total) == (300, 300)


@pytest.mark.django_db(transaction=True)
def test_the_heartbeat_beats_while_a_measure_says_nothing(monkeypatch):
    run = request_rouge()
    ScoreRun.objects.update(status=JobStatus.RUNNING, heartbeat_at=LONG_AGO)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 0.01)
    with jobs.heartbeat(run, clock=clock):
        for _ in range(1000):
            run.refresh_from_db()
            if run.heartbeat_at == NOW:
                break
            jobs.time.sleep(0.01)
    assert run.heartbeat_at == NOW
