"""Files of distances into a table that can be scored without texts."""

import csv
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD
from meta_eval.distances.computing import DistanceCounts, DistanceTable, Normalise
from meta_eval.distances.csv.layout import (
    COLUMNS,
    SIGNATURE,
    TO_DOCUMENT,
    TO_EACH_OTHER,
    Readers,
    system_of,
)
from meta_eval.distances.csv.rows import (
    NOBODY,
    Names,
    ReaderIndex,
    RowBuffer,
    SystemRows,
    fill_blocks,
    keep_first,
)
from meta_eval.errors import Fault, InputError
from meta_eval.files.cells import unmark_text
from meta_eval.files.reading import Faults, read_lines
from meta_eval.files.values import name_problem, parse_json
from meta_eval.measures.base import Signature
from meta_eval.measures.signatures import signature_problem

IMPORTED = "imported"
"""The mode in the signature of distances that came without one."""
# How far below 0 rounding may have left a distance, which is then 0.
_ROUNDING = 1e-4
# No measure of texts comes near; sums and products of such distances are still numbers.
_LARGEST = 1e9


@dataclass(frozen=True, slots=True)
class DistanceFiles:
    """Distances that were read, and the readers of each document in the order of the table's arrays."""

    table: DistanceTable
    readers: Readers


def read_distances(
    folder: Path,
    *,
    normalise: Normalise = "document",
    symmetric: bool = False,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
) -> DistanceFiles:
    """Read the files of all systems under `folder`.

    Repeated rows are passed over if they agree, and so are rows of a reader with itself.

    Parameters
    ----------
    folder : Path
        With a folder for each system.
    normalise : {"document", "none"}
        "none" does without `sum_doc_distances.csv`; otherwise it must be there.
    symmetric : bool
        Whether a pair that is given in one direction only stands for both.
    fault_limit : int
        How many faults are kept; the rest is counted.

    Returns
    -------
    DistanceFiles

    Raises
    ------
    InputError
        With every bad row, by file and line.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> import tempfile
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.csv.writing import readers_of, write_distances
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_distances(table, readers_of(corpus), Path(folder))
    ...     read_distances(Path(folder)).table.systems
    ('A',)
    """
    head = _read_head(folder)
    reader = _Reader(with_documents=normalise == "document", faults=Faults(fault_limit))
    for system, where in _find_systems(folder, head.get("systems", [])).items():
        reader.read(system, where)
    return reader.finish(_signature(head, folder), normalise, symmetric=symmetric)


def _read_head(folder: Path) -> dict[str, Any]:
    path = folder / SIGNATURE
    if not path.exists():
        return {}
    try:
        head = parse_json(path.read_text(encoding="utf-8-sig"))
        problem = _head_problem(head)
    except (OSError, ValueError) as error:
        problem = str(error)
    if problem:
        message = f"cannot be read ({problem}); remove it to read the distances without their signature"
        raise InputError([Fault(str(path), None, message)])
    return dict(head)


def _head_problem(head: Any) -> str | None:
    """What is wrong with a head as `write_distances` writes it."""
    if not isinstance(head, dict) or not {"signature", "systems"} <= set(head):
        return "an object with signature and systems is wanted"
    if not isinstance(head["systems"], list) or any(map(name_problem, head["systems"])):
        return "its systems must be a list of names"
    if problem := signature_problem(head["signature"]):
        return f"its signature {problem}"
    unknown = set(head["signature"]) - {item.name for item in fields(Signature)}
    return f"unknown fields {', '.join(sorted(unknown))}" if unknown else None


def _signature(head: Mapping[str, Any], folder: Path) -> Signature:
    """What the distances are; without `signature.json` the folder's name stands for the measure."""
    if not head:
        return Signature(folder.resolve().name, mode=IMPORTED)
    return Signature(**head["signature"])


def _find_systems(folder: Path, order: Sequence[str]) -> dict[str, Path]:
    """The folder of each system, in the given order, others after them in that of the alphabet."""
    folders = {system_of(path.parent.name): path.parent for path in folder.glob(f"*/{TO_EACH_OTHER}")}
    if not folders:
        message = f"holds no distances: no folder in it has a file {TO_EACH_OTHER}"
        raise InputError([Fault(str(folder), None, message)])
    for name, own in folders.items():
        if problem := name_problem(name):
            raise InputError([Fault(str(own), None, f"the system's name {problem}")])
    ranks = {name: rank for rank, name in enumerate(order)}
    return {
        name: folders[name] for name in sorted(folders, key=lambda name: (ranks.get(name, len(ranks)), name))
    }


