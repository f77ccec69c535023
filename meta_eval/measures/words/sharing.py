"""What the two texts of each of many pairs share, from their tables of features."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.words.counts import (
    CHUNK,
    Columns32,
    KeyTable,
    Multisets,
    Weights,
    expand_ranges,
    split_runs,
)

SMALL_PAIRS = 1 << 13
# Entries of the table in which features of long texts are found by number: 8 MB, for 16 texts at least.
SCRATCH = 1 << 21
_FEWEST_TEXTS = 16

Joined = tuple[IntArray, IntArray, IntArray]


@dataclass(frozen=True, slots=True)
class Shared:
    """Features that both texts of a pair have: the pair's number and how often each text has the feature."""

    pair: IntArray
    first: Weights
    second: Weights


def join_keys(left: KeyTable, right: KeyTable, first: IntArray, second: IntArray) -> Joined:
    """Features of text first[i] in `left` that text second[i] has in `right`, tables of one width.

    Returns (pair, index into left.keys, index into right.keys), by pair and feature. The text with fewer
    features is looked up in the other's sorted keys: against a short text a document costs no more than it.
    """
    swap = left.sizes[first] > right.sizes[second]
    forward, backward = np.flatnonzero(~swap), np.flatnonzero(swap)
    pair, mine, theirs = _look_up(left, right, first[forward], second[forward])
    if not len(backward):
        return pair, mine, theirs
    back, theirs_back, mine_back = _look_up(right, left, second[backward], first[backward])
    pairs = np.concatenate((forward[pair], backward[back]))
    order = np.argsort(pairs, kind="stable")
    return (
        pairs[order],
        np.concatenate((mine, mine_back))[order],
        np.concatenate((theirs, theirs_back))[order],
    )


def _look_up(small: KeyTable, large: KeyTable, first: IntArray, second: IntArray) -> Joined:
    sizes = small.sizes[first]
    pair, index = expand_ranges(small.offsets[first], sizes)
    wanted = small.keys[index] + ((second - first) * small.width)[pair]
    match = np.minimum(np.searchsorted(large.keys, wanted), max(len(large.keys) - 1, 0))
    hit = np.flatnonzero(large.keys[match] == wanted)
    return pair[hit], index[hit], match[hit]


def share_features(
    multisets: Multisets, first: IntArray, second: IntArray
) -> Iterator[tuple[IntArray, Shared]]:
    """What the texts of each pair share, in runs of pairs bounded in memory: (which pairs, their features).

    Every pair is in one run. Within a pair, features come in the same order whichever text is first: sums
    over these are symmetric to the last bit, however pairs are grouped.
    """
    sizes = multisets.table.sizes
    larger = np.maximum(sizes[first], sizes[second])
    slots = 0 if multisets.columns is None else len(multisets.columns)
    yield from _share_by_search(multisets, first, second, np.flatnonzero(larger > slots))
    if multisets.columns is not None:
        yield from _share_by_slot(multisets.columns, multisets, first, second)


def _share_by_search(
    multisets: Multisets, first: IntArray, second: IntArray, pairs: IntArray
) -> Iterator[tuple[IntArray, Shared]]:
    """The text with fewer features is looked up in the other one, all pairs of a long text together."""
    table, sizes = multisets.table, multisets.table.sizes
    swap = sizes[first[pairs]] > sizes[second[pairs]]
    order = np.argsort(np.where(swap, first[pairs], second[pairs]), kind="stable")
    pairs, swap = pairs[order], swap[order]
    small = np.where(swap, second[pairs], first[pairs])
    large = np.where(swap, first[pairs], second[pairs])
    dense = table.width * _FEWEST_TEXTS <= SCRATCH
    finder = _DenseFinder(table) if dense else _SortedFinder(table)
    for run in split_runs(finder.costs(small, large)):
        pair, few, many = finder.find(small[run], large[run])
        few_counts, many_counts = multisets.counts[few], multisets.counts[many]
        swapped = swap[run][pair]
        yield (
            pairs[run],
            Shared(
                pair,
                np.where(swapped, many_counts, few_counts),
                np.where(swapped, few_counts, many_counts),
            ),
        )


class _SortedFinder:
    """Finds features of small texts among the sorted keys of large ones."""

    def __init__(self, table: KeyTable) -> None:
        self._table = table

    def costs(self, small: IntArray, large: IntArray) -> IntArray:  # noqa: ARG002 - what is looked up
        """Of each pair, of which a run may have CHUNK."""
        return self._table.sizes[small]

    def find(self, small: IntArray, large: IntArray) -> Joined:
        return _look_up(self._table, self._table, small, large)


