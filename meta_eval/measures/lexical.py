"""What the measures that compare words have in common: preprocessing, numbering, the rule for empty texts."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.files.values import is_number
from meta_eval.measures.base import (
    Measure,
    Mode,
    Preprocess,
    Signature,
    default_options,
    library_versions,
)
from meta_eval.measures.preprocess import pieces_of, preprocess_texts, preprocessing_libraries
from meta_eval.measures.words.tokens import NumberedTexts, Tokenizer, number_texts


@dataclass(frozen=True, slots=True)
class PreparedTexts:
    """Encoded texts: words per text, shape (texts,), and what the measure made of them."""

    lengths: IntArray
    content: Any


def require_range(
    measure_id: str, name: str, value: float, *, least: float, most: float | None = None
) -> None:
    """MeasureError unless least <= value <= most, and for what is no finite number."""
    if not (is_number(value) and least <= value and (most is None or value <= most)):
        limit = f"at least {least:g}" if most is None else f"from {least:g} to {most:g}"
        raise MeasureError(f"Option {name} of measure {measure_id!r} is {value!r}; it must be {limit}.")


def settle_empty(sizes: IntArray, first: IntArray, second: IntArray) -> tuple[FloatArray, BoolArray]:
    """Distances of pairs with a text that holds nothing, and which pairs are left to compare (protocol 2).

    Two empty texts: 0; one of them: 1. `sizes` (texts,) is what each text holds; both results are (pairs,).
    """
    empty_first, empty_second = sizes[first] == 0, sizes[second] == 0
    return np.where(empty_first & empty_second, 0.0, 1.0), ~(empty_first | empty_second)


@dataclass(frozen=True, kw_only=True)
class WordMeasure(Measure):
    """What a measure over words is made of, and its signature."""

    mode: Mode = "paper"
    preprocess: Preprocess = "none"
    tokenizer: ClassVar[Tokenizer]
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)
    silent_defaults: ClassVar[frozenset[str]] = frozenset()
    """Options that came later; their defaults are not signed, so that what was kept before is still found."""

    @property
    def signature(self) -> Signature:
        options = {
            name: getattr(self, name)
            for name, default in default_options(type(self)).items()
            if name not in self.silent_defaults or getattr(self, name) != default
        }
        return Signature(
            measure=self.id,
            options=options,
            preprocess=self.preprocess,
            mode=self.mode,
            tokenizer=self.tokenizer.name,
            versions=library_versions(*self.libraries, *preprocessing_libraries(self.preprocess)),
        )

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        """Which texts have no word left, shape (texts,)."""
        finds_word = self.tokenizer.splitter.finds_word
        return np.array(
            [not any(map(finds_word, pieces_of(text, self.preprocess))) for text in texts], dtype=bool
        )

    def prepare(self, texts: Sequence[str]) -> PreparedTexts:
        """Preprocess, tokenise and encode `texts`."""
        numbered = number_texts(preprocess_texts(texts, self.preprocess), self.tokenizer)
        return PreparedTexts(numbered.lengths, self._encode(numbered))

    @abstractmethod
    def _encode(self, texts: NumberedTexts) -> Any: ...


@dataclass(frozen=True, kw_only=True)
class LexicalMeasure(WordMeasure):
    """A measure over words: subclasses tokenise, encode and compare; empty texts are settled here."""

    def distances(self, prepared: PreparedTexts, first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair, shape (pairs,), in [0, 1]. Two empty texts: 0; one: 1 (protocol 2)."""
        first, second = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
        distance, full = settle_empty(prepared.lengths, first, second)
        distance[full] = self._compare(prepared.content, first[full], second[full])
        return distance

    @abstractmethod
    def _compare(self, content: Any, first: IntArray, second: IntArray) -> FloatArray:
        """Distances of pairs of texts that both have words."""