class _Reader:
    """Reads system after system and remembers what they share: names, gold rows, faults."""

    def __init__(self, *, with_documents: bool, faults: Faults) -> None:
        self._faults = faults
        self._wanted = [name for name in COLUMNS if with_documents or name != TO_DOCUMENT]
        self._documents, self._readers, self._files = Names(), Names(), Names()
        self._gold = _buffers()
        self._systems: dict[str, dict[str, RowBuffer]] = {}

    def read(self, system: str, folder: Path) -> None:
        own = self._systems[system] = _buffers()
        for name in self._wanted:
            self._read_file(folder / name, {GOLD: self._gold[name], system: own[name]})

    def _read_file(self, path: Path, buffers: Mapping[str, RowBuffer]) -> None:
        file = f"{path.parent.name}/{path.name}"
        if not path.is_file():
            self._faults.add(file, None, _missing(path.name))
            return
        lines = read_lines(path, file, self._faults, alone=False)
        header = _cells(next(lines, (1, ""))[1])
        columns = COLUMNS[path.name]
        if not set(columns) <= set(header):
            self._faults.add(file, 1, f"the header must name the columns {', '.join(columns)}")
            return
        row = _RowReader(len(header), [header.index(column) for column in columns], buffers)
        number = self._files.number(file)
        for line, text in lines:
            if text:
                self._read_row(row, number, file, line, text)

    def _read_row(self, reader: "_RowReader", number: int, file: str, line: int, text: str) -> None:
        try:
            doc_id, origin, first, second, score = reader.read(text)
        except ValueError as problem:
            self._faults.add(file, line, str(problem))
            return
        if first != second:
            other = NOBODY if second is None else self._readers.number(second)
            numbers = self._documents.number(doc_id), self._readers.number(first), other, number, line
            reader.buffers[origin].add(numbers, score)

    def finish(self, signature: Signature, normalise: Normalise, *, symmetric: bool) -> DistanceFiles:
        gold = self._distinct(self._gold)
        systems = {name: self._distinct(own) for name, own in self._systems.items()}
        if not self._documents.names:
            self._faults.add(", ".join(self._files.names) or "the files", None, "no row holds a distance")
        self._faults.raise_if_any()
        index = ReaderIndex([gold, *systems.values()], len(self._documents.names))
        blocks = tuple(
            fill_blocks(gold, systems, index, with_documents=normalise == "document", symmetric=symmetric)
        )
        counts = DistanceCounts(
            documents=sum(len(block.documents) for block in blocks),
            missing=sum(rows.missing for rows in (gold, *systems.values())),
        )
        table = DistanceTable(self._documents.names, tuple(systems), normalise, signature, blocks, counts)
        return DistanceFiles(table, self._readers_by_document(index))

    def _distinct(self, buffers: Mapping[str, RowBuffer]) -> SystemRows:
        return SystemRows(*(keep_first(buffers[name].rows(), self._report) for name in COLUMNS))

    def _report(self, file: int, line: int, message: str) -> None:
        self._faults.add(self._files.names[file], line, message)

    def _readers_by_document(self, index: ReaderIndex) -> Readers:
        names = self._readers.names
        return {
            doc_id: tuple(names[reader] for reader in index.readers(document))
            for document, doc_id in enumerate(self._documents.names)
        }


@dataclass(frozen=True, slots=True)
class _RowReader:
    """Reads rows of one file: how many fields they have, where its columns are, whose rows they can be."""

    width: int
    at: Sequence[int]
    buffers: Mapping[str, RowBuffer]

    def read(self, text: str) -> tuple[str, str, str, str | None, float]:
        """Document, origin, reader, second reader if there is one, and score (NaN if it is empty).

        Raises `ValueError` that says what is wrong with the row.
        """
        cells = _cells(text)
        if len(cells) != self.width:
            raise ValueError(f"has {len(cells)} fields; the header has {self.width}")
        doc_id, origin, first, *rest = (cells[column] for column in self.at)
        if not (doc_id and first and all(rest[:-1])):
            raise ValueError("the document or a reader is empty")
        if origin not in self.buffers:
            raise ValueError(f"origin_model is {origin!r}; it must be one of {', '.join(self.buffers)}")
        return doc_id, origin, first, rest[0] if len(rest) > 1 else None, _read_score(rest[-1])


def _read_score(text: str) -> float:
    try:
        score = math.inf if "_" in text or not text.isascii() else float(text or "nan")
    except ValueError:
        score = math.inf
    if score < -_ROUNDING or score > _LARGEST:
        raise ValueError(
            f"score is {text!r}; it must be a distance, from 0 to {_LARGEST:g}, or empty if it is missing"
        )
    return max(score, 0.0)  # a missing one stays NaN: max(nan, 0) is nan


def _cells(text: str) -> list[str]:
    if '"' not in text and "'" not in text:
        return text.split(",")
    try:
        return list(map(unmark_text, next(csv.reader([text], strict=True))))
    except csv.Error:
        return []


def _buffers() -> dict[str, RowBuffer]:
    return {name: RowBuffer() for name in COLUMNS}


def _missing(name: str) -> str:
    hint = "; add it, or ask for normalise=none" if name == TO_DOCUMENT else ""
    return f"the file is missing{hint}"
