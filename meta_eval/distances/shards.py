"""A corpus in shards of bounded size, and the distances of one shard."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.blocks import ABSENT, BlockLayout, DistanceBlock, TextPairs, lay_out
from meta_eval.distances.store.pairs import PairSet, Span, hash_text, unique_pairs
from meta_eval.measures.base import ContextMeasure, Measure, ShardLimit
from meta_eval.measures.shared_work import once

if TYPE_CHECKING:
    from meta_eval.distances.store.distance_store import SignatureStore

EMPTY_TEXT = "a text is empty"
NO_DISTANCE = "the measure has no distance for these texts"


@dataclass(frozen=True, slots=True)
class Shard:
    """Documents that are compared at once: their indices in the corpus, ascending, and their hashes' span.

    `pairs` is how many pairs of texts their distances are of, equal ones counted each.
    """

    documents: tuple[int, ...]
    span: Span
    pairs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DistanceCounts:
    """What was counted on the way to distances of `documents`.

    `encoded` texts and `compared` pairs were new, `stored` pairs came from the store; of the `texts`, each
    counted as often as it stands, `empty` hold nothing for the measure; `missing` counts the pairs of a
    document that have no distance.
    """

    documents: int = 0
    encoded: int = 0
    compared: int = 0
    stored: int = 0
    texts: int = 0
    empty: int = 0
    missing: int = 0

    def __add__(self, other: "DistanceCounts") -> "DistanceCounts":
        return DistanceCounts(**{name: count + getattr(other, name) for name, count in asdict(self).items()})


def plan_shards(
    corpus: Corpus, indices: Iterable[int], *, systems: int, limit: ShardLimit
) -> tuple[Shard, ...]:
    """Split the documents at `indices` into shards within `limit`.

    Documents are taken in the order of the hashes of their ids, so that the shards follow from the content
    alone and each covers a range of hashes of its own: a stored shard is found by its range.
    """
    hashes = ((hash_text(corpus.documents[index].id), index) for index in indices)
    ordered = sorted((int.from_bytes(digest[:4], "big"), index) for digest, index in hashes)
    return tuple(
        Shard(tuple(sorted(index for _, index in group)), Span(group[0][0], group[-1][0]), pairs)
        for group, pairs in _cut(corpus, ordered, systems, limit)
    )


def _cut(
    corpus: Corpus, ordered: Sequence[tuple[int, int]], systems: int, limit: ShardLimit
) -> Iterator[tuple[list[tuple[int, int]], int]]:
    """Hashes and indices of documents, in runs of so many documents, texts and pairs of texts at most, and
    how many pairs each has."""
    group: list[tuple[int, int]] = []
    all_texts = all_pairs = 0
    for entry in ordered:
        readers = len(corpus.documents[entry[1]].references)
        texts = readers * (1 + systems) + 1
        pairs = (readers + 2) * texts
        full = len(group) >= limit.documents
        if group and (full or all_texts + texts > limit.texts or all_pairs + pairs > limit.pairs):
            yield group, all_pairs
            group, all_texts, all_pairs = [], 0, 0
        group.append(entry)
        all_texts, all_pairs = all_texts + texts, all_pairs + pairs
    if group:
        yield group, all_pairs


def compute_shard(
    corpus: Corpus,
    measure: Measure,
    shard: Shard,
    *,
    systems: Sequence[str],
    with_documents: bool,
    store: "SignatureStore | None" = None,
) -> tuple[tuple[DistanceBlock, ...], DistanceCounts]:
    """The distances of a shard, and their counts; what the store does not have is computed, then kept there.

    Texts are numbered in alphabetical order, so that what is compared with what, and in which order, does not
    depend on the order of the corpus.
    """
    cells, laid = _lay_out(corpus, measure, shard, systems, with_documents=with_documents)
    distances, counts = _load_or_compute(measure, laid.pairs, shard.span, store)
    values = np.full(len(cells.present), np.nan)
    values[cells.present] = distances[laid.index]
    parts = np.split(values, np.cumsum([math.prod(shape) for shape in cells.shapes])[:-1])
    pieces = (part.reshape(shape) for part, shape in zip(parts, cells.shapes, strict=True))
    blocks = tuple(_fill_accuracy(layout.block(pieces), layout, measure) for layout in cells.layouts)
    empty = measure.hold_nothing(laid.pairs.texts)
    return blocks, replace(
        counts,
        documents=len(shard.documents),
        texts=sum(len(layout.texts()) for layout in cells.layouts),
        empty=sum(int(empty[layout.texts()].sum()) for layout in cells.layouts),
        missing=_count_missing(cells.written.documents, laid.index, distances),
    )


def shard_pairs(
    corpus: Corpus, measure: Measure, shard: Shard, *, systems: Sequence[str], with_documents: bool
) -> PairSet:
    """The different pairs of texts whose distances `compute_shard` asks for."""
    return _lay_out(corpus, measure, shard, systems, with_documents=with_documents)[1].pairs


def _lay_out(
    corpus: Corpus, measure: Measure, shard: Shard, systems: Sequence[str], *, with_documents: bool
) -> "tuple[_Cells, _LaidOut]":
    of_context = isinstance(measure, ContextMeasure)
    key = (id(corpus), shard, tuple(systems), with_documents, of_context)
    cells = once(
        key,
        lambda: _lay_out_cells(corpus, shard, systems, with_documents=with_documents, of_context=of_context),
        size=_numbers_in_cells,
    )
    return cells, once((*key, measure.symmetric), lambda: _find_pairs(cells, measure), size=_numbers_in)


@dataclass(frozen=True, slots=True)
class _Cells:
    """What a shard's distances are made of before any is known: the same for all measures.

    `shapes` are those of the arrays of distances, one after the other; `present` (cells,) says which of all
    their cells have two texts, which `written` holds by their numbers among `texts`. `corpus` is kept, so
    that its identity stands for it.
    """

    corpus: Corpus
    texts: list[str]
    layouts: tuple[BlockLayout, ...]
    shapes: tuple[tuple[int, ...], ...]
    present: BoolArray
    written: TextPairs


@dataclass(frozen=True, slots=True)
class _LaidOut:
    """The different pairs that are compared, and of each present cell the index among them: the same for all
    measures that compare alike. `corpus` is kept as in `_Cells`."""

    corpus: Corpus
    pairs: PairSet
    index: IntArray


def _lay_out_cells(
    corpus: Corpus, shard: Shard, systems: Sequence[str], *, with_documents: bool, of_context: bool
) -> _Cells:
    texts = sorted(_texts_of(corpus, shard, systems, with_documents=with_documents or of_context))
    numbers = {text: number for number, text in enumerate(texts)}
    layouts = tuple(lay_out(corpus, systems, shard.documents, numbers, with_documents=with_documents))
    cells = [pairs for layout in layouts for pairs in layout.pairs()]
    written, present = _flatten(cells)
    return _Cells(corpus, texts, layouts, tuple(cell.first.shape for cell in cells), present, written)


def _numbers_in_cells(cells: _Cells) -> int:
    return 3 * cells.written.first.size + cells.present.size // 8 + len(cells.texts)


def _numbers_in(laid: _LaidOut) -> int:
    return laid.index.size + 2 * len(laid.pairs)


def _texts_of(corpus: Corpus, shard: Shard, systems: Sequence[str], *, with_documents: bool) -> set[str]:
    texts: set[str] = set()
    for index in shard.documents:
        document = corpus.documents[index]
        texts.update(document.references.values())
        for system in systems:
            texts.update(document.summaries.get(system, {}).values())
        if with_documents:
            texts.add(document.text)
    return texts


def _flatten(cells: Sequence[TextPairs]) -> tuple[TextPairs, BoolArray]:
    """All pairs of which both texts are there, and which of all cells they fill."""
    first, second, documents = (
        np.concatenate([getattr(pairs, name).ravel() for pairs in cells])
        for name in ("first", "second", "documents")
    )
    present = (first != ABSENT) & (second != ABSENT)
    return TextPairs(first[present], second[present], documents[present]), present


def _find_pairs(cells: _Cells, measure: Measure) -> _LaidOut:
    """The different pairs that `measure` has to compare, and the index of each present cell among them."""
    first, second = cells.written.first, cells.written.second
    if measure.symmetric:
        first, second = np.minimum(first, second), np.maximum(first, second)
    context = None
    if isinstance(measure, ContextMeasure):
        numbers = {text: number for number, text in enumerate(cells.texts)}
        documents, inverse = np.unique(cells.written.documents, return_inverse=True)
        own = [numbers[cells.corpus.documents[document].text] for document in documents.tolist()]
        context = np.array(own, dtype=np.int64)[inverse]
    return _LaidOut(cells.corpus, *unique_pairs(cells.texts, first, second, context))


def _load_or_compute(
    measure: Measure, pairs: PairSet, span: Span, store: "SignatureStore | None"
) -> tuple[FloatArray, DistanceCounts]:
    """(pairs,) distances, and the counts of how they were come by."""
    if store is None:
        distances, encoded = compare_pairs(measure, pairs)
        return distances, DistanceCounts(encoded=encoded, compared=len(pairs))
    distances, known = store.load(span, pairs)
    missing = pairs.where(~known)
    encoded = 0
    if len(missing):
        new, encoded = compare_pairs(measure, missing)
        store.save(span, missing, new, _reasons(measure, missing, new))
        distances[~known] = new
    counts = DistanceCounts(encoded=encoded, compared=len(missing), stored=int(known.sum()))
    return distances, counts


def compare_pairs(measure: Measure, pairs: PairSet) -> tuple[FloatArray, int]:
    """(pairs,) distances, and how many texts were encoded for them."""
    used, numbers = np.unique(np.concatenate(pairs.columns), return_inverse=True)
    columns = np.split(numbers, len(pairs.columns))
    prepared = measure.prepare([pairs.texts[number] for number in used.tolist()])
    if isinstance(measure, ContextMeasure):
        return measure.distances_in_context(prepared, *columns), len(used)
    return measure.distances(prepared, *columns), len(used)


def _reasons(measure: Measure, pairs: PairSet, distances: FloatArray) -> list[str | None]:
    """Why a distance is missing, None where it is not."""
    reasons: list[str | None] = [None] * len(pairs)
    lost = np.flatnonzero(np.isnan(distances))
    first, second = (
        measure.hold_nothing([pairs.texts[number] for number in column[lost].tolist()])
        for column in (pairs.first, pairs.second)
    )
    for index, empty in zip(lost.tolist(), (first | second).tolist(), strict=True):
        reasons[index] = EMPTY_TEXT if empty else NO_DISTANCE
    return reasons


def _fill_accuracy(block: DistanceBlock, layout: BlockLayout, measure: Measure) -> DistanceBlock:
    """With what stands for a missing accuracy distance under this measure, where there is a summary."""
    lost = np.isnan(block.systems_gold) & (layout.systems != ABSENT)
    return replace(block, systems_gold=np.where(lost, measure.missing_accuracy, block.systems_gold))


def _count_missing(documents: IntArray, index: IntArray, distances: FloatArray) -> int:
    """Each pair of texts counts once in each document that has it."""
    lost = np.isnan(distances)[index]
    return len(np.unique(np.stack((documents[lost], index[lost])), axis=1).T)
