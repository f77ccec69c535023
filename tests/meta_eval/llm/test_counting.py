"""Prompt tokens that the server of a model counts, exactly, before anything is asked of it."""

import pytest

from meta_eval.llm.asking import Asking, estimate
from meta_eval.llm.limits import Budget, LimitError, Limits
from meta_eval.llm.models import ModelError, parse_model
from meta_eval.llm.opening import open_model
from tests.factories.llm_server import model_server
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
