"""Forms read what they ask for, and nothing else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.llm.asking import Asking
from meta_eval.llm.forms import CUT, Choice, Passage, Reading, Score, Text
from meta_eval.llm.models import Reply, parse_model, request_key
from meta_eval.llm.opening import open_model
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.llm.replies import KeptReplies
from meta_eval.studies.icopernicus.headlines import Completion, Headlines

SIX = Score(1, 6)
EXPLAINED = Score(1, 10, explain="review")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"score": 4}', 4),
        ('Well: {"Score": 4}. That is all.', 4),
        ('{"score": 2} no, rather {"score": 4}', 4),
        ('```json\n{"score": 4}\n```', 4),
        ('```json\n{"score": 1}\n```\nor\n```json\n{"score": 4}\n```', 4),
        ('{"score": 4', 4),
        ('```json\n{"score": 1}\nno, rather\n{"score": 4}\n```', 4),
        ('"score": 4, "score": 4', 4),
        ('{"reason": {"score": 3}, "score": 4}', 4),
    ],
)
def test_a_score_is_read(text, value):
    assert SIX.read(text).value == value


@pytest.mark.parametrize(
    "text",
    [
        "4",
        "score of 4",
        "",
        '{"score": 7}',
        '{"score": 0}',
        '{"score": 4.0}',
        '{"score": 3.5}',
        '"score": 3.5',
        '"score": 35e1',
        '{"score": "4"}',
        '{"score": true}',
        '{"score": null}',
        '{"score": [4]}',
        '{"rating": 4}',
        '{"a": {"score": 4}}',
        '{"score": 2, "score": 4}',
        '"score": 2, "score": 4',
        '{"why": "he said {"score": 2}", "score": 4}',
        '{"score": 1234567890123}',
        '"score": 05',
        '"score": 007',
        '"score": -04',
        '"score": \u0664',
        '"score": 4\u0664',
        '```json\n{"score": 1} "score": 4\n```',
    ],
)
def test_what_is_no_score_is_unreadable(text):
    reading = SIX.read(text)
    assert reading.value is None
    assert reading.problem


@given(st.text(), st.integers(1, 10), st.text(), st.sampled_from(["plain", "fenced"]))
def test_a_score_comes_back_whatever_its_explanation_says(review, score, around, style):
    answer = json.dumps({"review": review, "score": score}, ensure_ascii=False)
    text = f"```json\n{answer}\n```" if style == "fenced" else answer
    before = around.replace("{", "").replace("`", "")
    assert EXPLAINED.read(f"{before}\n{text}") == Reading(score, review)


@given(st.text().filter(lambda text: '"score"' not in text.lower()))
def test_no_text_without_the_label_has_a_score(text):
    assert SIX.read(text).value is None


def test_a_choice_is_one_of_its_options():
    form = Choice(("A", "B"), explain="reason")
    assert form.read('{"reason": "shorter", "choice": "B"}') == Reading("B", "shorter")
    assert form.read('{"choice": "C"}').value is None
    assert form.read('"choice": "A"').value == "A"
    assert form.read("A").value is None
    assert list(form.schema["properties"]) == ["reason", "choice"]


def test_a_text_is_its_first_line_or_one_for_each_label():
    assert Text().read('\n  "Rain in the north"\nmore').value == "Rain in the north"
    assert Text().read(" \n").problem == "it is empty"
    form = Text(("User1", "User2"))
    assert form.read("Here:\nuser1: rain\nand wind\nUSER2: sun").value == {
        "User1": "rain and wind",
        "User2": "sun",
    }
    assert form.read("User1: rain").problem == "it has no text for User2"
    assert form.read("User1: rain\nUser2: sun\nUser1: wind").problem == "'User1' stands in it twice"
    assert form.schema is None


def test_the_explanation_is_asked_for_before_the_score():
    assert '{"review": "...", "score": N}' in EXPLAINED.instructions
    assert EXPLAINED.schema["required"] == ["review", "score"]


TWO = ("User1", "User2")


@pytest.mark.parametrize(
    ("form", "text", "is_whole"),
    [
        (Passage(), "Rain in the north.", False),
        (Passage(), "Rain in the north.\n", False),
        (Text(), "Rain in the nor", False),
        (Text(), "Rain in the north\nSun in the sou", True),
        (Text(TWO), "User1: rain\nUser2: su", False),
        (Headlines(("Headline",)), "Headline: Rain in the nor", False),
        (Headlines(("Headline",)), "Headline: Rain in the north\r\nThis headline te", True),
        (Headlines(TWO), "User1: Rain in the north\nUser2: Sun in the sou", False),
        (Completion(), " Rain in the north\n\nArticle: more and mo", True),
        (Completion(), " Rain in the nor", False),
        (SIX, 'Since {"score": 4} says it all, I', True),
    ],
)
def test_an_open_text_that_its_limit_cut_is_missing_with_the_reason(form, text, is_whole):
    """A server says `length` of it; as a reply that ended by itself the same text counts."""
    options = parse_model("replay:model=m")
    request = Request((Message("user", "Write."),), form)

    def answer(finish):
        kept = KeptReplies(None, {request_key(options, request): Reply(text, finish)})
        (one,) = Asking([Question("q", request)], open_model(options), kept=kept)
        return one.value, one.reason, one.problem

    whole = (form.read(text).value, None, "")
    assert whole[0] is not None
    assert answer("stop") == whole
    assert answer("length") == (whole if is_whole else (None, "cut off", CUT))
