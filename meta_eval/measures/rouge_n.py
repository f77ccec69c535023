"""ROUGE-1 and ROUGE-2 (Lin 2004) as distances: 1 - F1, or by an option 1 - recall or 1 - precision."""

from dataclasses import dataclass
from typing import ClassVar

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo
from meta_eval.measures.rouge import SYMMETRY, SharingMeasure, share_of, shared_distance
from meta_eval.measures.words.counts import Multisets, count_ngrams
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.tokens import NumberedTexts


@dataclass(frozen=True, kw_only=True)
class Rouge1(SharingMeasure):
    """1 - F1 over the multisets of stemmed words; equal to rouge-score's rouge1.

    `form` takes its recall or precision instead.
    """

    order: ClassVar[int] = 1
    libraries: ClassVar[tuple[str, ...]] = ("nltk", "numpy")
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="rouge-1",
        title="ROUGE-1",
        range="[0, 1]",
        symmetric=True,
        symmetry=SYMMETRY,
        cost="about three million pairs of headlines a second",
        source="Lin 2004; tokens and stems as in rouge-score",
    )

    def _encode(self, texts: NumberedTexts) -> Multisets:
        return count_ngrams(texts, self.order)

    def _compare(self, content: Multisets, first: IntArray, second: IntArray) -> FloatArray:
        common, totals = intersection_sizes(content, first, second), content.totals
        if self.form != "f":
            return shared_distance(common, totals[first], totals[second], self.form)
        precision, recall = share_of(common, totals[first]), share_of(common, totals[second])
        # In rouge-score's order of operations, which makes it equal to the last bit.
        return 1.0 - share_of(2.0 * precision * recall, precision + recall)


@dataclass(frozen=True, kw_only=True)
class Rouge2(Rouge1):
    """1 - F1 over the multisets of two stemmed words in a row; equal to rouge-score's rouge2.

    `form` takes its recall or precision instead. A text of one word has no pair of words: it is at distance 1
    from every text that has a word, itself included.
    """

    order: ClassVar[int] = 2
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="rouge-2",
        title="ROUGE-2",
        range="[0, 1]",
        symmetric=True,
        symmetry=SYMMETRY,
        cost="about six million pairs of headlines a second",
        source="Lin 2004; tokens and stems as in rouge-score",
        identity="d(x, x) = 0; a text of one word has no pair of words and is at 1 from itself",
    )
