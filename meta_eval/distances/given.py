"""Distances that another tool computed: from its tables to a book in which a measure looks them up.

A folder holds either tables (`*.csv`, `*.parquet`) with the columns `first`, `second` (the two texts, the
summary first) and `distance`, or the three CSV files of each system (`distances.csv`), whose readers are
looked up in a corpus. An empty distance is missing.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import permutations
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, Corpus
from meta_eval.distances.csv import TO_DOCUMENT, TO_EACH_OTHER, read_distances
from meta_eval.errors import Fault, InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.reading import Faults, Source
from meta_eval.files.tables import read_table
from meta_eval.files.values import read_number, text_problem
from meta_eval.measures.given import SAME, DistanceBook, Known, hash_of

COLUMNS = ("first", "second", "distance")
"""The columns of a table of distances; others are passed over."""
LARGEST = 1e9

Row = tuple[str, int | None, str, str, Any]
"""File, line, the two texts' hashes, and the distance as it stands there."""


@dataclass
class _Pairs:
    """The distance of each pair as it stood first; rows that say another one are faults."""

    faults: Faults
    known: dict[tuple[str, str], float] = field(default_factory=dict)

    def add(self, file: str, line: int | None, first: str, second: str, given: Any) -> None:
        try:
            value = _distance(given)
        except ValueError as problem:
            self.faults.add(file, line, str(problem))
            return
        there = self.known.get((first, second), math.nan)
        if not math.isnan(there) and abs(there - value) > SAME:
            message = f"the same two texts have the distance {there:g} above and {value:g} here; keep one"
            self.faults.add(file, line, message)
        elif math.isnan(there) and not math.isnan(value):
            self.known[first, second] = value

    def book(self, name: str, file: str) -> DistanceBook:
        if not self.known:
            self.faults.add(file, None, "no row holds a distance")
        self.faults.raise_if_any()
        return DistanceBook.of(name, _known(self.known))


def _known(pairs: dict[tuple[str, str], float]) -> Iterator[Known]:
    return ((first, second, value) for (first, second), value in pairs.items())


def _distance(given: Any) -> float:
    """NaN where there is none; ValueError with what is wrong."""
    if given is None or given == "":
        return math.nan
    try:
        value = _number(given) if isinstance(given, str) else float(given)
    except (TypeError, ValueError):
        value = -1.0
    if not (math.isnan(value) or 0.0 <= value <= LARGEST):
        raise ValueError(f"distance is {given!r}; it must be a number from 0 to {LARGEST:g}, or empty")
    return value


def _number(text: str) -> float:
    """Raises ValueError for what is no number; one that says that there is none is NaN."""
    found = math.nan if text.strip().lower() == "nan" else read_number(text)
    if found is None:
        raise ValueError
    return found


def read_given(
    name: str, folder: Path, corpus: Callable[[], Corpus | None], *, fault_limit: int = DEFAULT_FAULT_LIMIT
) -> DistanceBook:
    """The distances in a folder, or in one table.

    Parameters
    ----------
    name : str
        What the measure is called.
    folder : path
        A folder of tables or of the three CSV files of each system; or one table.
    corpus : callable
        Gives the corpus, None where there is none; called for the three files alone, which name readers.
    fault_limit : int, optional
        How many faults are named one by one.

    Returns
    -------
    DistanceBook

    Raises
    ------
    InputError
        With every bad row, by file and line: a distance that is none, two distances of the same two texts,
        a document, reader or summary that the corpus does not have.
    """
    faults = Faults(fault_limit)
    pairs = _Pairs(faults)
    if any(folder.glob(f"*/{TO_EACH_OTHER}")):
        own = corpus()
        if own is None:
            raise InputError([Fault(str(folder), None, "names readers, and this command takes no corpus")])
        rows: Iterable[Row] = _rows_of_systems(folder, own, faults)
    else:
        tables = _tables(folder)
        rows = (row for table in tables for row in _rows_of_table(table, table.name, faults))
    for row in rows:
        pairs.add(*row)
    return pairs.book(name, str(folder))


def pairs_to_compare(corpus: Corpus) -> list[tuple[str, str]]:
    """The pairs of texts whose distances scores ask for, each once, in alphabetical order.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> references = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "Weather", "", references, {"A": {"ann": "fog"}}),))
    >>> pairs_to_compare(corpus)[:3]
    [('fog', 'Weather'), ('fog', 'rain'), ('rain', 'Weather')]
    """
    pairs: set[tuple[str, str]] = set()
    for document in corpus.documents:
        gold = document.references
        for texts in (gold, *document.summaries.values()):
            pairs.update(permutations(texts.values(), 2))
            pairs.update((texts[reader], gold[reader]) for reader in texts if texts is not gold)
            pairs.update((text, document.text) for text in texts.values())
    return sorted(pairs)


