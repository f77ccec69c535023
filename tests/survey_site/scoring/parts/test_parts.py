"""A run in parts: the same bits as in one piece, each part once, and what becomes of faults."""

from datetime import timedelta
from itertools import count

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.store.distance_store import StoreError
from meta_eval.errors import InputError
from meta_eval.scores.shard_scores import KeptScores
from survey_site.corpus.queries import load_corpus
from survey_site.scoring import jobs
from survey_site.scoring.adapters import MeasureChoice, measure_of
from survey_site.scoring.models import JobStatus, RatingSet, ScoreRun, ScoreShard
from survey_site.scoring.parts import working
from survey_site.scoring.parts.cutting import cut, stream_of
from survey_site.scoring.parts.services import retry_run
from survey_site.scoring.parts.waking import wake_joiner
from survey_site.scoring.parts.working import take_shard, work_on
from survey_site.scoring.rating_sets import record_ratings
from survey_site.scoring.services import execute_run, request_automatic, request_human
from survey_site.scoring.storage import contributions_path, distance_store, kept_scores
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch, make_scored_corpus

pytestmark = pytest.mark.django_db

ALONE = 1  # pairs: each document is a part
MEASURES = ["rouge-l", "rouge-su4", "rouge-2", "bleu", "jsd", "jsd-oov", "chrf"]


@pytest.fixture(autouse=True)
def _apart(settings, tmp_path):
    settings.CONCORD_DATA_DIR = tmp_path
    settings.CONCORD_SHARD_PAIRS = ALONE


def request(corpus=None, spec="rouge-l"):
    return request_automatic(
        corpus_row=corpus or make_scored_corpus(), choice=MeasureChoice(spec=spec), now=NOW
    )


def begun(run):
    """A run that a worker is at work on, cut into its parts."""
    jobs.take_up(run, now=timezone.now())
    run.refresh_from_db()
    stream = stream_of(run, load_corpus(run.corpus))
    assert cut(run, stream)
    return run, stream


def computed(run):
    """Status, records and the bytes of the scores of a run that is computed afresh."""
    execute_run(run=run)
    run.refresh_from_db()
    return run.status, run.error, run.records, contributions_path(run.contributions).read_bytes()


def again(run, settings, tmp_path, pairs):
    """The same run computed once more in a data folder of its own, cut into parts of so many pairs."""
    run.shards.all().delete()
    jobs.requeue(run, now=NOW)
    settings.CONCORD_DATA_DIR = tmp_path / f"pairs {pairs}"
    settings.CONCORD_SHARD_PAIRS = pairs
    return computed(run)


@pytest.mark.parametrize("spec", MEASURES)
def test_a_run_in_parts_gives_the_bits_of_one_in_one_piece(spec, settings, tmp_path):
    run = request(spec=spec)
    in_parts = computed(run)
    assert list(run.shards.values_list("status", "documents")) == [("done", 1)] * 3
    assert (in_parts[0], run.done) == ("done", run.total)
    assert again(run, settings, tmp_path, 10**6) == in_parts
    assert run.shards.count() == 0


def test_human_scores_in_parts_are_those_in_one_piece(settings, tmp_path):
    rating_set = record_ratings(batch=make_rated_batch(), now=NOW)
    run = request_human(rating_set=rating_set, choice=MeasureChoice(spec="rouge-l"), now=NOW)
    in_parts = computed(run)
    assert (in_parts[0], run.shards.count(), RatingSet.objects.count()) == ("done", 3, 1)
    assert again(run, settings, tmp_path, 10**6) == in_parts


@hypothesis_settings(max_examples=12, suppress_health_check=list(HealthCheck))
@given(pairs=st.integers(1, 200))
def test_whatever_the_bound_every_document_is_in_one_part(pairs, settings):
    settings.CONCORD_SHARD_PAIRS = pairs
    run = ScoreRun.objects.first() or request()
    stream = stream_of(run, load_corpus(run.corpus))
    documents = sorted(index for shard in stream.shards for index in shard.documents)
    assert documents == [0, 1, 2]
    assert all(len(shard.documents) == 1 or shard.pairs <= pairs for shard in stream.shards)
    run.shards.all().delete()
    assert cut(run, stream) == (len(stream.shards) > 1)
    assert run.shards.count() == (len(stream.shards) if len(stream.shards) > 1 else 0)


