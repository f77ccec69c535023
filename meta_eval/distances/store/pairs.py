"""The pairs of texts of one shard, each once, and the 128-bit hashes by which a store knows them."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from meta_eval.arrays import BoolArray, IntArray

HASH_BYTES = 16


def hash_text(text: str) -> bytes:
    """128 bits of BLAKE2b over the text's UTF-8."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=HASH_BYTES).digest()


@dataclass(frozen=True, slots=True)
class Span:
    """The part of the space of document hashes, 32 bits, that a shard covers, both ends included."""

    first: int
    last: int

    def meets(self, other: Self) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True)
class PairSet:
    """Different pairs of texts, in the order of their `codes`.

    `first`, `second` (pairs,) are numbers of `texts`; `context` (pairs,) the number of the document that a
    pair is about, None for a measure to which it does not matter.
    """

    texts: Sequence[str]
    first: IntArray
    second: IntArray
    context: IntArray | None = None

    def __len__(self) -> int:
        return len(self.first)

    @property
    def columns(self) -> tuple[IntArray, ...]:
        return (self.first, self.second) if self.context is None else (self.first, self.second, self.context)

    @property
    def codes(self) -> IntArray:
        """(pairs,) one number for each pair, ascending."""
        return encode_columns(self.columns, len(self.texts))

    def text_hashes(self) -> list[bytes]:
        """The hash of each text that some pair has, in the order of the texts; nothing of the others."""
        used = np.zeros(len(self.texts), dtype=bool)
        used[np.concatenate(self.columns)] = True
        return [hash_text(text) if used[number] else b"" for number, text in enumerate(self.texts)]

    def where(self, mask: BoolArray) -> "PairSet":
        context = None if self.context is None else self.context[mask]
        return replace(self, first=self.first[mask], second=self.second[mask], context=context)


def encode_columns(columns: Sequence[IntArray], texts: int) -> IntArray:
    """One number for each row of text numbers below `texts`; rows sort as their columns do."""
    codes = columns[0]
    for column in columns[1:]:
        codes = codes * texts + column
    return codes


def unique_pairs(
    texts: Sequence[str], first: IntArray, second: IntArray, context: IntArray | None
) -> tuple[PairSet, IntArray]:
    """The different pairs, and for each given one its index among them."""
    columns = (first, second) if context is None else (first, second, context)
    size = max(len(texts), 1)
    codes, index = np.unique(encode_columns(columns, size), return_inverse=True)
    decoded: list[IntArray] = []
    for _ in columns[1:]:
        codes, last = np.divmod(codes, size)
        decoded.insert(0, last)
    return PairSet(texts, codes, *decoded), index
