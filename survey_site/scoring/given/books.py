"""Distances from outside as the database keeps them: one packed value, read without running any of it."""

from io import BytesIO

import numpy as np

from meta_eval.measures.given import DistanceBook

_HASH_BYTES = 32


def pack(book: DistanceBook) -> bytes:
    """All pairs and distances, compressed; `unpack` gives the same book back."""
    stream = BytesIO()
    texts = np.frombuffer(bytes.fromhex("".join(book.texts)), dtype=np.uint8)
    np.savez_compressed(
        stream,
        texts=texts,
        first=book.first.astype(np.int32),
        second=book.second.astype(np.int32),
        values=book.values,
    )
    return stream.getvalue()


def unpack(name: str, packed: bytes) -> DistanceBook:
    with np.load(BytesIO(packed), allow_pickle=False) as arrays:
        hashes = arrays["texts"].tobytes().hex()
        digits = 2 * _HASH_BYTES
        return DistanceBook(
            name=name,
            texts=tuple(hashes[at : at + digits] for at in range(0, len(hashes), digits)),
            first=arrays["first"].astype(np.int64),
            second=arrays["second"].astype(np.int64),
            values=arrays["values"].astype(np.float64),
        )
