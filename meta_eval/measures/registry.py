"""The one list of measures: what there is, and how to make one from its id and options."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, get_args

from meta_eval.errors import InputError, MeasureError, wrong_type
from meta_eval.files.values import is_number
from meta_eval.measures.added import added_class, added_ids, refused_files
from meta_eval.measures.base import (
    Measure,
    MeasureInfo,
    Mode,
    OptionValue,
    Preprocess,
    default_options,
)
from meta_eval.measures.built_in import BUILT_IN, built_in_class
from meta_eval.measures.lexical import WordMeasure
from meta_eval.measures.words.tokenisers import Tokeniser

log = logging.getLogger(__name__)
_KIND_NAMES: dict[Any, str] = {
    int: "a whole number",
    float: "a finite number",
    bool: "true or false",
    str: "a text",
    type(None): "none",
}
_BOOLEANS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def measure_ids() -> tuple[str, ...]:
    """Ids of all measures: those of the protocol in its order, the library's others, then those added.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> "rouge-l" in measure_ids()
    True
    """
    return (*BUILT_IN, *added_ids())


def measure_class(measure_id: str, mode: Mode = "paper") -> type[Measure]:
    """The class behind an id; MeasureError where there is none."""
    if measure_id in BUILT_IN:
        return built_in_class(measure_id, mode)
    found = added_class(measure_id)
    if found is None:
        raise MeasureError(no_such_measure(repr(measure_id)))
    if mode == "kdm":
        raise MeasureError(f"Measure {measure_id!r} has no mode 'kdm': the released code does not have it.")
    return found


def no_such_measure(names: str) -> str:
    """What is said of names that no measure has: those that there are, how more are brought, what failed."""
    refused = "".join(f" Not loaded: {one.reason}" for one in refused_files())
    return (
        f"There is no measure {names}. There are: {', '.join(measure_ids())}. "
        f"One of your own is there where its file is given (--plugin).{refused}"
    )


def available_measures() -> tuple[MeasureInfo, ...]:
    """What each measure is, with its options and their defaults in mode "paper".

    An installed plug-in that cannot be loaded is not among them; the log says why.

    Returns
    -------
    tuple of MeasureInfo

    Examples
    --------
    >>> [info.title for info in available_measures() if info.id == "rouge-l"]
    ['ROUGE-L']
    """
    classes = list(_loadable(measure_ids()))
    return tuple(replace(found.info, options=default_options(found)) for found in classes)


def _loadable(ids: Sequence[str]) -> Iterator[type[Measure]]:
    for measure_id in ids:
        try:
            yield measure_class(measure_id)
        except MeasureError as error:
            log.warning("%s", error)


def make_measure(
    id: str, *, mode: Mode = "paper", preprocess: Preprocess | None = None, **options: OptionValue
) -> Measure:
    """A measure by id.

    Parameters
    ----------
    id : str
        One of `measure_ids`.
    mode : {"paper", "kdm"}
        By the papers' definitions, or as the authors' released code computes it.
    preprocess : {"none", "pens"}, optional
        Default: "none", and "pens" in mode "kdm".
    **options
        Those of the measure, see `available_measures`.

    Returns
    -------
    Measure
        Callable with two texts; its `signature` names all that its distances depend on.

    Raises
    ------
    MeasureError
        For an unknown id, mode, preprocessing or option, and for an option of the wrong type.

    References
    ----------
    Protocol 2 and 10.

    Examples
    --------
    >>> make_measure("rouge-l")("rain in the north", "rain in the south")
    0.25
    """
    _require_choice("mode", mode, get_args(Mode))
    chosen = preprocess or ("pens" if mode == "kdm" else "none")
    _require_choice("preprocess", chosen, get_args(Preprocess))
    found = measure_class(id, mode)
    for name, value in options.items():
        _check_option(found, id, name, value)
    constructor: Any = found
    made: Measure = constructor(mode=mode, preprocess=chosen, **options)
    return made


def require_one_each(ids: Sequence[str]) -> None:
    """InputError for a measure with two sets of options: scores are kept and told apart by its id alone."""
    if repeated := sorted({name for name in ids if ids.count(name) > 1}):
        raise InputError(f"{', '.join(repeated)} stands more than once; choose one set of its options.")


def parse_measure(
    text: str,
    *,
    mode: Mode = "paper",
    preprocess: Preprocess | None = None,
    tokeniser: Tokeniser | None = None,
) -> Measure:
    """A measure from one word, as typed on a command line.

    Parameters
    ----------
    text : str
        An id, and its options after a colon: "bleu" or "bleu:n=4,smoothing=exp"; among them may be one of
        `PRESETS`: "jsd-oov:preset=thesis".
    mode, preprocess
        As for `make_measure`.
    tokeniser : str, optional
        How a measure over words finds them, unless the text says it; other measures have their own.

    Returns
    -------
    Measure

    Raises
    ------
    MeasureError
        As `make_measure`, and for what is no option.

    Examples
    --------
    >>> parse_measure("bleu:n=2").n
    2
    """
    measure_id, _, rest = text.partition(":")
    measure_id = measure_id.strip()
    found = measure_class(measure_id, mode)
    options = _chosen_words(found, tokeniser, mode)
    preset = _Preset()
    for part in filter(None, (part.strip() for part in rest.split(","))):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not equals:
            raise MeasureError(f"In {text!r}: write options as name=value, not {part!r}.")
        if name == "preset":
            preset = _find_preset(measure_id, value)
        else:
            options[name] = _read_value(found, measure_id, name, value)
    prepared = preprocess or preset.preprocess
    return make_measure(measure_id, mode=mode, preprocess=prepared, **{**preset.options, **options})


def as_measure(given: Measure | str, parameter: str = "measure") -> Measure:
    """The measure itself, or the one that a text names as on a command line: "rouge-l", "bleu:n=2".

    Raises TypeError, which names the parameter, for anything else, and MeasureError as `parse_measure`.
    """
    if isinstance(given, str):
        return parse_measure(given)
    if isinstance(given, Measure):
        return given
    raise wrong_type(parameter, 'an id such as "rouge-l" or a Measure of make_measure', given)


def _chosen_words(found: type[Measure], tokeniser: Tokeniser | None, mode: Mode) -> dict[str, OptionValue]:
    """The tokeniser as an option, for a measure that has a choice of words."""
    if tokeniser is None or not issubclass(found, WordMeasure):
        return {}
    if mode == "kdm":
        raise MeasureError("Mode 'kdm' finds words as the released code does: leave out the tokeniser.")
    return {} if "tokeniser" in found.settled else {"tokeniser": tokeniser}


@dataclass(frozen=True, slots=True)
class _Preset:
    """Options of a measure and a preparation of texts under one name; what is given beside it counts more."""

    options: Mapping[str, OptionValue] = field(default_factory=dict)
    preprocess: Preprocess | None = None


PRESETS: Mapping[str, Mapping[str, _Preset]] = {
    "jsd-oov": {"thesis": _Preset({"document": "plain"}, "pens")},
}
"""By measure: settings that a paper uses together (protocol 9: the thesis' algorithm 1 and table 5.2)."""


def _find_preset(measure_id: str, name: str) -> _Preset:
    presets = PRESETS.get(measure_id, {})
    if name not in presets:
        has = f"it has {', '.join(presets)}" if presets else "it has none"
        raise MeasureError(f"Measure {measure_id!r} has no preset {name!r}; {has}.")
    return presets[name]


def _require_choice(what: str, value: object, choices: tuple[object, ...]) -> None:
    if value not in choices:
        raise MeasureError(f"{what} is {value!r}; it must be one of: {', '.join(map(repr, choices))}.")


def _option_type(found: type[Measure], measure_id: str, name: str) -> Any:
    known = default_options(found)
    if name not in known:
        has = f"Its options are: {', '.join(known)}." if known else "It has no options."
        raise MeasureError(f"Measure {measure_id!r} has no option {name!r}. {has}")
    return next(item.type for item in fields(found) if item.name == name)  # type: ignore[arg-type]


def _accepted(kind: Any) -> tuple[Any, ...]:
    """Members of a union or of a Literal, or the plain type itself."""
    return get_args(kind) or (kind,)


def _check_option(found: type[Measure], measure_id: str, name: str, value: OptionValue) -> None:
    kinds = _accepted(_option_type(found, measure_id, name))
    if not any(_fits(value, kind) for kind in kinds):
        wanted = " or ".join(_KIND_NAMES.get(kind, repr(kind)) for kind in kinds)
        raise MeasureError(f"Option {name!r} of measure {measure_id!r} is {value!r}; it must be {wanted}.")


def _fits(value: OptionValue, kind: Any) -> bool:
    if not isinstance(kind, type):
        return type(value) is type(kind) and value == kind
    if kind is float:
        return is_number(value)
    return type(value) is kind


def _read_value(found: type[Measure], measure_id: str, name: str, text: str) -> OptionValue:
    """The typed value of an option written as text; the text itself where it fits no type, for the check."""
    for kind in _accepted(_option_type(found, measure_id, name)):
        value = _convert(text, kind)
        if value is not None or (kind is type(None) and text.lower() == "none"):
            return value
    return text


def _convert(text: str, kind: Any) -> OptionValue:
    if kind is bool:
        return _BOOLEANS.get(text.lower())
    if kind is int or kind is float:
        try:
            return int(text) if kind is int else float(text)
        except ValueError:
            return None
    return text if kind is str or kind == text else None
