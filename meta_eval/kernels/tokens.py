"""From texts to word pieces: ragged arrays, sliding windows, and which word pieces count."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float32]

_one_at_a_time = Lock()
"""A tokenizer keeps within itself where it is to cut, and measures in several threads share one."""


@dataclass(frozen=True, slots=True)
class Ragged:
    """Rows of unequal length: `ids` (tokens,) one after the other, row i at `offsets[i] : offsets[i + 1]`."""

    ids: IntArray
    offsets: IntArray

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)

    def rows(self) -> IntArray:
        """The row of each token, shape (tokens,)."""
        return np.repeat(np.arange(len(self.lengths)), self.lengths)

    @classmethod
    def of(cls, rows: Sequence[Sequence[int]]) -> "Ragged":
        lengths = np.fromiter(map(len, rows), dtype=np.int64, count=len(rows))
        ids = np.fromiter(chain.from_iterable(rows), dtype=np.int64, count=int(lengths.sum()))
        return cls(ids, offsets_of(lengths))


def offsets_of(lengths: IntArray) -> IntArray:
    """Where rows of these lengths start, and at the end where the last one ends: (rows,) -> (rows + 1,)."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)


def take_rows(ragged: Ragged, rows: IntArray) -> tuple[Ragged, IntArray]:
    """The given rows in the given order, and for each of their tokens its index in the old `ids`."""
    lengths = ragged.lengths[rows]
    offsets = offsets_of(lengths)
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    source = np.repeat(ragged.offsets[rows], lengths) + within
    return Ragged(ragged.ids[source], offsets), source


def tokenise(tokenizer: Any, texts: Sequence[str], max_length: int | None) -> Ragged:
    """Word pieces with the tokenizer's special tokens around; cut at `max_length` with them unless it is
    None.
    """
    if not texts:
        return Ragged.of([])
    with _one_at_a_time:
        encoded = tokenizer(
            list(texts),
            add_special_tokens=True,
            truncation=max_length is not None,
            max_length=max_length,
            return_attention_mask=False,
            return_token_type_ids=False,
            verbose=False,
        )
    return Ragged.of(encoded["input_ids"])


_BLOCK = 512  # texts cut at once


def find_unknown(tokenizer: Any, texts: Sequence[str]) -> tuple[int, list[str]]:
    """How many word pieces of whole texts a fast tokenizer knows, and what stands in the others."""
    known, unknown = 0, []
    plain = {"add_special_tokens": False, "return_attention_mask": False, "return_token_type_ids": False}
    for first in range(0, len(texts), _BLOCK):
        block = list(texts[first : first + _BLOCK])
        with _one_at_a_time:
            pieces = tokenizer(block, verbose=False, **plain)["input_ids"]
        known += sum(map(len, pieces))
        doubtful = [text for text, ids in zip(block, pieces, strict=True) if tokenizer.unk_token_id in ids]
        if doubtful:
            with _one_at_a_time:
                spans = tokenizer(doubtful, verbose=False, return_offsets_mapping=True, **plain)
            found = zip(doubtful, spans["input_ids"], spans["offset_mapping"], strict=True)
            unknown += [
                text[start:stop]
                for text, ids, places in found
                for number, (start, stop) in zip(ids, places, strict=True)
                if number == tokenizer.unk_token_id
            ]
    return known - len(unknown), unknown


def kept_tokens(ids: IntArray, special: Sequence[int]) -> BoolArray:
    """Which word pieces count: all but the special ones, by value, wherever they stand. (tokens,) ->
    (tokens,).
    """
    return ~np.isin(ids, np.asarray(special, dtype=np.int64))


@dataclass(frozen=True, slots=True)
class Windows:
    """Texts cut into overlapping windows; a text of at most `max_length` word pieces is one window, itself.

    `text` (windows,) is the text each came from and `number` (windows,) counts a text's windows from 0;
    `owned` (tokens of `ragged`,) marks the word pieces that are to be masked in this window and in no other.
    """

    ragged: Ragged
    text: IntArray
    number: IntArray
    owned: BoolArray


def whole_windows(ragged: Ragged) -> Windows:
    """Each text as its only window."""
    rows = len(ragged.lengths)
    return Windows(
        ragged, np.arange(rows), np.zeros(rows, dtype=np.int64), np.ones(len(ragged.ids), np.bool_)
    )


def slide_windows(ragged: Ragged, max_length: int, stride: int) -> Windows:
    """Windows of `max_length` - 2 word pieces between the text's own first and last special token.

    Windows start every `stride` word pieces; the last one ends with the text. A word piece is owned by the
    window whose middle is nearest to it (of two equally near ones the earlier).
    """
    if stride < 1 or max_length < 3 or stride > max_length - 2:
        raise ValueError(f"windows of {max_length} word pieces cannot start every {stride}")
    long = np.flatnonzero(ragged.lengths > max_length)
    short = np.flatnonzero(ragged.lengths <= max_length)
    kept, _ = take_rows(ragged, short)
    rows: list[IntArray] = []
    owned: list[BoolArray] = []
    text: list[int] = []
    number: list[int] = []
    for row in long:
        tokens = ragged.ids[ragged.offsets[row] : ragged.offsets[row + 1]]
        starts = _window_starts(len(tokens) - 2, max_length - 2, stride)
        owner = _owners(len(tokens) - 2, max_length - 2, starts)
        for index, start in enumerate(starts):
            stop = start + max_length - 2
            rows.append(np.concatenate([tokens[:1], tokens[1 + start : 1 + stop], tokens[-1:]]))
            owned.append(np.concatenate([[False], owner[start:stop] == index, [False]]))
            text.append(int(row))
            number.append(index)
    lengths = np.concatenate([kept.lengths, [len(window) for window in rows]]).astype(np.int64)
    return Windows(
        Ragged(np.concatenate([kept.ids, *rows]).astype(np.int64), offsets_of(lengths)),
        np.concatenate([short, text]).astype(np.int64),
        np.concatenate([np.zeros(len(short)), number]).astype(np.int64),
        np.concatenate([np.ones(len(kept.ids), np.bool_), *owned]),
    )


def _window_starts(tokens: int, width: int, stride: int) -> IntArray:
    regular = np.arange(0, tokens - width, stride)
    return np.append(regular, tokens - width).astype(np.int64)


def _owners(tokens: int, width: int, starts: IntArray) -> IntArray:
    # Twice the distance from each token to the middle of each window, so that it is whole: (tokens, windows)
    distance = np.abs(2 * np.arange(tokens)[:, None] - (2 * starts + width - 1)[None, :])
    nearest: IntArray = distance.argmin(axis=1)
    return nearest
