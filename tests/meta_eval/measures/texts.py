"""Texts and pairs that the tests of measures share."""

import itertools

import numpy as np
from hypothesis import strategies as st

from meta_eval.arrays import FloatArray
from meta_eval.measures.base import ContextMeasure, Measure

# Few words, with inflections, synonyms and repeats, so that every kind of match comes up.
WORDS = """
    the the a police kill killed killing gunman gunmen car auto automobile cars machine run runs running ran
    big large bigger city cities town quick quickly fast do make makes don't x 3 2024 naïve straße
""".split()  # noqa: SIM905

words = st.lists(st.sampled_from(WORDS), max_size=14).map(" ".join)
full_words = st.lists(st.sampled_from(WORDS), min_size=1, max_size=14).map(" ".join)
any_text = st.text(max_size=40)

ODD_TEXTS = (
    "",
    " \n\t ",
    "?!…",
    "a",
    "A a a",
    "Straße STRASSE ǅ ﬁne",
    "naïve naïve",
    "漢字 かな 한국어",
    "👩‍🚀 launched 🚀🚀",
    "it's don't cannot, gonna; 'tis",
    "under_score 3.14 1,000 x²",
    "a\x00b\ud7ff\ue000",
    "İstanbul ıI",
    "word " * 6000,
)


def all_pairs(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Every ordered pair of `count` texts, each with itself too."""
    first, second = zip(*itertools.product(range(count), repeat=2), strict=True)
    return np.array(first), np.array(second)


def compare(measure: Measure, texts: list[str], first: np.ndarray, second: np.ndarray) -> FloatArray:
    """Distances of pairs of `texts`; for a measure in context the first text is the document."""
    prepared = measure.prepare(texts)
    if isinstance(measure, ContextMeasure):
        return measure.distances_in_context(prepared, first, second, np.zeros_like(first))
    return measure.distances(prepared, first, second)


def matrix(measure: Measure, texts: list[str]) -> FloatArray:
    """All distances between `texts`, shape (texts, texts)."""
    return compare(measure, texts, *all_pairs(len(texts))).reshape(len(texts), len(texts))
