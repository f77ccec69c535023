"""Distances given as rows (document, reader, reader, score), gathered into a table that can be scored."""

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.distances.blocks import DistanceBlock
from meta_eval.measures.given import SAME

NOBODY = -1
"""The second reader of a row that has one only."""

Report = Callable[[int, int, str], None]


class Names:
    """Numbers names in the order in which they first occur."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def number(self, name: str) -> int:
        return self._numbers.setdefault(name, len(self._numbers))

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._numbers)


@dataclass(slots=True)
class RowBuffer:
    """Rows as they are read, in a few bytes each."""

    numbers: "array[int]" = field(default_factory=lambda: array("q"))
    scores: "array[float]" = field(default_factory=lambda: array("d"))

    def add(self, numbers: tuple[int, int, int, int, int], score: float) -> None:
        """Numbers of the document, its reader, the other one or `NOBODY`, the file and the line."""
        self.numbers.extend(numbers)
        self.scores.append(score)

    def rows(self) -> "Rows":
        numbers = np.frombuffer(self.numbers, dtype=np.int64).reshape(-1, 5)
        document, first, second, file, line = numbers.T
        return Rows(document, first, second, file, line, np.frombuffer(self.scores, dtype=np.float64))


@dataclass(frozen=True, slots=True)
class Rows:
    """Distances, arrays of one length: numbers of the document and its readers, where it stood, the score."""

    document: IntArray
    first: IntArray
    second: IntArray
    file: IntArray
    line: IntArray
    score: FloatArray

    def where(self, mask: BoolArray | IntArray) -> "Rows":
        return Rows(
            document=self.document[mask],
            first=self.first[mask],
            second=self.second[mask],
            file=self.file[mask],
            line=self.line[mask],
            score=self.score[mask],
        )


def keep_first(rows: Rows, report: Report) -> Rows:
    """Each distance as it stood first; `report(file, line, message)` of one repeated with another score."""
    order = np.lexsort((np.arange(len(rows.score)), rows.second, rows.first, rows.document))
    given, rows = rows, rows.where(order)
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.logical_or.reduce(
        [np.diff(column) != 0 for column in (rows.document, rows.first, rows.second)]
    )
    kept = np.flatnonzero(new)[np.cumsum(new) - 1]
    score, stood = rows.score, rows.score[kept]
    other = ~((np.abs(score - stood) <= SAME) | (np.isnan(score) & np.isnan(stood)))
    for at in np.flatnonzero(other).tolist():
        line = int(rows.line[kept[at]])
        message = f"score {score[at]} of a distance that was {stood[at]} before (line {line} of its file)"
        report(int(rows.file[at]), int(rows.line[at]), message)
    return given.where(np.sort(order[new]))


@dataclass(frozen=True, slots=True)
class SystemRows:
    """The rows of one system, or of the gold references, by what they compare a text with."""

    to_document: Rows
    to_each_other: Rows
    to_gold: Rows

    @property
    def all(self) -> tuple[Rows, ...]:
        return self.to_document, self.to_each_other, self.to_gold

    @property
    def missing(self) -> int:
        """How many distances are named, but have no score."""
        return sum(int(np.isnan(rows.score).sum()) for rows in self.all)


class ReaderIndex:
    """The readers of each document, in the order in which rows name them."""

    def __init__(self, systems: Sequence[SystemRows], documents: int) -> None:
        tables = [rows for system in systems for rows in system.all]
        document = np.concatenate([np.repeat(rows.document, 2) for rows in tables])
        reader = np.concatenate([np.stack((rows.first, rows.second), axis=1).ravel() for rows in tables])
        document, reader = document[reader != NOBODY], reader[reader != NOBODY]
        self._size = int(reader.max(initial=0)) + 1
        codes, order = np.unique(document * self._size + reader, return_index=True)
        self._codes = codes
        by_document = np.lexsort((order, codes // self._size))
        self.counts: IntArray = np.bincount(codes // self._size, minlength=documents)
        starts = np.cumsum(self.counts) - self.counts
        self._indices = np.empty(len(codes), dtype=np.int64)
        self._indices[by_document] = np.arange(len(codes)) - np.repeat(starts, self.counts)
        self._readers = np.split(codes[by_document] % self._size, starts[1:])

    def of(self, document: IntArray, reader: IntArray) -> IntArray:
        """The index of each reader among those of its document."""
        index: IntArray = self._indices[np.searchsorted(self._codes, document * self._size + reader)]
        return index

    def readers(self, document: int) -> list[int]:
        readers: list[int] = self._readers[document].tolist()
        return readers


def fill_blocks(
    gold: SystemRows,
    systems: Mapping[str, SystemRows],
    index: ReaderIndex,
    *,
    with_documents: bool,
    symmetric: bool,
) -> Iterator[DistanceBlock]:
    """Blocks of the documents with two readers or more; if `symmetric`, one direction stands for both."""
    for readers in sorted(set(index.counts[index.counts > 1].tolist())):
        filler = _Filler(np.flatnonzero(index.counts == readers), readers, index, symmetric)
        own = list(systems.values())
        yield DistanceBlock(
            documents=filler.documents,
            gold=filler.matrices(gold.to_each_other),
            gold_document=filler.vectors(gold.to_document) if with_documents else None,
            systems=np.stack([filler.matrices(rows.to_each_other) for rows in own]),
            systems_document=np.stack([filler.vectors(rows.to_document) for rows in own])
            if with_documents
            else None,
            systems_gold=np.stack([filler.vectors(rows.to_gold) for rows in own]),
        )


@dataclass(frozen=True, slots=True)
class _Filler:
    """Places scores in the arrays of documents with equally many readers."""

    documents: IntArray
    readers: int
    index: ReaderIndex
    symmetric: bool

    def vectors(self, rows: Rows) -> FloatArray:
        """(B, n), NaN where there is no row."""
        rows, row = self._own(rows)
        values = np.full((len(self.documents), self.readers), np.nan)
        values[row, self.index.of(rows.document, rows.first)] = rows.score
        return values

    def matrices(self, rows: Rows) -> FloatArray:
        """(B, n, n), NaN where there is no row and on the diagonal."""
        rows, row = self._own(rows)
        values = np.full((len(self.documents), self.readers, self.readers), np.nan)
        first, second = (self.index.of(rows.document, reader) for reader in (rows.first, rows.second))
        values[row, first, second] = rows.score
        if self.symmetric:
            values = np.where(np.isnan(values), values.swapaxes(-1, -2), values)
        return values

    def _own(self, rows: Rows) -> tuple[Rows, IntArray]:
        """The rows about these documents, and their documents' indices among them."""
        row = np.searchsorted(self.documents, rows.document)
        inside = self.documents[np.minimum(row, len(self.documents) - 1)] == rows.document
        return rows.where(inside), row[inside]
