"""Parts whose worker cannot read the corpus or is taken for dead, and runs cancelled at their end."""

from contextlib import contextmanager

import pytest
from django.utils import timezone

from survey_site.corpus.queries import load_corpus
from survey_site.scoring import jobs, services
from survey_site.scoring.adapters import MeasureChoice
from survey_site.scoring.models import ScoreRun, ScoreShard
from survey_site.scoring.parts import joining, working
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.services import cancel_run
from survey_site.scoring.parts.waking import wake_joiner
from survey_site.scoring.parts.working import work_on
from survey_site.scoring.services import execute_run, request_automatic
from tests.factories.batches import NOW
from tests.factories.scoring import make_scored_corpus

pytestmark = pytest.mark.django_db


@pytest.fixture
def asked(settings, tmp_path):
    """A run of three documents, each of which is a part."""
    settings.CONCORD_DATA_DIR, settings.CONCORD_SHARD_PAIRS = tmp_path, 1
    return request_automatic(corpus_row=make_scored_corpus(), choice=MeasureChoice(spec="rouge-l"), now=NOW)


@pytest.fixture
def run(asked):
    """The same, cut into its parts by a worker that is at work on it."""
    jobs.take_up(asked, now=timezone.now())
    asked.refresh_from_db()
    assert cut(asked, stream_of(asked, load_corpus(asked.corpus)))
    return asked


def test_a_helper_that_cannot_read_its_corpus_says_why(run, monkeypatch):
    def refuse(_corpus):
        raise ValueError("a text is damaged")

    monkeypatch.setattr(working, "load_corpus", refuse)
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert (
        list(run.shards.values_list("status", "error"))
        == [("failed", "Unexpected error (ValueError): a text is damaged")] * 3
    )


def test_the_heartbeat_is_on_while_a_helper_reads_its_corpus(run, monkeypatch):
    seen = []

    @contextmanager
    def heartbeat(_job, *, clock):
        seen.append("on")
        yield
        seen.append("off")

    def load(corpus):
        seen.append("read")
        return load_corpus(corpus)

    monkeypatch.setattr(jobs, "heartbeat", heartbeat)
    monkeypatch.setattr(working, "load_corpus", load)
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert seen == ["on", "read", "off", "on", "off", "on", "off"]
    assert ScoreRun.objects.get().shards.filter(status="done").count() == 3


def test_parts_that_waited_for_a_gpu_are_freed_by_other_settings(run, settings):
    run.shards.update(queue="gpu")
    assert work_on("celery", clock=timezone.now, ended=wake_joiner) is False
    assert run.shards.filter(status="done").count() == 0
    assert cut(run, stream_of(run, load_corpus(run.corpus)))
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert list(run.shards.values_list("status", "queue")) == [("done", "celery")] * 3


def test_a_run_that_is_cancelled_while_its_parts_are_joined_ends(asked, monkeypatch):
    score = services.COMPUTATIONS["automatic"]

    def cancel_and_score(run, corpus, progress):
        cancel_run(run=run, now=timezone.now())
        return score(run, corpus, progress)

    monkeypatch.setitem(services.COMPUTATIONS, "automatic", cancel_and_score)
    execute_run(run=asked)
    asked.refresh_from_db()
    assert (asked.status, asked.error.startswith(joining.CANCELLED)) == ("failed", True)
    assert set(asked.shards.values_list("status", flat=True)) == {"done"}


def test_a_cancel_that_comes_after_the_scores_leaves_no_trace(asked, monkeypatch):
    save = services.save_contributions

    def save_and_cancel(frame, *, key):
        cancel_run(run=asked, now=timezone.now())
        return save(frame, key=key)

    monkeypatch.setattr(services, "save_contributions", save_and_cancel)
    execute_run(run=asked)
    asked.refresh_from_db()
    assert (asked.status, asked.cancelled_at, asked.done) == ("done", None, asked.total)


def taken_for_dead(run):
    """A part as its worker knows it, which meanwhile another has taken, or done."""
    late = working.take_shard_of(run.pk, now=NOW)
    jobs.lose_stale(run.shards.all(), now=timezone.now())
    return late, working.take_shard_of(run.pk, now=timezone.now())


def test_a_worker_taken_for_dead_cannot_fail_a_part_that_another_has_done(run):
    late, other = taken_for_dead(run)
    jobs.finish(other, now=timezone.now())
    jobs.fail(late, now=timezone.now(), error="too late")
    late.refresh_from_db()
    assert (late.pk, late.status, late.error) == (other.pk, "done", "")


def test_a_worker_taken_for_dead_says_nothing_of_a_part_that_another_computes(run):
    late, other = taken_for_dead(run)
    before = ScoreShard.objects.filter(pk=other.pk).values().get()
    assert jobs.finish(late, now=timezone.now()) is False
    late.refresh_from_db()
    late.started_at = NOW
    jobs._beat_once(late, timezone.now())
    assert ScoreShard.objects.filter(pk=other.pk).values().get() == before
