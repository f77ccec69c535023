"""Files of an upload that may hold far more than their size says: tried by a process with little memory.

A workbook of a few kilobytes may name a cell in the millionth row, or repeat one a million times, and its
reader makes room for all cells between; a Parquet file may name one text a million times, and JSON of empty
lists takes thirty times its size. Nothing in the file says so beforehand. So a process of its own reads it
under a limit, and this one only after that one came to an end.
"""

import os
import resource
import subprocess
import sys
from pathlib import Path

from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json
from meta_eval.files.parquet import is_parquet, parquet_rows
from meta_eval.files.reading import Faults
from meta_eval.files.sheets import workbook_cells
from meta_eval.files.workbooks import is_workbook

MOST_MEMORY = 2 << 30
"""Bytes of addresses that the trial may take, its libraries included."""
MOST_SECONDS = 120
SMALL_JSON = 4 << 20
"""Bytes up to which a file of JSON is not tried: it takes some hundred megabytes at most."""
_CELL = 60
"""Bytes that a cell takes besides its letters."""
_REFUSED = 3
_CELLS = "cells far from the others, or very many; save the sheet as CSV"
_JSON = "it holds too many values; send it in parts"


def require_readable(path: Path, name: str) -> None:
    """Raises InputError for a workbook or Parquet file that cannot be read, or not in so much memory."""
    if is_workbook(path) or is_parquet(path):
        _require_tried(path, name, _CELLS)


def require_small_json(path: Path, name: str) -> None:
    """Raises InputError for a file of JSON that takes too much memory, or is none."""
    if path.stat().st_size > SMALL_JSON:
        _require_tried(path, name, _JSON)


def _require_tried(path: Path, name: str, why: str) -> None:
    command = [sys.executable, "-m", __name__, str(path), name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 - this module, on a file of ours
            command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise InputError([Fault(name, None, _too_much(why))]) from None
    if done.returncode == _REFUSED:
        raise InputError([Fault(name, None, done.stdout.strip())])
    if done.returncode:
        raise InputError([Fault(name, None, _too_much(why))])


def _too_much(why: str) -> str:
    return f"takes more than {MOST_MEMORY >> 30} GB or {MOST_SECONDS} seconds to read: {why}"


def _try(path: str, name: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        if is_parquet(path):
            _keep_in_mind(path, name)
        elif is_workbook(path):
            workbook_cells(path, name)
        else:
            read_json(Path(path))
    except InputError as error:
        sys.stdout.write(error.faults[0].message)
        return _REFUSED
    return 0


def _keep_in_mind(path: str, name: str) -> None:
    """Count what the rows take together, which come one by one here, and all at once afterwards."""
    kept = 0
    for _, row in parquet_rows(path, name, Faults(1), lambda _columns: None):
        kept += sum(len(cell) + _CELL for cell in row.values())
        if kept > MOST_MEMORY:
            raise MemoryError(f"{name}: its rows take more than {MOST_MEMORY} bytes")


if __name__ == "__main__":
    sys.exit(_try(*sys.argv[1:]))
