"""Distances that a language model gave, kept so that whoever has no such model computes on with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, cast

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.measures.base import Measure, Signature
from meta_eval.measures.given import DistanceBook, hash_of
from meta_eval.measures.neural import NeuralMeasure
from meta_eval.measures.words.coverage import Seen, letters_of


class SealedText(NamedTuple):
    """What a model's tokenizer made of a text: whether it holds `nothing`, and as `Seen` counts it.

    `words` and `dropped` are None where the tokenizer does not say.
    """

    nothing: bool
    words: int | None
    dropped: int | None


@dataclass(frozen=True, slots=True)
class SealedDistances:
    """All distances of a measure that a report rests on; `book` is named by the digest of its signature.

    `texts` are by SHA-256, as in the book.
    """

    book: DistanceBook
    texts: Mapping[str, SealedText]


@dataclass(frozen=True, kw_only=True)
class SealedMeasure(Measure):
    """A neural measure that looks its distances up and loads no model.

    `inner` is the measure as it was asked for, `signed` the signature with which it computed: of that only
    what a model decides is taken, such as its revision and the precision. A text or pair that is not among
    the sealed ones is a MeasureError, never a missing distance.
    """

    inner: NeuralMeasure
    signed: Signature
    sealed: SealedDistances

    @property
    def symmetric(self) -> bool:
        return self.inner.symmetric

    @property
    def signature(self) -> Signature:
        return self.inner.sign_as(self.signed)

    def in_languages(self, languages: Sequence[str]) -> "SealedMeasure":
        return replace(self, inner=cast(NeuralMeasure, self.inner.in_languages(languages)))

    def look(self, texts: Iterable[str], *, words: bool) -> Seen | None:
        given = list(texts)
        seen = [self._text(text) for text in given]
        counted = [one.words for one in seen if one.words is not None]
        dropped = [one.dropped for one in seen if one.dropped is not None]
        if len(counted) < len(seen) or len(dropped) < len(seen):
            return None
        letters = sum(count for _, count in letters_of(given))
        return Seen(len(given), letters, sum(dropped), 0, sum(counted) if words else None)

    def remark(self, languages: Sequence[str]) -> str:
        return self.inner.remark(languages)

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        return np.array([self._text(text).nothing for text in texts], dtype=bool)

    def prepare(self, texts: Sequence[str]) -> IntArray:
        """The number of each text in the book."""
        numbers = self.sealed.book.numbers
        return np.array([numbers.get(hash_of(text), -1) for text in texts], dtype=np.int64)

    def distances(self, prepared: IntArray, first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair, shape (pairs,), as it was sealed."""
        found, known = self.sealed.book.look_up_exactly(prepared[first], prepared[second])
        if not known.all():
            raise MeasureError(
                f"{int((~known).sum())} distances of {self.id} that the report needs are not sealed with it."
            )
        return found

    def _text(self, text: str) -> SealedText:
        try:
            return self.sealed.texts[hash_of(text)]
        except KeyError:
            raise MeasureError(f"A text that {self.id} needs is not sealed with its distances.") from None


def sealed_measure(inner: Measure, signature: Signature, sealed: SealedDistances) -> Measure:
    """The measure over these distances; `inner` itself where it asks no model."""
    if not isinstance(inner, NeuralMeasure):
        return inner
    made: Any = type(
        "SealedMeasure",
        (SealedMeasure,),
        {"info": inner.info, "shard_limit": inner.shard_limit, "missing_accuracy": inner.missing_accuracy},
    )
    measure: Measure = made(inner=inner, signed=signature, sealed=sealed)
    return measure
