"""Jensen-Shannon divergence of word distributions, base 2 (Lin 1991)."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import ROOT_TRIANGLE, MeasureInfo
from meta_eval.measures.lexical import LexicalMeasure
from meta_eval.measures.words.counts import Multisets, count_words
from meta_eval.measures.words.sharing import share_features
from meta_eval.measures.words.tokens import NumberedTexts


def shared_information(p: FloatArray, q: FloatArray) -> FloatArray:
    """p log2(2p/(p+q)) + q log2(2q/(p+q)) for positive p, q: exactly 0 where equal, never negative."""
    return np.maximum(p * (1.0 + np.log2(p / (p + q))) + q * (1.0 + np.log2(q / (p + q))), 0.0)


def divergences(multisets: Multisets, first: IntArray, second: IntArray) -> FloatArray:
    """Jensen-Shannon divergence of each pair of texts that both have words, shape (pairs,), in [0, 1].

    Half the mass that the texts do not share, and half the information of the words that they do: only shared
    words need a logarithm, and equal distributions give exactly 0.
    """
    total_first, total_second = multisets.totals[first], multisets.totals[second]
    result = np.empty(len(first))
    for which, shared in share_features(multisets, first, second):
        pairs = len(which)
        sizes_first, sizes_second = total_first[which], total_second[which]
        own_first = sizes_first - np.bincount(shared.pair, shared.first, minlength=pairs)
        own_second = sizes_second - np.bincount(shared.pair, shared.second, minlength=pairs)
        terms = shared_information(
            shared.first / sizes_first[shared.pair], shared.second / sizes_second[shared.pair]
        )
        common = np.bincount(shared.pair, terms, minlength=pairs)
        result[which] = 0.5 * (own_first / sizes_first + own_second / sizes_second + common)
    return np.minimum(result, 1.0)


@dataclass(frozen=True, kw_only=True)
class JensenShannon(LexicalMeasure):
    """Jensen-Shannon divergence, base 2, of relative word frequencies; `root`: its root, the distance."""

    root: bool = False
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="jsd",
        title="Jensen-Shannon",
        range="[0, 1]",
        symmetric=True,
        cost="about six million pairs of headlines a second",
        source="Lin 1991, base 2; divergence by default, as in EGISES and PerSEval",
        triangle=ROOT_TRIANGLE,
    )

    def _encode(self, texts: NumberedTexts) -> Multisets:
        return count_words(texts)

    def _compare(self, content: Multisets, first: IntArray, second: IntArray) -> FloatArray:
        divergence = divergences(content, first, second)
        return np.sqrt(divergence) if self.root else divergence
