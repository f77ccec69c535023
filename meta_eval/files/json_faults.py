"""What is wrong with a text that is no JSON, in plain words: what is missing or too much, and after what."""

import json

_SHOWN = 24
"""How many characters of the text are shown beside a fault."""

_ESCAPES = r"\" \\ \/ \b \f \n \r \t \uXXXX"
_PYTHON = {"True": "true", "False": "false", "None": "null"}


def json_problem(error: json.JSONDecodeError) -> str:
    r"""What is wrong, where, and mostly what to write instead, from the error of Python's reader.

    Parameters
    ----------
    error : json.JSONDecodeError
        With the text that was read and the place where reading ended.

    Returns
    -------
    str
        One line that begins with a small letter and has no full stop.

    Examples
    --------
    >>> def problem(text):
    ...     try:
    ...         json.loads(text)
    ...     except json.JSONDecodeError as error:
    ...         return json_problem(error)
    >>> problem('{"doc_id": "d1" "doc_text": "Rain."}')
    'a comma is missing after "d1" and before "doc_text": "Rain."} (character 17)'
    >>> problem('{"doc_id": "d1", "doc_text": "Rain')
    'the text "Rain has no closing quotation mark; the line may be cut off (character 30)'
    """
    return f"{_what(error)} ({_place(error)})"


def _what(error: json.JSONDecodeError) -> str:
    before, rest = error.doc[: error.pos].rstrip(), error.doc[error.pos :]
    for begins, say in _SAID.items():
        if error.msg.startswith(begins):
            return say(error, before, rest)
    if not rest:
        return (
            f"the {_unit(error)} ends too early{_after(before)}; it may be cut off"
            if before
            else "it is empty"
        )
    if error.msg.startswith("Expecting ':'"):
        return f"a colon is missing{_after(before)}"
    if error.msg.startswith("Expecting ','"):
        return _separator(error, before, rest)
    return _value(before, rest)


def _separator(error: json.JSONDecodeError, before: str, rest: str) -> str:
    """What is wrong where a comma or the right bracket should follow a value."""
    if _has_leading_zero(error, rest):
        return _leading_zero(before, rest)
    if rest[0] in "}]":
        missing = "]" if rest[0] == "}" else "}"
        return f"{missing} is missing{_after(before)} and before {_start(rest)}"
    inside = ', or a quotation mark in a text is not written \\"' if rest[0].isalnum() else ""
    return f"a comma is missing{_after(before)} and before {_start(rest)}{inside}"


def _unclosed(error: json.JSONDecodeError, _before: str, rest: str) -> str:
    return f"the text {_start(rest)} has no closing quotation mark; the {_unit(error)} may be cut off"


def _control(_error: json.JSONDecodeError, before: str, _rest: str) -> str:
    return (
        f"a text holds a line end, tab or other control character{_after(before)}: write \\n, \\t or \\uXXXX"
    )


def _escape(_error: json.JSONDecodeError, before: str, _rest: str) -> str:
    return f"a backslash begins none of {_ESCAPES}{_after(before)}; a backslash itself is written \\\\"


def _has_leading_zero(error: json.JSONDecodeError, rest: str) -> bool:
    return rest[:1].isdecimal() and error.doc[error.pos - 1] == "0"


def _leading_zero(before: str, rest: str) -> str:
    return (
        f"a number begins with a zero that JSON does not allow{_after(before[:-1].rstrip())}: 0{_start(rest)}"
    )


def _extra(error: json.JSONDecodeError, before: str, rest: str) -> str:
    if _has_leading_zero(error, rest):
        return _leading_zero(before, rest)
    return f"something follows where the value has ended: {_start(rest)}"


def _mark(_error: json.JSONDecodeError, _before: str, _rest: str) -> str:
    return "it begins with a byte order mark, which cannot be seen: save it as UTF-8 without one"


_SAID = {
    "Unexpected UTF-8 BOM": _mark,
    "Unterminated string": _unclosed,
    "Invalid control character": _control,
    "Invalid \\": _escape,
    "Extra data": _extra,
}
"""By how a message of Python's reader begins."""


def _value(before: str, rest: str) -> str:
    """What is wrong where a name or a value should begin, or where one has ended (an extra comma)."""
    if rest[0] in "}]" and before.endswith(","):
        return f"a comma stands before {rest[0]}, and nothing follows it"
    if rest[0] in "'\u2018\u2019\u201c\u201d":
        return f'names and texts stand in straight double quotation marks ("): {_start(rest)}'
    for word, right in _PYTHON.items():
        if rest.startswith(word):
            return f"{word} is written {right}"
    if not before:
        return f"it begins with {_start(rest)}; JSON begins with {{ or ["
    if before[-1] in "{," and rest[0] not in '{["':
        return f"a value or a name in double quotation marks is missing{_after(before)}: {_start(rest)}"
    return f"a value is missing{_after(before)}, or not written as JSON has it: {_start(rest)}"


def _unit(error: json.JSONDecodeError) -> str:
    return "file" if "\n" in error.doc else "line"


def _place(error: json.JSONDecodeError) -> str:
    where = f"character {error.colno}"
    return f"line {error.lineno}, {where}" if "\n" in error.doc else where


def _after(before: str) -> str:
    """The end of what was read, from the last quotation mark's word on where there is one."""
    if not before:
        return ""
    tail = before[-_SHOWN:]
    if before.endswith('"'):
        opened = before.rfind('"', 0, -1)
        tail = before[max(opened, len(before) - _SHOWN) :]
    return f" after {_dots(len(tail) < len(before) and not tail.startswith(chr(34)))}{_plain(tail)}"


def _start(rest: str) -> str:
    return f"{_plain(rest[:_SHOWN])}{_dots(len(rest) > _SHOWN)}"


def _plain(shown: str) -> str:
    """The same on one line, without characters that a terminal would obey."""
    return "".join(character if character.isprintable() else " " for character in shown).strip()


def _dots(cut: bool) -> str:
    return "…" if cut else ""
