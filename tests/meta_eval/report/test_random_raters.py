"""Of raters who press buttons nothing is claimed, of sensible ones an answer: the benchmark, made small."""

from dataclasses import replace

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from tests.benchmarks.random_raters import DEMO, judge_sensibly, mix_systems, press_buttons, shares

CLAIMED = "an answer is claimed"


@pytest.fixture(scope="module")
def corpus():
    return read_jsonl(DEMO)


def test_no_answer_is_claimed_of_raters_who_press_buttons(corpus):
    found = shares(corpus, press_buttons, sets=2, documents=20)
    assert (found[CLAIMED], found["perseval: supported by raters"]) == (0, 0)
    assert found["perseval: p of matchings below .05"] == 1  # the trap that the answer must not step into


def test_an_answer_is_claimed_of_sensible_raters(corpus):
    assert shares(corpus, judge_sensibly, sets=2, documents=20)[CLAIMED] == 1


@pytest.mark.shared
def test_of_squality_it_is_the_same_once_there_are_ten_systems(shared):
    """SQuALITY's two systems give no answer whatever raters say: eight more are made of its own sentences."""
    whole = read_jsonl(shared / "data" / "squality" / "consolidated.jsonl")
    two = replace(whole, documents=whole.documents[:30])
    ten = mix_systems(two, 8)
    assert [len(one.systems) for one in (two, ten)] == [2, 10]
    assert shares(two, judge_sensibly, sets=1, documents=20)[CLAIMED] == 0
    assert shares(ten, press_buttons, sets=1, documents=20)[CLAIMED] == 0
    assert shares(ten, judge_sensibly, sets=1, documents=20)[CLAIMED] == 1


def test_a_mixed_system_takes_the_beginning_of_the_reference_and_goes_on_as_the_first_one(corpus):
    first = corpus.systems[0]
    made = replace(
        corpus.documents[0],
        references={"a": "One. Two. Three. Four."},
        summaries={first: {"a": "Five. Six. Seven. Eight."}},
    )
    mixed = mix_systems(replace(corpus, documents=(made,)), 3)
    assert mixed.systems == (first, "mixed 1", "mixed 2", "mixed 3")
    assert [mixed.documents[0].summaries[f"mixed {step}"]["a"] for step in (1, 2, 3)] == [
        "One. Six. Seven. Eight.",
        "One. Two. Seven. Eight.",
        "One. Two. Three. Eight.",
    ]