def _tables(folder: Path) -> list[Path]:
    found = [folder] if folder.is_file() else sorted((*folder.glob("*.csv"), *folder.glob("*.parquet")))
    if not found:
        message = (
            f"holds no distances: neither a .csv or .parquet table nor folders with a file {TO_EACH_OTHER}"
            if folder.exists()
            else "cannot be read: No such file or directory"
        )
        raise InputError([Fault(str(folder), None, message)])
    return found


def _rows_of_table(source: Source, file: str, faults: Faults) -> Iterator[Row]:
    read = _parquet_rows if file.endswith(".parquet") else _csv_rows
    hashes: dict[str, str] = {}  # a text stands in many rows and is hashed once
    for line, first, second, distance in read(source, file, faults):
        problem = next(filter(None, map(text_problem, (first, second))), None)
        if problem:
            faults.add(file, line, f"a text {problem}")
        else:
            numbers = (hashes.get(text) or hashes.setdefault(text, hash_of(text)) for text in (first, second))
            yield file, line, *numbers, distance


def _csv_rows(source: Source, file: str, faults: Faults) -> Iterator[tuple[int, str, str, Any]]:
    for line, row in read_table(source, file, faults, partial(lacking_columns, wanted=COLUMNS), marked=True):
        yield line, *(row[column] for column in COLUMNS)  # type: ignore[misc]  # three of them


def _parquet_rows(source: Source, file: str, faults: Faults) -> Iterator[tuple[int, str, str, Any]]:
    """Lines are rows, from 1."""
    try:
        table = pq.ParquetFile(source)
        if problem := lacking_columns(table.schema_arrow.names, COLUMNS):
            faults.add(file, None, problem.replace("the header", "the table"))
            return
        line = 0
        for batch in table.iter_batches(columns=list(COLUMNS)):
            for row in zip(*(batch.column(column).to_pylist() for column in COLUMNS), strict=True):
                line += 1
                yield line, *row
    except (pa.ArrowException, OSError) as error:
        faults.add(file, None, f"is no Parquet table: {error}")


def _rows_of_systems(folder: Path, corpus: Corpus, faults: Faults) -> Iterator[Row]:
    """The three files of each system, with the texts that its readers have in the corpus."""
    with_documents = any(folder.glob(f"*/{TO_DOCUMENT}"))
    found = read_distances(folder, normalise="document" if with_documents else "none")
    table, readers, place = found.table, found.readers, str(folder)
    documents = {document.id: document for document in corpus.documents}
    for block in table.blocks:
        for row, index in enumerate(block.documents.tolist()):
            doc_id = table.documents[index]
            document = documents.get(doc_id)
            if document is None:
                faults.add(place, None, f"the corpus has no document {doc_id!r}")
                continue
            whose = readers[doc_id]
            body = hash_of(document.text)
            gold = _texts(document.references, whose)
            yield from _square(place, gold, block.gold[row])
            if block.gold_document is not None:
                yield from _line(place, gold, [body] * len(gold), block.gold_document[row])
            for number, system in enumerate(table.systems):
                own = _texts(document.summaries.get(system, {}), whose)
                given = block.systems_gold[number, row]
                lost = [
                    who for who, text, value in zip(whose, own, given, strict=True) if not text and value >= 0
                ]
                if lost:
                    faults.add(
                        place, None, f"the corpus has no summary by {system} of {doc_id} for {lost[0]}"
                    )
                yield from _square(place, own, block.systems[number, row])
                yield from _line(place, own, gold, given)
                if block.systems_document is not None:
                    yield from _line(place, own, [body] * len(own), block.systems_document[number, row])


def _texts(by_reader: Any, readers: Sequence[str]) -> list[str]:
    """Hashes of their texts, "" where there is none."""
    return [hash_of(by_reader[reader]) if reader in by_reader else "" for reader in readers]


def _square(place: str, texts: Sequence[str], values: Any) -> Iterator[Row]:
    for row, first in enumerate(texts):
        yield from _line(place, [first] * len(texts), texts, values[row])


def _line(place: str, firsts: Sequence[str], seconds: Sequence[str], values: Any) -> Iterator[Row]:
    for first, second, value in zip(firsts, seconds, values.tolist(), strict=True):
        if first and second:
            yield place, None, first, second, value
