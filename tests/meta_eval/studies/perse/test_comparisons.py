"""Choices in a person's place: accuracy by aspect, order effects, the released form and the aspects."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.prompts import load_prompt
from meta_eval.studies.perse.agreement import PersonDraws
from meta_eval.studies.perse.cases import Comparison, comparison_cases, with_profiles
from meta_eval.studies.perse.choices import ChosenCase, choice_agreement, order_effects
from meta_eval.studies.perse.comparisons import (
    alignment_records,
    baseline_comparisons,
    judge_comparisons,
    summarise_comparisons,
)
from meta_eval.studies.perse.judged import Draws
from meta_eval.studies.perse.questions import ASPECTS, comparison_questions
from meta_eval.studies.perse.reading import read_aspects, read_comparisons
from tests.meta_eval.studies.perse.judging import FENCED, OPTIONS, answers_by, write_lines

CHOICES = ("A", "A", "B", "A", "B", "A")


def past(aspects=("ending", "surprise"), persons=3):
    return [
        Comparison(
            f"{u}-{n}",
            f"p{u}",
            "One world.",
            f"First {u} {n}.",
            f"Second {u} {n}.",
            aspect,
            CHOICES[(u + n) % 6],
        )
        for u in range(persons)
        for n in range(5)
        for aspect in aspects
    ]


def judged_by(rule, cases):
    prompt = load_prompt("judge-comparisons")
    questions = comparison_questions(cases, prompt, both_orders=True)
    return judge_comparisons(
        cases, questions, answers_by(rule, questions),
        options=OPTIONS, profiles="own", prompt=prompt, aspects=ASPECTS, attempts=2,
    )  # fmt: skip


def summary_of(judged):
    draws = PersonDraws([case.person for case in judged.cases], resamples=10, seed=0)
    (record,) = summarise_comparisons([judged], draws=draws, facts={})
    return record


def test_a_judge_that_always_says_a_is_right_as_often_as_a_is_and_never_consistent():
    cases = comparison_cases(past())
    record = summary_of(judged_by(lambda _: "A", cases))
    by_aspect = {
        aspect: [case.query.choice == "A" for case in cases if case.query.aspect == aspect]
        for aspect in ("ending", "surprise")
    }
    shares = {aspect: sum(won) / len(won) for aspect, won in by_aspect.items()}
    assert {aspect: one["accuracy"] for aspect, one in record["aspects"].items()} == shares
    assert record["accuracy"]["estimate"] == pytest.approx(sum(shares.values()) / 2)
    assert record["order"]["consistency"] == 0
    first = sum(case.query.choice == "A" for case in cases) / len(cases)
    assert record["order"]["bias_to_first"] == pytest.approx(1 - first)
    assert record["accuracy_both_orders"]["estimate"] == 0.5


def test_a_judge_of_texts_is_consistent_and_each_text_stays_in_its_place():
    cases = comparison_cases(past())

    def longest(prompt):
        *_, a, _ = [text for _, text in FENCED.findall(prompt)]
        return "A" if a.startswith("First") else "B"

    record = summary_of(judged_by(longest, cases))
    assert record["order"]["consistency"] == 1
    assert record["accuracy_both_orders"] == record["accuracy"]
    names = {f"p{u}" for u in range(3)}
    for _, question in comparison_questions(cases, load_prompt("judge-comparisons")):
        assert not any(name in question.request.messages[-1].content for name in names)


def test_choice_and_probabilities_name_the_same_text_in_both_orders():
    cases = comparison_cases(past())[:1]
    judged = judged_by(lambda _: "A", cases)
    sure = Draws((Answer("", "A", None, probabilities={"A": 0.75, "B": 0.25}),))
    first, second = replace(judged, said=dict.fromkeys(judged.said, sure)).records()
    assert [(one["order"], one["choice"]) for one in (first, second)] == [("ab", "A"), ("ba", "B")]
    assert first["probabilities"] == {"A": 0.75, "B": 0.25}
    assert second["probabilities"] == {"A": 0.25, "B": 0.75}


def test_the_definitions_on_a_table_made_by_hand():
    table = [
        ("A", "A", "A"),
        ("A", "A", "B"),
        ("B", "A", "A"),
        ("B", "B", "B"),
        ("A", None, "A"),
        ("B", "A", None),
    ]
    cases = [ChosenCase("p", "ending", truth, choice, swapped) for truth, choice, swapped in table]
    found = order_effects(cases)
    assert found == {"consistency": 0.75, "answered_twice": 4, "bias_to_first": (4 - 2) / 5}
    agreement = choice_agreement(cases, PersonDraws(["p"] * 6, resamples=0, seed=0), both_orders=True)
    assert agreement["accuracy"]["estimate"] == 3 / 5
    assert agreement["accuracy_both_orders"]["estimate"] == (1 + 0.5 + 0 + 1) / 4
    assert (agreement["missing"], agreement["missing_both_orders"]) == (1, 2)


def test_the_baseline_is_what_won_in_the_profile_and_a_tie_counts_half():
    one = comparison_cases(past(), size=1)
    assert [case.choice for case in baseline_comparisons(one).chosen] == [
        case.profile[0].choice for case in one
    ]
    two = comparison_cases(past(), size=2)
    ties = [case.choice for case in baseline_comparisons(two).chosen]
    letters = [{past.choice for past in case.profile} for case in two]
    assert ties == ["tie" if len(both) == 2 else both.pop() for both in letters]
    assert "tie" in ties


def test_alignment_is_the_share_of_aspects_that_a_won():
    judged = baseline_comparisons(comparison_cases(past()))
    records = alignment_records([judged])
    for record in records:
        own = [case.choice for case, query in zip(judged.chosen, judged.cases, strict=True)
               if (case.person, query.subject) == (record["person"], record["comparison"])]  # fmt: skip
        assert record["alignment"] == own.count("A") / len(own)
        assert record["aspects"] == len(own)


@settings(max_examples=10, deadline=None)
@given(st.permutations(past(persons=2)))
def test_the_order_of_a_file_changes_no_profile(shuffled):
    assert comparison_cases(shuffled, seed=1) == comparison_cases(past(persons=2), seed=1)


def test_shuffled_profiles_keep_to_the_aspect():
    for case in with_profiles(comparison_cases(past()), "shuffled", seed=1):
        assert {one.aspect for one in case.profile} == {case.query.aspect}
        assert case.person not in {one.person for one in case.profile}


def test_comparisons_are_read_and_both_or_neither_left_out(tmp_path):
    choices = [{"ending": "a", "surprise": "both"}, {"ending": "b", "surprise": "neither"}]
    records = [
        {"person": "ann", "premise": "", "a": f"One {n}.", "b": "Two.", "choices": one}
        for n, one in enumerate(choices)
    ]
    found = read_comparisons([write_lines(tmp_path / "c.jsonl", records)], aspects=list(ASPECTS))
    assert (len(found.cases), found.left_out["undecided"]) == (1, 2)
    wrong = [
        {**records[0], "choices": {"ending": "c"}},
        {**records[0], "choices": {"plot": "a"}},
        {"person": "ann"},
    ]
    with pytest.raises(InputError) as raised:
        read_comparisons([write_lines(tmp_path / "w.jsonl", wrong)], aspects=list(ASPECTS))
    assert [fault.message for fault in raised.value.faults] == [
        "the choice of 'ending' is 'c', not a, b, both or neither",
        f"there is no aspect 'plot'; there are {', '.join(ASPECTS)}",
        "field 'premise' is missing",
    ]


def test_texts_name_a_comparison_whatever_line_or_file_has_them(tmp_path):
    def file(name, person, *texts):
        rest = {"person": person, "premise": "", "b": "Two.", "choices": {"ending": "a"}}
        return write_lines(tmp_path / name, [{**rest, "a": text} for text in texts])

    one = file("1.jsonl", "ann", "One.", "New.", "Old.", "Far.")
    two = file("2.jsonl", "bob", "Old.", "Far.", "New.", "One.")
    found = read_comparisons([one, two], aspects=["ending"]).cases
    every = [past for case in found for past in (case.query, *case.profile)]
    assert len({past.a for past in every}) == 4
    assert len({past.id for past in every}) == len({(past.a, past.id) for past in every}) == 4
    with pytest.raises(InputError, match=r"'ann' compares '[0-9a-f]{16}' twice"):
        read_comparisons([one, one], aspects=["ending"])


def released(a, b, choice):
    texts = (
        f"[The Start of Plot {side}]\n{text}\n[The End of Plot {side}]\n"
        for side, text in (("A", a), ("B", b))
    )
    return "".join(texts) + (f'"Choice": "Plot {choice}"' if choice else "")


def test_the_released_form_is_found_between_its_marks(tmp_path):
    record = {
        "review_id": "W1", "idx": 3, "prompt": [released("a1", "b1", "B") + released("a2", "b2", "")],
        "completion": '"Choice": "Plot A"',
    }  # fmt: skip
    path = write_lines(tmp_path / "PerDOC.E.jsonl", [record])
    (case,) = read_comparisons([path], aspects=list(ASPECTS)).cases
    assert (case.query.a, case.query.b, case.query.choice, case.query.aspect) == ("a2", "b2", "A", "ending")
    assert [(one.a, one.choice) for one in case.profile] == [("a1", "B")]
    with pytest.raises(InputError, match="one aspect as a letter between dots: I for interestingness"):
        read_comparisons([write_lines(tmp_path / "doc.jsonl", [record])], aspects=list(ASPECTS))
    with pytest.raises(InputError, match="must hold two comparisons"):
        read_comparisons(
            [write_lines(tmp_path / "x.E.jsonl", [{**record, "prompt": ["a"]}])], aspects=list(ASPECTS)
        )


def test_aspects_of_ones_own(tmp_path):
    path = tmp_path / "aspects.csv"
    path.write_text("name,question\nrelevance,Which is nearer to you?\n", encoding="utf-8")
    assert read_aspects(path) == {"relevance": "Which is nearer to you?"}
    path.write_text("name,question\nrelevance,\nx,y\nx,z\n", encoding="utf-8")
    with pytest.raises(InputError) as raised:
        read_aspects(path)
    assert [fault.line for fault in raised.value.faults] == [2, 4]
