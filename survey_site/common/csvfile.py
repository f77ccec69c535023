"""Lines of a CSV file, for files that are sent while they are read."""

import csv
from collections.abc import Iterable, Iterator
from datetime import datetime
from itertools import islice
from typing import Any

from meta_eval.files.cells import mark_text

BLOCK_LINES = 500
MOST_KNOWN = 5000

Rows = Iterable[Iterable[Any]]


def csv_line(values: Iterable[object]) -> str:
    """true and false in lower case, times in ISO 8601, texts like formulas marked, the rest as it is."""
    (line,) = csv_lines([values])
    return line


def csv_lines(rows: Rows) -> Iterator[str]:
    """The line of each row, as `csv_line` has it, made as they are read.

    Names, codes and times stand in very many rows: what a cell becomes is worked out once.
    """
    write, known = csv.writer(_Returning()).writerow, _Known()
    for row in rows:
        yield write([value if type(value) in _NUMBERS else known[value] for value in row])


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """The same text in fewer pieces: each piece that is sent costs as much as a line that is made."""
    iterator = iter(lines)
    while block := "".join(islice(iterator, BLOCK_LINES)):
        yield block


class _Returning:
    """A file whose lines go back to who writes them."""

    def write(self, line: str) -> str:
        return line


class _Known(dict[Any, object]):
    """What cells become. No numbers: 1 is equal to true, and to 1.0."""

    def __missing__(self, value: object) -> object:
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[value] = plain = _plain(value)
        return plain


_NUMBERS = (int, float)


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else mark_text(value)
