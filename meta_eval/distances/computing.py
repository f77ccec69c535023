"""From a corpus and a measure to the distances that every score is made of (protocol 2 and 3).

Documents are taken in shards of bounded size (`shards`). Within a shard unique texts are encoded once and
unique pairs of texts compared once, whatever the number of systems; with a store (`store`) a pair is compared
once for good.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal, Protocol, get_args

import numpy as np

from meta_eval.arrays import FloatArray, Progress
from meta_eval.corpus.documents import Corpus, Document, select_systems
from meta_eval.distances.blocks import DistanceBlock
from meta_eval.distances.shards import DistanceCounts, Shard, compute_shard, plan_shards, shard_pairs
from meta_eval.distances.store.pairs import PairSet
from meta_eval.errors import InputError, MissingTextError
from meta_eval.files.frames import Brief
from meta_eval.measures.base import ContextMeasure, Measure, Signature

if TYPE_CHECKING:
    from meta_eval.distances.store.distance_store import DistanceStore, SignatureStore

__all__ = [
    "NORMALISE",
    "DistanceBlock",
    "DistanceCounts",
    "DistanceSource",
    "DistanceStream",
    "DistanceTable",
    "Normalise",
    "compute_distances",
    "describe_empty",
]

Normalise = Literal["document", "none"]
NORMALISE: Mapping[Normalise, str] = {
    "document": "By the distance to the document, as in the papers",
    "none": "Not at all: bare distances, for corpora without document texts",
}
"""How a distance between summaries is weighed."""


class DistanceSource(Protocol):
    """Where scores get distances from: a table in memory, or a stream that computes them as they are read.

    The counts of a stream are those of the blocks read so far.
    """

    @property
    def documents(self) -> tuple[str, ...]: ...
    @property
    def systems(self) -> tuple[str, ...]: ...
    @property
    def normalise(self) -> Normalise: ...
    @property
    def signature(self) -> Signature: ...
    @property
    def blocks(self) -> Iterable[DistanceBlock]: ...
    @property
    def counts(self) -> DistanceCounts: ...


@dataclass(frozen=True, slots=True, repr=False)
class DistanceTable(Brief):
    """All distances of a corpus under one measure, in blocks of documents with equally many readers."""

    documents: tuple[str, ...]
    systems: tuple[str, ...]
    normalise: Normalise
    signature: Signature
    blocks: tuple[DistanceBlock, ...]
    counts: DistanceCounts

    def brief(self) -> tuple[str, str]:
        held = f"{self.signature.measure}, {len(self.documents):,} documents, {len(self.systems)} systems"
        return held, self.signature.text

    def leave_out(self, systems: Collection[str]) -> "DistanceTable":
        """The same, as if there were no such systems."""
        kept = [row for row, name in enumerate(self.systems) if name not in systems]
        names = tuple(self.systems[row] for row in kept)
        return replace(self, systems=names, blocks=tuple(block.select(kept) for block in self.blocks))


class DistanceStream:
    """A `DistanceSource` that holds the distances of one shard at a time, whatever the size of the corpus.

    Arguments and errors are those of `compute_distances`; `shard_pairs` closes shards before the measure's
    own limit, as `shard_documents` does. Each reading of `blocks` computes the distances, or takes them from
    the store, anew; `compute` gives those of one of the `shards`, for several processes that share the work.
    """

    def __init__(
        self,
        corpus: Corpus,
        measure: Measure,
        *,
        systems: Iterable[str] | None = None,
        normalise: Normalise = "document",
        progress: Progress | None = None,
        store: "DistanceStore | None" = None,
        shard_documents: int | None = None,
        shard_pairs: int | None = None,
    ) -> None:
        self.documents = tuple(document.id for document in corpus.documents)
        self.systems = select_systems(corpus, systems)
        self.normalise: Normalise = normalise
        measure = measure.settle(corpus)
        self.signature = measure.signature
        self._corpus, self._measure, self._progress = corpus, measure, progress
        self._store = store.of(self.signature) if store else None
        indices = _scored_documents(corpus, measure, normalise)
        limit = measure.shard_limit
        if shard_documents is not None:
            limit = replace(limit, documents=shard_documents)
        if shard_pairs is not None:
            limit = replace(limit, pairs=min(limit.pairs, shard_pairs))
        self.shards = plan_shards(corpus, indices, systems=len(self.systems), limit=limit)
        self._total = len(indices)
        self.counts = DistanceCounts()

    @property
    def blocks(self) -> Iterator[DistanceBlock]:
        self.start()
        for shard in self.shards:
            blocks, counts = self.compute(shard)
            self.count(counts)
            yield from blocks

    def start(self) -> None:
        """Before all shards are gone through once more: nothing is counted."""
        self.counts = DistanceCounts()

    def count(self, counts: DistanceCounts) -> None:
        """Add what was counted of a shard, and say how far it is."""
        self.counts += counts
        if self._progress:
            self._progress(self.counts.documents, self._total)

    def pairs(self, kept: "SignatureStore | None" = None) -> Iterator[tuple[PairSet, FloatArray]]:
        """The pairs of texts of each shard, and the distances (pairs,) that `kept` has; others are left out.

        Without `kept` all pairs, and NaN. Nothing is computed.
        """
        for shard in self.shards:
            pairs = shard_pairs(
                self._corpus,
                self._measure,
                shard,
                systems=self.systems,
                with_documents=self.normalise == "document",
            )
            if kept is None:
                yield pairs, np.full(len(pairs), np.nan)
                continue
            distances, known = kept.load(shard.span, pairs)
            yield pairs.where(known), distances[known]

    def compute(self, shard: Shard) -> tuple[tuple[DistanceBlock, ...], DistanceCounts]:
        """The distances of a shard, and their counts; what the store lacks is computed and kept there."""
        return compute_shard(
            self._corpus,
            self._measure,
            shard,
            systems=self.systems,
            with_documents=self.normalise == "document",
            store=self._store,
        )


def compute_distances(
    corpus: Corpus,
    measure: Measure,
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise = "document",
    progress: Progress | None = None,
    store: "DistanceStore | None" = None,
    shard_documents: int | None = None,
) -> DistanceTable:
    """Distances of all documents with two readers or more.

    Parameters
    ----------
    corpus : Corpus
    measure : Measure
        From `make_measure`.
    systems : iterable of str, optional
        Default: all.
    normalise : {"document", "none"}
        "document" adds the distances to the documents; it never falls back to "none".
    progress : callable, optional
        Called with how many documents are done, and of how many.
    store : DistanceStore, optional
        Each finished shard is kept there and what is there already is not computed: a killed run goes on
        where it was, and gives the bytes that it would have given.
    shard_documents : int, optional
        Closes shards before the measure's own limit.

    Returns
    -------
    DistanceTable
        Blocks of documents with equally many readers n, of arrays (documents, n, n) and (systems, documents,
        n, n).

    Raises
    ------
    InputError
        For a system that the corpus does not have.
    MissingTextError
        Where a document that is needed has no body.

    References
    ----------
    Protocol 2 and 3.

    Examples
    --------
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "rain in the south"}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, {"A": references}),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> table.blocks[0].gold
    array([[[ nan, 0.25],
            [0.25,  nan]]])
    >>> table.counts.documents
    1
    """
    stream = DistanceStream(
        corpus,
        measure,
        systems=systems,
        normalise=normalise,
        progress=progress,
        store=store,
        shard_documents=shard_documents,
    )
    blocks = tuple(stream.blocks)
    return DistanceTable(stream.documents, stream.systems, normalise, stream.signature, blocks, stream.counts)


def _scored_documents(corpus: Corpus, measure: Measure, normalise: Normalise) -> list[int]:
    """Indices of the documents with two readers or more, whose texts are there if they are needed."""
    if normalise not in get_args(Normalise):
        raise InputError(f"normalise is {' or '.join(get_args(Normalise))}, not {normalise!r}")
    indices = [i for i, document in enumerate(corpus.documents) if document.is_scored]
    scored = (corpus.documents[i] for i in indices)
    if normalise == "document":
        _require_texts(
            scored,
            "so distances cannot be normalised by the distance to the document; give the texts, or ask for "
            "normalise=none",
        )
    elif isinstance(measure, ContextMeasure):
        _require_texts(
            scored,
            f"and measure {measure.id!r} compares texts about their document; give the texts, or choose "
            "another measure",
        )
    return indices


def describe_empty(measure: str, empty: int, texts: int) -> str:
    """The warning that a measure finds nothing in most texts, so that its scores say little; or nothing.

    Parameters
    ----------
    measure : str
        What it is called.
    empty, texts : int
        In how many of the texts it finds nothing.

    Returns
    -------
    str
        Empty where at most half of the texts are.

    Examples
    --------
    >>> describe_empty("ROUGE-L", empty=1, texts=4)
    ''
    >>> describe_empty("ROUGE-L", empty=3, texts=4)[:39]
    'ROUGE-L finds words in only 1 of 4 text'
    """
    if not texts or 2 * empty <= texts:
        return ""
    which = f"none of {texts:,} texts" if empty == texts else f"only {texts - empty:,} of {texts:,} texts"
    return (
        f"{measure} finds words in {which} after preprocessing and tokenising, so its scores say little of "
        "these systems; is it made for their language?"
    )


def _require_texts(documents: Iterable[Document], consequence: str) -> None:
    """Raise `MissingTextError` naming the documents without a body, and what follows from that."""
    bodiless = [document.id for document in documents if not document.body.strip()]
    if bodiless:
        many = "1 document has" if len(bodiless) == 1 else f"{len(bodiless)} documents have"
        raise MissingTextError(f"{many} no text (first: {', '.join(bodiless[:3])}), {consequence}")
