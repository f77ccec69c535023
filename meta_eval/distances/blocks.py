"""Distances as arrays: which pairs of texts a document has, and where their distances stand."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import Corpus, Document

ABSENT = -1


@dataclass(frozen=True, slots=True)
class DistanceBlock:
    """The distances of documents that have the same number n of readers; NaN where one is missing.

    With B documents and S systems:
    `documents` (B,) their indices in the corpus; `gold` (B, n, n) sigma(u_j, u_k); `gold_document` (B, n)
    sigma(u_j, d) or None without normalisation; `systems` (S, B, n, n) sigma(s_j, s_k); `systems_document`
    (S, B, n) sigma(s_j, d) or None; `systems_gold` (S, B, n) sigma(s_j, u_j). Readers keep the order of
    `Document.references`. The diagonals are missing: no reader is a pair with itself. `spread` (S, B, 2) is
    the least and the mean sigma(s_j, u_j) over all readers of a document, where the block holds but some.
    """

    documents: IntArray
    gold: FloatArray
    gold_document: FloatArray | None
    systems: FloatArray
    systems_document: FloatArray | None
    systems_gold: FloatArray
    spread: FloatArray | None = None

    @property
    def readers(self) -> int:
        return int(self.gold.shape[-1])

    def select(self, rows: Sequence[int]) -> "DistanceBlock":
        """The same of some of the systems."""
        at = list(rows)
        return replace(
            self,
            systems=self.systems[at],
            systems_document=None if self.systems_document is None else self.systems_document[at],
            systems_gold=self.systems_gold[at],
            spread=None if self.spread is None else self.spread[at],
        )


@dataclass(frozen=True, slots=True)
class TextPairs:
    """Pairs of texts by number, `ABSENT` where there is none, and the document of each; all of one shape."""

    first: IntArray
    second: IntArray
    documents: IntArray


@dataclass(frozen=True, slots=True)
class BlockLayout:
    """The numbers of the texts of documents with equally many readers: B documents, n readers, S systems."""

    documents: IntArray  # (B,)
    gold: IntArray  # (B, n)
    systems: IntArray  # (S, B, n)
    bodies: IntArray | None  # (B,)

    def pairs(self) -> Iterator[TextPairs]:
        """The pairs to compare, in the order in which `block` takes their distances."""
        gold, systems = self.gold, self.systems
        yield self._about(0, *_all_against_all(gold))
        yield self._about(1, *_all_against_all(systems))
        yield self._about(1, systems, np.broadcast_to(gold, systems.shape))
        if self.bodies is not None:
            bodies = self.bodies[:, None]
            yield self._about(0, gold, np.broadcast_to(bodies, gold.shape))
            yield self._about(1, systems, np.broadcast_to(bodies, systems.shape))

    def _about(self, axis: int, first: IntArray, second: IntArray) -> TextPairs:
        """The pairs with their documents, which are counted along `axis`."""
        shape = [1] * first.ndim
        shape[axis] = -1
        return TextPairs(first, second, np.broadcast_to(self.documents.reshape(shape), first.shape))

    def texts(self) -> IntArray:
        """The numbers of all texts, each as often as it stands."""
        written = self.systems[self.systems != ABSENT]
        bodies = () if self.bodies is None else (self.bodies,)
        return np.concatenate((self.gold.ravel(), written, *bodies))

    def block(self, distances: Iterator[FloatArray]) -> DistanceBlock:
        gold, systems, systems_gold = next(distances), next(distances), next(distances)
        with_documents = self.bodies is not None
        return DistanceBlock(
            documents=self.documents,
            gold=gold,
            systems=systems,
            systems_gold=systems_gold,
            gold_document=next(distances) if with_documents else None,
            systems_document=next(distances) if with_documents else None,
        )


def lay_out(
    corpus: Corpus,
    systems: Sequence[str],
    indices: Iterable[int],
    numbers: Mapping[str, int],
    *,
    with_documents: bool,
) -> list[BlockLayout]:
    """Layouts of the documents at `indices`, one for each number of readers; `numbers` has their texts."""
    groups: dict[int, list[int]] = {}
    for index in indices:
        groups.setdefault(len(corpus.documents[index].references), []).append(index)
    return [
        _lay_out_group(corpus, systems, groups[readers], numbers, with_documents)
        for readers in sorted(groups)
    ]


def _lay_out_group(
    corpus: Corpus, systems: Sequence[str], group: Sequence[int], numbers: Mapping[str, int], bodies: bool
) -> BlockLayout:
    documents = [corpus.documents[index] for index in group]
    gold = [[numbers[text] for text in document.references.values()] for document in documents]
    written = [[_numbers_of(document, system, numbers) for document in documents] for system in systems]
    own = np.array([numbers[document.text] for document in documents], dtype=np.int64) if bodies else None
    return BlockLayout(
        documents=np.array(group, dtype=np.int64),
        gold=np.array(gold, dtype=np.int64),
        systems=np.array(written, dtype=np.int64),
        bodies=own,
    )


def _numbers_of(document: Document, system: str, numbers: Mapping[str, int]) -> list[int]:
    written = document.summaries.get(system, {})
    return [numbers[written[reader]] if reader in written else ABSENT for reader in document.references]


def _all_against_all(numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Each text against each other one along the last axis; the diagonal is absent."""
    n = numbers.shape[-1]
    shape = (*numbers.shape, n)
    first = np.broadcast_to(numbers[..., :, None], shape).copy()  # (..., n) -> (..., n, n)
    second = np.broadcast_to(numbers[..., None, :], shape)
    first[..., np.arange(n), np.arange(n)] = ABSENT
    return first, second
