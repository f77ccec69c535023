"""A model rates a batch: what it is asked, what is kept of it, and what ends it."""

import json
from datetime import timedelta

import pytest

from meta_eval.corpus.documents import GOLD
from meta_eval.distances.store.files import StoreError
from meta_eval.llm.replies import KeptReplies
from survey_site.accounts.audit import audit_entries
from survey_site.common.errors import ConflictError, InvalidInputError
from survey_site.corpus.queries import load_corpus
from survey_site.model_raters import stopping
from survey_site.model_raters.asking import prepare
from survey_site.model_raters.choices import Choice
from survey_site.model_raters.models import ModelRun
from survey_site.model_raters.queries import (
    answer_records,
    mean_records,
    model_tables,
    pairs_of,
    ratings_of,
    runs_of,
)
from survey_site.model_raters.services import (
    GOES_ON,
    cancel_run,
    execute_run,
    request_runs,
    requeue_stale_model_runs,
    retry_run,
)
from survey_site.scoring import jobs
from survey_site.scoring.models import JobStatus
from survey_site.survey.models import Rating
from tests.factories.batches import NOW, make_batch
from tests.factories.llm_server import Play, prompt_of
from tests.factories.model_raters import MODEL, configured, request_one, run_one, say_four
from tests.factories.scoring import make_rated_batch, make_scored_corpus

pytestmark = pytest.mark.django_db

QUESTION = "How near are these two to each other?"
PAIRS = 12  # three documents, three systems and the gold pair
REQUESTS = 15  # both orders; the texts of Copy are the gold ones, and those of Same are equal: asked once


@pytest.fixture(autouse=True)
def _alone(monkeypatch, settings, tmp_path):
    """With no kept reply. Tests hold the database in one transaction, at which a second connection would wait
    in vain."""
    settings.CONCORD_DATA_DIR = tmp_path
    monkeypatch.setattr(stopping, "LOOK_SECONDS", 3600)
    monkeypatch.setattr(jobs, "BEAT_SECONDS", 3600)


@pytest.fixture
def batch():
    return make_rated_batch(question=QUESTION, low_label="far", high_label="near", document_shown=False)


def test_a_model_rates_every_pair_in_both_orders(batch, settings):
    people = list(Rating.objects.order_by("pk").values())
    with configured(settings) as server:
        run = run_one(batch)
    assert (run.status, run.error, run.done, run.total) == (JobStatus.DONE, "", REQUESTS, REQUESTS)
    assert (server.requests, run.requests) == (REQUESTS, REQUESTS)
    assert {(one.system, one.rating) for one in ratings_of([run])} == {
        (GOLD, 4), ("Copy", 4), ("Mixed", 4), ("Same", 6)
    }  # fmt: skip
    assert {one.rater for one in ratings_of([run])} == {f"model:{MODEL}"}
    assert list(Rating.objects.order_by("pk").values()) == people != []


def test_its_ratings_are_about_the_pairs_that_people_are_asked_about(batch, settings):
    with configured(settings):
        run = run_one(batch)
    assert {one.pair for one in ratings_of([run])} == set(pairs_of(batch))
    assert len(ratings_of([run])) == len(pairs_of(batch)) == PAIRS


def test_what_it_said_can_be_read_as_the_command_writes_it(batch, settings):
    with configured(settings):
        run = run_one(batch)
    answers = list(answer_records(run))
    assert len(answers) == 2 * PAIRS
    assert {(one["order"], one["draw"], one["reason"]) for one in answers} == {
        ("ab", 0, None),
        ("ba", 0, None),
    }
    assert {one["text"] for one in answers} == {'{"score": 4}', '{"score": 6}'}
    assert [one["answers"] for one in mean_records(run)] == [2] * PAIRS
    assert [one.rating for one in model_tables([run])[0].answers] == [one["rating"] for one in answers]


def test_no_byte_that_is_sent_names_a_system_a_reader_a_document_or_a_rater(batch, settings):
    with configured(settings) as server:
        run_one(batch, explain=True)
    corpus = load_corpus(batch.corpus)
    hidden = {
        *corpus.systems, GOLD, "gold", "summary",
        *(document.id for document in corpus.documents),
        *(reader for document in corpus.documents for reader in document.references),
        *(rater.code for rater in batch.people.all()),
        batch.name, batch.corpus.content_hash[:12],
    }  # fmt: skip
    sent = b"\n".join(server.seen.bodies).decode()
    roles = sent.replace('"role":"user"', "").replace('"role": "user"', "")
    assert [word for word in sorted(hidden) if word in roles] == []
    assert QUESTION in sent


def test_it_is_asked_in_the_words_that_raters_read(batch, settings):
    with configured(settings) as server:
        run_one(batch)
    prompts = [json.loads(body)["messages"] for body in server.seen.bodies]
    said = "\n".join(message["content"] for message in prompts[0])
    assert QUESTION in said
    assert "The scale goes from 1 to 6. 1: far; 6: near." in said
    assert batch.instructions in said
    assert "Article" not in said


