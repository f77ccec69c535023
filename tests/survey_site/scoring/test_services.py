"""Runs: the library's numbers, computed once, with every end recorded."""

import math
from datetime import timedelta

import pytest

from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import score_humans
from meta_eval.scores.perseval import PenaltyOptions
from survey_site.corpus.queries import corpus_languages, load_corpus
from survey_site.scoring import adapters, jobs, services
from survey_site.scoring.adapters import MeasureChoice, ratings_of, ratings_of_batch
from survey_site.scoring.models import JobStatus, RatingSet, RunKind, ScoreRun
from survey_site.scoring.rating_sets import record_ratings
from survey_site.scoring.services import execute_run, request_automatic, request_human
from survey_site.scoring.storage import contributions_path, load_contributions
from tests.factories.batches import NOW
from tests.factories.scoring import make_rated_batch, make_scored_corpus, rate_batch

pytestmark = pytest.mark.django_db
LONG_AGO = NOW - timedelta(days=1)


def clock():
    return NOW


@pytest.fixture
def counted(monkeypatch):
    """How often each side was computed."""
    calls = dict.fromkeys(RunKind, 0)

    def count(kind, compute):
        def counting(*args):
            calls[kind] += 1
            return compute(*args)

        return counting

    for kind, compute in services.COMPUTATIONS.items():
        monkeypatch.setitem(services.COMPUTATIONS, kind, count(kind, compute))
    return calls


def choose(*, spec, mode="paper", preprocess=None, **asked):
    """The choice of a measure, and what else is asked for."""
    return {"choice": MeasureChoice(spec=spec, mode=mode, preprocess=preprocess), **asked, "now": NOW}


def score_corpus(corpus, spec, **asked):
    run = request_automatic(corpus_row=corpus, **choose(spec=spec, **asked))
    return execute_run(run=run, clock=clock)


def score_batch(batch, spec, **asked):
    rating_set = record_ratings(batch=batch, now=NOW)
    run = request_human(rating_set=rating_set, **choose(spec=spec, **asked))
    return execute_run(run=run, clock=clock)


def request_rouge(corpus=None):
    choice = MeasureChoice(spec="rouge-l")
    return request_automatic(corpus_row=corpus or make_scored_corpus(), choice=choice, now=NOW)


def test_an_automatic_run_keeps_the_records_of_the_library():
    corpus = make_scored_corpus()
    run = score_corpus(corpus, "bleu:n=2")
    expected = score_systems(load_corpus(corpus), make_measure("bleu", n=2))
    assert (run.status, run.error) == (JobStatus.DONE, "")
    assert ScoreRun.objects.get().records == expected.records()
    assert run.signature == expected.distances.signature.as_dict()
    assert (run.done, run.total) == (3, 3)


def test_a_human_run_keeps_the_records_of_the_library():
    batch = make_rated_batch(completions=5)
    run = score_batch(batch, "jsd", min_raters=1)
    divergences = human_divergences(ratings_of_batch(batch), scale="similarity", full=2, min_raters=1)
    expected = score_humans(load_corpus(batch.corpus), divergences, make_measure("jsd"))
    assert run.status == JobStatus.DONE
    assert ScoreRun.objects.get().records == expected.records()
    assert {record["pairs_below_full"] for record in run.records} == {4}


def test_running_twice_is_one_row_computed_once(counted):
    batch = make_rated_batch()
    automatic = [score_corpus(batch.corpus, "jsd") for _ in range(2)]
    human = [score_batch(batch, "jsd") for _ in range(2)]
    assert counted == {RunKind.AUTOMATIC: 1, RunKind.HUMAN: 1}
    assert automatic[0] == automatic[1]
    assert human[0] == human[1]
    assert ScoreRun.objects.count() == 2


