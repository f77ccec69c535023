"""Jensen-Shannon divergence of ratio-to-document distributions (Vansh's thesis, chapter 5; protocol 9).

A text about a document is described by how much more it uses each word than the document does:

- a word in the document weighs its ratio in the text over its ratio in the document;
- a word that is not (out of vocabulary) weighs its ratio over S, the share that the document's distinct
  words have in softmax(s_1, ..., s_n, b), with s_w its similarity to word w and b = 1 - sqrt(max s) a bias
  that stands for "like none of them"; where b is larger than max s it weighs nothing;
- the weights are divided by their sum.

The thesis' example: `desk`, one of three words, S = 0.876, weighs 0.3333 / 0.876 = 0.3805, and beside two
words that weigh 1.66 each 0.1028 of the whole. A text none of whose words weighs anything counts as empty.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import ROOT_TRIANGLE, ContextMeasure, MeasureInfo, OptionValue, Signature
from meta_eval.measures.jsd import divergences
from meta_eval.measures.lexical import PreparedTexts, WordMeasure, settle_empty
from meta_eval.measures.words.counts import Multisets, count_words, expand_ranges, tabulate_keys
from meta_eval.measures.words.sharing import join_keys
from meta_eval.measures.words.similarity import (
    WordSimilarity,
    edit_similarity,
    exact_similarity,
    vector_similarity,
)
from meta_eval.measures.words.tokens import NumberedTexts
from meta_eval.measures.words.vectors import hash_file

Oov = Literal["ratio", "share"]
"""What a word weighs that the document does not have: its ratio over S, or S itself (the released code)."""


def oov_shares(similarities: FloatArray) -> FloatArray:
    """S of each word, shape (words,), from its similarities to the document's, (words, document words).

    Infinite where the bias exceeds the largest similarity, so that ratio / S is 0.
    """
    largest = similarities.max(axis=1)
    bias = 1.0 - np.sqrt(largest)
    known = np.exp(similarities).sum(axis=1)
    return np.where(bias > largest, np.inf, known / (known + np.exp(bias)))


@dataclass(frozen=True, slots=True)
class OovTexts:
    """Word counts of all texts, and the words."""

    counts: Multisets
    vocabulary: tuple[str, ...]

    @property
    def words(self) -> IntArray:
        """The word of each key."""
        return self.counts.table.keys % self.counts.table.width


def weigh_words(
    texts: OovTexts,
    text: IntArray,
    document: IntArray,
    similarity: WordSimilarity,
    *,
    plain_document: bool,
    oov: Oov = "ratio",
) -> Multisets:
    """Distributions of texts about documents, one row for each (text, document); a row may hold nothing."""
    table, totals = texts.counts.table, texts.counts.totals
    row, place = expand_ranges(table.offsets[text], table.sizes[text])
    ratio = texts.counts.counts[place] / totals[text][row]
    in_document = np.full(len(place), np.nan)
    pair, mine, theirs = join_keys(table, table, text, document)
    starts = np.cumsum(table.sizes[text]) - table.sizes[text]
    spot = starts[pair] + mine - table.offsets[text][pair]
    in_document[spot] = texts.counts.counts[theirs] / totals[document][pair]
    unknown = np.flatnonzero(np.isnan(in_document))
    shares = find_shares(texts, document[row[unknown]], texts.words[place[unknown]], similarity)
    in_document[unknown] = shares
    if oov == "share":
        ratio[unknown] = np.where(np.isfinite(shares), shares**2, 0.0)  # over S: S itself
    if plain_document:
        in_document[(text == document)[row]] = 1.0
    return normalise_rows(row, texts.words[place], ratio / in_document, len(text), table.width)


def normalise_rows(row: IntArray, word: IntArray, weight: FloatArray, rows: int, width: int) -> Multisets:
    """Weights by row and word, without the words that weigh nothing, each row divided by its sum."""
    kept = weight > 0
    row, word, weight = row[kept], word[kept], weight[kept]
    weight = weight / np.bincount(row, weight, minlength=rows)[row]
    table, _ = tabulate_keys(row * width + word, rows, width)
    return Multisets(table, weight, np.bincount(row, weight, minlength=rows))


def find_shares(
    texts: OovTexts, document: IntArray, word: IntArray, similarity: WordSimilarity
) -> FloatArray:
    """S of each (document, word), each looked at once however often it comes."""
    width = texts.counts.table.width
    distinct, inverse = np.unique(document * width + word, return_inverse=True)
    shares = np.empty(len(distinct))
    bounds = np.append(np.flatnonzero(np.diff(distinct // width, prepend=-1)), len(distinct)).tolist()
    for start, end in pairwise(bounds):
        known = _document_words(texts, int(distinct[start] // width))
        unknown = [texts.vocabulary[number] for number in (distinct[start:end] % width).tolist()]
        shares[start:end] = oov_shares(similarity(unknown, known)) if known else np.inf
    return shares[inverse]


def _document_words(texts: OovTexts, document: int) -> list[str]:
    start, end = texts.counts.table.offsets[document : document + 2].tolist()
    return [texts.vocabulary[number] for number in texts.words[start:end].tolist()]


@dataclass(frozen=True, kw_only=True)
class JensenShannonOov(ContextMeasure, WordMeasure):
    """Jensen-Shannon divergence, base 2, of ratio-to-document distributions; needs the document.

    `similarity` compares an unknown word with the document's: "edit" (spelling), "exact" (unknown words are
    dropped) or "vectors" (cosine of the word vectors in the text file `vectors`). `document` says how the
    document itself is described, where a text is compared with it: "ratio", by the same rule, which makes all
    its words equally likely, or "plain", by its word ratios, as the thesis' code does. `oov`: what an unknown
    word weighs, "ratio" (its ratio over S) or "share" (S itself, as the thesis' code does). `root`: the
    square root of the divergence.
    """

    root: bool = False
    similarity: Literal["edit", "exact", "vectors"] = "edit"
    vectors: str = ""
    document: Literal["ratio", "plain"] = "ratio"
    oov: Oov = "ratio"
    libraries: ClassVar[tuple[str, ...]] = ("numpy", "rapidfuzz")
    silent_defaults: ClassVar[Mapping[str, OptionValue]] = {"oov": "ratio"}
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="jsd-oov",
        title="Jensen-Shannon, ratio to document",
        range="[0, 1]",
        symmetric=True,
        cost="about as jsd, and a comparison of each unknown word with the document's words; needs documents",
        source="Vansh 2023 (thesis), chapter 5",
        identity="d(x, x) = 0",
        triangle=ROOT_TRIANGLE,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.similarity == "vectors") != bool(self.vectors):
            raise MeasureError("Measure 'jsd-oov': give vectors=FILE together with similarity=vectors.")

    @property
    def signature(self) -> Signature:
        """As of every lexical measure; word vectors are named by the hash of their file."""
        found = super().signature
        if not self.vectors:
            return found
        return replace(found, model=Path(self.vectors).name, revision=hash_file(Path(self.vectors)))

    def distances_in_context(
        self, prepared: PreparedTexts, first: IntArray, second: IntArray, context: IntArray
    ) -> FloatArray:
        """sigma of each pair about its document, shape (pairs,), in [0, 1]."""
        count = len(prepared.lengths)
        both = np.concatenate((first, second)) * count + np.concatenate((context, context))
        rows, number = np.unique(both, return_inverse=True)
        weighed = weigh_words(
            prepared.content,
            rows // count,
            rows % count,
            self._word_similarity(),
            plain_document=self.document == "plain",
            oov=self.oov,
        )
        left, right = np.split(number, 2)
        distance, full = settle_empty(weighed.table.sizes, left, right)
        divergence = divergences(weighed, left[full], right[full])
        distance[full] = np.sqrt(divergence) if self.root else divergence
        return distance

    def _word_similarity(self) -> WordSimilarity:
        if self.similarity == "vectors":
            return vector_similarity(Path(self.vectors))
        return edit_similarity if self.similarity == "edit" else exact_similarity

    def _encode(self, texts: NumberedTexts) -> OovTexts:
        return OovTexts(count_words(texts), texts.vocabulary)
