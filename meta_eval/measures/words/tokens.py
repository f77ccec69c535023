"""Words of a text, the same for every measure that counts words, and their numbering."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import IntArray
from meta_eval.measures.shared_work import once
from meta_eval.measures.words.splitting import Splitter

SPACELESS = r"\p{Han}\p{Hiragana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
"""Scripts that put no spaces between words, as a class of characters."""


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """How a text becomes words: `splitter` finds them; `normalise`, where set, is applied to each.

    `undivided` is a class of characters: letters of scripts without spaces that are not cut into words.
    `libraries` are the distributions on which the words depend.
    """

    name: str
    splitter: Splitter
    normalise: Callable[[str], str] | None = None
    undivided: str = ""
    libraries: tuple[str, ...] = ()

    def words(self, text: str) -> list[str]:
        found = self.splitter.split(text)
        return found if self.normalise is None else [self.normalise(word) for word in found]


SPLIT_LOWER = Tokenizer("white space, lower", Splitter(str.split), str.lower, SPACELESS)
SPLIT = Tokenizer("white space", Splitter(str.split), undivided=SPACELESS)
SPLIT_SPACE = Tokenizer("single spaces", Splitter(lambda text: text.split(" ")), undivided=SPACELESS)


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
    the same to the last bit in every batch. Measures that share their words share the numbering.

    Parameters
    ----------
    texts : in any order, each as often as it stands
    tokenizer : splits them into words

    Returns
    -------
    NumberedTexts

    Examples
    --------
    >>> found = number_texts(["sun and rain", "rain"], SPLIT_SPACE)
    >>> found.ids.tolist(), found.offsets.tolist()
    ([2, 0, 1, 1], [0, 3, 4])
    """
    given = tuple(texts)
    return once((tokenizer, given), lambda: _number(given, tokenizer), size=lambda made: made.ids.size)


def _number(texts: Sequence[str], tokenizer: Tokenizer) -> NumberedTexts:
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
    made = ranks[ids]
    for shared in (made, offsets):
        shared.setflags(write=False)
    return NumberedTexts(made, offsets, len(vocabulary), tuple(vocabulary[number] for number in order))