def test_the_article_is_shown_where_raters_see_it(settings):
    batch = make_rated_batch(document_shown=True)
    with configured(settings) as server:
        run_one(batch)
    assert all(b"Article:" in body for body in server.seen.bodies)


def test_the_same_requests_are_one_run_and_are_asked_once(batch, settings):
    with configured(settings) as server:
        first = run_one(batch)
        again = run_one(batch)
    assert (again.pk, server.requests) == (first.pk, REQUESTS)


def test_another_way_of_asking_is_another_run_with_a_name_of_its_own(batch, settings):
    with configured(settings):
        names = [run_one(batch).name, run_one(batch, both_orders=False).name]
    assert names == [MODEL, f"{MODEL} (2)"]
    assert {one.rater for one in ratings_of(ModelRun.objects.all())} == {
        f"model:{MODEL}",
        f"model:{MODEL} (2)",
    }


def test_draws_need_a_temperature(batch, settings):
    with configured(settings):
        with pytest.raises(InvalidInputError, match="3 draws at temperature 0"):
            Choice(model=MODEL, draws=3)
        run = run_one(batch, draws=2, temperature=0.7)
    assert run.total == 2 * REQUESTS
    assert {one["answers"] for one in mean_records(run)} == {4}


def test_answers_that_cannot_be_read_are_missing_with_their_reason(batch, settings):
    def mumble(body, _times):
        return Play("no idea") if "akery" in json.dumps(body) else say_four(body, 0)

    with configured(settings, mumble):
        run = run_one(batch)
    missing = run.record["left_out"]["unreadable"]
    assert missing > 0
    assert run.record["answered"] == run.record["questions"] - missing
    assert run.ratings.filter(rating=None).count() == run.record["pairs_without_rating"] > 0
    assert any("answers are missing" in said for said in run.record["warnings"])


def test_replies_that_cannot_be_kept_end_a_run_before_it_pays_for_them_again(batch, settings, monkeypatch):
    def refuse(_kept, _replies):
        raise StoreError("the disk is full.")

    monkeypatch.setattr(KeptReplies, "keep", refuse)
    with configured(settings) as server:
        run = run_one(batch)
    said = f"the disk is full. {GOES_ON}"
    assert (run.status, run.error, run.interruptions) == (JobStatus.FAILED, said, 0)
    assert server.requests == REQUESTS


def test_a_run_that_the_server_refuses_fails_with_what_to_do_and_goes_on_later(batch, settings):
    refused = True

    def script(body, _times):
        return Play(status=401, error="wrong key") if refused else say_four(body, 0)

    with configured(settings, script):
        run = run_one(batch)
        assert run.status == JobStatus.FAILED
        assert "401 wrong key" in run.error
        assert "CONCORD_LLM_KEY" in run.error
        assert "try again" in run.error
        refused = False
        run = execute_run(run=retry_run(run=run, now=NOW), clock=lambda: NOW)
    assert run.status == JobStatus.DONE


def test_a_run_that_died_asks_nothing_twice(batch, settings):
    """Its server goes away after some replies; what came before is kept, and not asked again."""
    alive = True

    def script(body, _times):
        return say_four(body, 0) if alive or times_left() else Play(status=400, error="gone")

    left = [8]

    def times_left():
        left[0] -= 1
        return left[0] >= 0

    alive = False
    with configured(settings, script) as server:
        run = run_one(batch)
        assert run.status == JobStatus.FAILED
        answered = run.requests - sum(count for count in server.seen.counts.values() if count > 1)
        alive = True
        execute_run(run=retry_run(run=run, now=NOW), clock=lambda: NOW)
        run.refresh_from_db()
    assert run.status == JobStatus.DONE
    assert answered > 0
    # Each request had one reply: those that were refused came twice, the others once.
    assert server.requests == REQUESTS + sum(count - 1 for count in server.seen.counts.values())
    assert sum(count == 1 for count in server.seen.counts.values()) >= 8
    assert run.requests == server.requests


def test_a_run_of_a_killed_worker_comes_back(batch, settings):
    with configured(settings):
        run = request_one(batch)
        jobs.take_up(run, now=NOW)
        back = requeue_stale_model_runs(now=NOW + timedelta(minutes=1))
        run.refresh_from_db()
        assert ([one.pk for one in back], run.status, run.interruptions) == ([run.pk], JobStatus.QUEUED, 1)


def test_more_tokens_than_the_site_allows_are_refused_before_anything_is_sent(batch, settings):
    settings.CONCORD_LLM_TOKENS_PER_RUN = 100
    with configured(settings) as server, pytest.raises(InvalidInputError, match="above the limit"):
        run_one(batch)
    assert (server.requests, ModelRun.objects.count()) == (0, 0)


def test_texts_go_to_no_other_server_than_the_one_that_was_confirmed(batch, settings):
    with configured(settings):
        run = request_one(batch)
    with configured(settings) as other:
        run = execute_run(run=run, clock=lambda: NOW)
    assert (run.status, other.requests) == (JobStatus.FAILED, 0)
    assert "confirmed for" in run.error


