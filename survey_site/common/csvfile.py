"""Lines of a CSV file, for files that are sent while they are read."""

import csv
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from io import StringIO
from itertools import islice
from typing import Any

from meta_eval.files.cells import mark_text

BLOCK_LINES = 500
MOST_KNOWN = 5000
_END = "\r\n"

Rows = Iterable[Iterable[Any]]


def csv_line(values: Iterable[object]) -> str:
    """true and false in lower case, times in ISO 8601, texts like formulas marked, the rest as it is."""
    (line,) = csv_lines([values])
    return line


def csv_lines(rows: Rows) -> Iterator[str]:
    """The line of each row, as `csv_line` has it, made as they are read.

    Names, codes and times stand in very many rows: what a cell becomes is worked out once.
    """
    cells = KnownTexts(_cell)
    for row in rows:
        yield ",".join([cells[type(value)][value] for value in row]) + _END


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """The same text in fewer pieces: each piece that is sent costs as much as a line that is made."""
    iterator = iter(lines)
    while block := "".join(islice(iterator, BLOCK_LINES)):
        yield block


class KnownTexts(dict[type, "_Known"]):
    """What `make` makes of the values of each type, remembered: `known[type(value)][value]`.

    By type, because 1 is equal to true, and to 1.0.
    """

    def __init__(self, make: Callable[[Any], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, kind: type) -> "_Known":
        self[kind] = known = _Known(self._make)
        return known


class _Known(dict[Any, str]):
    """What values of one type become."""

    def __init__(self, make: Callable[[Any], str]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, value: object) -> str:
        if len(self) >= MOST_KNOWN:
            self.clear()
        self[value] = text = self._make(value)
        return text


def _cell(value: object) -> str:
    """Quoted where it must be; an empty one has no quotes, because it is never alone in its line."""
    line = StringIO()
    csv.writer(line).writerow([_plain(value), ""])
    return line.getvalue().removesuffix(f",{_END}")


def _plain(value: object) -> object:
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, datetime) else mark_text(value)
