"""Sentence BLEU (Papineni et al. 2002) as a distance: 1 - BLEU of the candidate against one reference."""

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo
from meta_eval.measures.lexical import LexicalMeasure, require_range
from meta_eval.measures.words.counts import Multisets, count_ngrams
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.tokens import NumberedTexts

Smoothing = Literal["none", "add-epsilon", "exp"]
EPSILON = 0.1  # NLTK's method 1


@dataclass(frozen=True, slots=True)
class NgramCounts:
    """n-gram multisets of orders 1..n, and words per text."""

    orders: tuple[Multisets, ...]
    lengths: IntArray


def brevity_penalty(candidate: IntArray, reference: IntArray) -> FloatArray:
    """exp(1 - r/c) for candidates shorter than the reference, else 1; lengths are at least 1."""
    return np.asarray(np.exp(np.minimum(0.0, 1.0 - reference / candidate)), dtype=np.float64)


def smooth_precisions(matches: FloatArray, totals: FloatArray, smoothing: Smoothing) -> FloatArray:
    """Modified precisions, shape (n, pairs), from matched and possible n-grams of the same shape.

    Orders that a candidate is too short for: NaN with "exp" (left out of the mean, as sacrebleu's effective
    order does), a precision of 0 (or epsilon) over 1 otherwise, as NLTK does.
    """
    if smoothing == "exp":
        halvings = np.cumsum((matches == 0) & (totals > 0), axis=0)
        numerator = np.where(matches > 0, matches, 0.5**halvings)
        precisions: FloatArray = np.full(matches.shape, np.nan)
        return np.divide(numerator, totals, out=precisions, where=totals > 0)
    floor = EPSILON if smoothing == "add-epsilon" else 0.0
    return np.where(matches > 0, matches, floor) / np.maximum(totals, 1.0)


def geometric_mean(precisions: FloatArray) -> FloatArray:
    """Geometric mean over orders, NaN orders left out; 0 as soon as one precision is 0."""
    counted = np.isfinite(precisions)
    positive = np.where(counted & (precisions > 0), precisions, 1.0)
    mean: FloatArray = np.exp(np.log(positive).sum(axis=0) / counted.sum(axis=0))
    mean[np.any(precisions == 0, axis=0)] = 0.0
    return mean


MOST_WORDS = 100
"""Orders beyond it are longer than the texts, and each takes a pass over them."""


@dataclass(frozen=True, kw_only=True)
class Bleu(LexicalMeasure):
    """1 - BLEU-n; the first text is the candidate, the second the reference.

    `n` is the highest n-gram order (1: clipped unigram precision times brevity penalty). `smoothing`: "none";
    "add-epsilon", NLTK's method 1; "exp", sacrebleu's sentence BLEU with effective order. A pair that shares
    no word has distance 1 under each of them.
    """

    n: int = 1
    smoothing: Smoothing = "none"
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="bleu",
        title="BLEU",
        range="[0, 1]",
        symmetric=False,
        cost="about six million pairs of headlines a second",
        source="Papineni et al. 2002; smoothing as NLTK or sacrebleu",
        identity="d(x, x) = 0; with n > 1 and no smoothing, 1 for a text of fewer than n words",
        triangle="with n = 1 no case is known that breaks it; with n > 1 it does not hold",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("bleu", "n", self.n, least=1, most=MOST_WORDS)

    def _encode(self, texts: NumberedTexts) -> NgramCounts:
        orders = tuple(count_ngrams(texts, order) for order in range(1, self.n + 1))
        return NgramCounts(orders, texts.lengths)

    def _compare(self, content: NgramCounts, first: IntArray, second: IntArray) -> FloatArray:
        matches = np.stack([intersection_sizes(order, first, second) for order in content.orders])
        totals = np.stack([order.totals[first] for order in content.orders]).astype(np.float64)
        score = geometric_mean(smooth_precisions(matches, totals, self.smoothing))
        score *= brevity_penalty(content.lengths[first], content.lengths[second])
        return 1.0 - np.where(matches[0] > 0, score, 0.0)
