"""Documents, readers, gold references and system summaries (protocol 1), from and to the field's formats."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import IO, Any, ClassVar

from meta_eval.errors import Fault, InputError
from meta_eval.files.frames import Tabular
from meta_eval.files.reading import Faults, Source, read_lines, source_name
from meta_eval.files.values import (
    holds_sound_texts,
    kind_of,
    name_problem,
    not_lines_problem,
    parse_json,
    text_problem,
)

GOLD = "user"
"""The name under which every file format keeps the gold reference."""

DEFAULT_FAULT_LIMIT = 50
_TEXT_OR_NONE = frozenset((str, type(None)))
LANGUAGE_TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}")


@dataclass(frozen=True, slots=True)
class Document:
    """A document d_i with the gold references u_ij of its readers and the summaries s_mij of each system.

    A summary that a system did not write is absent, never empty; an empty one was written and is empty.
    `language` is the BCP 47 tag of all its texts, or empty; it says how to show them and is no content.
    """

    id: str
    title: str
    body: str
    references: Mapping[str, str]
    summaries: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    language: str = ""

    @property
    def text(self) -> str:
        """The document as one text for distances: title, a space, body (protocol 1)."""
        return f"{self.title} {self.body}".strip()

    @property
    def is_scored(self) -> bool:
        """Whether it enters scores: it has two readers or more, so that there is a pair to compare."""
        return len(self.references) > 1

    def as_record(self) -> dict[str, Any]:
        """The content of the document as one record of consolidated JSONL (protocol 11)."""
        return {
            "doc_id": self.id,
            "doc_text": self.body,
            "doc_summ": self.title,
            "m_summary_dict": {reader: self._texts_of(reader) for reader in self.references},
        }

    def as_line(self) -> str:
        """The document with its language as one line of consolidated JSONL, without the line's end."""
        language = {"lang": self.language} if self.language else {}
        return json.dumps(self.as_record() | language, ensure_ascii=False)

    def _texts_of(self, reader: str) -> dict[str, str]:
        by_system = {name: texts[reader] for name, texts in self.summaries.items() if reader in texts}
        return {GOLD: self.references[reader], **by_system}


