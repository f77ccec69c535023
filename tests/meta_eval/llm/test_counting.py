"""Prompt tokens that the server of a model counts, exactly, before anything is asked of it."""

from collections import Counter

import pytest

from meta_eval.llm.asking import Asking, estimate
from meta_eval.llm.limits import Budget, LimitError, Limits, StoppedError
from meta_eval.llm.models import ModelError, parse_model
from meta_eval.llm.opening import open_model
from meta_eval.llm.replies import ReplyStore
from tests.factories.llm_server import Failing, model_server
from tests.meta_eval.cli.running import run
from tests.meta_eval.llm.questions import http_model, judge, question

QUESTIONS = [question(number) for number in range(4)]
WORDS = sum(len(one.request.messages[0].content.split()) for one in QUESTIONS)


def as_vllm(path, body):
    """One token a word."""
    if path != "/tokenize" or not body.get("add_generation_prompt"):
        return None
    return {"count": sum(len(message["content"].split()) for message in body["messages"])}


def as_llama(path, body):
    """Its `/tokenize` answers to anything, and knows `content` alone; the template adds two words."""
    if path == "/apply-template":
        return {"prompt": f"user: {body['messages'][0]['content']} assistant:"}
    special = body.get("add_special") and body.get("parse_special")
    return {"tokens": [0] * len(body.get("content", "").split()) if special else []}


@pytest.mark.parametrize(("beside", "added"), [(as_vllm, 0), (as_llama, 2 * len(QUESTIONS))])
def test_the_server_counts_each_prompt_once(beside, added):
    with model_server(judge, beside=beside) as server:
        model = http_model(server, tokenizer="server")
        assert server.seen.beside == []
        expected = estimate(QUESTIONS, model)
        assert (expected.prompt_tokens, server.requests) == (WORDS + added, 0)
        assert expected.counting == f"counted by {server.url}"
        asked = len(server.seen.beside)
        assert [answer.reason for answer in Asking(QUESTIONS, model)] == [None] * len(QUESTIONS)
        assert len(server.seen.beside) == asked
        model.close()


def test_limits_hold_by_what_the_server_counts():
    most = WORDS + 32 * len(QUESTIONS)
    with model_server(judge, beside=as_vllm) as server:
        model = http_model(server, tokenizer="server")
        with pytest.raises(LimitError):
            list(Asking(QUESTIONS, model, budget=Budget(Limits(tokens=most - 1))))
        assert server.requests == 0
        estimate(QUESTIONS, model)
        Budget(Limits(tokens=most)).require_room(estimate(QUESTIONS, model))
        model.close()


def nothing(path, body):
    """A hosted server: no such address."""


def broken(path, body):
    return {"count": "many", "prompt": 3, "tokens": "many"}


def once(path, body):
    """Of the first prompt alone, which is the probe."""
    return as_vllm(path, body) if body["messages"][0]["content"] == "a" else None


@pytest.mark.parametrize("beside", [nothing, broken, once])
def test_a_server_that_cannot_count_is_never_half_estimated(beside):
    with model_server(judge, beside=beside) as server:
        model = http_model(server, tokenizer="server")
        with pytest.raises(ModelError, match=r"count(s|ed) no tokens.*leave tokenizer out"):
            estimate(QUESTIONS, model)
        model.close()
    assert server.requests == 0


def failing_at_first(status, times):
    """Each prompt's count fails so often before it comes; `asked` counts by prompt."""
    asked = Counter()

    def beside(path, body):
        text = body["messages"][0]["content"]
        asked[text] += 1
        if asked[text] <= times:
            raise Failing(status, "busy")
        return as_vllm(path, body)

    return beside, asked


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_count_that_fails_is_tried_again_like_a_question(status):
    beside, asked = failing_at_first(status, 2)
    with model_server(judge, beside=beside) as server:
        model = http_model(server, tokenizer="server", retries=2)
        assert estimate(QUESTIONS, model).prompt_tokens == WORDS
        assert set(asked.values()) == {3}
        model.close()


def test_a_server_that_fails_to_count_stops_the_run_and_what_came_is_kept(tmp_path):
    """It is not said that the server cannot count: it did, and may do so again."""

    def failing(path, body):
        if QUESTIONS[3].request.messages[0].content == body["messages"][0]["content"]:
            raise Failing(503, "out of memory")
        return as_vllm(path, body)

    kept = ReplyStore(str(tmp_path)).of
    with model_server(judge, beside=failing) as server:
        model = http_model(server, tokenizer="server", retries=1)
        assert [one.reason for one in Asking(QUESTIONS[:3], model, kept=kept(model.options))] == [None] * 3
        with pytest.raises(StoppedError, match=r"counted: .*503: out of memory \(2 attempts\).*call again"):
            list(Asking(QUESTIONS, model, kept=kept(model.options)))
        model.close()
        assert server.requests == 3
    with model_server(judge, beside=as_vllm) as server:
        model = http_model(server, tokenizer="server")
        assert [one.reason for one in Asking(QUESTIONS, model, kept=kept(model.options))] == [None] * 4
        model.close()
        assert server.requests == 1


def test_what_the_server_says_of_a_prompt_that_it_does_not_count_is_told():
    def refusing(path, body):
        if body["messages"][0]["content"] != "a":
            raise Failing(400, "no system messages in this template")
        return as_vllm(path, body)

    with model_server(judge, beside=refusing) as server:
        model = http_model(server, tokenizer="server")
        with pytest.raises(
            ModelError, match="a prompt: it answered 400: no system messages in this template"
        ):
            estimate(QUESTIONS, model)
        model.close()
    assert len(server.seen.beside) == 2


def test_nobody_is_asked_to_count_unless_that_is_named():
    with model_server(judge, beside=as_vllm) as server:
        model = http_model(server)
        assert estimate(QUESTIONS, model).counting == "estimated: characters/4"
        model.close()
    assert server.seen.beside == []
    replay = open_model(parse_model("replay:model=judge,tokenizer=server"))
    assert replay.counting == "estimated: characters/4"


def test_a_command_says_where_texts_go_to_be_counted(tmp_path):
    """A dry run counts too; `generate`, whose prompts depend on the counts, refuses it."""
    with model_server(judge, beside=as_vllm) as server:
        model = f"http:model=judge,url={server.url},tokenizer=server"
        typed = ("judge", "pairs", "fixtures/demo/corpus.jsonl", "--scale", "similarity", "--documents", 1)
        done = run(*typed, "--dry-run", "--model", model, "--out", tmp_path)
        assert (done.returncode, server.requests) == (0, 0), done.stderr
        assert f"judge: {server.url} counts tokens: texts go there before any question." in done.stderr
        assert f"(counted by {server.url})" in done.stderr
        asked = len(server.seen.beside)
        generate = ("generate", "fixtures/demo/corpus.jsonl", "--readers", "fixtures/demo/histories.jsonl")
        refused = run(*generate, "--model", model, "--out", tmp_path / "out.jsonl")
    assert (refused.returncode, len(server.seen.beside)) == (2, asked)
    assert "in place of tokenizer=server" in refused.stderr
