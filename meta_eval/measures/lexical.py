"""What the measures that compare words have in common: preprocessing, numbering, the rule for empty texts."""

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.files.values import is_number
from meta_eval.measures.base import (
    Measure,
    Mode,
    OptionValue,
    Preprocess,
    Signature,
    default_options,
    library_versions,
)
from meta_eval.measures.preprocess import pieces_of, preprocess_texts, preprocessing_libraries
from meta_eval.measures.shared_work import once
from meta_eval.measures.words.coverage import Seen, look
from meta_eval.measures.words.languages import is_foreign, words_of
from meta_eval.measures.words.stemming import Stemmer
from meta_eval.measures.words.tokenisers import Tokeniser, find_tokenizer, options_named
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


BY_LANGUAGE = ("tokeniser", "stemmer", "synonyms")
"""Options whose `auto` the language of a corpus settles."""


@dataclass(frozen=True, kw_only=True)
class WordMeasure(Measure):
    """What a measure over words is made of, and its signature.

    `tokeniser` says how texts are cut into words; `auto` is `in_english`, until `in_languages` knows better.
    """

    mode: Mode = "paper"
    preprocess: Preprocess = "none"
    tokeniser: Tokeniser = "auto"
    in_english: ClassVar[Tokeniser] = "words"
    own_words: ClassVar[Tokenizer | None] = None
    """Words that no option and no language changes: those of the released code."""
    libraries: ClassVar[tuple[str, ...]] = ("numpy",)
    named_elsewhere: ClassVar[frozenset[str]] = frozenset({"tokeniser"})
    """Options that the name of the tokeniser states in a signature."""
    silent_defaults: ClassVar[Mapping[str, OptionValue]] = {}
    """Options that came later: not signed with these values, so that what was kept before is found."""

    def __post_init__(self) -> None:
        self.tokenizer  # noqa: B018 - says what to install before any work

    @property
    def tokenizer(self) -> Tokenizer:
        """What cuts texts into words."""
        return self.own_words or find_tokenizer(self._tokeniser(), self._stemmer_of_words())

    def _tokeniser(self) -> Tokeniser:
        return self.in_english if self.tokeniser == "auto" else self.tokeniser

    def _stemmer_of_words(self) -> Stemmer:
        """What stems each word before words are compared: nothing, but in ROUGE."""
        return "none"

    def in_languages(self, languages: Sequence[str]) -> Self:
        """The measure with what `auto` stands for in a corpus of these languages."""
        words = words_of(languages)
        if words is None or self.own_words:
            return self
        open_ = [name for name in BY_LANGUAGE if getattr(self, name, None) == "auto"]
        return replace(self, **{name: getattr(words, name) for name in open_})

    def as_signed(self, signature: Mapping[str, Any]) -> Self:
        """The measure with the words that a signature names, whatever the language of the corpus.

        Where it names none, those of all languages before languages chose. What was chosen by hand stands.
        """
        if self.own_words:
            return self
        name = signature.get("tokenizer")
        words = options_named(name) if name else {"tokeniser": self.in_english, "stemmer": "porter"}
        signed = {
            **self.silent_defaults,
            **{option: words[option] for option in self.named_elsewhere},
            **(signature.get("options") or {}),
        }
        open_ = [one for one in BY_LANGUAGE if getattr(self, one, None) == "auto" and one in signed]
        return replace(self, **{one: signed[one] for one in open_})

    def look(self, texts: Iterable[str], *, words: bool) -> Seen:
        """What its words make of the texts, before any preparation."""
        return look(self.tokenizer, texts, words=words)

    def remark(self, languages: Sequence[str]) -> str:
        """What the measure leaves out in a corpus of these languages, or does to it as if it were English."""
        if self.preprocess == "pens" and is_foreign(languages):
            return "the preparation pens takes the texts for English (stop words, lemmas)"
        return ""

    def _option_values(self) -> dict[str, OptionValue]:
        """Each option as it is in effect."""
        return {name: getattr(self, name) for name in default_options(type(self))}

    @property
    def signature(self) -> Signature:
        options = {
            name: value
            for name, value in self._option_values().items()
            if name not in self.named_elsewhere
            and (name not in self.silent_defaults or value != self.silent_defaults[name])
        }
        libraries = (*self.libraries, *self.tokenizer.libraries, *preprocessing_libraries(self.preprocess))
        return Signature(
            measure=self.id,
            options=options,
            preprocess=self.preprocess,
            mode=self.mode,
            tokenizer=self.tokenizer.name,
            versions=library_versions(*libraries),
        )

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        """Which texts have no word left, shape (texts,)."""
        splitter, given = self.tokenizer.splitter, tuple(texts)
        if self.preprocess == "none":
            return once((splitter, given), lambda: ~splitter.find_words(given), size=np.size)
        return np.array(
            [not any(map(splitter.finds_word, pieces_of(text, self.preprocess))) for text in given],
            dtype=bool,
        )

    def prepare(self, texts: Sequence[str]) -> PreparedTexts:
        """Preprocess, tokenise and encode `texts`."""
        numbered = number_texts(preprocess_texts(texts, self.preprocess), self.tokenizer)
        return PreparedTexts(numbered.lengths, self._encode(numbered))

    def vocabulary(self, texts: Sequence[str]) -> tuple[str, ...]:
        """The different words that it finds in the texts once they are prepared, sorted."""
        return number_texts(preprocess_texts(texts, self.preprocess), self.tokenizer).vocabulary

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
