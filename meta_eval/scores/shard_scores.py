"""The scores of one shard of documents, which a worker keeps for whoever joins all of them.

A document's share in the scores depends on no other document. So whoever has the distances of a shard at hand
scores it too, and joining a large corpus reads a few numbers a document instead of every distance once more.
"""

from collections.abc import MutableMapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.shards import DistanceCounts, Shard
from meta_eval.distances.store.pairs import Span
from meta_eval.measures.base import Signature
from meta_eval.scores.contributions import SCORE_ARRAYS, Contributions, ScoreOptions, score_blocks

if TYPE_CHECKING:
    from meta_eval.distances.store.distance_store import DistanceStore

_ALL = Span(0, 2**32 - 1)
_LAYOUT = 1
"""Raised when what is kept has other columns."""


@dataclass(frozen=True, slots=True)
class ShardScores:
    """`scores` of a shard's documents, by their ids in the order of the corpus, and what was counted."""

    scores: Contributions
    counts: DistanceCounts


def score_shard(stream: DistanceStream, shard: Shard, options: ScoreOptions) -> ShardScores:
    """The scores of a shard of the stream; its distances are computed, or taken from the stream's store."""
    blocks, counts = stream.compute(shard)
    whole = (stream.documents[index] for index in shard.documents)
    scores = score_blocks(blocks, stream.systems, tuple(whole), options, at=shard.documents)
    return ShardScores(scores, counts)


def join_shards(
    stream: DistanceStream, options: ScoreOptions, kept: MutableMapping[Span, ShardScores] | None = None
) -> Contributions:
    """The scores of all documents of a stream, shard by shard; those that are `kept` are not computed again.

    What is kept must be of this stream and these options (`KeptScores`), and is taken out as it is used.
    """
    kept = {} if kept is None else kept
    shape = (len(stream.systems), len(stream.documents))
    values: dict[str, Any] = {name: np.full(shape, np.nan) for name in SCORE_ARRAYS}
    values["pairs"] = np.zeros(shape, dtype=np.int64)
    stream.start()
    for shard in stream.shards:
        known = kept.pop(shard.span, None)
        found = known if known and _is_of(known, stream, shard) else score_shard(stream, shard, options)
        for name, array in values.items():
            array[:, shard.documents] = getattr(found.scores, name)
        stream.count(found.counts)
    return Contributions(stream.systems, stream.documents, **values)


def _is_of(known: ShardScores, stream: DistanceStream, shard: Shard) -> bool:
    documents = tuple(stream.documents[index] for index in shard.documents)
    return (known.scores.systems, known.scores.documents) == (stream.systems, documents)


class KeptScores:
    """Scores of shards in a store, under a `key` that names everything on which they depend.

    They are of use until the shards are joined: `forget` them then.
    """

    def __init__(self, store: "DistanceStore", key: str) -> None:
        self._parts = store.parts_of(Signature("scores of shards", options={"key": key, "layout": _LAYOUT}))

    def save(self, shard: Shard, found: ShardScores) -> None:
        from meta_eval.distances.store.parts import encode_table

        self._parts.keep(shard.span, encode_table(_as_table(found), self._parts.digest))

    def read(self) -> dict[Span, ShardScores]:
        """All that are kept and sound, by the span of their shard."""
        from meta_eval.distances.store.parts import parse_name

        named = ((parse_name(name), table) for name, table in self._parts.tables(_ALL))
        return {name.span: _from_table(table) for name, table in named if name}

    def forget(self) -> None:
        self._parts.remove()


def _as_table(found: ShardScores) -> Any:
    """One row: each column is a list, of arrays row after row."""
    import pyarrow as pa

    scores = found.scores
    columns: dict[str, Any] = {
        "systems": [list(scores.systems)],
        "documents": [list(scores.documents)],
        **{name: [getattr(scores, name).ravel()] for name in (*SCORE_ARRAYS, "pairs")},
        "counts": [asdict(found.counts)],
    }
    return pa.table(columns)


def _from_table(table: Any) -> ShardScores:
    systems, documents = (tuple(table[name][0].as_py()) for name in ("systems", "documents"))

    def array(name: str) -> FloatArray | IntArray:
        flat = table[name].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        shaped: FloatArray | IntArray = flat.reshape(len(systems), len(documents))
        return shaped

    scores: dict[str, Any] = {name: array(name) for name in (*SCORE_ARRAYS, "pairs")}
    counts = DistanceCounts(**table["counts"][0].as_py())
    return ShardScores(Contributions(systems, documents, **scores), counts)
