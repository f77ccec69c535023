"""Faults of JSON in plain words: what is missing or too much, after what, and where."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meta_eval.files.values import parse_json


def told_of(text):
    """What is said of a text that is no JSON; None if it is read."""
    try:
        parse_json(text)
    except ValueError as error:
        return str(error)
    return None


def place_of_fault(text):
    """The column at which Python's own reader gives up; None if it does not."""
    try:
        json.loads(text)
    except json.JSONDecodeError as error:
        return error.colno
    return None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is empty (character 1)"),
        ("doc_id,text", "it begins with doc_id,text; JSON begins with { or [ (character 1)"),
        ('{"a": "x" "b": 1}', 'a comma is missing after "x" and before "b": 1} (character 11)'),
        (
            '{"a": "x"y"}',
            'a comma is missing after "x" and before y"}, or a quotation mark in a text is not written \\" '
            "(character 10)",
        ),
        (
            '{\n "a": 1\n "b": 2}',
            'a comma is missing after {  "a": 1 and before "b": 2} (line 3, character 2)',
        ),
        ('{"a" 1}', 'a colon is missing after "a" (character 6)'),
        ('{"a": 1,}', "a comma stands before }, and nothing follows it (character 9)"),
        ("[1,]", "a comma stands before ], and nothing follows it (character 4)"),
        ("{'a': 1}", "names and texts stand in straight double quotation marks (\"): 'a': 1} (character 2)"),
        ('{"a": True}', "True is written true (character 7)"),
        ('{"a": nan}', 'a value is missing after {"a":, or not written as JSON has it: nan} (character 7)'),
        (
            "{a: 1}",
            "a value or a name in double quotation marks is missing after {: a: 1} (character 2)",
        ),
        ('{"a": 1', 'the line ends too early after {"a": 1; it may be cut off (character 8)'),
        ("[\n1,\n", "the file ends too early after [ 1,; it may be cut off (line 3, character 1)"),
        (
            '{"a": "' + "rain " * 20,
            'the text "rain rain rain rain rai… has no closing quotation mark; the line may be cut off '
            "(character 7)",
        ),
        (
            '{"a": "x\ty"}',
            'a text holds a line end, tab or other control character after {"a": "x: write \\n, \\t or '
            "\\uXXXX (character 9)",
        ),
        (
            '{"a": "C:\\data"}',
            'a backslash begins none of \\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX after {"a": "C:; '
            "a backslash itself is written \\\\ (character 10)",
        ),
        ('{"a": [1, 2}', '] is missing after {"a": [1, 2 and before } (character 12)'),
        ('[{"a": 1]', '} is missing after [{"a": 1 and before ] (character 9)'),
        ("01", "a number begins with a zero that JSON does not allow: 01 (character 2)"),
        (
            '{"a": 01}',
            'a number begins with a zero that JSON does not allow after {"a":: 01} (character 8)',
        ),
        (
            "\ufeff{}",
            "it begins with a byte order mark, which cannot be seen: save it as UTF-8 without one "
            "(character 1)",
        ),
        ('{"a": 1} {"b": 2}', 'something follows where the value has ended: {"b": 2} (character 10)'),
    ],
)
def test_a_fault_says_what_is_wrong_and_where(text, problem):
    assert told_of(text) == problem


@given(st.dictionaries(st.text(), st.text() | st.integers() | st.none() | st.lists(st.text())), st.data())
def test_whatever_is_cut_off_or_changed_is_told_in_one_line(record, data):
    line = json.dumps(record, ensure_ascii=data.draw(st.booleans()))
    at = data.draw(st.integers(0, len(line) - 1))
    broken = line[:at] + data.draw(st.sampled_from(["", "\x1b", "'", ",", "\\", "\n"])) + line[at + 1 :]
    where = place_of_fault(broken)
    told = told_of(broken)
    assert (told is None) == (where is None)
    assert told is None or (told.isprintable(), told.rpartition(" ")[2]) == (True, f"{where})")
