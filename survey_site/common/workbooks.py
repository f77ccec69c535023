"""Excel, OpenDocument and Parquet files of an upload: tried first by a process that may not take much memory.

A workbook of a few kilobytes may name a cell in the millionth row, or repeat one a million times, and its
reader makes room for all cells between: nothing in the file says so beforehand. So a process of its own reads
it under a limit, and this one only after that one came to an end.
"""

import os
import resource
import subprocess
import sys
from collections import deque
from pathlib import Path

from meta_eval.errors import Fault, InputError
from meta_eval.files.parquet import is_parquet, parquet_rows
from meta_eval.files.reading import Faults
from meta_eval.files.workbooks import is_workbook, workbook_cells

MOST_MEMORY = 2 << 30
"""Bytes of addresses that the trial may take, its libraries included."""
MOST_SECONDS = 120
_REFUSED = 3


def require_readable(path: Path, name: str) -> None:
    """Raises InputError for a workbook or Parquet file that cannot be read, or not in so much memory."""
    if not (is_workbook(path) or is_parquet(path)):
        return
    command = [sys.executable, "-m", __name__, str(path), name]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    try:
        done = subprocess.run(  # noqa: S603 - this module, on a file of ours
            command, capture_output=True, text=True, timeout=MOST_SECONDS, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        raise InputError([Fault(name, None, _too_much())]) from None
    if done.returncode == _REFUSED:
        raise InputError([Fault(name, None, done.stdout.strip())])
    if done.returncode:
        raise InputError([Fault(name, None, _too_much())])


def _too_much() -> str:
    return (
        f"takes more than {MOST_MEMORY >> 30} GB or {MOST_SECONDS} seconds to read: cells far from the "
        "others, or very many; save the sheet as CSV"
    )


def _try(path: str, name: str) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    try:
        if is_parquet(path):
            deque(parquet_rows(path, name, Faults(1), lambda _columns: None), maxlen=0)
        else:
            workbook_cells(path, name)
    except InputError as error:
        sys.stdout.write(error.faults[0].message)
        return _REFUSED
    return 0


if __name__ == "__main__":
    sys.exit(_try(*sys.argv[1:]))