def test_a_small_run_has_no_parts(settings):
    settings.CONCORD_SHARD_PAIRS = 10**6
    run = request()
    execute_run(run=run)
    assert (ScoreShard.objects.count(), ScoreRun.objects.get().done) == (0, 3)


def test_workers_compute_each_part_once_and_who_joins_computes_nothing(monkeypatch):
    run, _ = begun(request())
    computed_parts, compute = [], DistanceStream.compute

    def count(stream, shard):
        blocks, counts = compute(stream, shard)
        computed_parts.append(counts.compared > 0)
        return blocks, counts

    monkeypatch.setattr(DistanceStream, "compute", count)
    assert work_on("celery", clock=timezone.now, ended=wake_joiner) is False
    assert (computed_parts, run.shards.filter(status="done").count()) == ([True] * 3, 3)
    ScoreRun.objects.update(status=JobStatus.QUEUED)
    assert computed(run)[0] == "done"
    assert len(computed_parts) == 3


def test_scores_of_parts_are_kept_until_they_are_joined():
    run, stream = begun(request())
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert set(kept_scores(run.key).read()) == {shard.span for shard in stream.shards}
    ScoreRun.objects.update(status=JobStatus.QUEUED)
    assert computed(run)[0] == "done"
    assert kept_scores(run.key).read() == {}


def test_a_store_that_does_not_let_go_of_them_fails_no_run(monkeypatch, caplog):
    def refuse(_kept):
        raise StoreError("the store is read-only")

    monkeypatch.setattr(KeptScores, "forget", refuse)
    run = request()
    assert computed(run)[0] == "done"
    assert f"The scores of the parts of run {run.pk} stay in the store" in caplog.text


def test_who_joins_finds_all_distances_in_the_store():
    stream = begun(request())[1]
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    list(stream.blocks)
    assert (stream.counts.compared, stream.counts.stored > 0) == (0, True)


def test_the_run_with_the_least_left_comes_first():
    large, _ = begun(request())
    small, _ = begun(request())
    ScoreRun.objects.filter(pk=small.pk).update(done=small.total - 1)
    taken = [take_shard("celery", now=NOW).run_id for _ in range(6)]
    assert taken == [small.pk] * 3 + [large.pk] * 3
    assert take_shard("celery", now=NOW) is None


def test_parts_of_another_queue_are_not_taken(settings):
    settings.CONCORD_SHARD_QUEUES = ["cpu"]
    run, _ = begun(request())
    assert (take_shard("celery", now=NOW), take_shard("cpu", now=NOW).run_id) == (None, run.pk)


def test_a_worker_lets_others_have_their_turn(monkeypatch):
    begun(request())
    monkeypatch.setattr(working, "SLICE", timedelta(0))
    assert work_on("celery", clock=timezone.now, ended=wake_joiner) is True
    assert ScoreShard.objects.filter(status=JobStatus.DONE).count() == 0


def test_what_a_worker_has_read_it_keeps_for_its_next_turn(monkeypatch):
    read = []
    monkeypatch.setattr(working, "load_corpus", lambda corpus: read.append(corpus) or load_corpus(corpus))
    begun(request())
    seconds = count(0, 25)  # two looks at the clock after a part was taken its turn is over

    def turn():
        return work_on(
            "celery", clock=lambda: timezone.now() + timedelta(seconds=next(seconds)), ended=wake_joiner
        )

    assert [turn() for _ in range(ScoreShard.objects.count())][:2] == [True, True]
    assert len(read) == 1
    assert set(ScoreShard.objects.values_list("status", flat=True)) == {"done"}
    assert turn() is False
    ScoreShard.objects.update(status=JobStatus.QUEUED)
    turn()
    assert len(read) == 2  # nothing is kept while there is nothing to do


def test_what_failed_is_read_anew(monkeypatch):
    read = []
    monkeypatch.setattr(working, "load_corpus", lambda corpus: read.append(corpus) or load_corpus(corpus))
    begun(request())
    with monkeypatch.context() as broken:
        broken.setattr(DistanceStream, "compute", lambda *_: 1 / 0)
        seconds = count(0, 25)
        assert work_on(
            "celery", clock=lambda: timezone.now() + timedelta(seconds=next(seconds)), ended=wake_joiner
        )
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert len(read) == 2


