"""Signatures of measures read again from files."""

from typing import Any

from meta_eval.files.values import is_number, kind_of, name_problem, text_problem

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


def _mapping_problem(value: Any) -> str | None:
    if not isinstance(value, dict):
        return f"must be an object, not {kind_of(value)}"
    for name, one in value.items():
        simple = one is None or isinstance(one, bool) or is_number(one) or text_problem(one) is None
        if text_problem(name) or not simple:
            return f"must be texts, finite numbers, true or false: {name!r} is not"
    return None
