"""The measures as the authors' released code computes them (protocol 10), mistakes included, on purpose.

Words are cut at white space (but for ROUGE-L), the first text of a pair is taken as the reference, and the
distance is rounded to 5 decimals (Jensen-Shannon: 4). There is no rule for empty texts: an empty text is at
distance 1 from every text, itself included, and its Jensen-Shannon divergence is missing (NaN); where that is
the accuracy distance of a summary, scores take it as 1.
"""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo, Mode, Preprocess, round_each
from meta_eval.measures.bleu import Bleu, NgramCounts, Smoothing
from meta_eval.measures.jsd import JensenShannon
from meta_eval.measures.lexical import BY_LANGUAGE, LexicalMeasure, PreparedTexts
from meta_eval.measures.meteor import Meteor, MeteorTexts
from meta_eval.measures.rouge import LongestCommon, RougeSU4, f1_distance
from meta_eval.measures.words.counts import Multisets, count_ngrams
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.tokenisers import ROUGE
from meta_eval.measures.words.tokens import SPLIT, SPLIT_LOWER, SPLIT_SPACE, NumberedTexts, Tokenizer


@dataclass(frozen=True, kw_only=True)
class KdmMeasure(LexicalMeasure):
    """Rounding and empty texts of the released code."""

    mode: Mode = "kdm"
    preprocess: Preprocess = "pens"
    decimals: ClassVar[int] = 5
    empty: ClassVar[float] = 1.0
    missing_accuracy: ClassVar[float] = 1.0
    settled: ClassVar[frozenset[str]] = frozenset(BY_LANGUAGE)

    def distances(self, prepared: PreparedTexts, first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair as the released code gives it, shape (pairs,)."""
        first, second = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        full = (prepared.lengths[first] > 0) & (prepared.lengths[second] > 0)
        distance = np.full(len(first), self.empty)
        distance[full] = round_each(self._compare(prepared.content, first[full], second[full]), self.decimals)
        return distance


@dataclass(frozen=True, kw_only=True)
class KdmRougeL(KdmMeasure, LongestCommon):
    """ROUGE-L by rouge-score, rounded."""

    own_words: ClassVar[Tokenizer | None] = ROUGE


@dataclass(frozen=True, kw_only=True)
class KdmRougeSU4(KdmMeasure):
    """The released "ROUGE-SU4": F1 over contiguous 5-grams only; shorter texts are at 1 from themselves."""

    own_words: ClassVar[Tokenizer | None] = SPLIT_SPACE
    info: ClassVar[MeasureInfo] = replace(
        RougeSU4.info, symmetry="", identity="d(x, x) = 0; 1 for a text of fewer than five words"
    )

    def _encode(self, texts: NumberedTexts) -> Multisets:
        return count_ngrams(texts, 5)

    def _compare(self, content: Multisets, first: IntArray, second: IntArray) -> FloatArray:
        common = intersection_sizes(content, first, second)
        return f1_distance(common, content.totals[first], content.totals[second])


@dataclass(frozen=True, kw_only=True)
class KdmBleu(KdmMeasure, Bleu):
    """Unsmoothed BLEU-4, the second text as candidate: fewer than four words are at 1 from themselves."""

    n: int = 4
    smoothing: Smoothing = "none"
    own_words: ClassVar[Tokenizer | None] = SPLIT_SPACE

    def _compare(self, content: NgramCounts, first: IntArray, second: IntArray) -> FloatArray:
        return super()._compare(content, second, first)


@dataclass(frozen=True, kw_only=True)
class KdmMeteor(KdmMeasure, Meteor):
    """METEOR with the second text as candidate."""

    own_words: ClassVar[Tokenizer | None] = SPLIT_LOWER

    def _compare(self, content: MeteorTexts, first: IntArray, second: IntArray) -> FloatArray:
        return super()._compare(content, second, first)


@dataclass(frozen=True, kw_only=True)
class KdmJensenShannon(KdmMeasure, JensenShannon):
    """Jensen-Shannon divergence, base 2, rounded to 4 decimals; NaN for an empty text."""

    own_words: ClassVar[Tokenizer | None] = SPLIT
    decimals: ClassVar[int] = 4
    empty: ClassVar[float] = float("nan")
