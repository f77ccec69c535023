"""What a name, a text and a number may be."""

import math

import pytest

from meta_eval.files.values import is_number, name_problem, parse_json, text_problem


@pytest.mark.parametrize("name", ["a", "a b", "2-shot w/o", "نظام", "é\u200d", 'x"y,z'])
def test_a_name_is_any_text_on_one_line(name):
    assert name_problem(name) is None


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (None, "must be a text, not null"),
        (3, "must be a text, not a number"),
        (["a"], "must be a text, not a list"),
        (True, "must be a text, not true or false"),
        ("", "is empty"),
        ("\u3000", "is empty"),
        ("a ", "begins or ends with a blank"),
        ("\na", "begins or ends with a blank"),
        ("a\rb", "holds a line end or another control character"),
        ("a\x85b", "holds a line end or another control character"),
        ("a\u2029b", "holds a line end or another control character"),
        ("a\x1bb", "holds a line end or another control character"),
        ("a\0b", "holds a NUL character"),
        ("a\ufffe", "holds a code that Unicode keeps for no character"),
        ("\ufdd0a", "holds a code that Unicode keeps for no character"),
        ("a\U0010ffff", "holds a code that Unicode keeps for no character"),
        ("a\udcff", "holds half a surrogate pair, which is no character"),
    ],
)
def test_what_would_not_come_back_the_same_is_no_name(value, problem):
    assert name_problem(value) == problem


def test_a_text_may_be_empty_and_hold_lines():
    assert text_problem("") is None
    assert text_problem(" a\n\tb ") is None
    assert text_problem("a\0") == "holds a NUL character"


@pytest.mark.parametrize("value", [0, -1.5, 10**300, 1e308])
def test_a_number_is_one_that_a_float_holds(value):
    assert is_number(value)


@pytest.mark.parametrize("value", [True, None, "1", math.nan, math.inf, -math.inf, 10**400, [1]])
def test_other_values_are_no_numbers(value):
    assert not is_number(value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("{", "the line ends too early"),
        ("[" * 100_000, "too deeply to be read"),
        ('{"a": ' * 100_000, "too deeply to be read"),
        ("1" * 5000, "integer string conversion"),
    ],
)
def test_what_cannot_be_read_as_json_is_a_value_error(text, message):
    with pytest.raises(ValueError, match=message):
        parse_json(text)


def test_objects_can_be_made_of_their_keys_in_order():
    assert parse_json('{"a": 1, "a": 2}', list) == [("a", 1), ("a", 2)]
