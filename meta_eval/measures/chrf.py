"""chrF and chrF++ (Popović 2015, 2017) as a distance: 1 - chrF / 100, as sacreBLEU computes a sentence's."""

import string
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.measures.base import MeasureInfo, ShardLimit
from meta_eval.measures.lexical import LexicalMeasure, PreparedTexts, require_range
from meta_eval.measures.preprocess import preprocess_texts
from meta_eval.measures.rouge import share_of
from meta_eval.measures.words.counts import Multisets, count_ngrams
from meta_eval.measures.words.sharing import intersection_sizes
from meta_eval.measures.words.splitting import Splitter
from meta_eval.measures.words.tokens import NumberedTexts, Tokenizer, number_texts

CHARACTERS = Tokenizer("nfc, characters", Splitter(lambda text: list("".join(text.split()))))
_MARKS = frozenset(string.punctuation)
MOST_CHARACTERS, MOST_WORDS = 100, 100
"""Orders beyond them are longer than the texts, and each takes a pass over them."""


def split_marks(text: str) -> list[str]:
    """Words between blanks, with one ASCII punctuation mark at the end, or else at the start, split off.

    As sacreBLEU's chrF does it: "(hi)" becomes "(hi" and ")".
    """
    words = []
    for word in text.split():
        if len(word) > 1 and word[-1] in _MARKS:
            words += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in _MARKS:
            words += [word[0], word[1:]]
        else:
            words.append(word)
    return words


WORDS_AND_MARKS = Tokenizer("white space, marks apart", Splitter(split_marks))


@dataclass(frozen=True, kw_only=True)
class ChrF(LexicalMeasure):
    """1 - chrF / 100; the first text is the candidate, the second the reference.

    Precision and recall of n-grams are averaged over the orders of which both texts have n-grams: of
    characters without blanks from 1 to `char_order`, and of words from 1 to `word_order` (chrF++ has 2). The
    score is their F with recall `beta` times as important as precision: symmetric with beta 1 alone. Texts
    are composed first (NFC), and `lowercase` if asked for.
    """

    char_order: int = 6
    word_order: int = 0
    beta: float = 2.0
    lowercase: bool = False
    own_words: ClassVar[Tokenizer | None] = CHARACTERS
    # A text has about six n-grams for each of its characters, of 16 bytes each.
    shard_limit: ClassVar[ShardLimit] = ShardLimit(documents=256, texts=1 << 15)
    settled: ClassVar[frozenset[str]] = frozenset({"tokeniser"})
    info: ClassVar[MeasureInfo] = MeasureInfo(
        id="chrf",
        title="chrF",
        range="[0, 1]",
        symmetric=False,
        symmetry="d(a, b) = d(b, a) with beta=1",
        cost="about a hundred thousand pairs of headlines a second",
        source="Popović 2015 and 2017; as sacreBLEU's sentence score",
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        require_range("chrf", "char_order", self.char_order, least=1, most=MOST_CHARACTERS)
        require_range("chrf", "word_order", self.word_order, least=0, most=MOST_WORDS)
        require_range("chrf", "beta", self.beta, least=0)

    @property
    def symmetric(self) -> bool:
        """F1 does not ask which of the two texts is the reference."""
        return self.beta == 1

    def prepare(self, texts: Sequence[str]) -> PreparedTexts:
        """Preprocess and compose `texts` and count their n-grams."""
        read = [unicodedata.normalize("NFC", text) for text in preprocess_texts(texts, self.preprocess)]
        if self.lowercase:
            read = [text.lower() for text in read]
        characters = number_texts(read, CHARACTERS)
        words = _count_orders(number_texts(read, WORDS_AND_MARKS), self.word_order) if self.word_order else []
        return PreparedTexts(characters.lengths, [*self._encode(characters), *words])

    def _encode(self, texts: NumberedTexts) -> list[Multisets]:
        return _count_orders(texts, self.char_order)

    def _compare(self, content: list[Multisets], first: IntArray, second: IntArray) -> FloatArray:
        precision, recall, orders = (np.zeros(len(first)) for _ in range(3))
        for ngrams in content:
            common = intersection_sizes(ngrams, first, second)
            own, other = ngrams.totals[first], ngrams.totals[second]
            both = (own > 0) & (other > 0)
            precision += share_of(common, np.where(both, own, 0))
            recall += share_of(common, np.where(both, other, 0))
            orders += both
        precision, recall = share_of(precision, orders), share_of(recall, orders)
        weight = self.beta**2
        return 1.0 - share_of((1 + weight) * precision * recall, weight * precision + recall)


def _count_orders(texts: NumberedTexts, most: int) -> list[Multisets]:
    """The n-grams of each order from 1."""
    return [count_ngrams(texts, order) for order in range(1, most + 1)]
