"""The page of a run: how far it is, who is at work, ending it and trying failed parts again."""

import pytest
from django.urls import reverse
from django.utils import timezone

from survey_site.corpus.queries import load_corpus
from survey_site.keeping.dependents import rows_of
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import JobStatus, ScoreRun, ScoreShard
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.working import take_shard_of, this_worker
from survey_site.scoring.services import request_automatic
from survey_site.scoring.tasks import execute_run_task
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def run(settings, tmp_path):
    """At work: the first part done, the second under way."""
    settings.CONCORD_SHARD_PAIRS, settings.CONCORD_DATA_DIR = 1, tmp_path
    row = request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="jsd"), now=NOW)
    jobs.take_up(row, now=timezone.now())
    row.refresh_from_db()
    stream = stream_of(row, load_corpus(row.corpus))
    assert cut(row, stream)
    first = take_shard_of(row.pk, now=timezone.now())
    stream.keep(stream.shards[0])
    jobs.finish(first, now=timezone.now())
    take_shard_of(row.pk, now=timezone.now())
    alive = timezone.now() + jobs.STALE_AFTER * 60  # however long the test takes
    ScoreRun.objects.update(done=first.pairs, heartbeat_at=alive)
    ScoreShard.objects.update(heartbeat_at=alive)
    row.refresh_from_db()
    return row


def shown(client, run, name="detail"):
    answer = client.get(reverse(f"runs:{name}", args=[run.pk]))
    assert answer.status_code == 200
    return " ".join(answer.content.decode().split())


def test_the_page_says_how_far_it_is_and_who_is_at_work(researcher_client, run):
    for name in ("detail", "progress"):
        page = shown(researcher_client, run, name)
        assert "33 %" in page
        assert "<dt>Parts done</dt><dd>1 of 3</dd>" in page
        assert "<dt>Pairs of texts compared</dt><dd>65 of 195</dd>" in page
        assert "<dt>Parts that wait</dt><dd>1, for workers that serve the queue celery</dd>" in page
        assert f'<th scope="row">2</th><td>{this_worker()}</td>' in page


def test_a_run_is_cancelled_and_tried_again(researcher_client, run, monkeypatch):
    sent = []
    monkeypatch.setattr(execute_run_task, "delay", sent.append)
    assert ">Cancel</button>" in shown(researcher_client, run)
    researcher_client.post(reverse("runs:cancel", args=[run.pk]))
    assert "Being cancelled" in shown(researcher_client, run)
    ScoreRun.objects.update(status=JobStatus.FAILED, error="It was cancelled before its end.")
    ScoreShard.objects.filter(number=1).update(status=JobStatus.FAILED, error="no such text")
    page = shown(researcher_client, run)
    assert ">Try the failed parts again</button>" in page
    assert '<th scope="row">2</th><td>no such text</td>' in page
    researcher_client.post(reverse("runs:retry", args=[run.pk]))
    run.refresh_from_db()
    assert (run.status, run.cancelled_at) == ("queued", None)
    assert list(run.shards.values_list("status", flat=True)) == ["done", "queued", "queued"]


def test_parts_go_with_their_corpus(run):
    gone = {one.rows.model: one.rows.count() for one in rows_of(run.corpus)}
    assert gone[ScoreShard] == 3
