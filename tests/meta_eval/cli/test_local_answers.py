"""PerSE and UserSumBench with weights on this machine: answers are read, and replayed to the same bytes."""

import json

import pytest

from tests.factories.causal_models import save_answerer
from tests.meta_eval.cli.running import run
from tests.meta_eval.cli.test_judge_persons import COMMANDS, files_of
from tests.meta_eval.cli.test_users_command import TIMELINE
from tests.meta_eval.studies.perse.judging import write_lines

SAID = {
    "reviews": [json.dumps({"review": "I would.", "score": score}) for score in (2, 5, 9)],
    "comparisons": [json.dumps({"reason": "I would.", "choice": letter}) for letter in "AB"],
    "summaries": [json.dumps({"reason": "I would.", "score": score}) for score in (2, 5, 9)],
}
ASKED = {
    "reviews": ("--resamples", 0),
    "comparisons": ("--resamples", 0, "--both-orders"),
    "summaries": ("--documents", 1, "--system", "lead", "--system", "half"),
}


@pytest.mark.parametrize("name", SAID)
def test_a_judge_answers_from_end_to_end(name, tmp_path):
    folder = save_answerer(tmp_path / "judge", *SAID[name])
    local = f"local:model={folder},device=cpu,name=tiny,temperature=1"
    typed = (*COMMANDS[name][:3], *ASKED[name])
    done = run(*typed, "--model", local, "--out", tmp_path / "made")
    assert done.returncode == 0, done.stderr
    file = "run.json" if name == "summaries" else "agreement.json"
    (record,) = json.loads((tmp_path / "made" / file).read_text("utf-8"))
    assert record["questions"] == record["answered"] > 10
    judged = [
        json.loads(line) for line in (tmp_path / "made" / "judged.jsonl").read_text("utf-8").splitlines()
    ]
    key = "choice" if name == "comparisons" else "score"
    assert len({json.dumps(one.get(key)) for one in judged}) > 1
    shape = record["asking"]["options"] if name == "summaries" else record["signature"]["options"]
    revision = (shape if name == "summaries" else record["signature"])["revision"]
    again = f"replay:model={folder},name=tiny,temperature=1,revision={revision}"
    kept = ("--replies", tmp_path / "made" / "replies.jsonl")
    assert run(*typed, "--model", again, *kept, "--out", tmp_path / "again").returncode == 0
    assert files_of(tmp_path / "again") == files_of(tmp_path / "made")


def test_names_are_taken_from_works_without_any(tmp_path):
    works = [
        {"reviewer": "r", "item": "Low Water", "text": "It rains.", "review": "Low Water is wet.", "score": 4}
    ]
    folder = save_answerer(tmp_path / "none", "{}")
    done = run("judge", "anonymise", write_lines(tmp_path / "works.jsonl", works),
               "--model", f"local:model={folder},device=cpu", "--out", tmp_path / "made")  # fmt: skip
    assert done.returncode == 0, done.stderr
    (made,) = map(json.loads, (tmp_path / "made" / "reviews.jsonl").read_text("utf-8").splitlines())
    assert (made["item"], made["review"]) == ("work-1", "work-1 is wet.")


def test_users_are_summarised_and_their_futures_foretold(tmp_path):
    writer = save_answerer(tmp_path / "writer", "Likes rain.")
    guesser = save_answerer(tmp_path / "guesser", *(json.dumps({"choice": one}) for one in "AB"))
    few = tmp_path / "timeline.jsonl"
    few.write_text("".join(TIMELINE.read_text("utf-8").splitlines(keepends=True)[:3]), encoding="utf-8")
    tasks, made, scores = tmp_path / "tasks.jsonl", tmp_path / "made", tmp_path / "scores"
    assert run("users", "tasks", few, "--out", tasks).returncode == 0
    told = run("users", "summarise", few, "--model", f"local:model={writer},device=cpu", "--out", made)
    assert told.returncode == 0, told.stderr
    lines = (made / "summaries.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["summary"] for line in lines] == ["Likes rain."] * 3
    guessing = ("--model", f"local:model={guesser},device=cpu,temperature=1", "--out", scores)
    done = run("users", "score", made / "summaries.jsonl", "--tasks", tasks, *guessing)
    assert done.returncode == 0, done.stderr
    record = json.loads((scores / "run.json").read_text("utf-8"))
    assert record["questions"] == record["answered"] > 20
    (one,) = json.loads((scores / "scores.json").read_text("utf-8"))
    assert (one["qm"] is not None, 0 < one["accuracy"] < 1, one["left_out"]) == (True, True, {})
