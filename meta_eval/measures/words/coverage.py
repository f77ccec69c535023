"""How much of a text a tokeniser sees: letters that it drops, letters that it does not cut into words."""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import regex

from meta_eval.arrays import IntArray
from meta_eval.measures.shared_work import once
from meta_eval.measures.words.segmenting import LETTER
from meta_eval.measures.words.tokens import Tokenizer

_BLOCK = 1 << 18
_LATIN = regex.compile(r"[\p{Script=Latin}\p{Script=Common}\p{Script=Inherited}]")
_MOST_KEPT = 1 << 10
_kept: dict[Hashable, "Seen"] = {}


@dataclass(frozen=True, slots=True)
class Seen:
    """What a tokeniser makes of some texts; letters are letters, marks and numbers of any script.

    Of `letters`, `dropped` stand in no word, and `undivided`, in scripts without spaces between words, are
    not cut into words. `words` is how many it finds, None where nobody counted. Of a measure with a model
    `words` are the word pieces that the model knows, and `dropped` the letters in others.
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

    Parameters
    ----------
    tokenizer : splits the texts
    texts : each once
    words : whether words are counted

    Returns
    -------
    Seen

    Examples
    --------
    >>> from meta_eval.measures.words.tokenisers import ROUGE
    >>> look(ROUGE, ["Straße 7"], words=True)
    Seen(texts=1, letters=7, dropped=1, undivided=0, words=3)
    """
    given = tuple(texts)
    key = (tokenizer.splitter, tokenizer.undivided, words)
    return remember(key, given, lambda: _look(tokenizer, given, words=words))


def remember(key: Hashable, texts: Sequence[str], find: Callable[[], Seen]) -> Seen:
    """What `find` finds of the texts, found once for all measures that cut them alike (the same `key`)."""
    given = tuple(texts)
    asked = (key, once(("digest", given), lambda: _digest(given), size=len))
    if asked not in _kept:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[asked] = find()
    return _kept[asked]


def _digest(texts: Sequence[str]) -> bytes:
    """Of texts and where each ends, so that the texts themselves need not be kept."""
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(texts))
    found = hashlib.blake2b(lengths.tobytes())
    found.update("".join(texts).encode("utf-8", "surrogatepass"))
    return found.digest()


def letters_of(texts: Sequence[str]) -> list[tuple[str, int]]:
    """The letters, marks and numbers of all texts, each with how often it stands there."""
    counts = _count_characters(texts)
    codes = np.flatnonzero(counts)
    return [(chr(code), int(counts[code])) for code in codes.tolist() if LETTER.match(chr(code))]


def is_mostly_latin(texts: Iterable[str]) -> bool:
    """Whether at most half of the letters are of another script than Latin; numbers are of none.

    Parameters
    ----------
    texts : any

    Returns
    -------
    bool

    Examples
    --------
    >>> is_mostly_latin(["Regen am 7."]), is_mostly_latin(["今天下雨, OK"])
    (True, False)
    """
    letters = letters_of(tuple(texts))
    other = sum(count for letter, count in letters if not _LATIN.match(letter))
    return 2 * other <= sum(count for _, count in letters)


def _look(tokenizer: Tokenizer, given: Sequence[str], *, words: bool) -> Seen:
    letters = once(("letters", tuple(given)), lambda: letters_of(given), size=len)
    undivided = regex.compile(f"[{tokenizer.undivided}]") if tokenizer.undivided else None
    keeps = tokenizer.splitter.keeps
    return Seen(
        texts=len(given),
        letters=sum(count for _, count in letters),
        dropped=sum(count for letter, count in letters if not keeps(letter)),
        undivided=sum(
            count for letter, count in letters if undivided and keeps(letter) and undivided.match(letter)
        ),
        words=int(tokenizer.splitter.count(given).sum()) if words else None,
    )


def _count_characters(texts: Sequence[str]) -> IntArray:
    """How often each code point occurs, by code point."""
    counts = np.zeros(0x110000, dtype=np.int64)
    joined = "\n".join(texts)
    for start in range(0, len(joined), _BLOCK):
        block = joined[start : start + _BLOCK].encode("utf-32-le", "surrogatepass")
        found = np.bincount(np.frombuffer(block, "<u4"))
        counts[: len(found)] += found
    return counts
