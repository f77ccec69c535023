"""A report whose scores are large gives way to a smaller one, with one worker of one process for both."""

from datetime import timedelta

import pytest
from django.utils import timezone

from survey_site.notices.models import Notice
from survey_site.reports.models import Report
from survey_site.reports.tasks import build_report_task, enqueue_report
from survey_site.scoring import jobs
from survey_site.scoring.models import ScoreRun
from survey_site.scoring.parts import cutting, joining
from survey_site.scoring.tasks import compute_shards_task, execute_run_task
from tests.factories.messages import note_parts, take_messages
from tests.factories.reports import make_report
from tests.factories.scoring import make_rated_batch

# A worker's transactions end, and then it sends its messages.
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def worker(monkeypatch):
    """The only worker, of one process; what it computed, and what others do in the middle of a part."""
    worker = take_messages(monkeypatch, compute_shards_task, execute_run_task, build_report_task)
    worker.meanwhile = {}
    worker.computed = note_parts(monkeypatch, worker.meanwhile)
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
    worker.meanwhile[0] = lambda: small.append(ask(batch, "bleu"))
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
    worker.meanwhile[0] = lambda: other.append(ask(batch, "jsd"))
    worker.work()
    assert set(Report.objects.values_list("status", flat=True)) == {"done"}
    assert len(set(worker.computed)) == len(worker.computed)
    assert worker.times(build_report_task, first) <= 3
