"""Reading text files line by line, with every fault kept and placed, in bounded memory."""

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from meta_eval.errors import Fault, InputError

Source = str | os.PathLike[str] | BinaryIO

MAX_LINE_BYTES = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"


class Faults:
    """Collects faults up to `limit`, counts the rest, and raises them all at once."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[Fault] = []
        self._more = 0

    def add(self, file: str, line: int | None, message: str) -> None:
        if len(self._kept) < self._limit:
            self._kept.append(Fault(file, line, message))
        else:
            self._more += 1

    def raise_if_any(self) -> None:
        if self._kept:
            raise InputError(self._kept, more=self._more)


def source_name(source: Source, name: str | None = None) -> str:
    """What to call the source in a message: the given name, its file name, or `input`."""
    if name is not None:
        return name
    path = source if isinstance(source, str | os.PathLike) else getattr(source, "name", None)
    return Path(path).name if isinstance(path, str | os.PathLike) else "input"


@contextmanager
def _opened(source: Source) -> Iterator[BinaryIO]:
    if isinstance(source, str | os.PathLike):
        try:
            with open(source, "rb") as stream:
                yield stream
        except OSError as error:
            raise InputError([Fault(str(source), None, f"cannot be read: {error.strerror}")]) from error
    else:
        yield source


def read_lines(source: Source, name: str, faults: Faults) -> Iterator[tuple[int, str]]:
    """(line number from 1, text without its line end) of each line that is readable UTF-8.

    A line that is too long or not UTF-8 becomes a fault and is passed over without being held in memory.
    """
    with _opened(source) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            number += 1
            if len(raw) > MAX_LINE_BYTES:
                _skip_rest_of_line(stream, raw)
                faults.add(
                    name, number, f"line is longer than {MAX_LINE_BYTES >> 20} MB; is this the right file?"
                )
                continue
            if number == 1:
                raw = raw.removeprefix(_BOM)
            try:
                text = raw.decode("utf-8")
            except UnicodeDecodeError as error:
                faults.add(name, number, f"not UTF-8 text (byte {error.start + 1}); save the file as UTF-8")
                continue
            if "\0" in text:
                faults.add(name, number, "holds a NUL character; is this a text file?")
                continue
            yield number, text.rstrip("\r\n")


def _skip_rest_of_line(stream: BinaryIO, last: bytes) -> None:
    while last and not last.endswith(b"\n"):
        last = stream.readline(io.DEFAULT_BUFFER_SIZE * 16)
