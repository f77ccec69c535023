"""Skip-bigrams (Lin 2004) of texts, and how many two texts share."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.measures.words.counts import (
    SMALL,
    Columns,
    Columns32,
    Multisets,
    count_features,
    expand_ranges,
    text_of_word,
)
from meta_eval.measures.words.sharing import intersection_sizes, short_runs
from meta_eval.measures.words.tokens import NumberedTexts

SKIP_GAP = 4  # words that may stand between the two of a skip-bigram
_REACH = SKIP_GAP + 1

Bits = NDArray[np.uint32]


@dataclass(frozen=True, slots=True)
class SkipBigrams:
    """Texts as multisets of skip-bigrams and unigrams, and short texts as words one below the other.

    `words`, shape (SMALL, texts), has -1 below a text's end and for texts of more words than that. `counted`
    (texts,) is how many words count as unigrams, from the first on.
    """

    features: Multisets
    lengths: IntArray
    counted: IntArray
    words: Columns32


def count_skip_bigrams(texts: NumberedTexts, *, last_unigram: bool = True) -> SkipBigrams:
    """Words, and ordered word pairs with at most SKIP_GAP words between them, with their counts.

    Parameters
    ----------
    texts : as `number_texts` gives them
    last_unigram : whether a text's last word counts as a word, too

    Returns
    -------
    SkipBigrams

    References
    ----------
    Lin, C.-Y. (2004). ROUGE: a package for automatic evaluation of summaries (ROUGE-SU).

    Examples
    --------
    >>> from meta_eval.measures.words.tokens import NumberedTexts
    >>> texts = NumberedTexts(np.array([0, 1, 2]), np.array([0, 3]), size=3)
    >>> count_skip_bigrams(texts).features.totals.tolist()
    [6]
    """
    size = texts.size + 1  # second words count from 1: 0 says that there is none
    features = count_features(texts, size * size, lambda part: _skip_bigrams(part, size, last_unigram))
    counted = texts.lengths if last_unigram else np.maximum(texts.lengths - 1, 0)
    return SkipBigrams(features, texts.lengths, counted, _stand_words(texts))


def _skip_bigrams(texts: NumberedTexts, size: int, last_unigram: bool) -> Columns:
    text, words = text_of_word(texts), texts.ids
    kept = np.ones(len(words), dtype=bool)
    if not last_unigram:
        kept[texts.offsets[1:][texts.lengths > 0] - 1] = False
    features = [(text[kept], words[kept] * size)]
    for distance in range(1, _REACH + 1):
        inside = text[:-distance] == text[distance:]
        pairs = words[:-distance] * size + words[distance:] + 1
        features.append((text[:-distance][inside], pairs[inside]))
    return features


def _stand_words(texts: NumberedTexts) -> Columns32:
    words = np.full((SMALL, len(texts.lengths)), -1, dtype=np.int32)
    short = np.flatnonzero(texts.lengths <= SMALL)
    owner, index = expand_ranges(texts.offsets[short], texts.lengths[short])
    text = short[owner]
    words[index - texts.offsets[text], text] = texts.ids[index]
    return words


def count_common(texts: SkipBigrams, first: IntArray, second: IntArray) -> FloatArray:
    """Size of the multiset intersection of each pair, shape (pairs,)."""
    common = np.zeros(len(first))
    left = np.ones(len(first), dtype=bool)
    for which, slots in short_runs(texts.lengths, len(texts.words), first, second):
        counts, exact = _count_short(texts, slots, first[which], second[which])
        common[which], left[which] = counts, ~exact
    common[left] = intersection_sizes(texts.features, first[left], second[left])
    return common


def _count_short(
    texts: SkipBigrams, slots: int, first: IntArray, second: IntArray
) -> tuple[IntArray, BoolArray]:
    """Features that short texts share, (pairs,), and where this is right: where no shared word repeats.

    Then each word of the first text has at most one slot in the second, and a skip-bigram is shared if its
    two words are as near, and in the same order, there.
    """
    shared = _find_slots(
        np.take(texts.words[:slots], first, axis=1), np.take(texts.words[:slots], second, axis=1)
    )
    counts = _count_unigrams(shared, texts.counted[first], texts.counted[second])
    counts += _count_pairs(shared)
    return counts, _each_once(shared)


def _find_slots(first: Columns32, second: Columns32) -> Bits:
    """Where each word of the first text stands in the second, a bit for each slot: (slots, pairs)."""
    shared = np.zeros(first.shape, dtype=np.uint32)
    first = np.where(first < 0, -2, first)  # or slots left over would agree
    for slot, words in enumerate(second):
        shared |= np.left_shift(first == words, np.uint32(slot), dtype=np.uint32)
    return shared


def _count_unigrams(shared: Bits, first: IntArray, second: IntArray) -> IntArray:
    """Of the first words of each text, `first` and `second` (pairs,) in number, how many are shared."""
    counted = np.left_shift(np.uint64(1), second.astype(np.uint64)) - np.uint64(1)
    within = np.arange(len(shared))[:, None] < first
    return _count_true(((shared & counted.astype(np.uint32)) != 0) & within)


def _count_pairs(shared: Bits) -> IntArray:
    """Skip-bigrams of the first text, both words of which follow each other as nearly in the second."""
    reached = np.zeros_like(shared)
    for distance in range(1, _REACH + 1):
        reached |= shared << np.uint32(distance)
    pairs = np.zeros(shared.shape[1], dtype=np.int64)
    for distance in range(1, _REACH + 1):
        pairs += _count_true((reached[:-distance] & shared[distance:]) != 0)
    return pairs


def _each_once(shared: Bits) -> BoolArray:
    """Whether every shared word stands once in either text: (pairs,)."""
    seen = np.zeros(shared.shape[1], dtype=np.uint32)
    again = np.zeros_like(seen)
    for bits in shared:
        again |= (bits & (bits - np.uint32(1))) | (bits & seen)
        seen |= bits
    once: BoolArray = again == 0
    return once


def _count_true(values: BoolArray) -> IntArray:
    """Down the slots, of which there are fewer than 256."""
    counts: NDArray[np.uint8] = values.view(np.uint8).sum(axis=0, dtype=np.uint8)
    return counts.astype(np.int64)
