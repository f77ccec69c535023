"""Preprocessing of texts before a measure sees them; part of every signature (protocol 2).

"none" leaves texts alone. "pens" is what the authors of EGISES applied to every text: drop punctuation, drop
digits, lower-case, split into words, drop English stop words, lemmatise as nouns (their `Measure._tokenize`).
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain
from typing import Any

from meta_eval.errors import MeasureError
from meta_eval.files.package import data_file
from meta_eval.measures.base import Preprocess

_PUNCTUATION = re.compile(r"[^\w\s]")
_DIGITS = re.compile(r"[\d+]")


@cache
def stop_words() -> frozenset[str]:
    """NLTK's English stop words, from the list that comes with the package."""
    source = data_file("stopwords-english.txt")
    try:
        lines = source.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise MeasureError(
            f"Preprocessing 'pens' needs the stop words in {source}, which is missing: reinstall the package."
        ) from error
    return frozenset(line for line in lines if line and not line.startswith("#"))


@cache
def _tokenizer() -> Any:
    """What nltk.word_tokenize uses within a sentence. NLTK takes a second to import, so not before."""
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()


@lru_cache(maxsize=1 << 20)
def _terms(word: str) -> tuple[str, ...]:
    """What is left of one word between spaces: it may be two ("cannot"), or none."""
    from meta_eval.measures.words.wordnet import lemmatise_noun

    parts = _tokenizer().tokenize(word)
    return tuple(lemmatise_noun(part) for part in parts if part not in stop_words())


def preprocess_pens(text: str) -> str:
    """The text as the authors' pipeline left it: lemmas of its content words, joined by single spaces."""
    letters = _DIGITS.sub("", _PUNCTUATION.sub("", text).lower())
    # Their word_tokenize works on sentences; with the punctuation gone, nothing reaches across a space.
    return " ".join(chain.from_iterable(map(_terms, letters.split())))


def pieces_of(text: str, preprocess: Preprocess) -> Iterator[str]:
    """What preprocessing leaves of a text, piece by piece, so that a look at the first one costs no more."""
    if preprocess == "none":
        yield text
        return
    for word in text.split():
        yield from _terms(_DIGITS.sub("", _PUNCTUATION.sub("", word).lower()))


def preprocess_texts(texts: Sequence[str], preprocess: Preprocess) -> Sequence[str]:
    """Each text preprocessed, in the same order."""
    return texts if preprocess == "none" else [preprocess_pens(text) for text in texts]


def preprocessing_libraries(preprocess: Preprocess) -> tuple[str, ...]:
    """The libraries on which the preprocessed text depends, besides the data that comes with this package."""
    return () if preprocess == "none" else ("nltk",)
