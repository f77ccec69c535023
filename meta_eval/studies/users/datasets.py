"""Timelines from the files of MovieLens, Amazon Reviews and Yelp, and from a corpus.

The files are the user's own: their licences allow research, not passing them on, so none comes with Concord.
"""

import ast
import gzip
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, Literal, cast

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import Fault, InputError
from meta_eval.files.headers import lacking_columns
from meta_eval.files.reading import Faults, read_lines
from meta_eval.files.tables import read_table
from meta_eval.files.values import is_number, name_problem, parse_json, read_number, text_problem
from meta_eval.studies.users.timelines import Activity, Timeline, make_timeline, read_time

DataSet = Literal["movielens", "amazon", "yelp"]

_FAULTS = 20
_MOST_TEXT = 300
"""Characters of a review that a timeline keeps: prompts show every line of it."""
_NO_GENRE = "(no genres listed)"
_GZIP = b"\x1f\x8b"

Attributes = Mapping[str, tuple[str, ...]]
Items = Mapping[str, tuple[str, Attributes]]
"""Name and attributes of each item."""
Rows = Iterator[tuple[str, Activity]]


def read_data_set(
    kind: DataSet, activities: Path, items: Path | None = None, *, least: int = 1, most: int | None = None
) -> tuple[Timeline, ...]:
    """Timelines from the files of a data set.

    Parameters
    ----------
    kind : "movielens", "amazon" or "yelp"
    activities : Path
        `ratings.csv`; the reviews, one JSON object a line, gzip or not; `review.json`.
    items : Path, optional
        `movies.csv`; the metadata, one JSON object a line; `business.json`. Without it an item is called by
        its number and has no attributes.
    least : int
        Users with fewer activities are left out.
    most : int, optional
        Only so many users: the first of the file that have enough activities.

    Returns
    -------
    tuple of Timeline
        In the order in which users first appear.

    Raises
    ------
    InputError
        With every faulty line, and where no user has enough activities.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     ratings = Path(folder) / "ratings.csv"
    ...     _ = ratings.write_text("userId,movieId,rating,timestamp\\nann,7,4.5,60\\n")
    ...     read_data_set("movielens", ratings)[0].user
    'ann'
    """
    faults = Faults(_FAULTS)
    known = {} if items is None else dict(_ITEMS[kind](items, faults))
    faults.raise_if_any()
    by_user: dict[str, list[Activity]] = {}
    for user, activity in _ACTIVITIES[kind](activities, known, faults):
        by_user.setdefault(user, []).append(activity)
    faults.raise_if_any()
    kept = [user for user, done in by_user.items() if len(done) >= least][:most]
    if not kept:
        raise InputError(
            f"{activities}: none of {len(by_user)} users has {least} activities; lower --least, or is this "
            f"the right file for {kind}?"
        )
    return tuple(make_timeline(user, by_user[user]) for user in kept)


def corpus_timelines(corpus: Corpus, histories: Mapping[str, Iterable[str]]) -> tuple[Timeline, ...]:
    """A corpus' readers as users: what they clicked, then the documents that they wrote a headline for.

    A corpus has no dates, so order stands for time. Each activity has the attribute `action`, "read" or
    "wrote"; what a reader wrote is the activity's text.

    Parameters
    ----------
    corpus : Corpus
    histories : mapping of str to titles
        What each reader clicked, oldest first.

    Returns
    -------
    tuple of Timeline
        In the order of the corpus, then readers whom only `histories` has.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> corpus = Corpus((Document("d", "Rain", "It rains.", {"ann": "wet again"}),))
    >>> [one.as_line() for one in corpus_timelines(corpus, {"ann": ["Sun"]})[0].activities]
    ['Sun; action: read', 'Rain; action: wrote; wet again']
    """
    found: dict[str, list[Activity]] = {reader: [] for reader in (*corpus.readers, *histories)}
    for reader, titles in histories.items():
        read = {"action": ("read",)}
        found[reader] += (Activity(title, title, attributes=read) for title in titles)
    for document in corpus.documents:
        for reader, text in document.references.items():
            wrote = {"action": ("wrote",)}
            name = document.title or document.id
            found[reader].append(Activity(document.id, name, attributes=wrote, text=text))
    return tuple(Timeline(reader, tuple(done)) for reader, done in found.items() if done)


def _movielens_items(path: Path, faults: Faults) -> Iterator[tuple[str, tuple[str, Attributes]]]:
    wanted = ("movieId", "title", "genres")
    for _, row in read_table(path, str(path), faults, lambda header: lacking_columns(header, wanted)):
        genres = tuple(filter(None, (one.strip() for one in row["genres"].split("|"))))
        attributes = {"genre": genres} if genres and genres != (_NO_GENRE,) else {}
        yield row["movieId"], (row["title"].strip() or row["movieId"], attributes)


def _movielens_activities(path: Path, items: Items, faults: Faults) -> Rows:
    wanted = ("userId", "movieId", "rating", "timestamp")
    for line, row in read_table(path, str(path), faults, lambda header: lacking_columns(header, wanted)):
        with _placed(path, line, faults):
            time, rating = (_number(row, column) for column in ("timestamp", "rating"))
            yield _done(row["userId"], items, row["movieId"], time, rating)


