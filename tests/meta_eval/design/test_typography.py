"""One typography for all texts of a page: the same again when repeated, and nothing lost with a meaning."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.design.typography import in_one_typography

MARKS = ".,;:!?'\"`-–—“”‘’«»…()[]{}$€%، ।、。"
TYPED = st.text(alphabet=st.sampled_from(f"aBéßıİǆñ7st عन{MARKS}\t\n\u00a0\u202f"), max_size=40)
ANY = st.one_of(TYPED, st.text(max_size=40))


def letters(text):
    return [letter for letter in text if letter.isalnum()]


@given(ANY)
def test_it_is_the_same_when_repeated(text):
    once = in_one_typography(text)
    assert in_one_typography(once) == once


@given(ANY)
def test_letters_and_digits_stay_but_for_the_case_of_the_first(text):
    before, after = letters(text), letters(in_one_typography(text))
    assert before[1:] == after[1:]
    assert before[:1] in (after[:1], [letter.lower() for letter in after[:1]])


@given(ANY)
def test_marks_stay_as_many_but_for_quotes_and_dots(text):
    for mark in ",;:!?%()[]$€&@#/+*=":
        assert in_one_typography(text).count(mark) == text.count(mark)


@pytest.mark.parametrize(
    ("typed", "otherwise"),
    [
        ("the duke , who won , left .", "The duke, who won, left."),
        ("“ It’s over ”", '" it\'s over "'),
        ("``Over''", '"over"'),
        ("o . j . simpson", "O.j. simpson"),
        ("they do n't say", "They don't say"),
        ("up 5 % ( or $ 3 )", "up 5% (or $3)"),
        ("rain – sun\n\nfog", "rain - sun fog"),
        ("wait … no", "Wait... no"),
    ],
)
def test_texts_that_differ_in_typing_alone_look_the_same(typed, otherwise):
    assert in_one_typography(typed) == in_one_typography(otherwise)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("US troops", "us troops"),
        ("about .5", "about.5"),
        ("1,500", "1 500"),
        ("let us eat, anna", "let us eat anna"),
        ("re-sign", "resign"),
        ("he left?", "he left."),
        ("a b", "ab"),
        ("ıssız", "issız"),
    ],
)
def test_texts_with_another_meaning_stay_apart(one, other):
    assert in_one_typography(f"say {one}") != in_one_typography(f"say {other}")