class _DenseFinder:
    """Finds them in a table with an entry for each large text and feature, where features are few."""

    def __init__(self, table: KeyTable) -> None:
        self._table = table
        # A run may go on with the large text of the one before, which no cost stands for: one text more.
        self._indices = np.full(SCRATCH + table.width, -1, dtype=np.int32)

    def costs(self, small: IntArray, large: IntArray) -> IntArray:
        """Of each pair, of which a run may have CHUNK: a run has no more large texts than fit."""
        each = -(-self._table.width * CHUNK // SCRATCH)
        costs: IntArray = self._table.sizes[small] + each * (np.diff(large, prepend=-1) != 0)
        return costs

    def find(self, small: IntArray, large: IntArray) -> Joined:
        """`large` is sorted."""
        table, width = self._table, self._table.width
        new = np.diff(large, prepend=-1) != 0
        texts = large[new]
        owner, known = expand_ranges(table.offsets[texts], table.sizes[texts])
        entries = table.keys[known] + ((np.arange(len(texts)) - texts) * width)[owner]
        self._indices[entries] = known
        pair, index = expand_ranges(table.offsets[small], table.sizes[small])
        wanted = table.keys[index] + ((np.cumsum(new) - 1 - small) * width)[pair]
        match = self._indices[wanted]
        self._indices[entries] = -1
        hit = np.flatnonzero(match >= 0)
        return pair[hit], index[hit], match[hit].astype(np.int64)


def _share_by_slot(
    columns: Columns32, multisets: Multisets, first: IntArray, second: IntArray
) -> Iterator[tuple[IntArray, Shared]]:
    """For pairs of short texts, those of about one length together."""
    offsets = multisets.table.offsets
    for which, slots in short_runs(multisets.table.sizes, len(columns), first, second):
        used = columns[:slots]
        own, other = np.take(used, first[which], axis=1), np.take(used, second[which], axis=1)
        pair, slot, match = compare_columns(own, other)
        mine, theirs = offsets[first[which]][pair] + slot, offsets[second[which]][pair] + match
        yield which, Shared(pair, multisets.counts[mine], multisets.counts[theirs])


def short_runs(
    sizes: IntArray, most: int, first: IntArray, second: IntArray
) -> Iterator[tuple[IntArray, int]]:
    """Pairs of texts of `most` features at most, in runs of like length: (which pairs, the largest)."""
    larger = np.maximum(sizes[first], sizes[second])
    pairs = np.flatnonzero(larger <= most)
    pairs = pairs[np.argsort(larger[pairs].astype(np.uint8), kind="stable")]
    for start in range(0, len(pairs), SMALL_PAIRS):
        which = pairs[start : start + SMALL_PAIRS]
        yield which, int(larger[which[-1]])


def compare_columns(first: Columns32, second: Columns32) -> Joined:
    """Where columns of features, shape (slots, pairs), agree: (pair, slot in first, slot in second).

    Every slot is held against every other, which for a dozen features is quicker than looking them up.
    """
    second = np.where(second < 0, second - 1, second)  # or empty slots would agree
    hits = [np.flatnonzero(second == row) for row in first]
    slot = np.repeat(np.arange(len(first)), [len(hit) for hit in hits])
    other, pair = np.divmod(np.concatenate([np.empty(0, dtype=np.int64), *hits]), max(first.shape[1], 1))
    return pair, slot, other


def intersection_sizes(multisets: Multisets, first: IntArray, second: IntArray) -> FloatArray:
    """Size of the multiset intersection of each pair, shape (pairs,).

    Parameters
    ----------
    multisets : of some texts
    first, second : (pairs,) arrays, the numbers of each pair's texts

    Returns
    -------
    (pairs,) array

    Examples
    --------
    >>> from meta_eval.measures.words.counts import count_words
    >>> from meta_eval.measures.words.tokens import NumberedTexts
    >>> texts = NumberedTexts(np.array([0, 0, 1, 0, 1, 1]), np.array([0, 3, 6]), size=2)
    >>> intersection_sizes(count_words(texts), np.array([0]), np.array([1])).tolist()
    [2.0]
    """
    sizes = np.zeros(len(first))
    for which, shared in share_features(multisets, first, second):
        smaller = np.minimum(shared.first, shared.second)
        sizes[which] = np.bincount(shared.pair, smaller, minlength=len(which))
    return sizes
