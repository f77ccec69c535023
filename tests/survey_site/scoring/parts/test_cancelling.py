"""Runs that are cancelled: while they wait, between two parts, and in one piece."""

import pytest
from django.utils import timezone

from meta_eval.distances.computing import DistanceStream
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, ScoreRun
from survey_site.scoring.parts import joining
from survey_site.scoring.parts.services import allow_again, cancel_run, retry_run
from survey_site.scoring.parts.working import take_shard
from survey_site.scoring.services import execute_run, request_automatic
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _each_document_is_a_part(settings, tmp_path):
    settings.CONCORD_DATA_DIR, settings.CONCORD_SHARD_PAIRS = tmp_path, 1


def ask():
    return request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)


def computed(run):
    """The status of a run that is computed afresh."""
    execute_run(run=run)
    run.refresh_from_db()
    return run.status


def test_a_cancelled_run_begins_no_further_part_and_goes_on_where_it_was(monkeypatch):
    run, compute, kept = ask(), DistanceStream.compute, []

    def cancel(stream, shard):
        kept.append(shard)
        cancel_run(run=run, now=timezone.now())
        return compute(stream, shard)

    with monkeypatch.context() as patch:
        patch.setattr(DistanceStream, "compute", cancel)
        execute_run(run=run)
    run.refresh_from_db()
    assert (run.status, len(kept), run.shards.filter(status="done").count()) == ("failed", 1, 1)
    assert run.error.startswith(joining.CANCELLED)
    assert take_shard("celery", now=NOW) is None
    execute_run(run=run)
    assert ScoreRun.objects.get().status == JobStatus.FAILED  # a report that began before does not undo it
    allow_again(run, asked_at=timezone.now())
    assert (computed(run), run.done) == ("done", run.total)


def test_a_run_that_waits_is_cancelled_at_once_and_tried_again():
    run = cancel_run(run=ask(), now=NOW)
    assert (run.status, run.error[:27]) == ("failed", joining.CANCELLED[:27])
    run = retry_run(run=run, now=NOW)
    assert (run.status, run.cancelled_at) == ("queued", None)
    assert computed(run) == "done"
    assert cancel_run(run=run, now=NOW).status == "done"


def test_a_run_in_one_piece_stops_where_it_is_cancelled(monkeypatch, settings):
    settings.CONCORD_SHARD_PAIRS = 10**6
    run = ask()
    jobs.take_up(run, now=timezone.now())
    ScoreRun.objects.update(cancelled_at=NOW)
    with pytest.raises(joining.RunCancelledError):
        joining.go_on(run, done=0, total=3)
