"""A table of distances into files."""

import json
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.distances.blocks import DistanceBlock
from meta_eval.distances.computing import DistanceTable
from meta_eval.distances.csv.layout import (
    COLUMNS,
    SIGNATURE,
    TO_DOCUMENT,
    TO_EACH_OTHER,
    TO_GOLD,
    Readers,
    folder_of,
)
from meta_eval.files.cells import csv_text
from meta_eval.files.writing import write_text

Line = tuple[str, ...]
LinesOf = Callable[[DistanceBlock, int, int, str, Sequence[str]], Iterator[Line]]
"""The lines of one document and system: block, row in it, the system's number and name, readers."""


def readers_of(corpus: Corpus) -> Readers:
    """The readers of each document, in the order in which distances of the corpus have them.

    Parameters
    ----------
    corpus : Corpus

    Returns
    -------
    dict of the readers' names by document

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> readers_of(Corpus((Document("d", "", "Rain.", {"ann": "rain", "bob": "wet"}),)))
    {'d': ('ann', 'bob')}
    """
    return {document.id: tuple(document.references) for document in corpus.documents}


def write_distances(table: DistanceTable, readers: Readers, folder: Path) -> None:
    """Write the files of every system into `folder`, at full precision, and the signature.

    A table without distances to the documents gives no `sum_doc_distances.csv`.

    Parameters
    ----------
    table : DistanceTable
        Of all systems by one measure.
    readers : mapping
        Of `readers_of`.
    folder : Path
        Gets a folder for each system.

    Raises
    ------
    InputError
        Where a file cannot be written.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> import tempfile
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_distances(table, readers_of(corpus), Path(folder))
    ...     print((Path(folder) / "A" / "sum_user_distances.csv").read_text().splitlines()[0])
    doc_id,origin_model,uid,score
    """
    for number, system in enumerate(table.systems):
        for name, lines_of in _WRITERS.items():
            if name != TO_DOCUMENT or table.normalise == "document":
                lines = _lines(table, readers, number, lines_of)
                write_text(csv_text([COLUMNS[name], *lines]), folder / folder_of(system) / name)
    head = {
        "signature": table.signature.as_dict(),
        "normalise": table.normalise,
        "systems": list(table.systems),
    }
    write_text(json.dumps(head, indent=2, ensure_ascii=False) + "\n", folder / SIGNATURE)


def _lines(table: DistanceTable, readers: Readers, number: int, lines_of: LinesOf) -> Iterator[Line]:
    """The lines of one file of one system, document after document."""
    rows = [(int(index), block, row) for block in table.blocks for row, index in enumerate(block.documents)]
    for index, block, row in sorted(rows, key=lambda entry: entry[0]):
        doc_id = table.documents[index]
        for line in lines_of(block, row, number, table.systems[number], readers[doc_id]):
            yield (doc_id, *line)


def _to_document(
    block: DistanceBlock, row: int, number: int, system: str, readers: Sequence[str]
) -> Iterator[Line]:
    if block.gold_document is not None and block.systems_document is not None:
        yield from _vector(GOLD, readers, block.gold_document[row])
        yield from _vector(system, readers, block.systems_document[number, row])


def _to_each_other(
    block: DistanceBlock, row: int, number: int, system: str, readers: Sequence[str]
) -> Iterator[Line]:
    yield from _matrix(GOLD, readers, block.gold[row])
    yield from _matrix(system, readers, block.systems[number, row])


def _to_gold(
    block: DistanceBlock, row: int, number: int, system: str, readers: Sequence[str]
) -> Iterator[Line]:
    yield from _vector(system, readers, block.systems_gold[number, row])


_WRITERS: dict[str, LinesOf] = {
    TO_DOCUMENT: _to_document,
    TO_EACH_OTHER: _to_each_other,
    TO_GOLD: _to_gold,
}


def _vector(origin: str, readers: Sequence[str], values: FloatArray) -> Iterator[Line]:
    for reader, value in zip(readers, values.tolist(), strict=True):
        if origin == GOLD or not math.isnan(value):
            yield origin, reader, _score(value)


def _matrix(origin: str, readers: Sequence[str], values: FloatArray) -> Iterator[Line]:
    for j, (first, row) in enumerate(zip(readers, values.tolist(), strict=True)):
        for k, (second, value) in enumerate(zip(readers, row, strict=True)):
            if j != k and (origin == GOLD or not math.isnan(value)):
                yield origin, first, second, _score(value)


def _score(value: float) -> str:
    return "" if math.isnan(value) else repr(value)
