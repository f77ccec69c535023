"""Finding the words of texts: of one text, or of many at once with the different words numbered."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import BoolArray, IntArray

if TYPE_CHECKING:
    import pyarrow as pa

# Letters of text taken at once: what is made of them stays in the processor's cache.
BLOCK_LETTERS = 1 << 20
_BLANK = ord(" ")
_UTF8 = ("utf-8", "surrogatepass")
_UTF32 = ("utf-32-le", "surrogatepass")


@dataclass(frozen=True, slots=True)
class FoundWords:
    """Words of texts: `ids` (words,) says which of `vocabulary` each is, `lengths` (texts,) counts them."""

    ids: IntArray
    lengths: IntArray
    vocabulary: tuple[str, ...]


class Splitter:
    """Splits texts one by one."""

    def __init__(self, split: Callable[[str], list[str]]) -> None:
        self.split = split

    def finds_word(self, text: str) -> bool:
        """Whether the text has a word in which something stands."""
        return any(self.split(text))

    def find_words(self, texts: Sequence[str]) -> BoolArray:
        """Which texts have a word in which something stands, shape (texts,)."""
        return np.array([self.finds_word(text) for text in texts], dtype=bool)

    def count(self, texts: Sequence[str]) -> IntArray:
        """How many words each text has, shape (texts,)."""
        return np.array([len(self.split(text)) for text in texts], dtype=np.int64)

    def keeps(self, letter: str) -> bool:  # noqa: ARG002 - for those that drop some
        """Whether a letter, mark or number ever stands in a word."""
        return True

    def number(self, texts: Sequence[str]) -> FoundWords:
        """The words of all texts, numbered in any order."""
        numbers: defaultdict[str, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        found = [self.split(text) for text in texts]
        lengths = np.array([len(words) for words in found], dtype=np.int64)
        every = map(numbers.__getitem__, chain.from_iterable(found))
        ids = np.fromiter(every, dtype=np.int64, count=int(lengths.sum()))
        return FoundWords(ids, lengths, tuple(numbers))


class WordRuns(Splitter):
    """Splits lower-cased texts into runs of certain letters, which `word` matches.

    Many texts are taken as one string of bytes: a table makes everything but letters a blank, and Arrow
    numbers the words. No object is made for a word, which is three times as fast as the pattern.
    """

    def __init__(self, word: re.Pattern[str]) -> None:
        super().__init__(lambda text: word.findall(text.lower()))
        self._word = word
        self._beyond_ascii = bool(word.match("é"))
        ascii_letters = "".join(
            letter if word.match(letter) else " " for letter in map(str.lower, map(chr, range(128)))
        )
        others = bytes(range(128, 256)) if self._beyond_ascii else b" " * 128
        self._table = ascii_letters.encode() + others
        self._dropped = bytes(unit for unit, letter in enumerate(self._table) if letter == _BLANK)

    def keeps(self, letter: str) -> bool:
        """Whether a letter, mark or number ever stands in a word."""
        return self.finds_word(letter)

    def finds_word(self, text: str) -> bool:
        """Whether the text has a word; the search ends at the first."""
        return self._word.search(text.lower()) is not None

    def find_words(self, texts: Sequence[str]) -> BoolArray:
        """Which texts have a word, shape (texts,)."""
        return self.count(texts) > 0

    def count(self, texts: Sequence[str]) -> IntArray:
        """How many words each text has, shape (texts,)."""
        return np.concatenate([_words_in(*self._edges(block)[1:]) for block in _blocks(texts)])

    def number(self, texts: Sequence[str]) -> FoundWords:
        """The words of all texts, numbered in any order."""
        import pyarrow as pa

        blocks = [self._find(block) for block in _blocks(texts)]
        # by DLPack, since Arrow's own way to NumPy imports pandas
        coded = pa.chunked_array([words for words, _ in blocks], pa.binary()).dictionary_encode().chunks
        vocabulary = coded[0].dictionary.to_pylist() if coded else ()  # all chunks share one
        return FoundWords(
            np.concatenate(
                [np.empty(0, dtype=np.int64), *(np.from_dlpack(chunk.indices) for chunk in coded)]
            ),
            np.concatenate([lengths for _, lengths in blocks]),
            tuple(word.decode(*_UTF8) for word in vocabulary),
        )

    def _find(self, texts: Sequence[str]) -> "tuple[pa.Array, IntArray]":
        """The words of some texts, one after the other, and how many each text has."""
        import pyarrow as pa

        data, edges, stops = self._edges(texts)
        starts, ends = edges[::2], edges[1::2]
        offsets = np.zeros(len(starts) + 1, dtype=np.int32)
        np.cumsum(ends - starts, out=offsets[1:])
        letters = data.translate(self._table, self._dropped)
        buffers = [None, pa.py_buffer(offsets), pa.py_buffer(letters)]
        words = pa.Array.from_buffers(pa.binary(), len(starts), buffers)
        return words, _words_in(edges, stops)

    def _edges(self, texts: Sequence[str]) -> tuple[bytes, IntArray, IntArray]:
        """The texts as one, where words begin and end in it, in turn, and where each text ends."""
        joined = " ".join(("", *texts, ""))
        if joined.isascii():
            sizes, data = _lengths(texts), joined.encode()
        else:  # lower-cased, which a table of bytes cannot do
            units = [text.lower().encode(*_UTF8) for text in texts]
            sizes, data = _lengths(units), b" ".join((b"", *units, b""))
        if self._beyond_ascii:
            data = self._blank_marks(data)
        inside = np.frombuffer(data.translate(self._table), np.uint8) != _BLANK
        edges = np.flatnonzero(inside[1:] != inside[:-1])  # a blank on either side: they come in twos
        return data, edges, np.cumsum(sizes + 1)

    def _blank_marks(self, data: bytes) -> bytes:
        """Lower-cased UTF-8 with blanks for the letters beyond ASCII that belong to no word."""
        units = np.frombuffer(data, np.uint8)
        wide = np.flatnonzero(units >= 0x80)
        if not len(wide):
            return data
        letters = units[wide].tobytes().decode(*_UTF8)
        codes, place = np.unique(np.frombuffer(letters.encode(*_UTF32), "<u4"), return_inverse=True)
        mark = np.array([self._word.match(chr(code)) is None for code in codes.tolist()])
        units = units.copy()
        units[wide[np.repeat(mark[place], _utf8_sizes(codes)[place])]] = _BLANK
        return units.tobytes()


def _utf8_sizes(codes: NDArray[np.uint32]) -> IntArray:
    """Bytes of each letter in UTF-8."""
    return 1 + np.searchsorted([0x80, 0x800, 0x10000], codes, side="right")


def _words_in(edges: IntArray, stops: IntArray) -> IntArray:
    """How many words begin in each text."""
    return np.diff(np.searchsorted(edges[::2], stops), prepend=0)


def _lengths(texts: Sequence[str] | Sequence[bytes]) -> IntArray:
    return np.fromiter(map(len, texts), np.int64, len(texts))


def _blocks(texts: Sequence[str]) -> Iterator[Sequence[str]]:
    """Texts in blocks of about BLOCK_LETTERS, or of one text; a single empty block where there are none."""
    ends, start = np.cumsum(_lengths(texts)), 0
    while start < len(texts):
        most = BLOCK_LETTERS + (int(ends[start - 1]) if start else 0)
        stop = max(start + 1, int(np.searchsorted(ends, most, side="right")))
        yield texts[start:stop]
        start = stop
    if not texts:
        yield texts
