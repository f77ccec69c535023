"""Whom a fair comparison is with: loops over the pairs of real PENS, each pair once, plain and smart.

The *plain* loop calls the library that one would take for each different pair of texts. The *smart* one also
keeps what it makes of each text (stems, words, counts) and compares with rapidfuzz or a loop over a
dictionary of counts, as somebody who minds the time writes it in an hour.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
from rapidfuzz.distance import LCSseq

from meta_eval.arrays import IntArray
from meta_eval.bench.pens import FILES, read_corpus
from meta_eval.corpus.documents import Corpus
from meta_eval.measures import make_measure
from meta_eval.measures.words.tokenisers import ROUGE, WORDS


@dataclass(frozen=True)
class PensPairs:
    """The different texts of PENS, and each pair that a score asks for once: `first`, `second` (pairs,)."""

    texts: list[str]
    first: IntArray
    second: IntArray


def pens_pairs(folder: Path) -> PensPairs:
    """The pairs of three published systems on the test set; its articles are not at hand."""
    pairs = sorted(set(_pairs_of(read_corpus(folder, bodies=False))))
    texts = sorted({text for pair in pairs for text in pair})
    numbers = {text: number for number, text in enumerate(texts)}
    first, second = (np.array([numbers[pair[side]] for pair in pairs], dtype=np.int64) for side in (0, 1))
    return PensPairs(texts, first, second)


def _pairs_of(corpus: Corpus) -> Iterator[tuple[str, str]]:
    """Summary and reference; two references of a document, or two summaries of a system, in order."""
    for document in corpus.documents:
        for texts in (document.references, *(document.summaries[name] for name in FILES)):
            yield from (tuple(sorted(pair)) for pair in combinations(texts.values(), 2))  # type: ignore[misc]
            if texts is not document.references:
                yield from ((text, document.references[reader]) for reader, text in texts.items())


def smart_rouge_l(texts: Sequence[str]) -> Callable[[int, int], float]:
    """1 - F1 of the longest common subsequence of stems, which stand as numbers; stems are kept by word."""
    words = _kept_words(texts, ROUGE.words)

    def distance(a: int, b: int) -> float:
        here, there = words(a), words(b)
        if not (here and there):
            return float(bool(here) != bool(there))
        return 1.0 - 2.0 * LCSseq.similarity(here, there) / (len(here) + len(there))

    return distance


def smart_bleu(texts: Sequence[str]) -> Callable[[int, int], float]:
    """1 - unigram precision with the brevity penalty, from counts that are kept by text."""
    counts = _kept_counts(texts)

    def distance(a: int, b: int) -> float:
        (here, length), (there, other) = counts(a), counts(b)
        if not (length and other):
            return float(length != other)
        shared = sum(min(count, there[word]) for word, count in here.items() if word in there)
        brevity = 1.0 if length >= other else float(np.exp(1.0 - other / length))
        return 1.0 - brevity * shared / length

    return distance


def smart_jsd(texts: Sequence[str]) -> Callable[[int, int], float]:
    """Jensen-Shannon divergence from counts that are kept by text: words of one text alone add a constant."""
    counts = _kept_counts(texts)

    def distance(a: int, b: int) -> float:
        (here, length), (there, other) = counts(a), counts(b)
        if not (length and other):
            return float(length != other)
        total = 1.0
        for word, count in here.items():
            if word in there:
                p, q = count / length, there[word] / other
                total += 0.5 * (p * log2(p / (p + q)) + q * log2(q / (p + q)))
        return total

    return distance


def _kept_words(texts: Sequence[str], split: Callable[[str], list[str]]) -> Callable[[int], list[str]]:
    return cache(lambda number: split(texts[number]))


def _kept_counts(texts: Sequence[str]) -> Callable[[int], tuple[Counter[str], int]]:
    def count(number: int) -> tuple[Counter[str], int]:
        words = WORDS.words(texts[number])
        return Counter(words), len(words)

    return cache(count)


SMART: dict[str, Callable[[Sequence[str]], Callable[[int, int], Any]]] = {
    "rouge-l": smart_rouge_l,
    "bleu": smart_bleu,
    "jsd": smart_jsd,
}
"""By measure, the smart loop."""


def time_rivals(
    name: str,
    work: PensPairs,
    library: Callable[[str, str], float],
    *,
    clock: Callable[[], float],
    seconds: float,
    draw: np.random.Generator,
) -> tuple[float, float, float, float]:
    """Seconds for all pairs that we take, the smart loop and the plain one, and the largest difference.

    The plain loop is timed for so many `seconds`, on pairs drawn at random.
    """
    measure = make_measure(name)
    began = clock()
    ours = measure.distances(measure.prepare(work.texts), work.first, work.second)
    we = clock() - began
    pairs = list(zip(work.first.tolist(), work.second.tolist(), strict=True))
    began = clock()
    distance = SMART[name](work.texts)
    theirs = [distance(a, b) for a, b in pairs]
    smart = clock() - began
    differs, done, began = float(np.abs(ours - theirs).max()), 0, clock()
    for number in draw.permutation(len(pairs)).tolist():
        a, b = pairs[number]
        differs = max(differs, abs(library(work.texts[a], work.texts[b]) - ours[number]))
        done += 1
        if clock() - began > seconds:
            break
    return we, smart, (clock() - began) * len(pairs) / done, differs
