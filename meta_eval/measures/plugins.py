"""One's own measure: a plain class of about a dozen lines, made into a `Measure`.

The class has `name`, and `distance(self, reference, candidate)` for one pair or
`distances(self, references, candidates)` for many at once; both are called with these names. It may say
`title`, `range` (from 0), `symmetric`, `languages`, `libraries` and `source`. The parameters of its
`__init__`, each with a default, are its options.
"""

import inspect
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from functools import cached_property
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any, ClassVar, Self, get_type_hints

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import MeasureError
from meta_eval.files.values import name_problem
from meta_eval.measures.base import (
    Measure,
    MeasureInfo,
    Mode,
    Preprocess,
    Signature,
    default_options,
    library_versions,
)
from meta_eval.measures.lexical import settle_empty
from meta_eval.measures.preprocess import preprocess_texts, preprocessing_libraries

ROUNDING = 1e-9
"""How far beyond its range a distance may lie, as rounding leaves it."""
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,59}")
_SHOWN = 60
_KINDS = (bool, int, float, str)
FACTS = ("name", "title", "range", "symmetric", "languages", "libraries", "source")
"""What a plug-in's class says of itself."""
_MADE = ("info", "made_from", "origin")
"""What is made of it; with the facts and what every measure has, these are no names of options."""


def name_fault(name: object) -> str | None:
    """What is wrong with the name of a measure; None if nothing is.

    Examples
    --------
    >>> name_fault("my-chrf") is None
    True
    """
    if isinstance(name, str) and _NAME.fullmatch(name):
        return None
    allowed = "small letters, digits, dots, hyphens and underscores, 60 at most"
    return f"{name!r} is no name of a measure: take {allowed}"


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a plug-in was found: its `place` for messages, the hash of its source, and how to find it again.

    `find` and `at` are given to a process that computes for this one.
    """

    place: str
    digest: str
    find: Callable[[str], type["PluginMeasure"]]
    at: str
    versions: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class PluginMeasure(Measure):
    """A `Measure` around a class that somebody wrote; its options are the fields of each subclass."""

    mode: Mode = "paper"
    preprocess: Preprocess = "none"
    made_from: ClassVar[type]
    origin: ClassVar[Origin]
    largest: ClassVar[float] = 1.0
    languages: ClassVar[tuple[str, ...]] = ()

    @cached_property
    def own(self) -> Any:
        """The object of the plug-in's class, with its options."""
        options = {name: getattr(self, name) for name in default_options(type(self))}
        try:
            return self.made_from(**options)
        except Exception as error:
            raise self._fault(f"cannot be made: {in_words(error)}") from error

    @property
    def signature(self) -> Signature:
        libraries = preprocessing_libraries(self.preprocess)
        return Signature(
            measure=self.id,
            options={name: getattr(self, name) for name in default_options(type(self))},
            preprocess=self.preprocess,
            revision=self.origin.digest,
            versions={**self.origin.versions, **library_versions(*libraries)},
        )

    def in_languages(self, languages: Sequence[str]) -> Self:
        """Itself; MeasureError for a corpus in a language that the plug-in does not name, if it names any."""
        other = [tag for tag in languages if self.languages and not _speaks(self.languages, tag)]
        if other:
            raise self._fault(
                f"is made for {', '.join(self.languages)}, and the corpus is in {', '.join(other)}; choose "
                "another measure, or name the language in the plug-in's `languages`"
            )
        return self

    def hold_nothing(self, texts: Sequence[str]) -> BoolArray:
        """Which texts are blank once they are preprocessed, shape (texts,)."""
        return super().hold_nothing(preprocess_texts(texts, self.preprocess))

    def prepare(self, texts: Sequence[str]) -> Sequence[str]:
        """The texts as the plug-in sees them."""
        return preprocess_texts(texts, self.preprocess)

    def distances(self, prepared: Sequence[str], first: IntArray, second: IntArray) -> FloatArray:
        """sigma of each pair, shape (pairs,), in the plug-in's range, NaN where it says None.

        The plug-in is not asked about blank texts: two of them have distance 0, one and a text the largest
        distance, none where there is no largest.
        """
        sizes = np.array([len(text.strip()) for text in prepared], dtype=np.int64)
        apart, full = settle_empty(sizes, first, second)
        most = self.largest if math.isfinite(self.largest) else math.nan
        found = np.where(apart == 0.0, 0.0, most)
        candidates = [prepared[number] for number in first[full].tolist()]
        references = [prepared[number] for number in second[full].tolist()]
        found[full] = self._ask(references, candidates)
        return found

    def _ask(self, references: Sequence[str], candidates: Sequence[str]) -> list[float]:
        if not references:
            return []
        if hasattr(self.own, "distances"):
            given = self._ask_for_all(references, candidates)
        else:
            given = list(map(self._ask_for_one, references, candidates))
        return [self._checked(*one) for one in zip(given, references, candidates, strict=True)]

    def _ask_for_all(self, references: Sequence[str], candidates: Sequence[str]) -> Sequence[Any]:
        pair = _pair(references[0], candidates[0])
        try:
            given = list(self.own.distances(references=references, candidates=candidates))
        except Exception as error:
            raise self._fault(f"fails at {len(references)} pairs, first {pair}: {in_words(error)}") from error
        if len(given) != len(references):
            raise self._fault(
                f"gives {len(given)} distances for {len(references)} pairs, first {pair}; give one for each "
                "pair, in their order"
            )
        return given

    def _ask_for_one(self, reference: str, candidate: str) -> Any:
        try:
            return self.own.distance(reference=reference, candidate=candidate)
        except Exception as error:
            raise self._fault(f"fails at {_pair(reference, candidate)}: {in_words(error)}") from error

    def _checked(self, given: Any, reference: str, candidate: str) -> float:
        """A distance as a number, NaN for None."""
        if given is None:
            return math.nan
        try:
            value = float(given)
        except (TypeError, ValueError):
            value = math.nan
        if -ROUNDING <= value <= self.largest + ROUNDING and math.isfinite(value):
            return min(max(value, 0.0), self.largest)
        raise self._fault(
            f"gives {given!r} for {_pair(reference, candidate)}; a distance is a number from 0 to "
            f"{self.largest:g}, as its `range` says, or None where there is none"
        )

    def _fault(self, problem: str) -> MeasureError:
        return MeasureError(f"Plug-in {self.id!r} ({self.origin.place}) {problem}.")

    def __reduce__(self) -> Any:
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return _make_again, (self.origin.find, self.origin.at, values)