def test_a_fault_of_the_input_is_final_and_only_that_part_is_tried_again(monkeypatch):
    run, compute = request(), DistanceStream.compute

    def refuse(stream, shard):
        if shard == stream.shards[1]:
            raise InputError("no such text")
        return compute(stream, shard)

    with monkeypatch.context() as patch:
        patch.setattr(DistanceStream, "compute", refuse)
        execute_run(run=run)
    run.refresh_from_db()
    assert list(run.shards.values_list("status", "interruptions")) == [
        ("done", 0),
        ("failed", 0),
        ("done", 0),
    ]
    assert (run.status, run.error) == (
        "failed",
        "1 of 3 parts failed, the first of them, part 2, because: no such text "
        "The other parts are kept: try the failed parts again.",
    )
    tried = []
    monkeypatch.setattr(
        DistanceStream, "compute", lambda stream, shard: tried.append(shard) or compute(stream, shard)
    )
    assert computed(retry_run(run=run, now=timezone.now()))[0] == "done"
    assert [shard.span.first for shard in tried] == [run.shards.get(number=1).first]


@pytest.mark.django_db(transaction=True)
def test_a_store_that_cannot_be_reached_is_a_fault_of_the_machinery(monkeypatch):
    run, compute, tries = request(), DistanceStream.compute, []

    def lose_once(stream, shard):
        tries.append(shard)
        if len(tries) == 1:
            raise StoreError("the share is gone")
        return compute(stream, shard)

    monkeypatch.setattr(DistanceStream, "compute", lose_once)
    monkeypatch.setattr(jobs, "PAUSES", (0,))
    assert computed(run)[0] == "done"
    assert (len(tries), list(run.shards.values_list("interruptions", flat=True))) == (4, [1, 0, 0])


def test_a_part_whose_worker_died_is_taken_again_and_fails_after_too_many_deaths():
    run, _ = begun(request())
    for death in range(1, jobs.MOST_INTERRUPTIONS):
        shard = working.take_shard_of(run.pk, now=NOW)
        assert (shard.number, shard.worker) == (0, working.this_worker())
        jobs.lose_stale(run.shards.all(), now=NOW + jobs.STALE_AFTER + timedelta(seconds=1))
        shard.refresh_from_db()
        assert (shard.status, shard.interruptions) == (JobStatus.QUEUED, death)
    working.take_shard_of(run.pk, now=NOW)
    jobs.lose_stale(run.shards.all(), now=NOW + jobs.STALE_AFTER + timedelta(seconds=1))
    shard.refresh_from_db()
    assert shard.status == JobStatus.FAILED
    assert "may lack memory" in shard.error


def test_another_bound_cuts_anew_and_what_is_in_the_store_stays(settings):
    run, _ = begun(request())
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    settings.CONCORD_SHARD_PAIRS = 130
    stream = stream_of(run, load_corpus(run.corpus))
    cut(run, stream)
    assert list(run.shards.values_list("status", "documents")) == [("queued", 2), ("queued", 1)]
    assert sum(stream.compute(shard)[1].compared for shard in stream.shards) == 0


def test_a_worker_with_another_bound_says_so(settings):
    run, _ = begun(request())
    settings.CONCORD_SHARD_PAIRS = 10**6
    work_on("celery", clock=timezone.now, ended=wake_joiner)
    assert set(run.shards.values_list("status", flat=True)) == {"failed"}
    assert "CONCORD_SHARD_PAIRS" in run.shards.first().error


@pytest.mark.parametrize("scheme", ["memory", "file"])
def test_distances_are_kept_at_a_url(scheme, settings, tmp_path):
    where = f"file://{tmp_path}/far away" if scheme == "file" else "memory://parts"
    run = request()
    settings.CONCORD_DISTANCES_URL = where
    try:
        there = computed(run)
        files = distance_store().files
        digest = DistanceStream(*_of(run)).signature.digest
        assert (there[0], len(files.sizes(f"{digest}/parts"))) == ("done", 3)
        assert not (tmp_path / "distances").exists()
        settings.CONCORD_DISTANCES_URL = ""
        assert again(run, settings, tmp_path, ALONE) == there
    finally:
        for folder in files.folders():
            for kind in ("", "/parts", "/used"):
                for name in files.sizes(f"{folder}{kind}"):
                    files.remove(f"{folder}{kind}/{name}")


def _of(run):
    return load_corpus(run.corpus), measure_of(run)