def test_records_that_held_less_are_computed_again(counted, monkeypatch):
    corpus = make_scored_corpus()
    with monkeypatch.context() as before:
        before.setattr(adapters, "RECORDS", adapters.RECORDS - 1)
        score_corpus(corpus, "jsd")
    run = score_corpus(corpus, "jsd")
    assert (counted[RunKind.AUTOMATIC], ScoreRun.objects.count()) == (2, 2)
    assert {"texts", "left_out", "include_self"} < set(run.records[0])


def test_words_are_found_as_the_language_of_the_corpus_asks():
    corpus = make_scored_corpus()
    english = score_corpus(corpus, "rouge-l")
    corpus.language = "de"
    corpus.save(update_fields=["language"])
    german = score_corpus(corpus, "rouge-l")
    named = [run.records[0]["signature"]["tokenizer"] for run in (english, german)]
    assert named == ["rouge-score, porter", "unicode, german"]
    assert english.key != german.key
    assert german.records[0]["signature"] == german.signature
    choice = MeasureChoice(spec="rouge-l", tokeniser="char")
    assert choice.make(corpus).signature.tokenizer == "char"
    assert corpus_languages(corpus) == load_corpus(corpus).languages == ("de",)


@pytest.mark.parametrize(
    "other",
    [
        {"spec": "bleu:n=2"},
        {"spec": "bleu", "normalise": "none"},
        {"spec": "bleu", "preprocess": "pens"},
        {"spec": "bleu:tokeniser=char"},
        {"spec": "bleu", "mode": "kdm"},
        {"spec": "bleu", "options": ScoreOptions(PenaltyOptions(beta=1.0))},
        {"spec": "bleu", "options": ScoreOptions(include_self=True)},
    ],
)
def test_another_computation_is_another_run(other):
    corpus = make_scored_corpus()
    first = score_corpus(corpus, "bleu")
    second = score_corpus(corpus, **other)
    assert first.key != second.key
    assert second.status == JobStatus.DONE


def test_the_same_measure_on_another_corpus_is_another_run():
    runs = [score_corpus(make_scored_corpus(), "jsd") for _ in range(2)]
    assert runs[0].key != runs[1].key


def test_the_readers_of_the_penalty_are_part_of_a_human_run_and_of_no_automatic_one():
    batch = make_rated_batch()
    rated = ScoreOptions(edp_readers="rated")
    assert score_batch(batch, "jsd").key != score_batch(batch, "jsd", options=rated).key
    assert score_corpus(batch.corpus, "jsd").key == score_corpus(batch.corpus, "jsd", options=rated).key


def test_a_run_kept_before_there_was_a_choice_is_made_again_with_the_rated_readers():
    run = score_batch(make_rated_batch(), "jsd", options=ScoreOptions(edp_readers="first"))
    assert adapters.score_options_of(run).edp_readers == "first"
    del run.options["score"]["edp_readers"]
    assert adapters.score_options_of(run).edp_readers == "rated"


def test_new_ratings_make_a_new_human_run(counted):
    batch = make_rated_batch(completions=4)
    before = score_batch(batch, "jsd", min_raters=1)
    rate_batch(batch, completions=1, shift=-1)
    after = score_batch(batch, "jsd", min_raters=1)
    assert before != after
    assert before.records != after.records
    assert counted[RunKind.HUMAN] == 2


def test_a_human_run_takes_the_ratings_as_they_were_when_it_was_requested():
    batch = make_rated_batch(completions=4)
    run = request_human(
        rating_set=record_ratings(batch=batch, now=NOW),
        choice=MeasureChoice(spec="jsd"),
        min_raters=1,
        now=NOW,
    )
    asked_for = ratings_of_batch(batch)
    rate_batch(batch, completions=2, shift=-1)
    execute_run(run=run)
    assert {record["ratings"] for record in ScoreRun.objects.get().records} == {len(asked_for)}
    assert ratings_of(run.rating_set) == asked_for


def test_the_same_ratings_are_kept_once():
    batch = make_rated_batch(completions=2)
    assert record_ratings(batch=batch, now=NOW) == record_ratings(batch=batch, now=NOW)
    assert RatingSet.objects.count() == 1


