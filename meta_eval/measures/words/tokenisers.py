"""The tokenisers that a measure over words may take, by name: the one list, and what each depends on."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from meta_eval.measures.words.segmenting import (
    Segments,
    characters,
    jieba_words,
    mecab_words,
    require_packages,
    thai_words,
    unicode_words,
)
from meta_eval.measures.words.splitting import Splitter, WordRuns
from meta_eval.measures.words.stemming import Stemmer, find_long_stemmer
from meta_eval.measures.words.tokens import SPACELESS, Tokenizer

Tokeniser = Literal["auto", "rouge-score", "words", "unicode", "char", "jieba", "mecab", "pythainlp"]
TOKENISERS: Mapping[Tokeniser, str] = {
    "auto": "By the language of the corpus",
    "rouge-score": "Runs of the letters a to z and digits, as rouge-score",
    "words": r"Runs of \w in any script; drops combining marks",
    "unicode": "Words by Unicode’s segmentation rules, marks kept",
    "char": "Each character",
    "jieba": "Chinese words, by jieba",
    "mecab": "Japanese words, by MeCab with the IPA dictionary",
    "pythainlp": "Thai words, by PyThaiNLP",
}
"""How texts are cut into words."""


@dataclass(frozen=True, slots=True)
class _Kind:
    """What a tokeniser is made of.

    `label` names it in signatures. `undivided`: the letters of scripts without spaces that it does not cut
    into words. `packages` it imports, `libraries` their distributions.
    """

    label: str
    splitter: Splitter
    undivided: str = ""
    packages: tuple[str, ...] = ()
    libraries: tuple[str, ...] = ()


_KINDS: Mapping[str, _Kind] = {
    "rouge-score": _Kind("rouge-score", WordRuns(re.compile(r"[a-z0-9]+"))),
    "words": _Kind(r"lower, \w+", WordRuns(re.compile(r"\w+")), SPACELESS),
    "unicode": _Kind("unicode", Segments(unicode_words), libraries=("regex",)),
    "char": _Kind("char", Segments(characters), libraries=("regex",)),
    "jieba": _Kind("jieba", Segments(jieba_words), "", ("jieba",), ("jieba",)),
    "mecab": _Kind(
        "mecab",
        Segments(mecab_words),
        r"\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}",
        ("fugashi", "ipadic"),
        ("fugashi", "ipadic"),
    ),
    "pythainlp": _Kind(
        "pythainlp",
        Segments(thai_words),
        r"\p{Han}\p{Hiragana}\p{Lao}\p{Khmer}\p{Myanmar}",
        ("pythainlp",),
        ("pythainlp",),
    ),
}


@cache
def find_tokenizer(name: Tokeniser, stemmer: Stemmer = "none") -> Tokenizer:
    """The tokeniser of this name, with words stemmed as ROUGE stems them; of `auto` it is `words`.

    Raises MeasureError that says what to install, where a segmenter is not here.
    """
    kind = _KINDS["words" if name == "auto" else name]
    require_packages(name, kind.packages)
    label = kind.label if stemmer == "none" else f"{kind.label}, {stemmer}"
    return Tokenizer(label, kind.splitter, find_long_stemmer(stemmer), kind.undivided, kind.libraries)


def options_named(tokenizer: str) -> dict[str, str]:
    """The options `tokeniser` and `stemmer` that a name in a signature stands for; `auto` for other names."""
    for name, kind in _KINDS.items():
        if tokenizer == kind.label:
            return {"tokeniser": name, "stemmer": "none"}
        if tokenizer.startswith(f"{kind.label}, "):
            return {"tokeniser": name, "stemmer": tokenizer.removeprefix(f"{kind.label}, ")}
    return {"tokeniser": "auto", "stemmer": "auto"}


ROUGE = find_tokenizer("rouge-score", "porter")
WORDS = find_tokenizer("words")
