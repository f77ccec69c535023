"""Asking: each request once, faults survived, what is missing named, and nothing paid for twice."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import astuple, replace

import pytest

from meta_eval.distances.store.files import StoreError
from meta_eval.llm.asking import UNSAVED, Asking, ask, estimate
from meta_eval.llm.forms import Score
from meta_eval.llm.limits import StoppedError
from meta_eval.llm.models import ModelError, parse_model, request_key
from meta_eval.llm.opening import open_model
from meta_eval.llm.replies import KeptReplies, ReplyStore
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.llm.questions import Naps, flaky, http_model, judge, question, right_score

KEY = "sk-known-to-nobody-else"


def said(answers):
    """All of answers but whether they were kept."""
    return [astuple(replace(answer, kept=False)) for answer in answers]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory):
    """A thousand questions to a server that fails in three of ten, with what came of it."""
    store, naps = tmp_path_factory.mktemp("replies"), Naps()
    with model_server(flaky) as server:
        model = http_model(server, sleep=naps)
        kept = ReplyStore(str(store)).of(model.options)
        questions = [question(number) for number in range(1000)]
        answers = list(Asking(questions, model, kept=kept))
        first = server.requests
        again = list(Asking(questions, model, kept=ReplyStore(str(store)).of(model.options)))
        model.close()
        yield {"server": server, "first": first, "answers": answers, "again": again, "naps": naps,
               "store": store, "questions": questions, "options": model.options}  # fmt: skip


def test_every_answer_is_right_or_missing_with_its_reason(faulty):
    texts = {one.id: one.request.messages[0].content for one in faulty["questions"]}
    answers = faulty["answers"]
    assert [answer.id for answer in answers] == list(texts)
    assert all(answer.value == right_score(texts[answer.id]) for answer in answers if answer.reason is None)
    assert all(answer.value is None for answer in answers if answer.reason)
    reasons = Counter(answer.reason for answer in answers)
    assert set(reasons) == {None, "refused", "cut off"}
    assert min(reasons["refused"], reasons["cut off"]) > 10


def test_no_request_is_sent_but_for_a_question_a_retry_or_a_repair(faulty):
    repairs = sum(answer.turns - 1 for answer in faulty["answers"])
    retries = len(faulty["naps"])
    assert min(repairs, retries) > 10
    assert faulty["first"] == 1000 + repairs + retries
    assert faulty["naps"].count(7.0) > 10  # as Retry-After asks


def test_the_second_run_asks_nothing(faulty):
    assert faulty["server"].requests == faulty["first"]
    assert said(faulty["again"]) == said(faulty["answers"])
    assert all(answer.kept for answer in faulty["again"])


def test_replay_gives_the_same_without_a_connection(faulty, monkeypatch):
    def refuse(*_):
        raise AssertionError("a connection was opened")

    monkeypatch.setattr("socket.socket.connect", refuse)
    options = replace(faulty["options"], kind="replay")
    kept = ReplyStore(str(faulty["store"])).of(options)
    assert said(ask(faulty["questions"], open_model(options), kept=kept)) == said(faulty["answers"])


def test_replay_knows_nothing_else():
    (answer,) = ask([question(1)], open_model(parse_model("replay:model=judge")))
    assert (answer.value, answer.reason) == (None, "not kept")


def test_equal_prompts_are_asked_once_and_draws_are_not():
    with model_server(judge) as server:
        model = http_model(server, temperature=1)
        same = [replace(question(1), id="a"), replace(question(1), id="b"), question(1, sample=1)]
        answers = list(ask(same, model))
        model.close()
    assert [answer.id for answer in answers] == ["a", "b", "q1"]
    assert server.requests == 2
    assert len(set(server.seen.bodies)) == 2  # the second draw has another seed


def test_as_many_are_asked_at_once_as_the_model_takes():
    barrier = threading.Barrier(8)
    with model_server(judge, before=lambda: barrier.wait(30)) as server:
        model = http_model(server, concurrent=8)
        answers = list(ask([question(number) for number in range(32)], model))
        model.close()
    assert [answer.reason for answer in answers] == [None] * 32
    assert server.seen.most_at_once == 8


def test_a_server_that_is_gone_ends_the_run_and_what_came_is_kept(tmp_path):
    def dies(body, times):
        return judge(body, times) if "pair 1\n" in str(body["messages"][0]["content"]) else Play(status=500)

    with model_server(dies) as server:
        model = http_model(server, retries=1, concurrent=1)
        kept = ReplyStore(str(tmp_path)).of(model.options)
        with pytest.raises(StoppedError, match=r"5 requests in a row had no reply, the last one: .* 500"):
            list(ask([question(number) for number in range(1, 100)], model, kept=kept))
        model.close()
    assert server.requests == 1 + 5 * 2
    assert estimate([question(1)], model, ReplyStore(str(tmp_path)).of(model.options)).new == 0


@pytest.mark.parametrize("status", [401, 403, 404, 400])
def test_a_refusal_that_all_would_meet_ends_the_run_without_the_key(status, monkeypatch, tmp_path, caplog):
    monkeypatch.setenv("CONCORD_LLM_KEY", KEY)
    with model_server(lambda *_: Play(status=status, error=f"Incorrect key {KEY} given")) as server:
        model = http_model(server, concurrent=1)
        with pytest.raises(ModelError, match=rf"'judge': {status} Incorrect key \*\*\* given") as error:
            list(ask([question(1), question(2)], model, kept=ReplyStore(str(tmp_path)).of(model.options)))
        model.close()
    assert server.requests == 1
    assert server.seen.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in f"{error.value}{error.value.__cause__}{caplog.text}{model.options}"


def test_the_key_is_in_no_kept_file(monkeypatch, tmp_path):
    monkeypatch.setenv("CONCORD_LLM_KEY", KEY)
    with model_server(judge) as server:
        model = http_model(server)
        list(ask([question(1)], model, kept=ReplyStore(str(tmp_path)).of(model.options)))
        model.close()
    files = [file for file in tmp_path.rglob("*") if file.is_file()]
    assert len(files) == 4
    assert [file for file in files if KEY.encode() in file.read_bytes()] == []


@pytest.mark.parametrize("key", ["sk-known\nto-nobody", "sk known", "sk-kn\u00f6wn", "sk-known\x7f"])
def test_a_key_that_no_header_holds_is_refused_unseen(key, monkeypatch):
    monkeypatch.setenv("CONCORD_LLM_KEY", key)
    with pytest.raises(ModelError, match="CONCORD_LLM_KEY in the environment holds a blank") as error:
        open_model(parse_model("http:model=m"))
    assert "kn" not in str(error.value)


def test_no_piece_of_a_key_is_left_where_a_message_is_cut(monkeypatch):
    key = "sk-'kn\\own"
    monkeypatch.setenv("CONCORD_LLM_KEY", key)
    for shown in (key, repr(key)):
        with model_server(lambda *_, shown=shown: Play(status=403, error="x" * 495 + shown)) as server:
            model = http_model(server)
            with pytest.raises(ModelError, match=r"x\W*\*\*") as error:
                list(ask([question(1)], model))
            model.close()
        assert "sk-" not in str(error.value)


def test_no_reply_can_keep_the_others_from_being_kept(tmp_path):
    def odd(body, times):
        half = '{"score": 3, "note": "\ud83d"}'
        return Play(half, fingerprint="\udc00") if "pair 1\n" in prompt_of(body) else judge(body, times)

    with model_server(odd) as server:
        model = http_model(server)
        questions = [question(number) for number in range(3)]
        answers = list(ask(questions, model, kept=ReplyStore(str(tmp_path)).of(model.options)))
        again = list(ask(questions, model, kept=ReplyStore(str(tmp_path)).of(model.options)))
        model.close()
    assert server.requests == 3
    assert said(again) == said(answers)
    assert (answers[1].value, answers[1].text) == (3, '{"score": 3, "note": "\ufffd"}')


def test_replies_that_could_not_be_written_are_tried_again(tmp_path, monkeypatch):
    tries = []

    def keep(self, replies):
        tries.append(len(replies))
        raise StoreError("the disk is full")

    monkeypatch.setattr(KeptReplies, "keep", keep)
    with model_server(judge) as server:
        model = http_model(server, concurrent=1)
        with pytest.raises(StoreError):
            list(ask([question(number) for number in range(UNSAVED)], model))
        model.close()
    assert tries == [UNSAVED - 1, UNSAVED - 1]


def test_a_form_that_fails_makes_one_answer_unreadable(monkeypatch):
    def fail(self, text):
        raise ValueError("no number")

    monkeypatch.setattr(Score, "read", fail)
    with model_server(judge) as server:
        model = http_model(server)
        (answer,) = ask([question(1)], model)
        model.close()
    assert (answer.value, answer.reason, answer.problem) == (None, "unreadable", "no number")


def test_of_two_runs_at_once_both_give_what_replay_gives(tmp_path):
    """The second run asks while the first one has kept nothing, and is answered otherwise."""
    store, questions, first = ReplyStore(str(tmp_path)), [question(1), question(2)], []

    def script(body, times):
        if not first and "pair 2\n" in prompt_of(body):  # the other run begins and ends meanwhile
            first.append(None)
            first[:] = ask(questions, other, kept=store.of(other.options))
        return Play("no number") if times else Play('{"score": 3}')

    with model_server(script) as server:
        model, other = (http_model(server, concurrent=1) for _ in range(2))
        second = list(ask(questions, model, kept=store.of(model.options)))
        model.close()
        other.close()
    options = replace(model.options, kind="replay")
    replayed = list(ask(questions, open_model(options), kept=store.of(options)))
    assert said(second) == said(first) == said(replayed)


def test_what_was_said_before_a_failed_repair_turn_is_kept(tmp_path):
    def script(body, times):
        return Play("no number") if len(body["messages"]) == 1 else Play(status=500)

    with model_server(script) as server:
        model = http_model(server, retries=0)
        (answer,) = ask([question(1)], model, kept=ReplyStore(str(tmp_path)).of(model.options))
        model.close()
    assert (answer.reason, answer.text, answer.turns) == ("failed", "no number", 1)
    assert answer.completion_tokens == 2
    options = replace(model.options, kind="replay")
    (again,) = ask([question(1)], open_model(options), kept=ReplyStore(str(tmp_path)).of(options))
    assert (again.reason, again.text, again.turns, again.completion_tokens) == (
        "unreadable",
        "no number",
        1,
        2,
    )


def test_a_prompt_that_is_too_long_is_one_questions_fault():
    def script(body, times):
        long = "pair 1\n" in body["messages"][0]["content"]
        message = "This model's maximum context length is 8 tokens"
        return Play(status=400, error=message) if long else judge(body, times)

    with model_server(script) as server:
        model = http_model(server)
        answers = list(ask([question(1), question(2)], model))
        model.close()
    assert [answer.reason for answer in answers] == ["prompt too long", None]


@pytest.mark.parametrize("status", [400, 500])
def test_structure_steps_down_for_the_rest_of_the_run(status):
    def plain(body, times):
        takes = "response_format" not in body
        return judge(body, times) if takes else Play(status=status, error="response_format is not supported")

    with model_server(plain) as server:
        model = http_model(server, concurrent=1)
        assert [answer.reason for answer in ask([question(1), question(2)], model)] == [None, None]
        model.close()
    assert server.requests == 4
    assert [b"json_schema" in body for body in server.seen.bodies] == [True, False, False, False]


def test_the_key_of_a_reply_changes_with_what_shapes_it_alone():
    base, request = parse_model("http:model=m"), question(1).request
    key = request_key(base, request)
    same = {
        "url": "http://b/v1",
        "concurrent": 2,
        "timeout": 3.0,
        "retries": 1,
        "name": "n",
        "kind": "replay",
    }
    other = {"model": "n", "temperature": 1.0, "top_p": 0.5, "top_k": 3, "seed": 1, "revision": "r",
             "structured": "none"}  # fmt: skip
    assert {request_key(replace(base, **{name: value}), request) for name, value in same.items()} == {key}
    shaped = {request_key(replace(base, **{name: value}), request) for name, value in other.items()}
    asked = {
        request_key(base, replace(request, max_tokens=33)),
        request_key(base, replace(request, sample=1)),
        request_key(base, replace(request, form=replace(request.form, highest=7))),
        request_key(base, question(2).request),
    }
    assert len({key, *shaped, *asked}) == 1 + len(other) + 4


KILLED = """
import sys
from meta_eval.llm.asking import Asking
from meta_eval.llm.replies import ReplyStore
from tests.meta_eval.llm.questions import http_model, question
class Server: url = sys.argv[1]
model = http_model(Server)
kept = ReplyStore(sys.argv[2]).of(model.options)
list(Asking([question(n) for n in range(300)], model, kept=kept))
"""


def test_a_killed_run_goes_on_where_its_replies_end(tmp_path):
    waiting, go = threading.Semaphore(0), threading.Event()

    def hold():
        waiting.release()
        if server.requests > 200:
            go.wait(60)

    with model_server(judge, before=hold) as server:
        command = [sys.executable, "-c", KILLED, server.url, str(tmp_path)]
        process = subprocess.Popen(command, env={**os.environ, "CONCORD_LLM_KEY": ""})
        for _ in range(205):
            assert waiting.acquire(timeout=60)
        process.send_signal(signal.SIGKILL)
        process.wait()
        go.set()
        killed = server.requests
        model = http_model(server)
        questions = [question(number) for number in range(300)]
        answers = list(ask(questions, model, kept=ReplyStore(str(tmp_path)).of(model.options)))
        total = server.requests
        undisturbed = list(ask(questions, model, kept=KeptReplies()))
        model.close()
    assert killed < 300
    assert 300 <= total <= 300 + UNSAVED
    assert said(answers) == said(undisturbed)