def _amazon_items(path: Path, faults: Faults) -> Iterator[tuple[str, tuple[str, Attributes]]]:
    for _, record in _objects(path, faults, literals=True):
        item = record.get("parent_asin") or record.get("asin")
        if name_problem(item):
            continue
        categories = record.get("categories") or record.get("category") or []
        # Files of 2014 nest the ways through the shop; the last step is the narrowest.
        ways = [way for way in categories if isinstance(way, list)] or [categories]
        narrowest = [way[-1] for way in ways if isinstance(way, list) and way]
        brand = record.get("brand") or record.get("store")
        given = {"category": narrowest, "brand": [brand] if brand else []}
        yield str(item), (_title(record.get("title"), str(item)), _clean(given))


def _amazon_activities(path: Path, items: Items, faults: Faults) -> Rows:
    for line, record in _objects(path, faults):
        with _placed(path, line, faults):
            item = record.get("parent_asin") or record.get("asin")
            user = record.get("reviewerID") or record.get("user_id")
            seconds = record.get("unixReviewTime")
            if seconds is None and is_number(record.get("timestamp")):
                seconds = record["timestamp"] / 1000  # files of 2023 count milliseconds
            rating = record.get("overall", record.get("rating"))
            text = record.get("reviewText", record.get("text"))
            yield _done(user, items, item, seconds, rating, text)


def _yelp_items(path: Path, faults: Faults) -> Iterator[tuple[str, tuple[str, Attributes]]]:
    for _, record in _objects(path, faults):
        item = record.get("business_id")
        if name_problem(item):
            continue
        kinds = [one.strip() for one in (record.get("categories") or "").split(",")]
        given = {"category": kinds, "city": [record.get("city") or ""]}
        yield str(item), (_title(record.get("name"), str(item)), _clean(given))


def _yelp_activities(path: Path, items: Items, faults: Faults) -> Rows:
    for line, record in _objects(path, faults):
        with _placed(path, line, faults):
            yield _done(
                record.get("user_id"), items, record.get("business_id"), record.get("date"),
                record.get("stars"), record.get("text"),
            )  # fmt: skip


_ITEMS: Mapping[DataSet, Callable[[Path, Faults], Iterator[tuple[str, tuple[str, Attributes]]]]] = {
    "movielens": _movielens_items,
    "amazon": _amazon_items,
    "yelp": _yelp_items,
}
_ACTIVITIES: Mapping[DataSet, Callable[[Path, Items, Faults], Rows]] = {
    "movielens": _movielens_activities,
    "amazon": _amazon_activities,
    "yelp": _yelp_activities,
}


def _done(  # noqa: PLR0917 - a row
    user: Any, items: Items, item: Any, time: Any, rating: Any, text: Any = ""
) -> tuple[str, Activity]:
    """A user and an activity; raises `InputError` for a value that it cannot have."""
    for name, problem in (
        ("user", name_problem(user)),
        ("item", name_problem(item)),
        ("rating", None if rating is None or is_number(rating) else "must be a finite number"),
        ("text", None if text is None else text_problem(text)),
        ("time", "is missing" if time is None else None),
    ):
        if problem:
            raise InputError(f"the {name} {problem}")
    name, attributes = items.get(item, (item, {}))
    kept = " ".join((text or "").split())
    kept = kept if len(kept) <= _MOST_TEXT else kept[:_MOST_TEXT].rsplit(" ", 1)[0] + " ..."
    return user, Activity(item, name, read_time(time), attributes, rating, kept)


def _number(row: Mapping[str, str], column: str) -> float:
    value = read_number(row[column])
    if value is None:
        raise InputError(f"{column} is {row[column]!r}, not a number")
    return value


def _title(title: Any, item: str) -> str:
    return item if name_problem(title) else str(title)


def _clean(given: Mapping[str, Iterable[Any]]) -> dict[str, tuple[str, ...]]:
    """Attributes without what is no value, each value once."""
    named = {
        kind: tuple(dict.fromkeys(str(value) for value in values if not name_problem(value)))
        for kind, values in given.items()
    }
    return {kind: values for kind, values in named.items() if values}


@contextmanager
def _placed(path: Path, line: int, faults: Faults) -> Iterator[None]:
    try:
        yield
    except InputError as error:
        faults.add(str(path), line, str(error))


def _objects(path: Path, faults: Faults, *, literals: bool = False) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each line's JSON object, of a file that may be compressed.

    With `literals` a file whose first line is no JSON may hold Python's literals, as Amazon's of 2014 do.
    """
    parse: Callable[[str], Any] | None = None if literals else parse_json
    with _opened(path) as stream:
        try:
            for number, line in read_lines(stream, str(path), faults, alone=True):
                if not line.strip():
                    continue
                parse = parse or _way_to_read(line)
                try:
                    record = parse(line)
                except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
                    record = None
                if isinstance(record, dict):
                    yield number, record
                else:
                    faults.add(str(path), number, "is no JSON object; wanted is one a line")
        except (OSError, EOFError, zlib.error) as error:
            raise InputError([Fault(str(path), None, f"cannot be read: {error}")]) from error


def _way_to_read(line: str) -> Callable[[str], Any]:
    """What reads a file with this first line: JSON unless it is none."""
    try:
        parse_json(line)
    except ValueError:
        return ast.literal_eval
    return parse_json


@contextmanager
def _opened(path: Path) -> Iterator[BinaryIO]:
    try:
        with path.open("rb") as stream:
            head = stream.read(len(_GZIP))
            stream.seek(0)
            if head == _GZIP:
                with gzip.open(stream) as unpacked:
                    yield cast(BinaryIO, unpacked)
            else:
                yield stream
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error}")]) from error
