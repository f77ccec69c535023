"""Distances that another tool computed, as a measure: it looks each pair of texts up and knows no others."""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import Measure, MeasureInfo, Mode, Preprocess, Signature
from meta_eval.measures.plugins import name_fault

SAME = 1e-4
"""How far two distances of the same two texts may lie apart and count as one.

Files hold four or five decimals, and some of them a distance more than once."""

Known = tuple[str, str, float]
"""SHA-256 of the first and the second text (hex), and their distance."""


def hash_of(text: str) -> str:
    """By what a text is known beside its distances: the SHA-256 of its UTF-8, hex."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class DistanceBook:
    """Distances of pairs of texts, each pair once, in the order of the texts' hashes.

    `texts` are hashes, ascending; `first`, `second` (pairs,) their numbers, `values` (pairs,) at least 0.
    `name` is what the measure is called.
    """

    name: str
    texts: tuple[str, ...]
    first: IntArray
    second: IntArray
    values: FloatArray

    @classmethod
    def of(cls, name: str, known: Iterable[Known]) -> "DistanceBook":
        """From pairs that are all different."""
        ordered = sorted(known)
        texts = tuple(sorted({text for first, second, _ in ordered for text in (first, second)}))
        numbers = {text: number for number, text in enumerate(texts)}
        first, second = (
            np.array([numbers[str(row[side])] for row in ordered], dtype=np.int64) for side in (0, 1)
        )
        return cls(name, texts, first, second, np.array([row[2] for row in ordered], dtype=np.float64))

    def rows(self) -> Iterator[Known]:
        """The pairs, in order."""
        for first, second, value in zip(
            self.first.tolist(), self.second.tolist(), self.values.tolist(), strict=True
        ):
            yield self.texts[first], self.texts[second], value

    @cached_property
    def numbers(self) -> dict[str, int]:
        return {text: number for number, text in enumerate(self.texts)}

    @cached_property
    def digest(self) -> str:
        """SHA-256 of all pairs and their distances, whatever file they came in."""
        found = hashlib.sha256()
        for first, second, value in self.rows():
            found.update(f"{first},{second},{value!r}\n".encode())
        return found.hexdigest()

    @cached_property
    def symmetric(self) -> bool:
        """Whether no pair has another distance the other way round; then one way stands for both."""
        back = self._find(self.second, self.first)
        return not bool(np.any(np.abs(back - self.values) > SAME))  # NaN, where there is none, is not more

    def look_up(self, first: IntArray, second: IntArray) -> FloatArray:
        """Distances (pairs,) of texts by number, -1 for one that is not here; NaN where there is none."""
        found = self._find(first, second)
        if self.symmetric:
            found = np.where(np.isnan(found), self._find(second, first), found)
        return found

    def look_up_exactly(self, first: IntArray, second: IntArray) -> tuple[FloatArray, BoolArray]:
        """Distances (pairs,) in this order of the two texts, and which pairs are here."""
        codes = self.first * len(self.texts) + self.second
        known = np.isin(np.where((first < 0) | (second < 0), -1, first * len(self.texts) + second), codes)
        return self._find(first, second), known

    def _find(self, first: IntArray, second: IntArray) -> FloatArray:
        size = max(len(self.texts), 1)
        codes = self.first * size + self.second
        wanted = np.where((first < 0) | (second < 0), -1, first * size + second)
        if not len(codes):
            return np.full(len(wanted), np.nan)
        at = np.minimum(np.searchsorted(codes, wanted), len(codes) - 1)
        return np.where(codes[at] == wanted, self.values[at], np.nan)


@dataclass(frozen=True, kw_only=True)
class GivenDistances(Measure):
    """Distances from a book; subclasses, one for each book, are made by `given_measure`.

    `preprocess` is of other measures: these distances are as they were given.
    """

    mode: Mode = "paper"
    preprocess: Preprocess = "none"
    book: ClassVar[DistanceBook]

    @property
    def signature(self) -> Signature:
        return Signature(measure=self.id, revision=self.book.digest)

    def prepare(self, texts: Sequence[str]) -> IntArray:
        """The number of each text in the book, -1 where it has none."""
        return np.array([self.book.numbers.get(hash_of(text), -1) for text in texts], dtype=np.int64)

    def distances(self, prepared: IntArray, first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair, shape (pairs,), NaN where the file had none."""
        return self.book.look_up(prepared[first], prepared[second])

    def __reduce__(self) -> Any:
        return _make_again, (self.book, self.mode, self.preprocess)


def _make_again(book: DistanceBook, mode: Mode, preprocess: Preprocess) -> Measure:
    return given_measure(book)(mode=mode, preprocess=preprocess)


def given_measure(book: DistanceBook) -> type[GivenDistances]:
    """The class of the measure that looks distances up in this book; MeasureError for a name that is none.

    Examples
    --------
    >>> book = DistanceBook.of("my-scores", [(hash_of("rain"), hash_of("sun"), 0.25)])
    >>> given_measure(book)()("rain", "sun")
    0.25
    """
    if problem := name_fault(book.name):
        raise MeasureError(f"{problem[:1].upper()}{problem[1:]}.")
    info = MeasureInfo(
        id=book.name,
        title=book.name,
        range="[0, inf)",
        symmetric=book.symmetric,
        cost="a look into a table",
        source=f"distances from outside, {len(book.values):,} pairs",
        identity="not known",
        triangle="not known",
    )
    return type("GivenDistances", (GivenDistances,), {"info": info, "book": book})
