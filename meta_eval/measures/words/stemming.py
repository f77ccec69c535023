"""Stems of words: Porter's for English, as rouge-score takes them, and Snowball's for other languages."""

from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any, Literal

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


@cache
def _porter() -> Any:
    """In the mode that rouge-score and NLTK's METEOR use. NLTK takes a second to import, so not before."""
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


@lru_cache(maxsize=1 << 20)
def stem(word: str) -> str:
    """NLTK's Porter stem of a lower-case word, remembered: stemming is most of the cost of tokenising."""
    return str(_porter().stem(word))


@cache
def find_stemmer(name: Stemmer) -> Callable[[str], str]:
    """The function that stems a lower-case word; of `none` the word itself."""
    if name == "none":
        return str
    if name == "porter":
        return stem
    from nltk.stem.snowball import SnowballStemmer

    snowball = SnowballStemmer(name)
    return lru_cache(maxsize=1 << 18)(lambda word: str(snowball.stem(word)))


@cache
def find_long_stemmer(name: Stemmer) -> Callable[[str], str] | None:
    """The same for words of more than three characters alone, as rouge-score does; None where none is."""
    if name == "none":
        return None
    shorten = find_stemmer(name)
    return lambda word: shorten(word) if len(word) > 3 else word
