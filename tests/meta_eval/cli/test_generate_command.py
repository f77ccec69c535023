"""`generate`: against a scripted server, again without it, and by a tiny model of its own."""

import itertools
import json
import re
import subprocess
import sys
import threading

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.llm.asking import UNSAVED
from meta_eval.scores.prompt_styles import STYLES
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import run

DEMO = "fixtures/demo/corpus.jsonl"
HISTORIES = "fixtures/demo/histories.jsonl"


def first_title(body, _times):
    """A model that tells each reader the first title of the history, or else the article's first words."""
    prompt = prompt_of(body)
    titles = re.findall(r"chose to read, in order:\n~+\n(.*)", prompt)
    article = re.findall(r"^Article:\n~+\n(.{40})", prompt, re.MULTILINE)
    labels = re.findall(r"^(Headline.*): <headline>", prompt, re.MULTILINE)
    texts = titles or article * len(labels)
    return Play("\n".join(f"{label}: {text}" for label, text in zip(labels, texts, strict=True)))


def typed_for(server, folder, *more, out="out.jsonl", kind="http"):
    model = f"{kind}:model=m,name=M" + ("" if server is None else f",url={server.url}")
    typed = ("generate", DEMO, "--readers", HISTORIES, "--model", model, "--store", folder / "store")
    return (*typed, "--plan", "all", "--documents", 3, *more, "--out", folder / out)


def generate(server, folder, *more, **how):
    return run(*typed_for(server, folder, *more, **how))


@pytest.fixture
def asked(tmp_path):
    """A run over three documents with every style, and what the server saw."""
    with model_server(first_title) as server:
        done = generate(server, tmp_path)
        assert done.returncode == 0, done.stderr
        yield tmp_path, server


def test_a_run_adds_six_systems_and_is_not_paid_for_twice(asked):
    folder, server = asked
    made = read_jsonl(folder / "out.jsonl")
    assert made.systems[10:] == tuple(f"M: {style}" for style in STYLES)
    sent = json.loads(server.seen.bodies[0])
    assert [sent[name] for name in ("temperature", "top_k", "max_tokens")] == [0.6, 16, 64]
    names = ("copycat", "near-copy", "reader-extract", "random-sentence", "wrong-reader")
    assert not [name for name in names if name.encode() in b"".join(server.seen.bodies)]
    before = server.requests
    again = generate(server, folder, out="again.jsonl")
    replayed = generate(None, folder, out="replay.jsonl", kind="replay")
    assert (again.returncode, replayed.returncode, server.requests) == (0, 0, before)
    texts = {(folder / f"{name}.jsonl").read_bytes() for name in ("out", "again", "replay")}
    assert len(texts) == 1


def test_the_record_beside_the_corpus_says_what_was_asked_and_goes_on(asked):
    folder, server = asked
    records = json.loads((folder / "out.llm.json").read_text())
    assert [record["system"] for record in records] == [f"M: {style}" for style in STYLES]
    assert {record["answered"] - record["asked"] for record in records} == {0}
    assert all(record["seconds"] >= 0 for record in records)
    model = f"http:model=m,name=N,url={server.url},top_k=none"
    typed = ("generate", folder / "out.jsonl", "--readers", HISTORIES, "--model", model)
    done = run(*typed, "--style", "0-shot", "--documents", 3, "--plan", "all", "--out", folder / "both.jsonl")
    assert done.returncode == 0, done.stderr
    assert "top_k" not in json.loads(server.seen.bodies[-1])
    later = json.loads((folder / "both.llm.json").read_text())
    assert (later[:6], later[6]["system"]) == (records, "N: 0-shot")


def test_a_dry_run_sends_nothing_and_writes_every_prompt(tmp_path):
    with model_server(first_title) as server:
        done = generate(server, tmp_path, "--dry-run", "--adversarial")
    assert (done.returncode, server.requests, "requests" in done.stderr) == (0, 0, True)
    lines = (tmp_path / "out.prompts.jsonl").read_text().splitlines()
    assert len(lines) > 50
    assert not (tmp_path / "out.jsonl").exists()


def numbered(body, _times):
    """A model that says which turn of the conversation it answers, and of which words."""
    said = sum(message["role"] == "assistant" for message in body["messages"])
    article = re.findall(r"^Article:\n~+\n(.{30})", prompt_of(body), re.MULTILINE)[-1]
    return Play(f"Headline: {said} of {article}")


SHOT = ("--style", "k-shot", "--style", "dialogue", "--examples", 3)


def test_texts_to_complete_and_dialogues_have_as_many_examples_as_are_asked_for(tmp_path):
    with model_server(numbered) as server:
        done = generate(server, tmp_path, *SHOT)
        assert done.returncode == 0, done.stderr
        before = server.requests
        replayed = generate(None, tmp_path, *SHOT, out="replay.jsonl", kind="replay")
        assert (replayed.returncode, server.requests) == (0, before)
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "replay.jsonl").read_bytes()
    made = read_jsonl(tmp_path / "out.jsonl")
    assert made.systems[10:] == ("M: k-shot, 3 examples", "M: dialogue, 3 examples")
    for system, turns in (("M: k-shot, 3 examples", "0"), ("M: dialogue, 3 examples", "3")):
        texts = [text for one in made.documents for text in one.summaries.get(system, {}).values()]
        assert {text[0] for text in texts} == {turns}
    _, dialogue = json.loads((tmp_path / "out.llm.json").read_text())
    assert dialogue["said_before"]["questions"] == 3 * dialogue["asked"]
    assert (dialogue["examples"], dialogue["left_out"]) == (3, {})


