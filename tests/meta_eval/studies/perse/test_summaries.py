"""PerSE as a measure: nothing of the gold leaks, one text for all gains exactly nothing, and scores go on."""

import json
from random import Random

import pytest

from meta_eval.cli.records import read_records
from meta_eval.corpus.documents import Corpus, Document
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.errors import InputError
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.measuring import judge_summaries, summarise_summaries
from meta_eval.studies.perse.summaries import SummaryPlan, perse_scores, reader_profiles, summary_questions
from tests.meta_eval.studies.perse.judging import DEMO, OPTIONS, answers_by, demo_judge

PROMPT = load_prompt("judge-summaries")


@pytest.fixture(scope="module")
def corpus():
    return read_jsonl(DEMO / "corpus.jsonl")


def judged_by(rule, corpus, plan):
    asked = summary_questions(corpus, plan, PROMPT)
    answers = answers_by(rule, asked.questions)
    return judge_summaries(asked, plan, answers, options=OPTIONS, prompt=PROMPT, attempts=2)


def by_name(judged):
    return {(one.measure, one.system): one.accuracy for one in judged.scores}


def test_a_judge_of_shared_words_finds_what_fits_readers(corpus):
    rule = demo_judge().stand_in
    plan = SummaryPlan(systems=("lead", "title", "reader-extract", "wrong-reader"))
    found = by_name(judged_by(lambda prompt: json.loads(rule(prompt))["score"], corpus, plan))
    assert found["perse-own", "reader-extract"] > 0
    assert (found["perse-own", "lead"], found["perse-own", "title"]) == (0.0, 0.0)
    assert found["perse-own", "wrong-reader"] < found["perse-own", "reader-extract"]


def test_one_text_for_all_readers_gains_exactly_nothing_whatever_the_judge(corpus):
    draw = Random(1)
    plan = SummaryPlan(documents=4, systems=("lead", "title", "reader-extract"))
    by_prompt = {}
    found = by_name(judged_by(lambda prompt: by_prompt.setdefault(prompt, draw.randint(1, 10)), corpus, plan))
    assert (found["perse-own", "lead"], found["perse-own", "title"]) == (0.0, 0.0)
    assert found["perse-own", "reader-extract"] != 0


def marked():
    """A corpus in which each reference, body and system says which it is."""
    return Corpus(
        tuple(
            Document(
                f"doc{d}",
                f"Title{d}",
                f"Body{d}.",
                {reader: f"GOLD-{d}-{reader}" for reader in ("ann", "bob")},
                {
                    f"SYSTEM-{m}": {reader: f"summary {m} {d} {reader[0]}" for reader in ("ann", "bob")}
                    for m in "xy"
                },
            )
            for d in range(4)
        )
    )


@pytest.mark.parametrize("shuffled", [False, True])
def test_no_request_holds_a_gold_reference_of_its_document_or_where_a_text_is_from(shuffled):
    shown = {}
    for asked, question in summary_questions(
        marked(), SummaryPlan(shuffled=shuffled, size=9), PROMPT
    ).questions:
        text = " ".join(message.content for message in question.request.messages)
        number = asked.doc_id.removeprefix("doc")
        assert f"GOLD-{number}-" not in text
        assert [word for word in ("SYSTEM-", "doc", "Title") if word in text] == []
        assert text.count(f"Body{number}.") == 1
        owner = {"ann": "bob", "bob": "ann"}[asked.judge] if shuffled else asked.judge
        assert text.count(f"-{owner}") == text.count("GOLD-") == 3
        shown.setdefault((asked.doc_id, asked.reader, asked.judge), {})[asked.system] = text
    for (document, reader, _), of in shown.items():
        ending = f"{document.removeprefix('doc')} {reader[0]}"
        assert of["SYSTEM-x"].replace(f"summary x {ending}", f"summary y {ending}") == of["SYSTEM-y"]


def test_histories_are_shown_with_their_reader_but_for_the_articles_own_title():
    histories = {"ann": ("Title0", "Storm at sea")}
    for asked, question in summary_questions(marked(), SummaryPlan(), PROMPT, histories).questions:
        text = question.request.messages[-1].content
        assert ("Storm at sea" in text) == (asked.judge == "ann")
        assert ("Title0" in text) == (asked.judge == "ann" and asked.doc_id != "doc0")


