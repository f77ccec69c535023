"""Documents, readers, gold references and system summaries (protocol 1), and what a corpus says of them."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar

from meta_eval.errors import InputError
from meta_eval.files.frames import Brief, Tabular
from meta_eval.files.json_files import json_line
from meta_eval.files.values import count_of

GOLD = "user"
"""The name under which every file format keeps the gold reference."""

DEFAULT_FAULT_LIMIT = 50


@dataclass(frozen=True, slots=True, repr=False)
class Document(Brief):
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

    def brief(self) -> tuple[str, str]:
        return f"{self.id}, {len(self.references)} readers, {len(self.summaries)} systems", self.text

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
        """The document with its language as one line of consolidated JSONL, without the line's end.

        A system that is named and wrote nothing stands there with null, so that it is read back.
        """
        record = self.as_record() | ({"lang": self.language} if self.language else {})
        silent = dict.fromkeys(name for name, texts in self.summaries.items() if not texts)
        for texts in record["m_summary_dict"].values():
            texts.update(silent)
        return json_line(record)

    def _texts_of(self, reader: str) -> dict[str, str]:
        by_system = {name: texts[reader] for name, texts in self.summaries.items() if reader in texts}
        return {GOLD: self.references[reader], **by_system}


@dataclass(frozen=True, repr=False)
class Corpus(Tabular):
    """An immutable set of documents. `notes` say what the import left out or decided.

    rows: how many rows the table had from which it was read; None where it came otherwise.
    """

    caption: ClassVar[str] = "Texts of the corpus"
    shown: ClassVar[Sequence[str]] = ("doc_id", "reader", "system", "text")

    documents: tuple[Document, ...]
    notes: tuple[str, ...] = ()
    rows: int | None = field(default=None, compare=False)

    @property
    def taken(self) -> str:
        """How much it holds, in one line.

        Examples
        --------
        >>> Corpus((Document("d", "", "", {"ann": "rain"}, {"A": {}}),)).taken
        '1 document, 1 reader, 1 reference, 1 system: 1 text taken, 1 not written'
        """
        written = sum(len(texts) for document in self.documents for texts in document.summaries.values())
        wanted = self.references * len(self.systems)
        counts = {
            "document": len(self.documents),
            "reader": len(self.readers),
            "reference": self.references,
            "system": len(self.systems),
        }
        rows = "" if self.rows is None else f"{count_of(self.rows, 'row')}: "
        held = ", ".join(count_of(number, noun) for noun, number in counts.items())
        texts = count_of(self.references + written, "text")
        return f"{rows}{held}: {texts} taken, {wanted - written:,} not written"

    def records(self) -> list[dict[str, Any]]:
        """One record a text: `doc_id`, `doc_summ` (title), `doc_text`, `lang`, `reader`, `system`, `text`."""
        return [
            {**head, "lang": document.language, "reader": reader, "system": system, "text": text}
            for document in self.documents
            for head in [document.as_record()]
            for reader, texts in head.pop("m_summary_dict").items()
            for system, text in texts.items()
        ]

    def brief(self) -> tuple[str, str]:
        return self.taken, f"systems: {', '.join(self.systems)}"

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

    @cached_property
    def in_order(self) -> "Corpus":
        """The same with documents and their readers by id: what is drawn of them, and who comes first, is one
        thing however a file lists them."""
        ordered = sorted(self.documents, key=lambda document: document.id)
        by_reader = (replace(one, references=dict(sorted(one.references.items()))) for one in ordered)
        return replace(self, documents=tuple(by_reader))

    @property
    def has_document_texts(self) -> bool:
        """Whether any document has a title or a body; PENS without its news has neither."""
        return any(document.title or document.body for document in self.documents)

    @property
    def references(self) -> int:
        """How many gold references the corpus holds."""
        return sum(len(document.references) for document in self.documents)

    @cached_property
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