def _make_again(find: Callable[[str], type[PluginMeasure]], at: str, values: Mapping[str, Any]) -> Measure:
    """The measure in another process."""
    return find(at)(**values)


def wrap_class(own: type, origin: Origin) -> type[PluginMeasure]:
    """A class of measures around a plug-in's class; MeasureError with what it lacks."""

    def refuse(problem: str) -> MeasureError:
        return MeasureError(f"Plug-in {origin.place}: {problem}.")

    name = getattr(own, "name", None)
    if problem := name_fault(name) or _method_fault(own):
        raise refuse(problem)
    low, high = _range_of(own)
    if low != 0 or not high > 0:
        raise refuse("its `range` must be two numbers, 0 and the largest distance (math.inf for none)")
    try:
        versions = library_versions(*_texts_of(own, "libraries"))
        languages, options = _texts_of(own, "languages"), _options_of(own)
    except PackageNotFoundError as error:
        raise refuse(f"it needs {error.name}, which is not installed") from error
    except TypeError as error:
        raise refuse(str(error)) from error
    title = str(getattr(own, "title", name))
    if problem := name_problem(title):
        raise refuse(f"its `title` {problem}")
    info = MeasureInfo(
        id=str(name),
        title=title,
        range="[0, inf)" if math.isinf(high) else f"[0, {high:g}]",
        symmetric=bool(getattr(own, "symmetric", False)),
        cost="of a plug-in",
        source=str(getattr(own, "source", f"plug-in {Path(origin.place).name}")),
        identity="not known",
        triangle="not known",
    )
    space = {
        "info": info,
        "made_from": own,
        "origin": Origin(
            origin.place, origin.digest, origin.find, origin.at, {**origin.versions, **versions}
        ),
        "largest": float(high),
        "languages": languages,
    }
    return make_dataclass(
        own.__name__, options, bases=(PluginMeasure,), namespace=space, frozen=True, kw_only=True
    )


def _range_of(own: type) -> tuple[float, float]:
    try:
        low, high = map(float, getattr(own, "range", (0.0, 1.0)))
    except (TypeError, ValueError):
        return math.nan, math.nan
    return low, high


def _texts_of(own: type, fact: str) -> tuple[str, ...]:
    """A fact that is several texts; TypeError for one that is anything else, as a single text is."""
    given = getattr(own, fact, ())
    if isinstance(given, str):
        raise TypeError(f"its `{fact}` is one text; write several or one as ({given!r},)")
    if not isinstance(given, list | tuple) or not all(isinstance(one, str) for one in given):
        raise TypeError(f"its `{fact}` must be texts in brackets, as ('one', 'other')")
    return tuple(given)


def _method_fault(own: type) -> str | None:
    wanted = {"distance": ("reference", "candidate"), "distances": ("references", "candidates")}
    there = [name for name in wanted if callable(getattr(own, name, None))]
    if not there:
        return "it has no `distance(self, reference, candidate)`"
    for name in there:
        taken = list(inspect.signature(getattr(own, name)).parameters)
        if inspect.isfunction(inspect.getattr_static(own, name)):  # one of its objects, which comes first
            del taken[:1]
        if not set(wanted[name]) <= set(taken):
            return f"its `{name}` must take {' and '.join(wanted[name])}, by these names"
    return None


def _options_of(own: type) -> list[tuple[str, Any, Any]]:
    """Name, type and default of each parameter of `__init__`; TypeError for one that is no option."""
    if own.__init__ is object.__init__:  # type: ignore[misc]
        return []
    hints = _hints_of(own.__init__)  # type: ignore[misc]
    found = []
    for name, parameter in inspect.signature(own).parameters.items():
        kind = hints.get(name, type(parameter.default))
        if parameter.default is inspect.Parameter.empty or type(parameter.default) not in (
            *_KINDS,
            type(None),
        ):
            raise TypeError(f"its option {name} needs a default: a text, a number, true or false, or None")
        if _is_taken(name):
            raise TypeError(
                f"its option {name} has a name that measures use for something else; choose another"
            )
        found.append((name, kind, parameter.default))
    return found


def _is_taken(option: str) -> bool:
    """Whether an option of this name would stand in place of something that a measure has, or is asked by."""
    return option in {*FACTS, *_MADE, "preset"} or hasattr(PluginMeasure, option)


def _hints_of(method: Any) -> Mapping[str, Any]:
    """Types of parameters; none where one names what is imported for type checkers alone."""
    try:
        return get_type_hints(method)
    except NameError:
        return {}


def _speaks(languages: Sequence[str], tag: str) -> bool:
    """Whether one of the languages is that of the tag, or a part of it: en speaks en-GB."""
    return any(tag.lower() == one.lower() or tag.lower().startswith(f"{one.lower()}-") for one in languages)


def _pair(reference: str, candidate: str) -> str:
    shown = (text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…" for text in (reference, candidate))
    return "the reference {!r} and the candidate {!r}".format(*shown)


def in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
