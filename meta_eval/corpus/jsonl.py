"""Consolidated JSONL (protocol 11): one document a line, to and from a corpus."""

import re
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import IO, Any

from msgspec import UNSET, DecodeError, Struct, UnsetType
from msgspec.json import Decoder

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD, Corpus, Document, missing_summary_notes
from meta_eval.corpus.records import (
    document_of_record,
    id_problem,
    is_language_tag,
    keep_named_systems,
    plain_record,
    record_problems,
)
from meta_eval.errors import Fault, InputError
from meta_eval.files.names import plain_name
from meta_eval.files.reading import Faults, Source, read_lines, source_name
from meta_eval.files.values import holds_sound_texts, not_lines_problem, parse_json

_ENDS_OF_KEYS = re.compile(r'"\s*:')


class _Line(Struct):
    """A line as most programs write it; whatever else is right too is looked at field by field."""

    doc_id: str
    doc_summ: str
    m_summary_dict: dict[str, dict[str, str | None]]
    doc_text: str | UnsetType | None = UNSET
    lang: str | UnsetType = UNSET

    def as_record(self) -> dict[str, Any]:
        return {
            "doc_id": self.doc_id,
            "doc_text": self.doc_text or "",
            "doc_summ": self.doc_summ,
            "m_summary_dict": self.m_summary_dict,
            "lang": self.lang or "",
        }

    def repeats_no_key(self, text: str) -> bool:
        """Whether the line certainly names each key once: it ends as many keys as it has.

        Where a text holds what looks like one more end of a key, nothing is certain.
        """
        by_reader, left_out = self.m_summary_dict, (self.doc_text, self.lang).count(UNSET)
        keys = 5 - left_out + len(by_reader) + sum(map(len, by_reader.values()))
        return text.count(":") == keys or len(_ENDS_OF_KEYS.findall(text)) == keys


_LINES = Decoder(_Line)


def write_jsonl(corpus: Corpus, stream: IO[str]) -> None:
    """Write consolidated JSONL, one document a line.

    Parameters
    ----------
    corpus : Corpus
    stream : text stream

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> import json
    >>> from io import StringIO
    >>> stream = StringIO()
    >>> write_jsonl(Corpus((Document("d", "Weather", "", {"ann": "rain"}),)), stream)
    >>> json.loads(stream.getvalue())["m_summary_dict"]
    {'ann': {'user': 'rain'}}
    """
    for document in corpus.documents:
        stream.write(f"{document.as_line()}\n")


def read_jsonl(source: Source, *, name: str | None = None, fault_limit: int = DEFAULT_FAULT_LIMIT) -> Corpus:
    """Read consolidated JSONL: UTF-8, one document a line.

    Parameters
    ----------
    source : path or binary stream
    name : str, optional
        What faults call the file; default: its name.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    Corpus

    Raises
    ------
    InputError
        With every fault found; nothing is half read.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> import json
    >>> from io import BytesIO
    >>> texts = {"ann": {"user": "rain", "A": "sun"}, "bob": {"user": "wind", "A": None}}
    >>> record = {"doc_id": "d", "doc_text": "Rain and wind.", "doc_summ": "Weather", "m_summary_dict": texts}
    >>> corpus = read_jsonl(BytesIO(json.dumps(record).encode()))
    >>> corpus.readers, corpus.systems
    (('ann', 'bob'), ('A',))
    >>> corpus.notes
    ("system 'A' has no summary for 1 of 2 references",)
    """
    name = source_name(source, name)
    faults = Faults(fault_limit)
    reader = _JsonlReader(name, faults)
    documents = [
        document for line in read_lines(source, name, faults, alone=True) for document in reader.read(*line)
    ]
    if not documents:
        faults.add_empty(name, "holds no documents")
    faults.raise_if_any()
    repeated = f"{reader.repeated} repeated keys within a document; the later one stands"
    notes = [repeated] if reader.repeated else []
    return Corpus(keep_named_systems(documents), (*notes, *missing_summary_notes(documents)))


class _JsonlReader:
    """Turns lines into documents and remembers what spans lines: ids, names, and keys that occur twice."""

    def __init__(self, name: str, faults: Faults) -> None:
        self._name = name
        self._faults = faults
        self._lines_by_id: dict[str, int] = {}
        self._names: set[str] = set()
        self.repeated = 0

    def read(self, number: int, text: str) -> Iterator[Document]:
        if not text.strip():
            return
        if not self._lines_by_id and (problem := not_lines_problem(text)):
            raise InputError([Fault(self._name, number, problem)])
        problems: list[str] = []
        record: Any = self._plainly_right(text)
        if record is None:
            try:
                record = parse_json(text, self._object)
            except ValueError as error:
                self._faults.add(self._name, number, f"not JSON: {error}")
                return
            record, problems = plain_record(record)
            problems += record_problems(record)
        if not problems:
            by_reader = record["m_summary_dict"]
            self._names.update(by_reader, *by_reader.values())
            first = self._lines_by_id.setdefault(str(record["doc_id"]), number)
            if first != number:
                problems = [f"doc_id {str(record['doc_id'])!r} was already used on line {first}"]
        for problem in problems:
            self._faults.add(self._name, number, problem)
        if not problems:
            yield document_of_record(record)

    def _plainly_right(self, line: str) -> dict[str, Any] | None:
        """The record of a line that a quick look finds right; None where it does not, whatever it is.

        Most lines of a corpus are, and each costs a fraction of what looking for its problems does: types are
        compared while the line is read, and names are those seen before.
        """
        try:
            found = _LINES.decode(line)
        except (DecodeError, RecursionError):
            return None
        is_right = (
            holds_sound_texts(line)
            and id_problem(found.doc_id) is None
            and plain_name(found.doc_id) == found.doc_id
            and is_language_tag(found.lang or "")
            and bool(found.m_summary_dict)
            and self._are_plainly_right(found.m_summary_dict)
            and found.repeats_no_key(line)
        )
        return found.as_record() if is_right else None

    def _are_plainly_right(self, by_reader: Mapping[str, Mapping[str, str | None]]) -> bool:
        each = by_reader.values()
        references = [texts.get(GOLD) or "" for texts in each]
        return (
            self._names.issuperset(by_reader)
            and self._names.issuperset(chain.from_iterable(each))
            and all(references)
            and not any(map(str.isspace, references))
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        self.repeated += len(pairs) - len(result)
        return result
