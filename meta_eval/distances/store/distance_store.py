"""Distances that are kept: each pair of texts is compared once, whoever asks for it and however often.

A part is one finished shard: rows of text hashes and their distance (`signature_parts` says where parts lie).
Rows are keyed by 128-bit hashes of the texts, so they hold for every system, user and corpus in which the
pair of texts occurs. Pairs only ever occur within a document: FIRST and LAST are the least and the greatest
hash of the document ids of the shard, and a look-up opens those parts only whose range meets its own.
"""

from collections.abc import Sequence

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.store.files import StoreError, StoreFiles
from meta_eval.distances.store.pairs import PairSet, Span, hash_text, unique_pairs
from meta_eval.distances.store.signature_parts import Clock, SignatureParts, utc_now
from meta_eval.measures.base import Signature

__all__ = [
    "DistanceStore",
    "PairSet",
    "SignatureStore",
    "Span",
    "StoreError",
    "StoreFiles",
    "hash_text",
    "unique_pairs",
]


class DistanceStore:
    """Distances in a folder or at an fsspec URL; safe for any number of processes at once.

    Raises `StoreAddressError` where nothing here can open the URL. `clock` dates the uses by which a store is
    cleaned.
    """

    def __init__(self, url: str, *, clock: Clock = utc_now) -> None:
        self.files = StoreFiles(url)
        self._clock = clock

    def of(self, signature: Signature) -> "SignatureStore":
        """The distances of one signature."""
        return SignatureStore(self.parts_of(signature))

    def parts_of(self, signature: Signature) -> SignatureParts:
        """The parts of one signature, whatever they hold."""
        return SignatureParts(self.files, signature, self._clock)


class SignatureStore:
    """The distances of one signature in a store."""

    def __init__(self, parts: SignatureParts) -> None:
        self._parts = parts

    def load(self, span: Span, pairs: PairSet) -> tuple[FloatArray, BoolArray]:
        """(pairs,) the distances that the store has, and which those are; NaN is one known to be missing."""
        from meta_eval.distances.store.parts import look_up

        distances, known = np.full(len(pairs), np.nan), np.zeros(len(pairs), dtype=bool)
        hashes: list[bytes] | None = None
        for name, table in self._parts.tables(span):
            hashes = hashes or pairs.text_hashes()
            indices, stored = look_up(table, pairs, hashes)
            new = ~known[indices]
            distances[indices[new]] = stored[new]
            known[indices] = True
            if len(indices):
                self._parts.mark_used(name)
            if known.all():
                break
        return distances, known

    def save(self, span: Span, pairs: PairSet, distances: FloatArray, reasons: Sequence[str | None]) -> None:
        """Keep the distances of a finished shard as one part; `reasons` say why one is missing (NaN)."""
        from meta_eval.distances.store.parts import encode_part

        self._parts.keep(span, encode_part(pairs, distances, reasons, self._parts.digest))
