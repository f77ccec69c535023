"""What a pair of readers has over all documents that both wrote for: means by pair, one block at a time."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.scores.contributions import present_pairs

CoReaders = Literal["all", "last"]
"""Which readers of a document stand beside one: all others, or, as in the thesis' notebook, the last alone.

A misplaced line of the notebook keeps only the last co-reader of each reader and document.
"""


@dataclass(frozen=True, slots=True)
class BlockPairs:
    """The ordered pairs of readers of a block's documents.

    `first` and `second` (B, n, n) number the readers j and k of each place in the corpus' list of them.
    """

    first: IntArray
    second: IntArray

    def keys(self, readers: int, *, ordered: bool) -> IntArray:
        """(B, n, n): one number for each pair of so many readers, for both orders the same or `ordered`."""
        if ordered:
            return self.first * readers + self.second
        return np.minimum(self.first, self.second) * readers + np.maximum(self.first, self.second)


def number_readers(corpus: Corpus, block: DistanceBlock, numbers: Mapping[str, int]) -> BlockPairs:
    """Who stands where in a block, as numbers of the corpus' readers."""
    members = np.array(
        [[numbers[reader] for reader in corpus.documents[at].references] for at in block.documents.tolist()],
        dtype=np.int64,
    )
    shape = block.gold.shape
    return BlockPairs(
        np.broadcast_to(members[:, :, None], shape), np.broadcast_to(members[:, None, :], shape)
    )


def counted_pairs(block: DistanceBlock, row: int, co_readers: CoReaders) -> BoolArray:
    """(B, n, n): the ordered pairs of readers that enter for one system."""
    present = present_pairs(block, row)
    if co_readers == "all":
        return present
    last = present.shape[-1] - 1 - np.argmax(present[..., ::-1], axis=-1)  # (B, n): the last k with a pair
    kept: BoolArray = present & (np.arange(present.shape[-1]) == last[..., None])
    return kept


class PairMeans:
    """Means over documents (and, for unordered pairs, both orders) of quantities of each pair of readers.

    Sums are kept by pair, so memory grows with the pairs of readers, not with the documents.
    """

    def __init__(self, quantities: int) -> None:
        self._quantities = quantities
        self._keys: list[IntArray] = []
        self._sums: list[FloatArray] = []

    def add(self, keys: IntArray, values: Sequence[FloatArray]) -> None:
        """Add a block's values (M,) of each quantity, which stand for the pairs `keys` (M,)."""
        found, at = np.unique(keys, return_inverse=True)
        columns = [np.bincount(at, column, minlength=len(found)) for column in values]
        columns.append(np.bincount(at, minlength=len(found)).astype(np.float64))
        self._keys.append(found)
        self._sums.append(np.stack(columns))

    def means(self) -> tuple[IntArray, FloatArray]:
        """The pairs (P,) in ascending order, and the mean of each quantity, (quantities, P)."""
        if not self._keys:
            return np.zeros(0, dtype=np.int64), np.zeros((self._quantities, 0))
        found, at = np.unique(np.concatenate(self._keys), return_inverse=True)
        sums = np.concatenate(self._sums, axis=1)
        totals = np.stack([np.bincount(at, row, minlength=len(found)) for row in sums])
        return found, totals[:-1] / totals[-1]


Quantities = Callable[[DistanceBlock, int], Sequence[FloatArray]]
"""What is meant over documents, of a block and a system's row in it: each (B, n, n), by ordered pair."""


def means_by_pair(
    corpus: Corpus,
    source: DistanceSource,
    quantities: Quantities,
    *,
    count: int,
    ordered: bool,
    co_readers: CoReaders,
) -> list[tuple[IntArray, FloatArray]]:
    """What each system has for each pair of readers: the means of some quantities over documents.

    Parameters
    ----------
    corpus : numbers the readers
    source : its distances by one measure
    quantities : of a block and a system's row in it: `count` arrays (B, n, n), by ordered pair
    count : how many quantities
    ordered : whether the two orders of a pair are two pairs
    co_readers : "all", or "last" as in the thesis' notebook

    Returns
    -------
    list of (pairs, means) by system : numbers of the pairs (P,) in ascending order, and (count, P)

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", own, {"A": own}),))
    >>> source = compute_distances(corpus, make_measure("rouge-l"))
    >>> def gold(block, row):
    ...     return (block.gold,)
    >>> pairs, means = means_by_pair(corpus, source, gold, count=1, ordered=False, co_readers="all")[0]
    >>> pairs.tolist(), means.round(3).tolist()
    ([1], [[0.5]])
    """
    numbers = {reader: number for number, reader in enumerate(corpus.readers)}
    gathered = [PairMeans(count) for _ in source.systems]
    for block in source.blocks:
        keys = number_readers(corpus, block, numbers).keys(len(numbers), ordered=ordered)
        for row, means in enumerate(gathered):
            counted = counted_pairs(block, row, co_readers)
            means.add(keys[counted], [one[counted] for one in quantities(block, row)])
    return [one.means() for one in gathered]


def align_pairs(found: Sequence[tuple[IntArray, FloatArray]]) -> tuple[IntArray, FloatArray]:
    """The pairs (P,) that any system has, and a quantity of each system for each, (S, P), NaN where missing.

    `found` has each system's pairs (K,) and the quantity (K,).
    """
    every = np.unique(np.concatenate([keys for keys, _ in found])) if found else np.zeros(0, dtype=np.int64)
    values = np.full((len(found), len(every)), np.nan)
    for row, (keys, quantity) in enumerate(found):
        values[row, np.searchsorted(every, keys)] = quantity
    return every, values
