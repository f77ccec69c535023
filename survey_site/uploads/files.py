"""From a file of ratings collected elsewhere to checked rows.

A table, CSV or the first sheet of a workbook, with the columns that `python -m meta_eval human` reads, and as
many of those of the site's own export as it has; or the SQLite file of the papers' survey app.
"""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, GOLD, Corpus
from meta_eval.files.reading import Faults
from meta_eval.files.tables import TableRow
from meta_eval.ratings.rating import Rating, order_readers
from meta_eval.ratings.responses import is_responses_file, read_responses
from meta_eval.ratings.table import (
    describe_left_out,
    keep_good_rows,
    read_rating_rows,
    rows_taken,
    set_apart,
)
from survey_site.common.workbooks import require_readable
from survey_site.uploads.columns import COLUMNS, PLACE, Columns, read_columns
from survey_site.uploads.models import RATERS


@dataclass(frozen=True)
class UploadedRating:
    rating: Rating
    columns: Columns = field(default_factory=Columns)


@dataclass(frozen=True)
class RatingFile:
    """name: of the file; known: as `Upload.known`; notes: what of the file was not taken, in words; said:
    what beside its content decides which ratings it holds, of an annotation tool's export; left_out: how many
    of its rows count in no score.
    """

    name: str
    content_hash: str
    rows: tuple[UploadedRating, ...]
    known: tuple[str, ...]
    notes: tuple[str, ...] = ()
    said: Mapping[str, object] = field(default_factory=dict)
    left_out: int = 0

    @property
    def taken(self) -> str:
        """How many rows were taken and how many were left, in one line."""
        return rows_taken([row.rating for row in self.rows], self.left_out)


def read_rating_file(path: Path, corpus: Corpus, *, name: str, now: datetime) -> RatingFile:
    """Raises InputError with every row that does not fit the corpus, the scale or the rest of the file."""
    with path.open("rb") as stream:
        content_hash = hashlib.file_digest(stream, "sha256").hexdigest()
    if is_responses_file(path):
        ratings = read_responses(path, corpus, name=name)
        note = "The file keeps no raters, so nothing can be said of single raters"
        return RatingFile(name, content_hash, tuple(map(UploadedRating, ratings)), (), (note,))
    require_readable(path, name)
    return _read_table(path, corpus, name, content_hash, now)


def _read_table(path: Path, corpus: Corpus, name: str, content_hash: str, now: datetime) -> RatingFile:
    table = _Table(name, now)
    ratings = keep_good_rows(table.rows(path), corpus, name, table.faults)
    known, notes = _known(table.columns)
    if "position" not in known:  # then rows stand as they come: a given place could be another's
        table.columns = [replace(one, position=None, copied_from=None) for one in table.columns]
    pairs = zip(ratings, table.columns, strict=True)
    return RatingFile(
        name,
        content_hash,
        tuple(UploadedRating(rating, columns) for rating, columns in pairs),
        known,
        (*table.notes(), *notes),
        left_out=table.left_out.total(),
    )


class _Table:
    """One pass over a table: rows that count go on to be checked as ratings, with their faults in order."""

    def __init__(self, name: str, now: datetime) -> None:
        self.faults = Faults(DEFAULT_FAULT_LIMIT)
        self.columns: list[Columns] = []
        self._name, self._now = name, now
        self.left_out: Counter[str] = Counter()
        self._pages: dict[tuple[str, ...], tuple[set[str], dict[int, str]]] = {}
        self._copies: list[tuple[int, tuple[str, ...], int, str]] = []

    def rows(self, path: Path) -> Iterator[TableRow]:
        for line, row in read_rating_rows(path, self._name, self.faults):
            if reason := set_apart(row):
                self.left_out[reason] += 1
                continue
            columns, problems = read_columns(row, now=self._now)
            for problem in [*problems, *self._repeated(line, row, columns)]:
                self.faults.add(self._name, line, problem)
            self.columns.append(columns)
            yield line, row
        for line, problem in self._lost_copies():
            self.faults.add(self._name, line, problem)

    def notes(self) -> Iterator[str]:
        return describe_left_out(self.left_out)

    def _lost_copies(self) -> Iterator[tuple[int, str]]:
        """The lines of pairs that nobody saw whose page has no pair there with the same answer."""
        for line, page, position, rating in self._copies:
            if self._pages[page][1].get(position) != rating:
                yield line, f"copied_from {position} names no pair of its page with the rating {rating}"

    def _repeated(self, line: int, row: Mapping[str, str], columns: Columns) -> Iterator[str]:
        """What one rater's page cannot hold twice: an item, a position."""
        if columns.questionnaire is None:
            return
        document, a, b, rater = (row[name].strip() for name in ("doc_id", "reader_a", "reader_b", "rater"))
        page = (str(columns.questionnaire), document, *order_readers(a, b), rater)
        systems, positions = self._pages.setdefault(page, (set(), {}))
        where = f"in questionnaire {columns.questionnaire} of rater {rater!r}"
        system = row["system"].strip()
        if system == GOLD and system in systems:  # of any other system the library says it
            yield f"the gold pair was rated before {where}"
        if columns.position in positions:
            yield f"position {columns.position} stands twice {where}"
        systems.add(system)
        if columns.position is not None:
            positions[columns.position] = row["rating"].strip()
        if columns.copied_from is not None:
            self._copies.append((line, page, columns.copied_from, row["rating"].strip()))


def _known(columns: list[Columns]) -> tuple[tuple[str, ...], list[str]]:
    """Columns that every row has; those that only some have are not used, and said so.

    A pair that nobody saw lacks nothing in having no place.
    """
    filled = {name: sum(_has(one, name) for one in columns) for name in COLUMNS}
    known = [name for name in COLUMNS if filled[name] == len(columns)]
    if "questionnaire" not in known and "position" in known:
        known.remove("position")
        filled["position"] = 0
    notes = [
        f"The column {name} is not used: {len(columns) - count} of {len(columns)} rows leave it empty"
        for name, count in filled.items()
        if 0 < count < len(columns)
    ]
    return (RATERS, *known), notes


def _has(one: Columns, name: str) -> bool:
    return getattr(one, name) is not None or (name in PLACE and one.copied_from is not None)