def test_a_run_that_waits_is_cancelled_at_once_and_can_be_tried_again(batch, settings, admin):
    with configured(settings) as server:
        run = cancel_run(run=request_one(batch), now=NOW, by=admin)
        assert (run.is_cancelled, server.requests) == (True, 0)
        assert execute_run(run=run, clock=lambda: NOW).is_cancelled
        assert server.requests == 0
        run = execute_run(run=retry_run(run=run, now=NOW, by=admin), clock=lambda: NOW)
    assert (run.is_done, run.is_cancelled) == (True, False)
    actions = [entry.action for entry in audit_entries(subject=("batches.batch", batch.pk))]
    assert actions[:3] == ["model run tried again", "model run cancelled", "model asked to rate"]


def test_costs_go_by_the_prices_of_the_request(batch, settings):
    settings.CONCORD_LLM_PRICE_IN, settings.CONCORD_LLM_PRICE_OUT = 2.0, 8.0
    with configured(settings):
        run = run_one(batch)
    assert run.cost == pytest.approx((2 * run.prompt_tokens + 8 * run.completion_tokens) / 1_000_000)
    assert run.prompt_tokens > 1000


def test_without_prices_no_cost_is_known(batch, settings):
    with configured(settings):
        assert run_one(batch).cost is None


def test_a_draft_is_not_rated(settings):
    draft = make_batch(corpus=make_scored_corpus(), launched=False)
    with pytest.raises(ConflictError, match="draft"):
        request_runs(batch=draft, prepared=[], now=NOW)


def test_the_key_is_stored_nowhere(batch, settings, monkeypatch, tmp_path):
    monkeypatch.setenv("CONCORD_LLM_KEY", "sk-hidden-key")
    told = Play(json.dumps({"reason": "You sent sk-hidden-key.", "score": 4}))
    with configured(settings, lambda _body, _times: told) as server:
        run = run_one(batch, explain=True)
    assert server.seen.headers[0]["Authorization"] == "Bearer sk-hidden-key"
    files = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) > 0
    assert not any(b"sk-hidden-key" in content for content in files)
    rows = [run.options, run.record, run.error, *(one.answers for one in run.ratings.all())]
    details = [entry.detail for entry in audit_entries()]
    assert "sk-hidden-key" not in json.dumps([rows, details], default=str)


def test_models_side_by_side_are_counted_in_one_query(batch, settings, django_assert_num_queries):
    with configured(settings):
        run_one(batch)
        run_one(batch, both_orders=False)
    with django_assert_num_queries(1):
        rows = [(run.name, run.rated, run.pairs, round(run.mean_rating, 3)) for run in runs_of(batch)]
    assert rows == [(MODEL, PAIRS, PAIRS, 4.5), (f"{MODEL} (2)", PAIRS, PAIRS, 4.5)]


def test_every_host_that_was_sent_texts_stays_named_with_its_confirmation(batch, settings):
    with configured(settings, lambda _body, _times: Play(status=401, error="no")) as first:
        assert run_one(batch).status == JobStatus.FAILED
    with configured(settings) as second:
        run = run_one(batch)
    assert (run.is_done, run.hosts) == (True, [first.url, second.url])
    told = [entry.detail["sent to"] for entry in audit_entries(action="model asked to rate")]
    assert told == [second.url, first.url]


def test_a_run_at_its_limit_of_tokens_says_which_setting_ends_it(batch, settings):
    with configured(settings) as server:
        run = request_one(batch)
        settings.CONCORD_LLM_TOKENS_PER_RUN = 100
        execute_run(run=run, clock=lambda: NOW)
    run.refresh_from_db()
    assert server.requests == 0
    assert run.error.startswith("This run has used 0 of the 100 tokens that this site allows a run")
    assert "can raise CONCORD_LLM_TOKENS_PER_RUN; then try again" in run.error


def test_one_price_alone_gives_no_cost(batch, settings):
    settings.CONCORD_LLM_PRICE_IN = 2.0
    with configured(settings):
        assert prepare(batch, [Choice(model=MODEL)])[0].expected.cost is None
        assert run_one(batch).cost is None


def test_no_nul_of_a_reply_is_stored(batch, settings):
    said = [json.dumps({"reason": "a\0b", "score": 4}), json.dumps({"reason": "b", "score": 4}) + "\0"]
    with configured(settings, lambda body, _times: Play(said[prompt_of(body).count("News ") % 2])):
        run = run_one(batch, explain=True)
    stored = [text for one in answer_records(run) for text in (one["text"], one["explanation"] or "")]
    assert any("\ufffd" in text for text in stored)
    assert not any("\0" in text for text in stored)


def test_a_model_that_the_site_no_longer_allows_is_not_tried_again(batch, settings):
    with configured(settings):
        run = cancel_run(run=request_one(batch), now=NOW)
        settings.CONCORD_LLM_MODELS = ["another"]
        with pytest.raises(ConflictError, match=f"no longer allows the model {MODEL}"):
            retry_run(run=run, now=NOW)
