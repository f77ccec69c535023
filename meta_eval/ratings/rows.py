"""A rating as a row: read from a table, put in order, and hashed."""

import hashlib
import json
from collections.abc import Iterable, Mapping
from typing import Any

from meta_eval.ratings.rating import Rating, order_readers

RATING_COLUMNS = ("doc_id", "system", "reader_a", "reader_b", "rater", "rating")


def rating_of_row(row: Mapping[str, Any]) -> Rating:
    """The rating of a row whose values are known to be good; further columns are passed over."""
    values = {column: row[column] for column in RATING_COLUMNS}
    return Rating(**{**values, "rating": int(float(values["rating"]))})


def rating_row(rating: Rating) -> tuple[str, str, str, str, str, int]:
    """Document, system, both readers in order, rater, rating."""
    readers = order_readers(rating.reader_a, rating.reader_b)
    return rating.doc_id, rating.system, *readers, rating.rater, rating.rating


def sort_ratings(ratings: Iterable[Rating]) -> list[Rating]:
    """In an order that depends on them alone, so that draws from them come out the same."""
    return [Rating(*row) for row in sorted(map(rating_row, ratings))]


def ratings_hash(ratings: Iterable[Rating]) -> str:
    """SHA-256 of the canonical JSON of the sorted rows [document, system, reader, reader, rater, rating]."""
    rows = sorted(map(rating_row, ratings))
    text = json.dumps(rows, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(text.encode()).hexdigest()
