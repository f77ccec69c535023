"""Survey responses of the papers' own survey app: the table `response` of an SQLite file (protocol 11).

Columns: doc_id, summ_source (a system, or `user` for the gold pair), summ_id1, summ_id2 (readers), score
(1 to 6). The app keeps no raters, so the first response to a pair is taken as rater `response 1`'s, the
second as `response 2`'s: means and divergences need no more, but nothing can be said of single raters.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

from meta_eval.corpus.documents import DEFAULT_FAULT_LIMIT, Corpus
from meta_eval.errors import InputError
from meta_eval.files.reading import Faults
from meta_eval.files.tables import TableRow
from meta_eval.files.workbooks import first_cells
from meta_eval.files.writing import require_new_file_place, write_bytes
from meta_eval.ratings.rating import SIX_POINTS, Ends, Rating, order_readers
from meta_eval.ratings.table import keep_good_rows

RESPONSE_COLUMNS = ("doc_id", "summ_source", "summ_id1", "summ_id2", "score")
_MAGIC = b"SQLite format 3\0"
_SELECT = f"SELECT {', '.join(RESPONSE_COLUMNS)} FROM response ORDER BY rowid"  # noqa: S608 - constants
_CREATE = (
    "CREATE TABLE response (id INTEGER PRIMARY KEY, doc_id TEXT NOT NULL, summ_source TEXT NOT NULL, "
    "summ_id1 TEXT NOT NULL, summ_id2 TEXT NOT NULL, score INTEGER NOT NULL)"
)
_INSERT = f"INSERT INTO response ({', '.join(RESPONSE_COLUMNS)}) VALUES (?, ?, ?, ?, ?)"  # noqa: S608


def is_responses_file(path: Path) -> bool:
    """Whether the file is an SQLite database (and so no CSV of ratings)."""
    try:
        with path.open("rb") as stream:
            return stream.read(len(_MAGIC)) == _MAGIC
    except OSError:
        return False


def holds_ratings(path: Path) -> bool:
    """Whether the file is one of ratings: survey responses, or a table whose header names a `rating`."""
    if is_responses_file(path):
        return True
    try:
        return {"rating", "doc_id"} <= set(first_cells(path))
    except InputError:
        return False


def read_responses(
    path: Path,
    corpus: Corpus,
    *,
    name: str | None = None,
    fault_limit: int = DEFAULT_FAULT_LIMIT,
    ends: Ends = SIX_POINTS,
) -> list[Rating]:
    """Survey responses of the papers' own app as ratings, in the order in which they were given.

    Parameters
    ----------
    path : Path
        An SQLite file with the table `response`.
    corpus : Corpus
        What the ratings are of.
    name : str, optional
        What faults call the file; default: its name.
    fault_limit : int
        How many faults are kept; the rest is counted.
    ends : Ends, optional
        The lowest and the highest response there can be.

    Returns
    -------
    list of Rating
        The n-th response to a pair stands as rater "response n"'s: the app keeps no raters.

    Raises
    ------
    InputError
        With every row (counted from 1) that does not fit the corpus or the scale, and where the file is no
        database or lacks the table or a column.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from meta_eval.corpus.documents import Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),))
    >>> with TemporaryDirectory() as folder:
    ...     write_responses([Rating("d", "A", "ann", "bob", "p", 3)], Path(folder, "survey.db"))
    ...     read_responses(Path(folder, "survey.db"), corpus)[0].rater
    'response 1'
    """
    name, faults = name or path.name, Faults(fault_limit)
    return keep_good_rows(_rows(path, name), corpus, name, faults, ends)


def write_responses(ratings: Iterable[Rating], path: Path) -> None:
    """Write ratings as the papers' own app would have kept them, without raters.

    Parameters
    ----------
    ratings : iterable of Rating
    path : Path
        The SQLite file to make.

    Raises
    ------
    InputError
        If the file exists or cannot be written.

    References
    ----------
    Protocol 11.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     write_responses([Rating("d", "A", "ann", "bob", "p", 3)], Path(folder, "survey.db"))
    ...     is_responses_file(Path(folder, "survey.db"))
    True
    """
    require_new_file_place(path)
    rows = [
        (rating.doc_id, rating.system, rating.reader_a, rating.reader_b, rating.rating) for rating in ratings
    ]
    with closing(sqlite3.connect(":memory:")) as database:
        with database:
            database.execute(_CREATE)
            database.executemany(_INSERT, rows)
        write_bytes(database.serialize(), path)


def _rows(path: Path, name: str) -> Iterator[TableRow]:
    given: Counter[tuple[str, ...]] = Counter()
    for number, (doc_id, source, first, second, score) in enumerate(_responses(path, name), start=1):
        a, b = order_readers(_text(first), _text(second))
        pair = (_text(doc_id), _text(source), a, b)
        given[pair] += 1
        yield (
            number,
            {
                "doc_id": pair[0],
                "system": pair[1],
                "reader_a": a,
                "reader_b": b,
                "rater": f"response {given[pair]}",
                "rating": _text(score),
            },
        )


def _responses(path: Path, name: str) -> list[tuple[object, ...]]:
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro"
        with closing(sqlite3.connect(address, uri=True)) as database:
            return database.execute(_SELECT).fetchall()
    except sqlite3.Error as error:
        columns = ", ".join(RESPONSE_COLUMNS)
        raise InputError(
            f"{name}: cannot be read as survey responses ({error}); an SQLite file with a table `response` "
            f"of the columns {columns} is expected"
        ) from error


def _text(value: object) -> str:
    return "" if value is None else str(value)
