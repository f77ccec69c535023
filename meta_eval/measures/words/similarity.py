"""How alike two words are, from 0 (not at all) to 1 (equal): by spelling, or by given word vectors."""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.measures.words.vectors import read_vectors

# (words, other words) -> similarities, shape (words, other words)
WordSimilarity = Callable[[Sequence[str], Sequence[str]], FloatArray]


def exact_similarity(words: Sequence[str], others: Sequence[str]) -> FloatArray:
    """1 for equal words, else 0."""
    rows, columns = np.array(words, dtype=object), np.array(others, dtype=object)
    equal: BoolArray = np.equal.outer(rows, columns)
    return equal.astype(np.float64)


def edit_similarity(words: Sequence[str], others: Sequence[str]) -> FloatArray:
    """1 - Levenshtein distance over the longer word's length."""
    return process.cdist(words, others, scorer=Levenshtein.normalized_similarity, dtype=np.float64)


def vector_similarity(path: Path) -> WordSimilarity:
    """Cosine of word vectors, 0 where it is negative or a word has no vector, 1 for equal words."""
    vectors = read_vectors(path)

    def similarity(words: Sequence[str], others: Sequence[str]) -> FloatArray:
        cosines = _stack(vectors, words) @ _stack(vectors, others).T
        return np.maximum(np.clip(cosines, 0.0, 1.0), exact_similarity(words, others))

    return similarity


def _stack(vectors: dict[str, FloatArray], words: Sequence[str]) -> FloatArray:
    width = len(next(iter(vectors.values()), ()))
    return np.array([vectors.get(word, np.zeros(width)) for word in words]).reshape(len(words), width)
