"""ROUGE-L and ROUGE-SU4 (Lin 2004) as distances: 1 - F1, or by an option 1 - recall or 1 - precision."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import LCSseq

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo, OptionValue
from meta_eval.measures.lexical import LexicalMeasure
from meta_eval.measures.words.counts import Weights
from meta_eval.measures.words.skip_bigrams import SkipBigrams, count_common, count_skip_bigrams
from meta_eval.measures.words.stemming import Stemmer
from meta_eval.measures.words.tokenisers import Tokeniser
from meta_eval.measures.words.tokens import NumberedTexts

_SURROGATES = range(0xD800, 0xE000)
_CODE_POINTS = 0x110000 - len(_SURROGATES)
LCS_CHUNK = 1 << 17

Form = Literal["f", "recall", "precision"]
"""What is taken of the units that two texts share: F1; their share of the reference's; of the candidate's."""
SYMMETRY = "d(a, b) = d(b, a) with form=f; with form=recall d(a, b) is d(b, a) of form=precision"


def f1_distance(common: FloatArray, first_sizes: Weights, second_sizes: Weights) -> FloatArray:
    """1 - F1 = 1 - 2 common / (first + second); 1 where both sizes are zero."""
    total = first_sizes + second_sizes
    f1: FloatArray = np.divide(2.0 * common, total, out=np.zeros(len(common)), where=total > 0)
    return 1.0 - f1


def shared_distance(
    common: FloatArray, candidate_sizes: Weights, reference_sizes: Weights, form: Form
) -> FloatArray:
    """1 - F1, recall or precision of each pair, shape (pairs,); 1 where what is divided by is zero."""
    if form == "f":
        return f1_distance(common, candidate_sizes, reference_sizes)
    return 1.0 - share_of(common, reference_sizes if form == "recall" else candidate_sizes)


def share_of(common: FloatArray, sizes: Weights) -> FloatArray:
    """common / sizes of each pair, shape (pairs,); 0 where the size is."""
    share: FloatArray = np.divide(common, sizes, out=np.zeros(len(common)), where=sizes > 0)
    return share


@dataclass(frozen=True, kw_only=True)
class StemmedMeasure(LexicalMeasure):
    """A measure over stemmed words, as rouge-score has them: those of more than three characters."""

    stemmer: Stemmer = "auto"
    in_english: ClassVar[Tokeniser] = "rouge-score"
    named_elsewhere: ClassVar[frozenset[str]] = frozenset({"tokeniser", "stemmer"})

    def _stemmer_of_words(self) -> Stemmer:
        """As rouge-score where nobody says the language; single characters have no stem."""
        cut = self._tokeniser()
        if cut == "char":
            return "none"
        if self.stemmer != "auto":
            return self.stemmer
        return "porter" if cut == "rouge-score" else "none"


@dataclass(frozen=True, kw_only=True)
class SharingMeasure(StemmedMeasure):
    """A measure by what two texts share, in one of the three forms."""

    form: Form = "f"
    silent_defaults: ClassVar[Mapping[str, OptionValue]] = {"form": "f"}

    @property
    def symmetric(self) -> bool:
        """Recall and precision ask which of the two texts is the reference; F1 does not."""
        return self.form == "f"


@dataclass(frozen=True, slots=True)
class WordStrings:
    """Texts as sequences of which each element stands for one word."""

    sequences: list[str] | list[list[int]]
    lengths: IntArray


@dataclass(frozen=True, kw_only=True)
class LongestCommon(StemmedMeasure):
    """Words in the longest common subsequence of two texts' stemmed words: 1 - F1 of them."""

    libraries: ClassVar[tuple[str, ...]] = ("nltk", "rapidfuzz")
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="rouge-l",
        title="ROUGE-L",
        range="[0, 1]",
        symmetric=True,
        cost="about five million pairs of headlines a second",
        source="Lin 2004; tokens and stems as in rouge-score",
    )

    def _encode(self, texts: NumberedTexts) -> WordStrings:
        """One character for each word, fastest for rapidfuzz; lists of numbers when characters run out."""
        bounds = list(zip(texts.offsets[:-1].tolist(), texts.offsets[1:].tolist(), strict=True))
        if texts.size > _CODE_POINTS:
            numbers = texts.ids.tolist()
            return WordStrings([numbers[start:end] for start, end in bounds], texts.lengths)
        points = texts.ids + len(_SURROGATES) * (texts.ids >= _SURROGATES.start)
        letters = points.astype("<u4").tobytes().decode("utf-32-le")
        return WordStrings([letters[start:end] for start, end in bounds], texts.lengths)

    def _compare(self, content: WordStrings, first: IntArray, second: IntArray) -> FloatArray:
        common = self._count_common(content, first, second)
        return f1_distance(common, content.lengths[first], content.lengths[second])

    def _count_common(self, content: WordStrings, first: IntArray, second: IntArray) -> FloatArray:
        common = np.empty(len(first))
        for start in range(0, len(first), LCS_CHUNK):
            run = slice(start, start + LCS_CHUNK)
            common[run] = process.cpdist(
                [content.sequences[text] for text in first[run].tolist()],
                [content.sequences[text] for text in second[run].tolist()],
                scorer=LCSseq.similarity,
                dtype=np.int64,
                workers=-1,
            )
        return common


@dataclass(frozen=True, kw_only=True)
class RougeL(SharingMeasure, LongestCommon):
    """1 - F1 of ROUGE-L, the longest common subsequence of stemmed words; equal to rouge-score's rougeL.

    `form` takes its recall or precision instead.
    """

    info: ClassVar[MeasureInfo] = replace(LongestCommon.info, symmetry=SYMMETRY)

    def _compare(self, content: WordStrings, first: IntArray, second: IntArray) -> FloatArray:
        common = self._count_common(content, first, second)
        return shared_distance(common, content.lengths[first], content.lengths[second], self.form)


@dataclass(frozen=True, kw_only=True)
class RougeSU4(SharingMeasure):
    """1 - F1 over the multiset of skip-bigrams with at most four words between, and all unigrams (Lin 2004).

    `rouge155` leaves out the last unigram of each text, as the Perl program ROUGE-1.5.5 does. `form` takes
    recall or precision in place of F1.
    """

    rouge155: bool = False
    libraries: ClassVar[tuple[str, ...]] = ("nltk", "numpy")
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="rouge-su4",
        title="ROUGE-SU4",
        range="[0, 1]",
        symmetric=True,
        symmetry=SYMMETRY,
        cost="about two million pairs of headlines a second",
        source="Lin 2004; tokens and stems as in rouge-score",
        identity="d(x, x) = 0; with rouge155 a text of one word has no feature and is at 1 from itself",
    )

    def _encode(self, texts: NumberedTexts) -> SkipBigrams:
        return count_skip_bigrams(texts, last_unigram=not self.rouge155)

    def _compare(self, content: SkipBigrams, first: IntArray, second: IntArray) -> FloatArray:
        common, totals = count_common(content, first, second), content.features.totals
        return shared_distance(common, totals[first], totals[second], self.form)
