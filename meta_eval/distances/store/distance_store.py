"""Distances that are kept: each pair of texts is compared once, whoever asks for it and however often.

Under the folder or URL of a store there is one folder for each signature, named by its digest:

    signature.json                              what the distances are, for people
    parts/FIRST-LAST-CHECKSUM.parquet           one finished shard: rows of text hashes and their distance
    used/FIRST-LAST-CHECKSUM.parquet            when that part was last read or written
    damaged/...                                 parts that did not hold what was written, set aside

Rows are keyed by 128-bit hashes of the texts, so they hold for every system, user and corpus in which the
pair of texts occurs. Pairs only ever occur within a document: FIRST and LAST are the least and the greatest
hash of the document ids of the shard, and a look-up opens those parts only whose range meets its own. A part
is never changed, and its name is made from its content, so any number of processes may write at once.
"""

import json
import logging
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.store.files import StoreError, StoreFiles
from meta_eval.distances.store.pairs import PairSet, Span, hash_text, unique_pairs
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

PARTS, USED, DAMAGED, MANIFEST = "parts", "used", "damaged", "signature.json"
Clock = Callable[[], datetime]

log = logging.getLogger(__name__)


def _now() -> datetime:
    return datetime.now(UTC)


class DistanceStore:
    """Distances in a folder or at an fsspec URL; safe for any number of processes at once.

    Raises `StoreError` where the URL cannot be used. `clock` dates the uses by which a store is cleaned.
    """

    def __init__(self, url: str, *, clock: Clock = _now) -> None:
        self.files = StoreFiles(url)
        self._clock = clock

    def of(self, signature: Signature) -> "SignatureStore":
        """The distances of one signature."""
        return SignatureStore(self.files, signature, self._clock)


class SignatureStore:
    """The distances of one signature in a store."""

    def __init__(self, files: StoreFiles, signature: Signature, clock: Clock) -> None:
        self._files = files
        self._signature = signature
        self._digest = signature.digest
        self._clock = clock
        self._marked: set[str] = set()

    def load(self, span: Span, pairs: PairSet) -> tuple[FloatArray, BoolArray]:
        """(pairs,) the distances that the store has, and which those are; NaN is one known to be missing."""
        from meta_eval.distances.store.parts import look_up

        distances, known = np.full(len(pairs), np.nan), np.zeros(len(pairs), dtype=bool)
        hashes: list[bytes] | None = None
        for name, table in self._parts(span):
            hashes = hashes or pairs.text_hashes()
            indices, stored = look_up(table, pairs, hashes)
            new = ~known[indices]
            distances[indices[new]] = stored[new]
            known[indices] = True
            if len(indices):
                self._mark_used(name)
            if known.all():
                break
        return distances, known

    def save(self, span: Span, pairs: PairSet, distances: FloatArray, reasons: Sequence[str | None]) -> None:
        """Keep the distances of a finished shard as one part; `reasons` say why one is missing (NaN)."""
        from meta_eval.distances.store.parts import encode_part, name_part

        self._write_manifest()
        data = encode_part(pairs, distances, reasons, self._digest)
        name = str(name_part(span, data))
        self._files.write(self._path(PARTS, name), data)
        self._mark_used(name)

    def _parts(self, span: Span) -> Iterator[tuple[str, Any]]:
        """The sound parts about documents in `span`, the narrowest first: most likely they suffice."""
        from meta_eval.distances.store.parts import DamagedPartError, decode_part, parse_name

        named = [parse_name(name) for name in self._files.sizes(f"{self._digest}/{PARTS}")]
        parts = [name for name in named if name and name.span.meets(span)]
        for name in sorted(parts, key=lambda part: (part.span.last - part.span.first, str(part))):
            data = self._files.read(self._path(PARTS, str(name)))
            if data is None:
                continue
            try:
                table = decode_part(name, data, self._digest)
            except DamagedPartError as error:
                self._set_aside(str(name), error)
                continue
            yield str(name), table

    def _set_aside(self, name: str, error: Exception) -> None:
        log.warning(
            "Part %s of the distance store %s is damaged: %s. It was set aside under %s/%s, and its "
            "distances are computed again.",
            name,
            self._files.url,
            error,
            self._digest,
            DAMAGED,
        )
        self._files.move(self._path(PARTS, name), self._path(DAMAGED, name))
        self._files.remove(self._path(USED, name))

    def _mark_used(self, name: str) -> None:
        """Date the use of a part, once for each process: what was used least recently is cleaned first."""
        if name not in self._marked:
            self._files.write(self._path(USED, name), self._clock().isoformat().encode())
            self._marked.add(name)

    def _write_manifest(self) -> None:
        path = f"{self._digest}/{MANIFEST}"
        if not self._marked and not self._files.exists(path):
            manifest = {"signature": self._signature.as_dict(), "text": self._signature.text}
            self._files.write(path, (json.dumps(manifest, indent=2) + "\n").encode())

    def _path(self, folder: str, name: str) -> str:
        return f"{self._digest}/{folder}/{name}"
