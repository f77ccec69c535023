"""Words of a text, the same for every measure that counts words, and their numbering."""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from nltk.stem.porter import PorterStemmer

from meta_eval.arrays import IntArray
from meta_eval.measures.words.splitting import Splitter, WordRuns

_STEMMER = PorterStemmer()  # NLTK_EXTENSIONS, the mode that rouge-score and NLTK's METEOR use


@lru_cache(maxsize=1 << 20)
def stem(word: str) -> str:
    """NLTK's Porter stem of a lower-case word, remembered: stemming is most of the cost of tokenising."""
    return str(_STEMMER.stem(word))


def stem_long(word: str) -> str:
    """The stem as ROUGE takes it: only words of more than three characters are stemmed."""
    return stem(word) if len(word) > 3 else word


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How a text becomes words: `splitter` finds them; `normalise`, where set, is applied to each."""

    name: str
    splitter: Splitter
    normalise: Callable[[str], str] | None = None

    def words(self, text: str) -> list[str]:
        found = self.splitter.split(text)
        return found if self.normalise is None else [self.normalise(word) for word in found]


ROUGE = Tokenizer("rouge-score, porter", WordRuns(re.compile(r"[a-z0-9]+")), stem_long)
WORDS = Tokenizer(r"lower, \w+", WordRuns(re.compile(r"\w+")))
SPLIT_LOWER = Tokenizer("white space, lower", Splitter(str.split), str.lower)
SPLIT = Tokenizer("white space", Splitter(str.split))
SPLIT_SPACE = Tokenizer("single spaces", Splitter(lambda text: text.split(" ")))


@dataclass(frozen=True, slots=True)
class NumberedTexts:
    """Texts as word numbers: text t is ids[offsets[t]:offsets[t + 1]]; every number is below `size`.

    `vocabulary` names the numbers; it is empty where nobody asks for the words.
    """

    ids: IntArray
    offsets: IntArray
    size: int
    vocabulary: tuple[str, ...] = ()

    @property
    def lengths(self) -> IntArray:
        return np.diff(self.offsets)


def number_texts(texts: Sequence[str], tokenizer: Tokenizer) -> NumberedTexts:
    """Tokenise `texts`, numbering distinct words in their sorted order.

    A sum over words then runs in the same order whatever else is numbered with them, so that a distance is
    the same to the last bit in every batch.
    """
    words = tokenizer.splitter.number(texts)
    ids, vocabulary = words.ids, words.vocabulary
    if tokenizer.normalise is not None:
        merged: defaultdict[str, int] = defaultdict()
        merged.default_factory = merged.__len__
        table = np.array([merged[tokenizer.normalise(word)] for word in vocabulary], dtype=np.int64)
        ids, vocabulary = table[ids], tuple(merged)
    order = sorted(range(len(vocabulary)), key=vocabulary.__getitem__)
    ranks = np.empty(len(vocabulary), dtype=np.int64)
    ranks[order] = np.arange(len(vocabulary))
    offsets = np.concatenate(([0], np.cumsum(words.lengths)))
    return NumberedTexts(ranks[ids], offsets, len(vocabulary), tuple(vocabulary[number] for number in order))
