"""What a measure is: a distance sigma(a, b) between texts (protocol 2), named exactly by its signature."""

import hashlib
import json
import warnings
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import MeasureError

if TYPE_CHECKING:
    from meta_eval.measures.words.coverage import Seen

Mode = Literal["paper", "kdm"]
MODES: Mapping[Mode, str] = {
    "paper": "As the papers define them",
    "kdm": "As the authors’ released code computes them",
}
"""Which definition of a measure."""
Preprocess = Literal["none", "pens"]
PREPROCESS: Mapping[Preprocess, str] = {
    "none": "None: texts as they are",
    "pens": "PENS: lower case; no punctuation, digits or stop words; lemmas",
}
"""How texts are prepared before they are compared."""
OptionValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Signature:
    """Everything on which a distance depends; two scores compare only if their signatures are equal.

    `versions` names the libraries that compute; `text` is one canonical line and `digest` its SHA-256.
    """

    measure: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    preprocess: str = "none"
    mode: str = "paper"
    tokenizer: str | None = None
    model: str | None = None
    revision: str | None = None
    max_length: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    seed: int | None = None

    def as_dict(self) -> dict[str, Any]:
        """The set fields only, in a fixed order, ready for JSON."""
        fields = {
            "measure": self.measure,
            "options": dict(sorted(self.options.items())) or None,
            "preprocess": self.preprocess,
            "mode": self.mode,
            "tokenizer": self.tokenizer,
            "model": self.model,
            "revision": self.revision,
            "max_length": self.max_length,
            "versions": dict(sorted(self.versions.items())) or None,
            "seed": self.seed,
        }
        return {name: value for name, value in fields.items() if value is not None}

    @property
    def text(self) -> str:
        return json.dumps(self.as_dict(), sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()


FIFTH_UNSEEN = 0.2
"""The share of letters without words from which the distance of two texts is warned of.

Of a text in Hindi, Bengali or Tamil .36 to .39 are marks, which words of `\\w` lack.
"""


class UnseenTextsWarning(UserWarning):
    """A measure does not see the texts that it is to compare: their distance rests on little or nothing."""


NO_TRIANGLE = "does not hold: d(a, c) may exceed d(a, b) + d(b, c)"
ROOT_TRIANGLE = "holds with root=true, not without"


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureInfo:
    """What the list of measures says about one of them; `triangle` of the triangle inequality.

    `options` maps each option to its default; the registry takes it from the fields of the measure's class.
    `symmetric` is of the measure by default; `symmetry` says which options change it, if any do. Of a measure
    as it is set, `Measure.symmetric` tells.
    """

    id: str
    title: str
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    range: str
    symmetric: bool
    cost: str
    source: str
    symmetry: str = ""
    identity: str = "d(x, x) = 0"
    triangle: str = NO_TRIANGLE


# Fields that every measure class has and that are no options of a single measure.
COMMON_FIELDS = frozenset({"mode", "preprocess"})


def default_options(measure: "type[Measure]") -> dict[str, OptionValue]:
    """Options of a measure class and their defaults: its dataclass fields but for mode and preprocess.

    Those that the class settles by itself are none.
    """
    if not is_dataclass(measure):
        return {}
    settled = COMMON_FIELDS | measure.settled
    return {item.name: item.default for item in fields(measure) if item.name not in settled}


def library_versions(*names: str) -> dict[str, str]:
    """Installed versions of the named distributions, for a signature."""
    return {name: version(name) for name in names}


def round_each(values: FloatArray, decimals: int) -> FloatArray:
    """Python's rounding of each value, as the authors' released code rounds.

    NumPy's differs where the digit after the last one kept is nearly a 5.
    """
    return np.array([round(value, decimals) for value in values.tolist()], dtype=np.float64)


@dataclass(frozen=True, slots=True)
class ShardLimit:
    """How much is compared at once, so that memory does not grow with the corpus.

    A shard is closed before it exceeds any of these: `documents`; `texts`, equal ones counted each; `pairs`
    of texts. A single document may exceed them.
    """

    documents: int = 512
    texts: int = 1 << 17
    pairs: int = 1 << 21


class Measure(ABC):
    """A distance between texts.

    `prepare` encodes texts (unique, in a fixed order) once; `distances` then compares any pairs of them by
    index, so that a text is never encoded twice whatever the number of systems and pairs.
    For a measure that is not symmetric the first text is the candidate, the second the reference.
    """

    info: ClassVar[MeasureInfo]
    shard_limit: ClassVar[ShardLimit] = ShardLimit()
    missing_accuracy: ClassVar[float] = float("nan")
    """What stands for a summary's missing distance to its reader's reference: nothing, but in mode kdm."""
    settled: ClassVar[frozenset[str]] = frozenset()
    """Fields that a class inherits and that are no options of its own."""

    @property
    def id(self) -> str:
        return self.info.id

    @property
    def symmetric(self) -> bool:
        """Whether sigma(a, b) = sigma(b, a) for all texts, with the options that are set."""
        return self.info.symmetric

    @property
    @abstractmethod
    def signature(self) -> Signature: ...

    def in_languages(self, languages: Sequence[str]) -> "Measure":  # noqa: ARG002 - for measures that choose
        """The measure with what it leaves to the language settled, for a corpus in these languages.

        `languages` are BCP 47 tags, none where the corpus names none. What was chosen by hand stands.
        """
        return self

    def fit(self, texts: Sequence[str]) -> "Measure":  # noqa: ARG002 - for measures that count
        """The measure with what it counts over a corpus' references (word frequencies) before it compares.

        Most measures count nothing and are returned as they are, as is one that has already counted.
        """
        return self

    def settle(self, corpus: Corpus) -> "Measure":
        """The measure as it compares the texts of a corpus: in its languages, fitted to its references."""
        return self.in_languages(corpus.languages).fit(corpus.reference_texts)

    def as_signed(self, signature: Mapping[str, Any]) -> "Measure":  # noqa: ARG002 - for those that choose
        """The measure with what a language would choose taken from a signature that it made before."""
        return self

    def look(self, texts: Iterable[str], *, words: bool) -> "Seen | None":  # noqa: ARG002 - for others
        """How much of the texts it sees, with the number of its `words`; None where nobody knows."""
        return None

    def remark(self, languages: Sequence[str]) -> str:  # noqa: ARG002 - for measures that leave something out
        """What the measure leaves out in a corpus of these languages; empty where nothing."""
        return ""

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are empty for this measure, shape (texts,), found without encoding them.

        A measure that preprocesses or tokenises says what is left of a text; here only blank texts are empty.
        """
        return np.array([not text.strip() for text in texts], dtype=bool)

    @abstractmethod
    def prepare(self, texts: Sequence[str]) -> Any:
        """Encode `texts`; the result is only handed back to `distances`."""

    @abstractmethod
    def distances(self, prepared: Any, first: IntArray, second: IntArray) -> FloatArray:
        """sigma(texts[first[i]], texts[second[i]]) for each i: shape (pairs,), float64, NaN where missing."""

    def __call__(self, a: str, b: str) -> float:
        """sigma(a, b) of one pair: for a look, not for a loop.

        Warns (`UnseenTextsWarning`) where the measure drops a fifth of their letters or more, so that texts
        may be equal to it that are not.
        """
        if not (a.isascii() and b.isascii()):
            self._warn_of_unseen((a, b))
        pair = np.array([0]), np.array([1])
        return float(self.distances(self.prepare([a, b]), *pair)[0])

    def _warn_of_unseen(self, texts: Sequence[str]) -> None:
        seen = self.look(texts, words=False)
        if seen is not None and seen.unseen_share >= FIFTH_UNSEEN:
            warnings.warn(
                f"{self.id} sees {100 * (1 - seen.unseen_share):.0f} % of the letters of these texts. Name "
                "their language, as in make_measure(...).in_languages(['hi']), or choose another tokeniser "
                "or model.",
                UnseenTextsWarning,
                stacklevel=3,
            )


class ContextMeasure(Measure):
    """A distance between two texts that depends on a third, the document both are about."""

    @abstractmethod
    def distances_in_context(
        self, prepared: Any, first: IntArray, second: IntArray, context: IntArray
    ) -> FloatArray:
        """sigma(texts[first[i]], texts[second[i]]) about document texts[context[i]], shape (pairs,)."""

    def distances(self, prepared: Any, first: IntArray, second: IntArray) -> FloatArray:  # noqa: ARG002
        """Refused: without the document there is no distance."""
        raise MeasureError(
            f"Measure {self.id!r} compares two texts about a document and needs that document: "
            "it runs on a corpus with document texts, not on bare pairs."
        )
