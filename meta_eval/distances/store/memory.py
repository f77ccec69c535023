"""Distances that are kept as long as a report is at work, for measures that ask a model."""

from collections.abc import Sequence

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.store.distance_store import DistanceStore, SignatureStore
from meta_eval.distances.store.pairs import PairSet, Span
from meta_eval.measures.base import Signature


class MemoryStore(DistanceStore):
    """Keeps what models gave, in memory: every part of a report then has one distance of the same two texts.

    Batches differ from part to part, and what a model gives depends on the batch by rounding. Other measures
    give the same distance again, so nothing of them is kept.
    """

    def __init__(self) -> None:
        self._kept: dict[str, dict[tuple[bytes, ...], float]] = {}

    def of(self, signature: Signature) -> SignatureStore:
        kept = self._kept.setdefault(signature.digest, {})
        return _MemoryPairs(kept if signature.model else None)


class _MemoryPairs(SignatureStore):
    """The distances of one signature; None where none is to be kept."""

    def __init__(self, kept: dict[tuple[bytes, ...], float] | None) -> None:
        self._pairs = kept

    def load(self, _span: Span, pairs: PairSet) -> tuple[FloatArray, BoolArray]:
        distances, known = np.full(len(pairs), np.nan), np.zeros(len(pairs), dtype=bool)
        if self._pairs:
            for row, key in enumerate(_keys(pairs)):
                if key in self._pairs:
                    distances[row], known[row] = self._pairs[key], True
        return distances, known

    def save(
        self, _span: Span, pairs: PairSet, distances: FloatArray, _reasons: Sequence[str | None]
    ) -> None:
        if self._pairs is not None:
            self._pairs.update(zip(_keys(pairs), distances.tolist(), strict=True))


def _keys(pairs: PairSet) -> list[tuple[bytes, ...]]:
    hashes = pairs.text_hashes()
    return [tuple(hashes[number] for number in row) for row in zip(*map(list, pairs.columns), strict=True)]
