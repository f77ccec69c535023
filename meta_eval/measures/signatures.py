"""Signatures of measures: on one line, and read again from files."""

import json
import string
from collections.abc import Mapping
from dataclasses import fields
from typing import Any, cast
from urllib.parse import quote

from meta_eval.errors import MeasureError
from meta_eval.files.values import is_number, kind_of, name_problem, text_problem
from meta_eval.measures.base import Mode, OptionValue, Signature, default_options
from meta_eval.measures.registry import measure_class
from meta_eval.version import __version__

_TEXTS = ("preprocess", "mode", "tokenizer", "model", "revision")
_COUNTS = ("max_length", "seed")


def signature_problem(value: Any) -> str | None:
    """What is wrong with a value as what `Signature.as_dict` gives; None if nothing is.

    Fields that a signature does not have are passed over, and so are those that are null.
    """
    if not isinstance(value, dict):
        return f"must be an object, not {kind_of(value)}"
    if problem := name_problem(value.get("measure")):
        return f"must name its measure: that {problem}"
    given = {name: one for name, one in value.items() if one is not None}
    for name in _TEXTS:
        if name in given and (problem := text_problem(given[name])):
            return f"has a {name} that {problem}"
    for name in _COUNTS:
        if name in given and type(given[name]) is not int:
            return f"has a {name} that must be a whole number, not {kind_of(given[name])}"
    for name in ("options", "versions"):
        if problem := _mapping_problem(given.get(name, {})):
            return f"has {name} that {problem}"
    return None


def read_signature(value: Mapping[str, Any]) -> Signature:
    """The signature that `Signature.as_dict` gave; what is null or no field of it is passed over."""
    names = {field.name for field in fields(Signature)}
    return Signature(**{name: one for name, one in value.items() if name in names and one is not None})


def _mapping_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"must be an object, not {kind_of(value)}"
    for name, one in value.items():
        simple = one is None or isinstance(one, bool) or is_number(one) or text_problem(one) is None
        if text_problem(name) or not simple:
            return f"must be texts, finite numbers, true or false: {name!r} is not"
    return None


def signature_line(signature: Signature) -> str:
    """A signature as one line to paste into a paper, as sacreBLEU's.

    The measure, each option that is not its default, then `prep`aration of texts, `mode`, `tok`enizer, and of
    a model its name, `rev`ision and length; last the version of this library, which stands for those of the
    libraries below it. Two signatures that differ in anything but versions have different lines.

    Parameters
    ----------
    signature : Signature
        Of a measure.

    Returns
    -------
    str

    Examples
    --------
    >>> from meta_eval.measures import make_measure
    >>> signature_line(make_measure("rouge-l").signature)
    'rouge-l|prep:none|mode:paper|tok:rouge-score,porter|v:0.1.0'
    >>> signature_line(make_measure("bleu", n=4, smoothing="exp").signature)
    'bleu|n:4|smoothing:exp|prep:none|mode:paper|tok:lower,\\\\w+|v:0.1.0'
    """
    named: dict[str, OptionValue] = {
        "prep": signature.preprocess,
        "mode": signature.mode,
        "tok": signature.tokenizer,
        "model": signature.model,
        "rev": signature.revision,
        "len": signature.max_length,
        "seed": signature.seed,
        "v": __version__,
    }
    options = {name: _on_line(value) for name, value in sorted(signature.options.items())}
    defaults = {name: _on_line(value) for name, value in _defaults(signature).items()}
    parts = [f"{name}:{text}" for name, text in options.items() if text != defaults.get(name)]
    parts += [f"{name}:{_on_line(value)}" for name, value in named.items() if value is not None]
    return "|".join([_on_line(signature.measure), *parts])


def _defaults(signature: Signature) -> Mapping[str, OptionValue]:
    """Of a measure of ours; distances of others have no defaults."""
    try:
        return default_options(measure_class(signature.measure, cast(Mode, signature.mode)))
    except MeasureError:
        return {}


_SAFE = "".join(set(string.punctuation) - set("%|,"))


def _on_line(value: OptionValue) -> str:
    """A value without space or bar; a text that reads like a number, true, false or null is in quotes."""
    if not isinstance(value, str):
        return json.dumps(value)
    try:
        json.loads(value)
    except ValueError:
        text = value
    else:
        text = json.dumps(value)
    return ",".join(quote(part, safe=_SAFE) for part in text.split(", "))
