"""A rating as a row: read from a table, put in order, and hashed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from meta_eval.ratings.rating import Rating, order_readers

RATING_COLUMNS = ("doc_id", "system", "reader_a", "reader_b", "rater", "rating")


def rating_of_row(row: Mapping[str, Any]) -> Rating:
    """The rating of a row whose values are known to be good.

    Parameters
    ----------
    row : mapping
        Has the columns of `RATING_COLUMNS`; others are passed over.

    Returns
    -------
    Rating

    Examples
    --------
    >>> rating_of_row(dict(zip(RATING_COLUMNS, ["d", "A", "ann", "bob", "p", "3.0"])))
    Rating(doc_id='d', system='A', reader_a='ann', reader_b='bob', rater='p', rating=3)
    """
    values = {column: row[column] for column in RATING_COLUMNS}
    return Rating(**{**values, "rating": int(float(values["rating"]))})


def rating_row(rating: Rating) -> tuple[str, str, str, str, str, int]:
    """Document, system, both readers in order, rater, rating.

    Parameters
    ----------
    rating : Rating

    Returns
    -------
    tuple

    Examples
    --------
    >>> rating_row(Rating("d", "A", "bob", "ann", "p", 3))
    ('d', 'A', 'ann', 'bob', 'p', 3)
    """
    readers = order_readers(rating.reader_a, rating.reader_b)
    return rating.doc_id, rating.system, *readers, rating.rater, rating.rating


def sort_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """Ratings in an order that depends on them alone, so that draws from them come out the same.

    Parameters
    ----------
    ratings : iterable of Rating

    Returns
    -------
    list of Rating
        The readers of each in order too.

    Examples
    --------
    >>> [rating.rater for rating in sort_ratings([Rating("d", "A", "a", "b", rater, 3) for rater in "qp"])]
    ['p', 'q']
    """
    return [Rating(*row) for row in sorted(map(rating_row, ratings))]


def ratings_hash(ratings: Iterable[Rating]) -> str:
    """SHA-256 of ratings, by which stored reports cite them.

    Of the canonical JSON of the sorted rows [document, system, reader, reader, rater, rating], so the order
    of ratings and of readers does not matter.

    Parameters
    ----------
    ratings : iterable of Rating

    Returns
    -------
    str
        64 hexadecimal digits.

    Examples
    --------
    >>> one, turned = Rating("d", "A", "ann", "bob", "p", 3), Rating("d", "A", "bob", "ann", "p", 3)
    >>> ratings_hash([one])[:16], ratings_hash([one]) == ratings_hash([turned])
    ('dec50d74507d0aba', True)
    """
    rows = sorted(map(rating_row, ratings))
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