def test_a_dry_run_writes_of_dialogues_the_step_that_comes_next(tmp_path):
    mixed = ("--style", "C-0-shot", *SHOT)

    def written(*more):
        done = generate(None, tmp_path, *mixed, "--dry-run", *more, kind="http")
        assert done.returncode == 0, done.stderr
        lines = (tmp_path / "out.prompts.jsonl").read_text().splitlines()
        return [json.loads(line)["messages"] for line in lines], done.stderr

    prompts, said = written()
    assert {len(messages) for messages in prompts} == {2}
    assert "are one step of dialogues; the next one depends on the replies to them" in said
    with model_server(lambda *asked: (first_title if "User1" in str(asked) else numbered)(*asked)) as server:
        assert generate(server, tmp_path, *mixed).returncode == 0
    last, _ = written()
    assert {len(messages) for messages in last} == {2, 8}
    sent = [json.loads(body)["messages"] for body in server.seen.bodies]
    assert [messages for messages in (*prompts, *last) if messages not in sent] == []


def test_the_limits_hold_for_all_steps_of_a_dialogue_together(tmp_path):
    with model_server(numbered) as server:
        done = generate(server, tmp_path, "--style", "dialogue", "--max-requests", 20)
    assert (done.returncode, done.stderr.count("Stopped: ")) == (1, 1)
    assert 0 < server.requests <= 20


def test_a_limit_stops_before_anything_is_sent(tmp_path):
    with model_server(first_title) as server:
        done = generate(server, tmp_path, "--max-tokens-total", 100)
    assert (done.returncode, server.requests) == (1, 0)
    assert "Nothing was sent" in done.stderr


def test_a_run_whose_server_was_gone_goes_on_with_what_it_was_told(tmp_path):
    """The server is gone after some replies: the run ends, and the next one asks for the rest alone."""
    seen = []

    def broken(body, times):
        seen.append(body)
        return first_title(body, times) if len(seen) <= 20 else Play(status=400, error="gone")

    with model_server(broken) as server:
        first = generate(server, tmp_path)
    assert first.returncode != 0
    with model_server(first_title) as server:
        second = generate(server, tmp_path)
        total = int(re.search(r"(\d+) requests, (\d+) of them new", second.stderr).group(1))
        assert (second.returncode, server.requests) == (0, total - 20)
    with model_server(first_title) as server:
        assert generate(server, tmp_path / "other").returncode == 0
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "other" / "out.jsonl").read_bytes()


def test_a_run_killed_at_any_moment_asks_again_for_64_replies_at_most(tmp_path):
    """SIGKILL when 80 requests are answered and each of the run's 8 threads waits for another."""
    answered, waiting, go = 80, threading.Semaphore(0), threading.Event()
    arrivals, more = itertools.count(1), ("--adversarial", "--documents", 4)

    def hold():
        number = next(arrivals)
        waiting.release()
        if number > answered:
            assert go.wait(60)

    with model_server(first_title, before=hold) as server:
        command = [sys.executable, "-m", "meta_eval", *map(str, typed_for(server, tmp_path, *more))]
        with subprocess.Popen(command, stderr=subprocess.DEVNULL) as process:
            for _ in range(answered + 8):
                assert waiting.acquire(timeout=60)
            process.kill()
        killed = server.requests
        go.set()
        assert not (tmp_path / "out.jsonl").exists()
        resumed = generate(server, tmp_path, *more)
        total = server.requests
        assert generate(server, tmp_path / "other", *more).returncode == 0
        questions = server.requests - total
    assert (resumed.returncode, killed) == (0, answered + 8)
    assert killed < questions < total <= questions + UNSAVED
    assert total < killed + questions, "nothing of the killed run was kept"
    assert (tmp_path / "out.jsonl").read_bytes() == (tmp_path / "other" / "out.jsonl").read_bytes()


def test_import_pens_writes_histories_only_with_titles(tmp_path):
    test, news = tmp_path / "test.tsv", tmp_path / "news.tsv"
    test.write_text("userid\tclicknewsID\tposnewID\trewrite_titles\nU1\tN1,N9\tN1\tone\n", encoding="utf-8")
    news.write_text("News ID\tHeadline\tNews body\nN1\tFirst\tbody\n", encoding="utf-8")
    typed = (
        "import-pens",
        "--test",
        test,
        "--out",
        tmp_path / "c.jsonl",
        "--readers-out",
        tmp_path / "r.jsonl",
    )
    refused = run(*typed)
    assert (refused.returncode, "--readers-out needs --news FILE" in refused.stderr) == (2, True)
    done = run(*typed, "--news", news)
    assert done.returncode == 0, done.stderr
    assert "1 of 2 clicks are on articles without a title in the news file" in done.stderr
    assert json.loads((tmp_path / "r.jsonl").read_text()) == {
        "reader": "U1",
        "history": ["First"],
        "articles": ["N1"],
    }
