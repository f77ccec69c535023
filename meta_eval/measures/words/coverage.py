"""How much of a text a tokeniser sees: letters that it drops, letters that it does not cut into words."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import regex

from meta_eval.arrays import IntArray
from meta_eval.measures.words.segmenting import LETTER
from meta_eval.measures.words.tokens import Tokenizer

_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tokeniser makes of some texts; letters are letters, marks and numbers of any script.

    Of `letters`, `dropped` stand in no word, and `undivided`, in scripts without spaces between words, are
    not cut into words. `words` is how many it finds, None where nobody counted.
    """

    texts: int
    letters: int
    dropped: int
    undivided: int
    words: int | None = None

    @property
    def dropped_share(self) -> float:
        return self.dropped / self.letters if self.letters else 0.0

    @property
    def undivided_share(self) -> float:
        return self.undivided / self.letters if self.letters else 0.0

    @property
    def unseen_share(self) -> float:
        """Of the letters, those that are dropped or not cut into words."""
        return self.dropped_share + self.undivided_share

    @property
    def words_per_text(self) -> float | None:
        return None if self.words is None or not self.texts else self.words / self.texts


def look(tokenizer: Tokenizer, texts: Iterable[str], *, words: bool) -> Seen:
    """What the tokeniser makes of `texts` before any preparation; it counts `words` if asked to.

    Examples
    --------
    >>> from meta_eval.measures.words.tokenisers import ROUGE
    >>> look(ROUGE, ["Straße 7"], words=True)
    Seen(texts=1, letters=7, dropped=1, undivided=0, words=3)
    """
    given = list(texts)
    counts = _count_characters(given)
    codes = np.flatnonzero(counts)
    letters = [(chr(code), int(counts[code])) for code in codes.tolist() if LETTER.match(chr(code))]
    undivided = regex.compile(f"[{tokenizer.undivided}]") if tokenizer.undivided else None
    keeps = tokenizer.splitter.keeps
    return Seen(
        texts=len(given),
        letters=sum(count for _, count in letters),
        dropped=sum(count for letter, count in letters if not keeps(letter)),
        undivided=sum(
            count for letter, count in letters if undivided and keeps(letter) and undivided.match(letter)
        ),
        words=int(tokenizer.splitter.number(given).lengths.sum()) if words else None,
    )


def _count_characters(texts: list[str]) -> IntArray:
    """How often each code point occurs, by code point."""
    counts = np.zeros(0x110000, dtype=np.int64)
    joined = "\n".join(texts)
    for start in range(0, len(joined), _BLOCK):
        block = joined[start : start + _BLOCK].encode("utf-32-le", "surrogatepass")
        found = np.bincount(np.frombuffer(block, "<u4"))
        counts[: len(found)] += found
    return counts
