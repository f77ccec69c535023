"""Writing records as JSON or CSV, to a file at once or not at all."""

import csv
import io
import json
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

Format = Literal["json", "csv"]
Record = Mapping[str, Any]


def render_records(records: Sequence[Record], form: Format) -> str:
    """The records as JSON (a list) or CSV (a header, nested values as JSON); nothing is rounded."""
    return _json(records) if form == "json" else _csv(records)


def _json(records: Sequence[Record]) -> str:
    return json.dumps(list(records), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _csv(records: Sequence[Record]) -> str:
    stream = io.StringIO()
    columns = list(dict.fromkeys(name for record in records for name in record))
    writer = csv.DictWriter(stream, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in record.items()} for record in records)
    return stream.getvalue()


def _cell(value: Any) -> Any:
    if isinstance(value, dict | list | tuple):
        return json.dumps(value, sort_keys=True, ensure_ascii=False)
    return value


def write_text(text: str, out: Path | None) -> None:
    """To standard output, or to a file that is either the old one or the whole new one."""
    if out is None:
        sys.stdout.write(text)
    else:
        write_bytes(text.encode(), out)


def write_bytes(data: bytes, out: Path) -> None:
    """To a file that is either the old one or the whole new one."""
    out.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(name, 0o666 & ~_umask())
        os.replace(name, out)
    except BaseException:
        os.unlink(name)
        raise


def _umask() -> int:
    current = os.umask(0)
    os.umask(current)
    return current