def test_profiles_are_the_same_for_all_systems_and_hold_other_documents(corpus):
    for document in corpus.documents:
        profiles = reader_profiles(corpus, document, SummaryPlan(size=3))
        assert list(profiles) == list(document.references)
        for reader, profile in profiles.items():
            assert len(profile) == 3
            assert document not in profile
            assert all(reader in one.references for one in profile)


def test_a_missing_answer_is_missing_and_the_rest_is_their_mean():
    own = {("d", "m", "a", "a"): 10, ("d", "m", "b", "b"): 10}
    scores = {**own, ("d", "m", "a", "b"): 1}
    found = {one.measure: one for one in perse_scores(scores, ["d", "e"], ["m", "n"]) if one.system == "m"}
    assert (found["perse"].accuracy, found["perse-own"].accuracy) == (1.0, 1.0)
    assert found["perse"].by_document == {"d": 1.0}
    assert [one.accuracy for one in perse_scores(scores, ["d"], ["n"])] == [None, None]


def test_the_control_tells_a_judge_of_texts_from_one_of_readers(corpus):
    plans = [
        SummaryPlan(documents=10, systems=("lead", "reader-extract"), shuffled=one) for one in (False, True)
    ]
    rule = demo_judge().stand_in
    personal = summarise_summaries(
        [judged_by(lambda one: json.loads(rule(one))["score"], corpus, plan) for plan in plans]
    )
    deaf = summarise_summaries([judged_by(lambda one: 1 + len(one) % 3, corpus, plan) for plan in plans])
    flat = summarise_summaries([judged_by(lambda _: 7, corpus, plan) for plan in plans])
    assert [record[0]["personal"] for record in (personal, flat)] == [True, False]
    assert "perse may say how this judge likes texts" in flat[0]["verdict"]
    assert deaf[0]["personal"] is False
    assert "personal" not in deaf[1]


def test_a_judge_that_answers_at_random_is_not_personal(corpus):
    plans = [
        SummaryPlan(documents=10, systems=("half", "reader-extract", "copycat"), shuffled=one)
        for one in (False, True)
    ]
    for seed in range(3):
        draw, kept = Random(seed), {}
        rule = lambda prompt: kept.setdefault(prompt, draw.randint(1, 10))  # noqa: E731, B023
        found = summarise_summaries([judged_by(rule, corpus, plan) for plan in plans])[0]
        assert found["gain_over_shuffled"]["ci_low"] <= 0
        assert found["personal"] is False


def test_too_few_documents_leave_it_undecided(corpus):
    plans = [SummaryPlan(documents=3, systems=("half",), shuffled=one) for one in (False, True)]
    found = summarise_summaries([judged_by(lambda one: 1 + len(one) % 3, corpus, plan) for plan in plans])[0]
    assert (found["personal"], found["note"]) == (None, "3 documents; an interval needs at least 10")


def test_one_text_for_all_gains_nothing_where_it_is_missing_for_a_reader():
    leaning = {"ann": 9, "bob": 5, "cid": 2}
    scores = {("d", "m", reader, judge): leaning[judge] for reader in ("ann", "bob") for judge in leaning}
    (gain,) = (one for one in perse_scores(scores, ["d"], ["m"]) if one.measure == "perse-own")
    assert gain.accuracy == 0.0


def test_records_are_those_of_scores_and_a_plan_comes_back(corpus, tmp_path):
    plan = SummaryPlan(
        documents=2, systems=("lead", "half"), only=tuple(one.id for one in corpus.documents[:5])
    )
    assert SummaryPlan.from_record(json.loads(json.dumps(plan.as_record()))) == plan
    records = judged_by(lambda _: 4, corpus, plan).records()
    path = tmp_path / "scores.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    assert read_records(path, "measure", "accuracy", "degress", "egises", "perseval") == records
    assert {(one["measure"], one["accuracy"]) for one in records} == {("perse", 1 / 3), ("perse-own", 0.0)}


def test_what_cannot_be_asked_is_refused(corpus):
    with pytest.raises(InputError, match="the corpus has no document 'D999'"):
        summary_questions(corpus, SummaryPlan(only=("D999",)), PROMPT)
    alone = Corpus(marked().documents[:1])
    with pytest.raises(InputError, match="nothing can be asked"):
        summary_questions(alone, SummaryPlan(), PROMPT)
