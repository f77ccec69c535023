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

    Parameters
    ----------
    path : of the file
    saying : begins the fault of a file that is no JSON

    Returns
    -------
    the value

    Raises
    ------
    InputError : where the file cannot be read, or is no JSON

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder) / "plan.json"
    ...     _ = file.write_text('{"raters": 3}')
    ...     read_json(file)
    {'raters': 3}
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
    """The value of each line of a file; empty lines are passed over.

    What is no JSON is a fault that begins with `saying`, and the other lines follow.

    Parameters
    ----------
    source : path or binary stream
    name : what messages call it
    faults : gathers what is wrong with single lines
    saying : begins the fault of a line that is no JSON

    Yields
    ------
    (number of the line from 1, its value)

    Examples
    --------
    >>> from io import BytesIO
    >>> list(read_json_lines(BytesIO(b'1\\n\\n[2]\\n'), "numbers", Faults(9)))
    [(1, 1), (3, [2])]
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

    Parameters
    ----------
    value : what JSON can hold

    Returns
    -------
    str

    Examples
    --------
    >>> json_line({"reader": "Zoë"})
    '{"reader": "Zoë"}'
    """
    return json.dumps(value, ensure_ascii=False)


def json_lines(values: Iterable[Any]) -> str:
    """The text of a file with a value a line.

    Parameters
    ----------
    values : what JSON can hold, one a line

    Returns
    -------
    str

    Examples
    --------
    >>> json_lines([1, {"reader": "Zoë"}])
    '1\\n{"reader": "Zoë"}\\n'
    """
    return "".join(f"{json_line(value)}\n" for value in values)
