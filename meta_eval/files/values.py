"""What a value in a file must be: JSON, a text, a name, a number; and what is wrong with another."""

import json
import math
import re
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from meta_eval.files.json_faults import json_problem

_NOT_IN_NAMES = frozenset(("Cc", "Zl", "Zp"))
"""Unicode's control characters, line and paragraph separators."""

_ONE_A_LINE = "wanted is one document a line"
_HALF_A_PAIR = re.compile("[\ud800-\udfff]")
_ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
_NAMES_REMEMBERED = 1 << 14
_NUMBER = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?")

_KINDS = {dict: "an object", list: "a list", str: "a text", bool: "true or false", type(None): "null"}


def parse_json(text: str, make_object: Callable[[list[tuple[str, Any]]], Any] | None = None) -> Any:
    """What the JSON holds; raises `ValueError` for what is none, and for what is nested too deeply to read.

    Its message says in plain words what is wrong and where. `make_object` takes the keys and values of each
    object, repeated keys included.
    """
    try:
        return json.loads(text, object_pairs_hook=make_object)
    except json.JSONDecodeError as error:
        raise ValueError(json_problem(error)) from error
    except RecursionError as error:
        raise ValueError("lists and objects stand in each other too deeply to be read") from error


def not_lines_problem(text: str) -> str | None:
    """What to do where a file of JSON lines begins with JSON laid out otherwise; None for what may be a line.

    Examples
    --------
    >>> not_lines_problem('{"doc_id": "d"}'), not_lines_problem("[")[:21]
    (None, 'this is one JSON list')
    """
    if text.startswith("[") and text[1:].lstrip()[:1] in ("", "{"):
        return f"this is one JSON list; {_ONE_A_LINE}: `jq -c '.[]' FILE > corpus.jsonl` makes it so"
    if text.strip() == "{":
        return f"this object goes on over lines; {_ONE_A_LINE}: `jq -c . FILE > corpus.jsonl` makes it so"
    return None


def kind_of(value: Any) -> str:
    """What JSON calls it."""
    return _KINDS.get(type(value), "a number")


def text_problem(value: Any) -> str | None:
    """What is wrong with it as a text; None if nothing is."""
    if not isinstance(value, str):
        return f"must be a text, not {kind_of(value)}"
    if "\0" in value:
        return "holds a NUL character"
    if not value.isascii() and _HALF_A_PAIR.search(value):
        return "holds half a surrogate pair, which is no character"
    return None


MOST_NESTED = 50
"""Lists and objects that stand in each other; none of our files comes near."""


def json_value_problem(value: Any) -> str | None:
    """What is wrong with anything in what JSON gave; None where a database and a page can hold it all.

    Examples
    --------
    >>> json_value_problem({"a": [1, "b", None]}), json_value_problem({"a": [float("nan")]})
    (None, 'holds nan, which is no finite number')
    """
    left = [(value, 0)]
    while left:
        one, depth = left.pop()
        problem = _simple_problem(one)
        if depth > MOST_NESTED:
            problem = f"holds more than {MOST_NESTED} lists and objects in each other"
        if problem:
            return problem
        if isinstance(one, dict):
            left += [(inner, depth + 1) for inner in (*one, *one.values())]
        elif isinstance(one, list):
            left += [(inner, depth + 1) for inner in one]
    return None


def _simple_problem(value: Any) -> str | None:
    if isinstance(value, str):
        return text_problem(value)
    if isinstance(value, int | float) and not isinstance(value, bool) and not is_number(value):
        held = str(value) if isinstance(value, float) else "a whole number too large"
        return f"holds {held}, which is no finite number"
    return None


def holds_sound_texts(line: str) -> bool:
    """Whether no text of a line of JSON can have a `text_problem`: one look at the line instead of each text.

    The line came from UTF-8 and has no NUL, so that both faults would have to be written as escapes. False
    tells nothing: an escaped pair of surrogates is one good character.
    """
    return "\\" not in line or _ESCAPED.search(line) is None


def name_problem(value: Any) -> str | None:
    """What is wrong with it as a name of a document, reader, system, rater or measure; None if nothing is.

    Names stand in columns, in names of folders and on the command line: what would not come back from there
    the same is refused.
    """
    return _name_problem(value) if isinstance(value, str) else text_problem(value)


@lru_cache(maxsize=_NAMES_REMEMBERED)
def _name_problem(value: str) -> str | None:
    """The same of a text; names come again and again."""
    if problem := text_problem(value):
        return problem
    if not value.strip():
        return "is empty"
    if value != value.strip():
        return "begins or ends with a blank"
    if any(map(_is_noncharacter, value)):
        return "holds a code that Unicode keeps for no character"
    if any(unicodedata.category(character) in _NOT_IN_NAMES for character in value):
        return "holds a line end or another control character"
    return None


def _is_noncharacter(character: str) -> bool:
    """Whether Unicode will never give the code a character: programs that draw figures may abort at one."""
    code = ord(character)
    return code & 0xFFFE == 0xFFFE or 0xFDD0 <= code <= 0xFDEF


def is_number(value: Any) -> bool:
    """Whether it is a finite number that a float can hold; true and false are none."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return -sys.float_info.max <= value <= sys.float_info.max


def read_number(text: str) -> float | None:
    """The finite number that a cell holds, None for anything else: the one form of numbers in all tables.

    Digits are 0 to 9 with a decimal point, and perhaps a sign and a power of ten; nothing parts thousands.

    Examples
    --------
    >>> [read_number(text) for text in ("4", " -0.5 ", "1e-3", "4,5", "1_0", "nan", "")]
    [4.0, -0.5, 0.001, None, None, None, None]
    """
    found = _NUMBER.fullmatch(text.strip())
    value = float(found[0]) if found else math.nan
    return value if math.isfinite(value) else None


def count_of(count: int, name: str) -> str:
    """A number of things.

    Examples
    --------
    >>> count_of(1, "rating"), count_of(1200, "rating")
    ('1 rating', '1,200 ratings')
    """
    return f"{count:,} {name}{'' if count == 1 else 's'}"
