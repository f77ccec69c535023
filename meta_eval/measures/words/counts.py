"""Features (words, n-grams, skip-bigrams) of many texts, counted, in sorted tables."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.words.tokens import NumberedTexts

# Features looked up at once: bounds the working memory of a comparison to about 10 MB.
CHUNK = 1 << 17
BLOCK = 1 << 15  # words whose features are counted at once
SMALL = 32  # features of a text that is compared slot by slot
_KEY_LIMIT = 1 << 62
_NARROW = 1 << 32

Weights = NDArray[np.int64] | NDArray[np.float64]
Columns32 = NDArray[np.int32]
Columns = list[tuple[IntArray, IntArray]]


@dataclass(frozen=True, slots=True)
class KeyTable:
    """Sorted distinct features of texts, each as text * width + feature.

    Text t owns keys[offsets[t]:offsets[t + 1]].
    """

    keys: IntArray
    offsets: IntArray
    width: int

    @property
    def sizes(self) -> IntArray:
        return np.diff(self.offsets)


@dataclass(frozen=True, slots=True)
class Multisets:
    """Feature counts of texts: counts[i] belongs to table.keys[i]; `totals` is the size of each multiset.

    Where features are weighted instead of counted, both hold real numbers. `columns`, shape (SMALL, texts),
    has the features of texts that have at most SMALL of them, and -1 in slots left over.
    """

    table: KeyTable
    counts: Weights
    totals: Weights
    columns: Columns32 | None = None


def tabulate_keys(keys: IntArray, texts: int, width: int) -> tuple[KeyTable, IntArray]:
    """The table of sorted `keys` that may repeat, and where each distinct one begins (and the last ends)."""
    starts = np.append(np.flatnonzero(np.diff(keys, prepend=-1)), len(keys))
    return table_of(keys[starts[:-1]], texts, width), starts


def table_of(distinct: IntArray, texts: int, width: int) -> KeyTable:
    """The table of keys that are sorted and distinct."""
    bounds = np.arange(texts + 1, dtype=np.int64) * width
    return KeyTable(distinct, np.searchsorted(distinct, bounds), width)


def text_of_word(texts: NumberedTexts) -> IntArray:
    """The text that each word stands in, shape (words,)."""
    return np.repeat(np.arange(len(texts.lengths)), texts.lengths)


def count_features(texts: NumberedTexts, width: int, make: Callable[[NumberedTexts], Columns]) -> Multisets:
    """Multisets of the features that `make` finds, every one below `width`.

    `make` is given some of the texts at a time, so that what it makes stays in the processor's cache, and
    returns (text, feature) columns in any order, texts counted from the first of these.
    """
    if len(texts.lengths) * width >= _KEY_LIMIT:
        raise MeasureError(
            f"{len(texts.lengths):,} texts with {texts.size:,} different words are too many for one table: "
            "prepare fewer texts at a time."
        )
    parts = [_count_block(texts, block, width, make) for block in split_runs(texts.lengths, BLOCK)]
    keys = np.concatenate([np.empty(0, dtype=np.int64), *(keys for keys, _ in parts)])
    counts = np.concatenate([np.empty(0, dtype=np.int64), *(counts for _, counts in parts)])
    table = table_of(keys, len(texts.lengths), width)
    sums = np.concatenate(([0], np.cumsum(counts)))
    return Multisets(table, counts, np.diff(sums[table.offsets]))


def _count_block(
    texts: NumberedTexts,
    block: slice,
    width: int,
    make: Callable[[NumberedTexts], Columns],
) -> tuple[IntArray, IntArray]:
    """Sorted distinct keys of some texts, and how often each comes."""
    offsets = texts.offsets[block.start : block.stop + 1]
    part = NumberedTexts(texts.ids[offsets[0] : offsets[-1]], offsets - offsets[0], texts.size)
    keys = np.concatenate([text * width + feature for text, feature in make(part)])
    if len(part.lengths) * width <= _NARROW:  # sorted in half the time
        keys = keys.astype(np.uint32)
    keys.sort()
    starts = np.flatnonzero(keys[1:] != keys[:-1]) + 1
    starts = np.concatenate(([0] if len(keys) else [], starts)).astype(np.int64)
    return keys[starts] + np.int64(block.start * width), np.diff(starts, append=len(keys))


def count_words(texts: NumberedTexts) -> Multisets:
    """The words of each text with their counts.

    Parameters
    ----------
    texts : as `number_texts` gives them

    Returns
    -------
    Multisets

    Examples
    --------
    >>> texts = NumberedTexts(np.array([0, 1, 0]), np.array([0, 3]), size=2)
    >>> count_words(texts).counts.tolist()
    [2, 1]
    """
    counted = count_features(texts, max(texts.size, 1), lambda part: [(text_of_word(part), part.ids)])
    return replace(counted, columns=columns_of(counted.table))


def columns_of(table: KeyTable) -> Columns32:
    """Features of short texts as Multisets keeps them; every feature must be below 2^31."""
    columns = np.full((SMALL, len(table.sizes)), -1, dtype=np.int32)
    small = np.flatnonzero(table.sizes <= SMALL)
    owner, index = expand_ranges(table.offsets[small], table.sizes[small])
    text = small[owner]
    columns[index - table.offsets[text], text] = table.keys[index] - text * table.width
    return columns


def count_ngrams(texts: NumberedTexts, n: int) -> Multisets:
    """The n-grams of each text with their counts.

    Parameters
    ----------
    texts : as `number_texts` gives them
    n : words in an n-gram, 1 or more

    Returns
    -------
    Multisets : empty for a text of fewer than n words

    Examples
    --------
    >>> texts = NumberedTexts(np.array([0, 1, 0, 1]), np.array([0, 4]), size=2)
    >>> count_ngrams(texts, 2).totals.tolist()
    [3]
    """
    feature, start, grams = texts.ids, np.arange(len(texts.ids)), texts.size
    left = texts.offsets[1:][text_of_word(texts)] - start  # words from here to the end of the text
    for order in range(1, n):
        inside = left[start] > order
        start, feature = start[inside], feature[inside]
        longer = feature * texts.size + texts.ids[start + order]
        distinct, feature = np.unique(longer, return_inverse=True)
        grams = len(distinct)
    lengths = np.maximum(texts.lengths - n + 1, 0)
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    return count_words(NumberedTexts(feature, offsets, grams))


def split_runs(sizes: IntArray, limit: int | None = None) -> Iterator[slice]:
    """Cut a sequence of things into runs whose sizes add up to `limit` (CHUNK) at most, or of one thing."""
    limit = CHUNK if limit is None else limit
    ends = np.cumsum(sizes)
    start = 0
    while start < len(sizes):
        done = int(ends[start - 1]) if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, done + limit, side="right")))
        yield slice(start, stop)
        start = stop


def expand_ranges(starts: IntArray, sizes: IntArray) -> tuple[IntArray, IntArray]:
    """All of start, start + 1, ... start + size - 1 for each range: (which range, value)."""
    owner = np.repeat(np.arange(len(sizes)), sizes)
    return owner, np.repeat(starts - (np.cumsum(sizes) - sizes), sizes) + np.arange(len(owner))