def test_contributions_per_document_come_back_as_they_were():
    corpus = make_scored_corpus()
    run = score_corpus(corpus, "rouge-l")
    expected = score_systems(load_corpus(corpus), make_measure("rouge-l")).contributions
    found = load_contributions(run.contributions)
    assert (found.systems, found.documents) == (("Copy", "Mixed", "Same"), ("doc1", "doc2", "doc3"))
    assert found.degress.tolist() == expected.degress.tolist()
    assert found.perseval.tolist() == expected.perseval.tolist()
    assert found.accuracy.tolist() == expected.accuracy.tolist()
    assert found.penalty.tolist() == expected.penalty.tolist()
    assert found.pairs.tolist() == expected.pairs.tolist()


def test_only_rated_documents_have_human_contributions():
    batch = make_rated_batch(completions=1)
    run = score_batch(batch, "rouge-l", min_raters=1, normalise="none")
    found = load_contributions(run.contributions)
    (rated,) = found.documents
    assert all(math.isfinite(value) for value in found.degress[:, 0])
    assert rated == ratings_of_batch(batch)[0].doc_id


def test_lost_contributions_are_computed_again(counted):
    run = score_corpus(make_scored_corpus(), "jsd")
    contributions_path(run.contributions).unlink()
    again = execute_run(run=run)
    assert (again.status, counted[RunKind.AUTOMATIC]) == (JobStatus.DONE, 2)
    assert contributions_path(run.contributions).is_file()


def test_missing_texts_are_recorded_as_the_reason():
    run = score_corpus(make_scored_corpus(bodies=False), "jsd")
    stored = ScoreRun.objects.get()
    assert (stored.status, stored.records, stored.contributions) == (JobStatus.FAILED, [], "")
    assert stored.error == run.error
    assert "3 documents have no text" in run.error
    assert stored.finished_at == NOW


def test_an_unexpected_error_is_recorded_and_a_new_try_may_succeed(monkeypatch, caplog):
    run = request_rouge()
    with monkeypatch.context() as patch:
        patch.setitem(services.COMPUTATIONS, RunKind.AUTOMATIC, lambda *_: 1 / 0)
        failed = execute_run(run=run)
    assert failed.status == JobStatus.FAILED
    assert failed.error == "Unexpected error (ZeroDivisionError): division by zero"
    assert "ZeroDivisionError" in caplog.text
    again = execute_run(run=run)
    assert (again.status, again.error) == (JobStatus.DONE, "")


def test_libraries_updated_between_request_and_run_are_noticed():
    run = request_rouge()
    run.signature["versions"]["rapidfuzz"] = "0.1"
    run.save()
    assert execute_run(run=run).status == JobStatus.FAILED
    assert "changed after the scores were requested" in ScoreRun.objects.get().error


def test_a_run_with_a_living_process_is_waited_for(counted, monkeypatch):
    run = request_rouge()
    ScoreRun.objects.update(status=JobStatus.RUNNING, heartbeat_at=NOW - jobs.STALE_AFTER / 2)
    waits = []

    def other_process_finishes(seconds):
        waits.append(seconds)
        ScoreRun.objects.update(status=JobStatus.DONE, records=[{"from": "the other process"}])

    monkeypatch.setattr(jobs.time, "sleep", other_process_finishes)
    finished = execute_run(run=run, clock=clock)
    assert finished.records == [{"from": "the other process"}]
    assert (len(waits), counted[RunKind.AUTOMATIC]) == (1, 0)


def test_a_run_whose_process_died_is_taken_up_again(counted):
    run = request_rouge()
    ScoreRun.objects.update(status=JobStatus.RUNNING, heartbeat_at=NOW - 2 * jobs.STALE_AFTER)
    assert execute_run(run=run, clock=clock).status == JobStatus.DONE
    assert counted[RunKind.AUTOMATIC] == 1
