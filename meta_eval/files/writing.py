"""Writing records as JSON or CSV, to a file at once or not at all; and whether a place can take one."""

import json
import os
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal

from meta_eval.errors import Fault, InputError
from meta_eval.files.cells import csv_text
from meta_eval.files.frames import Record, flat

Format = Literal["json", "csv"]


def render_records(records: Sequence[Record], form: Format) -> str:
    """The records as JSON (a list) or CSV (a header, and `flat` records); nothing is rounded.

    Parameters
    ----------
    records : of the same names
    form : "json" or "csv"

    Returns
    -------
    str

    Examples
    --------
    >>> render_records([{"system": "A", "egises": 0.25}], "csv")
    'system,egises\\nA,0.25\\n'
    """
    return _json(records) if form == "json" else _csv(records)


def _json(records: Sequence[Record]) -> str:
    return json.dumps(list(records), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(nested: Sequence[Record]) -> str:
    records = [flat(one) for one in nested]
    columns = list(dict.fromkeys(name for record in records for name in record))
    return csv_text([columns, *([_cell(record.get(name)) for name in columns] for record in records)])


def _cell(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    return value


def write_text(text: str, out: Path | None) -> None:
    """To standard output, or to a file that is either the old one or the whole new one.

    Parameters
    ----------
    text : as it is to stand there
    out : the file, whose folder is made where it is missing; None for standard output

    Raises
    ------
    InputError : where it cannot be written

    Examples
    --------
    >>> write_text("rain", None)
    rain
    """
    if out is None:
        sys.stdout.write(text)
    else:
        write_bytes(text.encode(), out)


def write_bytes(data: bytes, out: Path) -> None:
    """To a file that is either the old one or the whole new one.

    Parameters
    ----------
    data : as it is to stand there
    out : the file, whose folder is made where it is missing

    Raises
    ------
    InputError : where it cannot be written

    Examples
    --------
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_bytes(b"rain", Path(folder) / "new" / "weather.txt")
    ...     (Path(folder) / "new" / "weather.txt").read_bytes()
    b'rain'
    """
    with _named(out):
        out.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=out.parent, prefix=".")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
            os.chmod(name, 0o666 & ~_umask())
            os.replace(name, out)
        except BaseException:
            os.unlink(name)
            raise


def require_file_place(out: Path) -> None:
    """Raises `InputError` where it shows before the work that no file can be written there."""
    with _named(out):
        if out.is_dir():
            raise InputError([Fault(str(out), None, "is a folder; name a file")])
    require_folder_place(out.parent)


def require_new_file_place(out: Path) -> None:
    """As `require_file_place`, and for a file that is there already."""
    require_file_place(out)
    if out.exists():
        raise InputError([Fault(str(out), None, "is there already; name a new file")])


def require_folder_place(folder: Path) -> None:
    """Raises `InputError` where it shows before the work that no files can be written into the folder."""
    with _named(folder):
        there = next(place for place in (folder, *folder.parents) if place.exists())
        if not there.is_dir():
            raise InputError([Fault(str(there), None, "is no folder; nothing can be written below it")])
        tempfile.TemporaryFile(dir=there).close()


@contextmanager
def _named(place: Path) -> Iterator[None]:
    """Errors of the file system as `InputError` with the place."""
    try:
        yield
    except OSError as error:
        raise InputError([Fault(str(place), None, f"cannot be written: {error.strerror}")]) from error


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
