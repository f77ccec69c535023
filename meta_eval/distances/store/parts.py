"""One part file of a store: a signed table as Parquet; of distances, a shard's, keyed by text hashes."""

import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.distances.store.pairs import HASH_BYTES, PairSet, Span, encode_columns

FORMAT = "1"
_SIGNATURE, _FORMAT = b"concord.signature", b"concord.format"
_KEYS = ("first", "second", "context")
HASH = pa.binary(HASH_BYTES)
_NAME = re.compile(r"([0-9a-f]{8})-([0-9a-f]{8})-([0-9a-f]{32})\.parquet")


class DamagedPartError(Exception):
    """A part file that does not hold what was written."""


@dataclass(frozen=True, slots=True)
class PartName:
    """What a part file's name says: the documents it is about, and the checksum of its bytes."""

    span: Span
    checksum: str

    def __str__(self) -> str:
        return f"{self.span.first:08x}-{self.span.last:08x}-{self.checksum}.parquet"


def parse_name(text: str) -> PartName | None:
    """None for a file that is no part."""
    match = _NAME.fullmatch(text)
    return PartName(Span(int(match[1], 16), int(match[2], 16)), match[3]) if match else None


def encode_part(
    pairs: PairSet, distances: FloatArray, reasons: Sequence[str | None], signature: str
) -> bytes:
    """The bytes of a part: columns first, second (and context), distance (null where missing) and reason."""
    hashes = pa.array([key or None for key in pairs.text_hashes()], HASH)
    columns: dict[str, Any] = dict(
        zip(_KEYS, (hashes.take(pa.array(c)) for c in pairs.columns), strict=False)
    )
    columns["distance"] = pa.array(distances, pa.float64(), mask=np.isnan(distances))
    columns["reason"] = pa.array(reasons, pa.string())
    return encode_table(pa.table(columns), signature)


def encode_table(table: Any, signature: str) -> bytes:
    """A table as the bytes of a part that says which signature it belongs to."""
    signed = table.replace_schema_metadata({_SIGNATURE: signature, _FORMAT: FORMAT})
    stream = io.BytesIO()
    pq.write_table(signed, stream, compression="zstd")
    return stream.getvalue()


def name_part(span: Span, data: bytes) -> PartName:
    return PartName(span, checksum(data))


def checksum(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def decode_part(name: PartName, data: bytes, signature: str) -> Any:
    """The table of a part; raises `DamagedPartError` unless it is what was written for `signature`."""
    if checksum(data) != name.checksum:
        raise DamagedPartError("its content does not match its checksum")
    try:
        # Without Arrow's threads: one that is still busy when the process ends aborts it
        # (https://github.com/apache/arrow/issues/34314).
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
    except (pa.ArrowException, OSError) as error:
        raise DamagedPartError(f"it is not readable Parquet ({error})") from error
    metadata = table.schema.metadata or {}
    if metadata.get(_FORMAT) != FORMAT.encode() or metadata.get(_SIGNATURE) != signature.encode():
        raise DamagedPartError("it belongs to another signature or format")
    return table


def holds_others(data: bytes, known: Any) -> bool:
    """Whether a part may hold a text that is not among the `known` hashes.

    So does one that is damaged, and one without hashes of texts (replies of a model): nobody can check it.
    """
    try:
        table = pq.ParquetFile(pa.BufferReader(data), pre_buffer=False).read(use_threads=False)
    except (pa.ArrowException, OSError):
        return True
    keys = [table[name] for name in _KEYS if name in table.column_names]
    return not keys or not all(pc.all(pc.is_in(key, value_set=known), min_count=0).as_py() for key in keys)


def look_up(table: Any, pairs: PairSet, hashes: Sequence[bytes]) -> tuple[IntArray, FloatArray]:
    """Indices of `pairs` whose distance the part has, and the distances (NaN: known to be missing).

    `hashes` are those of the pairs' texts.
    """
    known = pa.array([key or None for key in hashes], HASH)
    columns = [_numbers(table[key], known) for key in _KEYS[: len(pairs.columns)]]
    inside = np.logical_and.reduce([column >= 0 for column in columns])
    wanted, stored = pairs.codes, encode_columns([column[inside] for column in columns], len(pairs.texts))
    index = np.minimum(np.searchsorted(wanted, stored), len(wanted) - 1)
    hit = wanted[index] == stored
    distances = table["distance"].to_numpy()[inside]
    return index[hit], distances[hit]


def _numbers(column: Any, known: Any) -> IntArray:
    """Text numbers of a column of hashes, -1 for a text that is not known."""
    numbers: IntArray = pc.fill_null(pc.index_in(column, value_set=known), -1).to_numpy().astype(np.int64)
    return numbers