@dataclass(frozen=True)
class Corpus(Tabular):
    """An immutable set of documents. `notes` say what the import left out or decided."""

    caption: ClassVar[str] = "Texts of the corpus"
    shown: ClassVar[Sequence[str]] = ("doc_id", "reader", "system", "text")

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()

    def records(self) -> list[dict[str, Any]]:
        """One record a text: `doc_id`, `doc_summ` (title), `doc_text`, `lang`, `reader`, `system`, `text`."""
        return [
            {**head, "lang": document.language, "reader": reader, "system": system, "text": text}
            for document in self.documents
            for head in [document.as_record()]
            for reader, texts in head.pop("m_summary_dict").items()
            for system, text in texts.items()
        ]

    @cached_property
    def systems(self) -> tuple[str, ...]:
        """Names of the systems, in the order in which they first appear."""
        return tuple(dict.fromkeys(name for document in self.documents for name in document.summaries))

    @cached_property
    def readers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for document in self.documents for name in document.references))

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The tags that its documents name, each once, in alphabetical order."""
        return tuple(sorted({document.language for document in self.documents if document.language}))

    @property
    def has_document_texts(self) -> bool:
        """Whether any document has a title or a body; PENS without its news has neither."""
        return any(document.title or document.body for document in self.documents)

    @property
    def references(self) -> int:
        """How many gold references the corpus holds."""
        return sum(len(document.references) for document in self.documents)

    @property
    def reference_texts(self) -> tuple[str, ...]:
        """All gold references, in the corpus' order."""
        return tuple(text for document in self.documents for text in document.references.values())

    @cached_property
    def content_hash(self) -> str:
        """SHA-256 of the content alone: the same texts in another format or order are the same corpus."""
        digest = hashlib.sha256()
        for document in sorted(self.documents, key=lambda document: document.id):
            line = json.dumps(document.as_record(), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
            digest.update(line.encode() + b"\n")
        return digest.hexdigest()


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
        faults.add(name, None, "holds no documents")
    faults.raise_if_any()
    repeated = f"{reader.repeated} repeated keys within a document; the later one stands"
    notes = [repeated] if reader.repeated else []
    return Corpus(tuple(documents), (*notes, *missing_summary_notes(documents)))


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
        try:
            record = parse_json(text, self._object)
        except ValueError as error:
            self._faults.add(self._name, number, f"not JSON: {error}")
            return
        problems = [] if self._is_plainly_right(record, text) else list(record_problems(record))
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

    def _is_plainly_right(self, record: Any, line: str) -> bool:
        """Whether a look at types and at names seen before finds the record right; one it does not may be.

        Most lines of a corpus are, and each costs a third of what looking for its problems does.
        """
        if not isinstance(record, dict) or not holds_sound_texts(line):
            return False
        by_reader = record.get("m_summary_dict")
        return (
            isinstance(record.get("doc_text"), str)
            and isinstance(record.get("doc_summ"), str)
            and id_problem(record.get("doc_id")) is None
            and is_language_tag(record.get("lang", ""))
            and isinstance(by_reader, dict)
            and bool(by_reader)
            and self._names.issuperset(by_reader)
            and all(map(self._are_plainly_right, by_reader.values()))
        )

    def _are_plainly_right(self, texts: Any) -> bool:
        return (
            type(texts) is dict
            and _TEXT_OR_NONE.issuperset(map(type, texts.values()))
            and self._names.issuperset(texts)
            and bool((texts.get(GOLD) or "").strip())
        )

    def _object(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(pairs)
        self.repeated += len(pairs) - len(result)
        return result


def record_problems(record: Any) -> Iterator[str]:
    """What is wrong with a record of consolidated JSONL, each problem in words."""
    if not isinstance(record, dict):
        yield f"a document must be a JSON object, not {kind_of(record)}"
        return
    for key in ("doc_id", "doc_summ", "m_summary_dict"):
        if key not in record:
            yield f"field {key!r} is missing"
    if "doc_id" in record and (problem := id_problem(record["doc_id"])):
        yield f"field 'doc_id' {problem}"
    for key in ("doc_text", "doc_summ"):
        value = record.get(key, "")
        if not (value is None and key == "doc_text") and (problem := text_problem(value)):
            yield f"field {key!r} {problem}"
    if "m_summary_dict" in record:
        yield from _summary_problems(record["m_summary_dict"])
    if not is_language_tag(record.get("lang", "")):
        yield "field 'lang' must be a language tag such as 'en', 'ar' or 'pt-BR'"


def id_problem(value: Any) -> str | None:
    """What is wrong with a document's id, which is a name or a whole number; None if nothing is."""
    if isinstance(value, int) and not isinstance(value, bool):
        return None
    if not isinstance(value, str) or not value.strip():
        return "must be a non-empty text or a whole number"
    return name_problem(value)


def _summary_problems(by_reader: Any) -> Iterator[str]:
    if not isinstance(by_reader, dict):
        yield f"field 'm_summary_dict' must be a JSON object, not {kind_of(by_reader)}"
        return
    if not by_reader:
        yield "field 'm_summary_dict' names no reader"
    for reader, texts in by_reader.items():
        where = f"reader {reader!r}"
        if problem := name_problem(reader):
            yield f"{where}: the name {problem}"
        if not isinstance(texts, dict):
            yield f"{where} must be a JSON object, not {kind_of(texts)}"
        elif problem := _reference_problem(texts.get(GOLD)):
            yield f"{where} {problem} (key {GOLD!r})"
        else:
            for system, text in texts.items():
                if problem := name_problem(system):
                    yield f"{where}, system {system!r}: the name {problem}"
                elif text is not None and (problem := text_problem(text)):
                    yield f"{where}, system {system!r} {problem}"


def _reference_problem(text: Any) -> str | None:
    if text is not None and not isinstance(text, str):
        return f"has {kind_of(text)} where the reference text should be"
    return None if text and text.strip() else "has no reference text"


def is_language_tag(value: object) -> bool:
    """Whether it has the form of a BCP 47 tag (en, ar, pt-BR) or is empty, which names no language."""
    return isinstance(value, str) and (not value or LANGUAGE_TAG.fullmatch(value) is not None)


def document_of_record(record: dict[str, Any]) -> Document:
    """The document of a record that has no problems."""
    by_reader: dict[str, dict[str, str | None]] = record["m_summary_dict"]
    summaries: dict[str, dict[str, str]] = {}
    for reader, texts in by_reader.items():
        for system, text in texts.items():
            if system != GOLD and text is not None:
                summaries.setdefault(system, {})[reader] = text
    references = {reader: str(texts[GOLD]) for reader, texts in by_reader.items()}
    title, body, language = record["doc_summ"], record.get("doc_text") or "", record.get("lang", "")
    return Document(str(record["doc_id"]), title, body, references, summaries, language)


def missing_summary_notes(documents: Iterable[Document]) -> Iterator[str]:
    """One note for each system that wrote nothing for some references; they are missing, not empty."""
    wanted = 0
    written: dict[str, int] = {}
    for document in documents:
        wanted += len(document.references)
        for system, texts in document.summaries.items():
            written[system] = written.get(system, 0) + len(texts)
    for system, count in written.items():
        if count < wanted:
            yield f"system {system!r} has no summary for {wanted - count} of {wanted} references"


def select_systems(corpus: Corpus, systems: Iterable[str] | None) -> tuple[str, ...]:
    """The given systems of a corpus, each once, or all.

    Parameters
    ----------
    corpus : Corpus
    systems : iterable of str, or None
        None for all.

    Returns
    -------
    tuple of str

    Raises
    ------
    InputError
        For a system that the corpus does not have, and where there is none.

    Examples
    --------
    >>> corpus = Corpus((Document("d", "", "", {"ann": "rain"}, {"A": {"ann": "sun"}}),))
    >>> select_systems(corpus, ["A", "A"])
    ('A',)
    """
    chosen = corpus.systems if systems is None else tuple(dict.fromkeys(systems))
    unknown = [name for name in chosen if name not in corpus.systems]
    if unknown:
        raise InputError(f"the corpus has no system {', '.join(unknown)}; it has {', '.join(corpus.systems)}")
    if not chosen:
        raise InputError("the corpus holds no system's summaries; there is nothing to score")
    return chosen
