"""`import-ratings`: the examples of docs/moving.md as they stand, and what the command says."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.meta_eval.cli.running import run

PAGE = Path(__file__).parents[3] / "docs" / "moving.md"


@pytest.fixture
def section():
    text = PAGE.read_text(encoding="utf-8")
    return text.split("### From an annotation tool", 1)[1].split("\n### ", 1)[0]


@pytest.fixture
def followed(section, tmp_path, monkeypatch):
    """Run the command of the page that has these words; what it left, and the table that it wrote."""
    monkeypatch.chdir(tmp_path)

    def follow(words):
        commands = re.findall(r"^python -m meta_eval (import-ratings (?:\\\n|.)*)$", section, re.MULTILINE)
        (command,) = [one for one in commands if words in one]
        typed = shlex.split(command.replace("\\\n", " "))
        return run(*typed), Path("ratings.csv").read_text(encoding="utf-8")

    return follow


def test_the_example_of_label_studio_runs_as_it_stands(followed, section, tmp_path):
    (shown,) = re.findall(r"```json\n(.*?)```", section, re.DOTALL)
    (tmp_path / "label-studio.json").write_text(shown, encoding="utf-8")
    done, table = followed("--from label-studio")
    assert done.returncode == 0
    assert table == "doc_id,system,reader_a,reader_b,rater,rating\nd1,A,ann,bob,3,6\n"
    assert done.stderr == (
        "1 answer: 1 rating by 1 rater taken, 0 left out: answers to 'alike'\n"
        "taken: doc_id from 'document', system from 'system', reader_a from 'reader_a', "
        "reader_b from 'reader_b'\n"
    )


def test_the_example_of_potato_runs_as_it_stands(followed, tmp_path):
    item = {"id": "i1", "doc_id": "d1", "system": "A", "reader_a": "ann", "reader_b": "bob", "text": "..."}
    (tmp_path / "items.jsonl").write_text(json.dumps(item), encoding="utf-8")
    answer = [[{"schema": "alike", "name": "scale_2"}, "2"]]
    for person in ("p", "q"):
        state = {"user_id": person, "instance_id_to_label_to_value": {"i1": answer, "consent": []}}
        folder = tmp_path / "annotation_output" / person
        folder.mkdir(parents=True)
        (folder / "user_state.json").write_text(json.dumps(state), encoding="utf-8")
    done, table = followed("--from potato")
    assert table.splitlines()[1:] == ["d1,A,ann,bob,p,2", "d1,A,ann,bob,q,2"]
    assert (
        done.stderr.splitlines()[0]
        == "4 answers: 2 ratings by 2 raters taken, 2 left out: answers to 'alike'"
    )
    assert done.stderr.splitlines()[2:] == [
        "note: 2 passed over: of pages or items that items.jsonl does not hold"
    ]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--from", "potato"), "give --items FILE"),
        (("--from", "label-studio", "--map", "doc_id"), "--map 'doc_id' is no NAME=VALUE"),
        (("--from", "label-studio", "--map", "rater=who"), "there is no column rater to take"),
    ],
)
def test_what_is_asked_wrongly_is_told_and_nothing_is_written(options, told, tmp_path):
    out = tmp_path / "ratings.csv"
    done = run("import-ratings", tmp_path / "export.json", *options, "--out", out)
    assert (done.returncode != 0, told in done.stderr, out.exists()) == (True, True, False)
