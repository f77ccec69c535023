"""Works whose titles a model knows are told apart: what it is shown, when a title is exact, both parts."""

import json
import re

import pytest

from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.agreement import PersonDraws, ScoredCase, score_agreement
from meta_eval.studies.perse.cases import review_cases
from meta_eval.studies.perse.memorised import memorisation, name_items, read_titles, title_questions
from tests.factories.llm_server import Play, model_server, prompt_of
from tests.meta_eval.cli.running import run
from tests.meta_eval.studies.perse.judging import people, write_lines

CASES = review_cases(people(), size=2)


def table(path, *rows):
    path.write_text("\n".join(["item,title", *rows, ""]), encoding="utf-8")
    return path


def named(path, said):
    """What becomes of these answers, by item."""
    titles = read_titles(path, CASES)
    asked = title_questions(CASES, titles, load_prompt("judge-title"))
    answers = [said.get(item, Answer("", None, "refused")) for item, _ in asked]
    return name_items(asked, answers, titles)


def test_a_title_is_exact_but_for_case_articles_and_punctuation(tmp_path):
    file = table(tmp_path / "titles.csv", 'i0,"The Blue River, Again"', "i1,Rain", "i1,Rain Falls", "i2,Sun")
    said = {"i0": "blue river: again!", "i1": "A rain falls", "i2": "Sun and more", "i3": "not asked"}
    found = named(file, {item: Answer("", text, None) for item, text in said.items()})
    assert {item: one.memorised for item, one in found.items()} == {"i0": True, "i1": True, "i2": False}


def test_an_item_without_an_answer_is_in_neither_part(tmp_path):
    file = table(tmp_path / "titles.csv", *(f"i{n},Work {n}" for n in range(6)))
    answers = {"i0": Answer("", "Work 0", None), "i1": Answer("", "Work 1", None)}
    answers |= {f"i{n}": Answer("", "unknown", None) for n in (2, 3, 4)}
    found = named(file, answers)
    assert (found["i5"].memorised, found["i5"].reason) == (None, "refused")
    scored = [ScoredCase(case.person, case.query.score, n % 7 + 1.0, 5.0) for n, case in enumerate(CASES)]
    draws = PersonDraws([case.person for case in CASES], resamples=30, seed=2)
    record = memorisation(scored, [case.subject for case in CASES], found, draws)
    assert [record[name] for name in ("items", "answered", "memorised", "share")] == [6, 5, 2, 0.4]
    for part, items in (("memorised", ("i0", "i1")), ("others", ("i2", "i3", "i4"))):
        own = [one for one, case in zip(scored, CASES, strict=True) if case.subject in items]
        alone = PersonDraws([one.person for one in own], resamples=30, seed=2)
        assert record["agreement"][part] == score_agreement(own, alone)
        assert record["agreement"][part]["cases"] == len(own) > 0


def test_a_work_called_unknown_is_not_known_by_who_says_unknown(tmp_path):
    file = table(
        tmp_path / "titles.csv", "i0,Unknown", "i1,Unknown", "i1,Without Identity", "i2,Rain", "i3,A"
    )
    said = {"i0": "unknown", "i1": "Without identity", "i2": "Unknown.", "i3": "a"}
    found = named(file, {item: Answer("", text, None) for item, text in said.items()})
    assert {item: one.memorised for item, one in found.items()} == {
        "i0": None, "i1": True, "i2": False, "i3": True,
    }  # fmt: skip


def test_a_part_without_cases_is_none(tmp_path):
    file = table(tmp_path / "titles.csv", "i0,Work")
    found = named(file, {"i0": Answer("", "unknown", None)})
    scored = [ScoredCase(case.person, case.query.score, 3.0, 5.0) for case in CASES]
    draws = PersonDraws([case.person for case in CASES], resamples=0, seed=0)
    record = memorisation(scored, [case.subject for case in CASES], found, draws)
    assert record["agreement"]["memorised"] is None
    assert record["agreement"]["others"]["cases"] == sum(case.subject == "i0" for case in CASES)


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (["i0,"], "a line has an item and its title"),
        (["other,Rain"], "no review to be foretold is of an item"),
    ],
)
def test_titles_that_cannot_be_used_are_refused(rows, said, tmp_path):
    with pytest.raises(InputError, match=said):
        read_titles(table(tmp_path / "titles.csv", *rows), CASES)


def test_the_command_asks_each_work_once_without_its_title_and_replays(tmp_path):
    file = write_lines(
        tmp_path / "reviews.jsonl",
        [{name: getattr(one, name) for name in one.__slots__} for one in people()],
    )
    titles = table(tmp_path / "titles.csv", *(f"i{n},Secret Work {n}" for n in range(6)))

    def play(body, times):
        prompt = prompt_of(body)
        if "Which work is it?" not in prompt:
            return Play('{"review": "Fine.", "score": 5}')
        number = int(re.search(r"Text \d+ (\d+)\.", prompt)[1])
        return Play(f"Secret Work {number}" if number < 2 else "unknown")

    typed = ("judge", "reviews", file, "--profile-size", 2, "--resamples", 0, "--ask-title", titles)
    both = ("--profiles", "own", "--profiles", "shuffled")
    with model_server(play) as server:
        model = ("--model", f"http:model=m,url={server.url}")
        done = run(*typed, *both, *model, "--out", tmp_path / "out")
    assert done.returncode == 0, done.stderr
    sent = [body.decode() for body in server.seen.bodies if b"Which work is it?" in body]
    assert len(sent) == 6
    assert [body for body in sent if "Secret" in body or "Said" in body] == []
    rows = [json.loads(line) for line in (tmp_path / "out" / "titles.jsonl").read_text("utf-8").splitlines()]
    assert {row["item"]: row["memorised"] for row in rows} == {f"i{n}": n < 2 for n in range(6)}
    records = json.loads((tmp_path / "out" / "agreement.json").read_text("utf-8"))
    assert [(one["memorisation"]["memorised"], one["memorisation"]["items"]) for one in records] == [
        (2, 6)
    ] * 2
    replay = ("--model", "replay:model=m", "--replies", tmp_path / "out" / "replies.jsonl")
    assert run(*typed, *both, *replay, "--out", tmp_path / "again").returncode == 0
    for name in ("titles.jsonl", "agreement.json", "judged.jsonl"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "out" / name).read_bytes()
    alone = run(*typed, "--baseline", "reviewer-average", "--out", tmp_path / "none")
    assert (alone.returncode, "--ask-title asks models: name a --model" in alone.stderr) == (2, True)
