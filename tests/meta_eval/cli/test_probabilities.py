"""`probabilities=true`: expected scores beside those that were read, the same again from kept replies."""

import csv
import json
import math

import pytest

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.jsonl import write_jsonl
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import run
from tests.meta_eval.cli.test_users_command import TIMELINE
from tests.meta_eval.studies.perse.judging import DEMO, write_lines

SHARES = (0.75, 0.25)


def valued(before, value, other, after, *, told=True):
    """A reply with a value, for which the model might have said another one."""
    tokens = [(before, (1.0,), (before,)), (value, SHARES, (value, other)), (after, (1.0,), (after,))]
    content = [
        {
            "token": token,
            "logprob": math.log(shares[0]),
            "top_logprobs": [
                {"token": name, "logprob": math.log(share)} for name, share in zip(names, shares, strict=True)
            ],
        }
        for token, shares, names in tokens
    ]
    return Play(before + value + after, logprobs={"content": content} if told else None)


def number(body):
    """A score from 2 to 5, made of the prompt."""
    return 2 + len(prompt_of(body)) % 4


def lines_of(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


def asked(server):
    return f"http:model=m,probabilities=true,url={server.url}"


def test_reviews_have_expected_scores_beside_those_that_were_read(tmp_path):
    def play(body, times):
        """One reply in four says nothing of its tokens."""
        score = number(body)
        told = score != 5
        return valued('{"review": "3 of 10", "score": ', str(score), str(score + 1), "}", told=told)

    typed = ("judge", "reviews", DEMO / "perse" / "reviews.jsonl", "--resamples", 0)
    with model_server(play) as server:
        done = run(*typed, "--model", asked(server), "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    rows = lines_of(tmp_path / "out" / "judged.jsonl")
    known = [row for row in rows if row["score"] != 5]
    assert 0 < len(known) < len(rows)
    assert [row["expected"] for row in known] == pytest.approx([row["score"] + 0.25 for row in known])
    assert {row["expected"] for row in rows if row["score"] == 5} == {None}
    (record,) = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))
    assert (record["scored"], record["weighed"]) == (len(rows), len(known))
    assert (record["expected"]["scored"], record["expected"]["missing"]) == (
        len(known),
        len(rows) - len(known),
    )
    replay = ("--model", "replay:model=m,probabilities=true", "--replies", tmp_path / "out" / "replies.jsonl")
    assert run(*typed, *replay, "--out", tmp_path / "again").returncode == 0
    for name in ("judged.jsonl", "agreement.json", "replies.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()


def test_pairs_have_expected_ratings_in_the_file_of_means_alone(tmp_path):
    own = {"ann": "rain in the north", "bob": "sun in the south"}
    corpus = tmp_path / "corpus.jsonl"
    with corpus.open("w", encoding="utf-8") as stream:
        write_jsonl(Corpus((Document("d", "Weather", "A body.", own, {"copy": own}),)), stream)

    def play(body, times):
        return valued('{"score": ', str(number(body)), str(number(body) + 1), "}")

    with model_server(play) as server:
        typed = ("judge", "pairs", corpus, "--scale", "similarity", "--model", asked(server))
        done = run(*typed, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    with (tmp_path / "out" / "means.csv").open(encoding="utf-8") as stream:
        means = list(csv.DictReader(stream))
    assert [float(row["expected"]) for row in means] == pytest.approx(
        [float(row["mean"]) + 0.25 for row in means]
    )
    (record,) = json.loads((tmp_path / "out" / "run.json").read_text("utf-8"))
    assert record["weighed"] == record["answered"] == 4
    assert "expected" not in (tmp_path / "out" / "ratings.csv").read_text("utf-8")


def test_predictions_have_the_probability_of_the_true_option(tmp_path):
    timeline = tmp_path / "timeline.jsonl"
    timeline.write_text("".join(TIMELINE.read_text("utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    tasks = tmp_path / "tasks.jsonl"
    assert run("users", "tasks", timeline, "--out", tasks).returncode == 0
    users = dict.fromkeys(task["user"] for task in lines_of(tasks))
    summaries = write_lines(
        tmp_path / "summaries.jsonl",
        [{"user": user, "approach": "plain", "summary": f"Likes {user}."} for user in users],
    )
    with model_server(lambda *_: valued('{"choice": "', "A", "B", '"}')) as server:
        typed = ("users", "score", summaries, "--tasks", tasks, "--model", asked(server))
        done = run(*typed, "--out", tmp_path / "scores")
    assert done.returncode == 0, done.stderr
    rows = lines_of(tmp_path / "scores" / "predictions.jsonl")
    assert [row["p"] for row in rows] == pytest.approx([(*SHARES, 0, 0)[row["truth"]] for row in rows])
    own = [row for row in rows if row["shown"] == "own"]
    found = json.loads((tmp_path / "scores" / "run.json").read_text("utf-8"))["log_scores"]
    (score,) = (one for one in found if one["shown"] == "own")
    logs = [math.log(row["p"] or 1e-6) for row in own]
    unlisted = sum(row["truth"] > 1 for row in own)
    assert 0 < score["unlisted"] == unlisted < len(own)
    assert (score["weighed"], score["log_score"]) == (len(own), pytest.approx(sum(logs) / len(logs)))
    report = run("users", "report", tmp_path / "scores", "--out", tmp_path / "report")
    assert report.returncode == 0, report.stderr
    shown = (tmp_path / "report" / "report.html").read_text("utf-8")
    assert f">{score['log_score']:.2f}<" in shown.split("How sure the model was")[1]
    guessing = [math.log(row["chance"]) for row in own]
    assert score["log_score_of_guessing"] == pytest.approx(sum(guessing) / len(guessing))
