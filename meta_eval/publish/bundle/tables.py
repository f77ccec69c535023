"""The tables of a bundle, read from the bytes of their files; a fault names file and line."""

import csv
import io
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeVar

from meta_eval.errors import Fault, InputError
from meta_eval.files.cells import unmark_text
from meta_eval.measures.given import DistanceBook, Known
from meta_eval.measures.sealed import SealedDistances, SealedText
from meta_eval.publish.bundle.layout import (
    GIVEN_COLUMNS,
    GIVEN_FILE,
    JUDGMENTS_FILE,
    RATINGS_FILE,
    SEALED_COLUMNS,
    SEALED_FILE,
    SEALED_TEXTS_COLUMNS,
    SEALED_TEXTS_FILE,
)
from meta_eval.publish.long_form import EXPORT_COLUMNS, QUESTIONNAIRES_FILE
from meta_eval.ratings.rating import Ends
from meta_eval.ratings.rows import RATING_COLUMNS
from meta_eval.ratings.survey import RatingRow
from meta_eval.scores.judged import JUDGMENT_COLUMNS

Row = TypeVar("Row")
_TRUTHS = {"true": True, "false": False}


def _read(
    data: bytes, name: str, columns: Sequence[str], read: Callable[[dict[str, str]], Row]
) -> Iterator[Row]:
    """What `read` makes of the cells of each row, which are those of `columns` and no others."""
    reader = csv.DictReader(io.StringIO(data.decode(), newline=""))
    try:
        yield from (read(row) for row in _whole_rows(reader, columns))
    except (KeyError, ValueError, TypeError, csv.Error) as error:
        problem = f"not a table with {', '.join(columns)}: {error}"
        raise InputError([Fault(name, reader.line_num, problem)]) from error


def _whole_rows(reader: "csv.DictReader[str]", columns: Sequence[str]) -> Iterator[dict[str, str]]:
    if list(reader.fieldnames or ()) != list(columns):
        raise ValueError(f"its header is {', '.join(reader.fieldnames or ())}")
    for row in reader:
        if None in row or None in row.values():
            raise ValueError("a row has other cells than the header")
        yield row


def read_given(data: bytes) -> tuple[DistanceBook, ...]:
    """The distances from outside, by measure."""
    return tuple(DistanceBook.of(name, rows) for name, rows in _distances(data, GIVEN_FILE, GIVEN_COLUMNS))


def _distances(data: bytes, name: str, columns: Sequence[str]) -> list[tuple[str, list[Known]]]:
    known: dict[str, list[Known]] = {}
    for row in _read(data, name, columns, lambda cells: list(cells.values())):
        whose, first, second, distance = row
        known.setdefault(whose, []).append((first, second, float(distance) if distance else math.nan))
    return list(known.items())


def read_sealed(distances: bytes, texts: bytes) -> tuple[SealedDistances, ...]:
    """The distances that language models gave, by the digest of the measure's signature."""
    seen: dict[str, dict[str, SealedText]] = {}
    for row in _read(texts, SEALED_TEXTS_FILE, SEALED_TEXTS_COLUMNS, lambda cells: list(cells.values())):
        whose, text, nothing, words, dropped = row
        counts = (int(count) if count else None for count in (words, dropped))
        seen.setdefault(whose, {})[text] = SealedText(_TRUTHS[nothing], *counts)
    return tuple(
        SealedDistances(DistanceBook.of(whose, rows), seen.get(whose, {}))
        for whose, rows in _distances(distances, SEALED_FILE, SEALED_COLUMNS)
    )


def read_questionnaires(data: bytes) -> Iterator[Mapping[str, str]]:
    """A row a questionnaire and rater."""
    columns = list(EXPORT_COLUMNS[QUESTIONNAIRES_FILE])
    return _read(
        data,
        QUESTIONNAIRES_FILE,
        columns,
        lambda cells: {name: unmark_text(cells[name]) for name in columns},
    )


def read_judgments(data: bytes) -> tuple[Mapping[str, str], ...]:
    """A row a summary and reader's profile."""
    read = _read(
        data,
        JUDGMENTS_FILE,
        JUDGMENT_COLUMNS,
        lambda cells: {name: unmark_text(cells[name]) for name in JUDGMENT_COLUMNS},
    )
    return tuple(read)


def read_rows(data: bytes, ends: Ends) -> Iterator[RatingRow]:
    """A row a rating, with whatever columns stand beside those that every rating has."""
    reader = csv.DictReader(io.StringIO(data.decode(), newline=""))
    try:
        yield from _good_rows(reader, ends)
    except csv.Error as error:
        raise InputError([Fault(RATINGS_FILE, reader.line_num, f"not a table: {error}")]) from error


def _good_rows(reader: "csv.DictReader[str]", ends: Ends) -> Iterator[RatingRow]:
    if missing := [column for column in RATING_COLUMNS if column not in (reader.fieldnames or ())]:
        raise InputError([Fault(RATINGS_FILE, 1, f"the header lacks the columns {', '.join(missing)}")])
    for row in reader:
        if None in row or None in row.values():
            problem = f"not the {len(reader.fieldnames or ())} cells of the header in this row"
            raise InputError([Fault(RATINGS_FILE, reader.line_num, problem)])
        if not _is_rating(row["rating"], ends):
            problem = f"no rating from {ends.lowest} to {ends.highest} in this row"
            raise InputError([Fault(RATINGS_FILE, reader.line_num, problem)])
        yield {column: unmark_text(cell) for column, cell in row.items()}


def _is_rating(text: str, ends: Ends) -> bool:
    return text.removeprefix("-").isdecimal() and int(text) in ends.steps
