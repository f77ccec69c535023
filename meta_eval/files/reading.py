"""Reading text files line by line: every fault kept and placed, in bounded memory."""

import os
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from meta_eval.errors import Fault, InputError

Source = str | os.PathLike[str] | BinaryIO

_SKIPPED_AT_ONCE = 1 << 17
MAX_LINE_BYTES = 32 * 1024 * 1024
_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")

_ALIKE = 3
"""Faults with the same words beyond so many are one, with a count."""
_TOLD = 4
"""Of the others so many are named."""
_KEPT_NAMES = 64
"""Names that are kept of the others, to leave out those that the first one has."""
_NAMED = re.compile(
    r"""\b(reader|document|system|rater|rating|task|item) (?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")"""
    r"""|\b(?:annotation \d+ of )?(task) \d+"""
)
"""What a fault is about, which differs from row to row; the other words say what is wrong."""


class Faults:
    """Collects faults up to `limit`, counts the rest, and raises them all at once.

    Those with the same words of one file, whichever reader, document, system, rater, rating, task or item
    they name, become the first of them, with the number of the others and some of their names, where they are
    more than three or more than there is room for.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[Fault] = []
        self._alike: Counter[tuple[str, str]] = Counter()
        self._joined: set[tuple[str, str]] = set()
        self._named: defaultdict[tuple[str, str], dict[str, None]] = defaultdict(dict)
        self._more = 0

    def add(self, file: str, line: int | None, message: str) -> None:
        words, full = _words_of(fault := Fault(file, line, message)), len(self._kept) >= self._limit
        if full and words not in self._alike:
            self._more += 1
            return
        self._alike[words] += 1
        if len(named := self._named[words]) < _KEPT_NAMES:
            named.update(dict.fromkeys(_names_in(message)))
        if not (full or words in self._joined) and self._alike[words] <= _ALIKE:
            self._kept.append(fault)
        elif words not in self._joined:
            self._join(words)

    def add_empty(self, file: str, message: str) -> None:
        """That a file holds nothing, unless what it holds was already found to be wrong."""
        if not self._kept:
            self.add(file, None, message)

    def _join(self, words: tuple[str, str]) -> None:
        """Keep the first of those with these words; the others are counted."""
        self._joined.add(words)
        first = next(fault for fault in self._kept if _words_of(fault) == words)
        self._kept = [fault for fault in self._kept if fault is first or _words_of(fault) != words]

    def raise_if_any(self) -> None:
        if self._kept:
            raise InputError([self._told(fault) for fault in self._kept], more=self._more)

    def _told(self, fault: Fault) -> Fault:
        if _words_of(fault) not in self._joined:
            return fault
        others = self._alike[_words_of(fault)] - 1
        places = f"{others} more place{'' if others == 1 else 's'}"
        here = set(_names_in(fault.message))
        rest = [name for name in self._named[_words_of(fault)] if name not in here]
        more = f": {', '.join(rest[:_TOLD])}{', ...' if len(rest) > _TOLD else ''}" if rest else ""
        return Fault(fault.file, fault.line, f"{fault.message} (and in {places}{more})")


def _names_in(message: str) -> list[str]:
    return [named[0] for named in _NAMED.finditer(message)]


def _words_of(fault: Fault) -> tuple[str, str]:
    return fault.file, _NAMED.sub(r"\1\2", fault.message)


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


def read_lines(source: Source, name: str, faults: Faults, *, alone: bool) -> Iterator[tuple[int, str]]:
    """Each line that is readable, without its line end.

    A line that is too long or is no UTF-8 text is a fault. Where each line can be read `alone` the others
    follow, so that every fault is found; otherwise nothing is read, since the rest would be read wrongly or
    in the wrong place.

    Parameters
    ----------
    source : path or binary stream of UTF-8 text
    name : what messages call it
    faults : gathers what is wrong with single lines
    alone : whether each line can be read without the others

    Yields
    ------
    (line number from 1, text)

    Raises
    ------
    InputError : with the faults there were, where lines cannot be read alone

    Examples
    --------
    >>> from io import BytesIO
    >>> list(read_lines(BytesIO(b"rain\\nsun\\n"), "weather", Faults(9), alone=True))
    [(1, 'rain'), (2, 'sun')]
    """
    for number, text in _decoded_lines(source, name, faults, alone=alone, split=lambda raw: [raw]):
        yield number, text.rstrip("\r\n")


def read_table_lines(source: Source, name: str, faults: Faults) -> Iterator[tuple[int, str]]:
    """As `read_lines`, none alone, each with its line end; a carriage return ends one too."""
    return _decoded_lines(source, name, faults, alone=False, split=_split_at_returns)


def _decoded_lines(
    source: Source, name: str, faults: Faults, *, alone: bool, split: Callable[[bytes], list[bytes]]
) -> Iterator[tuple[int, str]]:
    """As `read_lines`, each with its line end; `split` makes lines of what stands before a line feed."""
    with _opened(source) as stream:
        number = 0
        while raw := stream.readline(MAX_LINE_BYTES + 1):
            for line in split(raw):
                number += 1
                text, problem = _decode(line.removeprefix(_BOM) if number == 1 else line)
                if not problem:
                    yield number, text
                    continue
                faults.add(name, number, problem)
                if not alone:
                    faults.raise_if_any()
                _skip_rest_of_line(stream, raw)


def _split_at_returns(raw: bytes) -> list[bytes]:
    """A carriage return by itself ends a line too, as in a file opened with newline=""."""
    return [raw] if len(raw) > MAX_LINE_BYTES or b"\r" not in raw else _LINE.findall(raw)


def _skip_rest_of_line(stream: BinaryIO, last: bytes) -> None:
    """Without holding it in memory."""
    while last and not last.endswith(b"\n"):
        last = stream.readline(_SKIPPED_AT_ONCE)


def _decode(raw: bytes) -> tuple[str, str | None]:
    """The text of a line, and what is wrong with it."""
    if len(raw) > MAX_LINE_BYTES:
        return "", f"line is longer than {MAX_LINE_BYTES >> 20} MB; is this the right file?"
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        return "", f"not UTF-8 text (byte {error.start + 1}); save the file as UTF-8"
    return text, "holds a NUL character; is this a text file?" if "\0" in text else None
