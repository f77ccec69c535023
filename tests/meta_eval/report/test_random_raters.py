"""Of raters who press buttons nothing is claimed, of sensible ones an answer: the benchmark, made small."""

import pytest

from meta_eval.corpus.jsonl import read_jsonl
from tests.benchmarks.random_raters import DEMO, judge_sensibly, press_buttons, shares

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
