"""What readers have read: JSON lines of a reader, the titles they chose, and the articles they wrote for.

One reader a line: `{"reader": "NT1", "history": ["title", ...]}`, titles in the order in which they were
read. `"articles"` may list the ids of the documents for which the reader wrote, in the order of writing; a
corpus does not keep that order, and iCOPERNICUS' plan of prompts follows it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import IO, Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, Corpus
from meta_eval.corpus.records import id_problem
from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import json_line, read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import kind_of, name_problem, text_problem

_KEYS = frozenset(("reader", "history", "articles"))


@dataclass(frozen=True, slots=True)
class ReaderHistory:
    """A reader's `history` (titles, first read first) and `articles` (ids of documents; may be unknown)."""

    reader: str
    history: tuple[str, ...] = ()
    articles: tuple[str, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """The reader as one line of JSON holds it."""
        articles = {"articles": list(self.articles)} if self.articles else {}
        return {"reader": self.reader, "history": list(self.history)} | articles


Readers = Mapping[str, ReaderHistory]
"""Histories by the reader's name."""


def write_readers(readers: Iterable[ReaderHistory], stream: IO[str]) -> None:
    """Write histories, one reader a line.

    Examples
    --------
    >>> from io import StringIO
    >>> stream = StringIO()
    >>> write_readers([ReaderHistory("ann", ("Rain", "Sun"))], stream)
    >>> stream.getvalue()
    '{"reader": "ann", "history": ["Rain", "Sun"]}\\n'
    """
    for reader in readers:
        stream.write(f"{json_line(reader.as_record())}\n")


def read_readers(
    source: Source, *, name: str | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> Readers:
    """Read histories, one reader a line.

    Parameters
    ----------
    source : path or binary stream
    name : str, optional
        What faults call the file; default: its name.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    mapping of str to ReaderHistory
        By reader, in the order of the file. A title loses the blanks around it, and line ends within it.

    Raises
    ------
    InputError
        With every fault: a line that is no such object, a title that is no text or empty, a reader who
        stands there twice, a file without readers.

    References
    ----------
    Patel et al., iCOPERNICUS, EMNLP 2024: the reading history H_j.

    Examples
    --------
    >>> from io import BytesIO
    >>> read_readers(BytesIO(b'{"reader": "ann", "history": ["Rain"]}'))["ann"].history
    ('Rain',)
    """
    name = source_name(source, name)
    faults = Faults(fault_limit)
    found: dict[str, ReaderHistory] = {}
    for number, record in read_json_lines(source, name, faults):
        problems = _problems(record)
        if not problems and record["reader"] in found:
            problems = [f"reader {record['reader']!r} stands in the file before: leave one of the lines out"]
        for problem in problems:
            faults.add(name, number, problem)
        if not problems:
            found[record["reader"]] = _history_of(record)
    faults.raise_if_any()
    if not found:
        raise InputError([Fault(name, None, "holds no readers")])
    return found


def histories_of(readers: Readers) -> dict[str, tuple[str, ...]]:
    """What each reader read before: titles by reader."""
    return {name: one.history for name, one in readers.items()}


def require_known_readers(readers: Readers, corpus: Corpus) -> list[str]:
    """Notes on readers whom only one of the two knows; an `InputError` where they share none.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> corpus = Corpus((Document("d", "", "Rain.", {"ann": "rain", "bob": "wet"}),))
    >>> require_known_readers({"ann": ReaderHistory("ann", ("Rain",))}, corpus)
    ['1 of 2 readers of the corpus have no history']
    """
    without = [reader for reader in corpus.readers if not _has_history(readers.get(reader))]
    strangers = [reader for reader in readers if reader not in corpus.readers]
    if len(strangers) == len(readers):
        raise InputError(
            f"none of the {len(readers)} readers with a history, {strangers[0]!r} for one, is a reader of "
            f"the corpus, whose readers are {', '.join(corpus.readers[:5])}: is this the right file?"
        )
    notes = []
    if without:
        notes.append(f"{len(without)} of {len(corpus.readers)} readers of the corpus have no history")
    if strangers:
        notes.append(f"{len(strangers)} readers with a history are none of the corpus; they are passed over")
    return notes


def _has_history(reader: ReaderHistory | None) -> bool:
    return reader is not None and bool(reader.history)


def _problems(record: Any) -> list[str]:
    """What is wrong with a line."""
    if not isinstance(record, dict):
        return [f"must be an object with reader and history, not {kind_of(record)}"]
    if missing := [key for key in ("reader", "history") if key not in record]:
        return [f"lacks {' and '.join(missing)}"]
    problems = []
    if unknown := sorted(record.keys() - _KEYS):
        problems.append(f"{unknown[0]!r} is no key of a reader; there are reader, history and articles")
    if problem := name_problem(record["reader"]):
        problems.append(f"reader {problem}")
    problems += _list_problems(record["history"], "history", _title_problem)
    problems += _list_problems(record.get("articles", []), "articles", id_problem)
    return problems


def _list_problems(values: Any, key: str, problem_of: Any) -> list[str]:
    if not isinstance(values, list):
        return [f"{key} must be a list, not {kind_of(values)}"]
    found = ((number, problem_of(value)) for number, value in enumerate(values, start=1))
    return [f"{key}, number {number}: {problem}" for number, problem in found if problem]


def _title_problem(value: Any) -> str | None:
    return text_problem(value) or (None if value.strip() else "is empty: leave it out")


def _history_of(record: Mapping[str, Any]) -> ReaderHistory:
    titles = tuple(" ".join(title.split()) for title in record["history"])
    return ReaderHistory(record["reader"], titles, tuple(map(str, record.get("articles", ()))))
