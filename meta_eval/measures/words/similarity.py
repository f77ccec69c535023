"""How alike two words are, from 0 (not at all) to 1 (equal): by spelling, or by given word vectors."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

import numpy as np
from rapidfuzz import process
from rapidfuzz.distance import Levenshtein

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import MeasureError

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


@lru_cache(maxsize=2)
def read_vectors(path: Path) -> dict[str, FloatArray]:
    """Word vectors of length 1 from a text file: a word and its numbers on each line, separated by spaces.

    A first line with two whole numbers (word2vec's count and width) is skipped. MeasureError with the line
    where the file is not of this form.
    """
    vectors: dict[str, FloatArray] = {}
    width = 0
    try:
        with path.open(encoding="utf-8") as lines:
            for number, line in enumerate(lines, 1):
                word, *values = line.rstrip().split(" ")
                if number == 1 and len(values) == 1 and word.isdigit() and values[0].isdigit():
                    continue
                width = width or len(values)
                if not values or len(values) != width:
                    raise MeasureError(f"{path}:{number}: expected a word and {width or 'some'} numbers.")
                vectors[word] = _unit(np.array(values, dtype=np.float64))
    except (OSError, ValueError) as error:
        raise MeasureError(f"Word vectors cannot be read from {path}: {error}.") from error
    return vectors


def hash_file(path: Path) -> str:
    """SHA-256 of a file, for signatures."""
    try:
        return sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise MeasureError(f"Word vectors cannot be read from {path}: {error}.") from error


def _unit(vector: FloatArray) -> FloatArray:
    length = float(np.linalg.norm(vector))
    return vector / length if length else vector


def _stack(vectors: dict[str, FloatArray], words: Sequence[str]) -> FloatArray:
    width = len(next(iter(vectors.values()), ()))
    return np.array([vectors.get(word, np.zeros(width)) for word in words]).reshape(len(words), width)
