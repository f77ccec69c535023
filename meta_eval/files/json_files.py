"""Files of JSON: one value, or a value a line; how each is read, and how a line is written."""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.reading import Faults, Source, read_lines
from meta_eval.files.values import parse_json

NOT_JSON = "not JSON"


def read_json(path: Path, saying: str = NOT_JSON) -> Any:
    """What a file of JSON holds, with or without a byte order mark.

    Raises `InputError` where it cannot be read; `saying` begins the fault of one that is no JSON.
    """
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error.strerror}")]) from error
    except ValueError as error:
        raise InputError([Fault(str(path), None, f"{saying}: {error}")]) from error


def read_json_lines(
    source: Source, name: str, faults: Faults, saying: str = NOT_JSON
) -> Iterator[tuple[int, Any]]:
    """(number of the line from 1, its value) of each line; empty ones are passed over.

    What is no JSON is a fault that begins with `saying`, and the other lines follow.
    """
    for number, line in read_lines(source, name, faults, alone=True):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
        except ValueError as error:
            faults.add(name, number, f"{saying}: {error}")
            continue
        yield number, value


def json_line(value: Any) -> str:
    """A value on one line, without the line's end; letters beyond ASCII stay as they are.

    Examples
    --------
    >>> json_line({"reader": "Zoë"})
    '{"reader": "Zoë"}'
    """
    return json.dumps(value, ensure_ascii=False)


def json_lines(values: Iterable[Any]) -> str:
    """The text of a file with a value a line."""
    return "".join(f"{json_line(value)}\n" for value in values)
