"""Stems of words: Porter's for English, as rouge-score takes them, and Snowball's for other languages."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Literal

from meta_eval.measures.words.porter import porter_stem

Stemmer = Literal[
    "auto",
    "none",
    "porter",
    "arabic",
    "danish",
    "dutch",
    "finnish",
    "french",
    "german",
    "hungarian",
    "italian",
    "norwegian",
    "portuguese",
    "romanian",
    "russian",
    "spanish",
    "swedish",
]
"""Porter's stemmer, one of Snowball by its language, none, or `auto`: by the language of the corpus."""


@lru_cache(maxsize=1 << 20)
def stem(word: str) -> str:
    """Porter's stem of a lower-case word, remembered for all measures of a process."""
    return porter_stem(word)


@cache
def find_stemmer(name: Stemmer) -> Callable[[str], str]:
    """The function that stems a lower-case word; of `none` the word itself."""
    if name == "none":
        return str
    if name == "porter":
        return stem
    from nltk.stem.snowball import SnowballStemmer  # takes a second to import

    snowball = SnowballStemmer(name)
    return lru_cache(maxsize=1 << 18)(lambda word: str(snowball.stem(word)))


@cache
def find_long_stemmer(name: Stemmer) -> Callable[[str], str] | None:
    """The same for words of more than three characters alone, as rouge-score does; None where none is."""
    if name == "none":
        return None
    shorten = find_stemmer(name)
    return lambda word: shorten(word) if len(word) > 3 else word
