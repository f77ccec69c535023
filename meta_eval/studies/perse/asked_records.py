"""Whether records say how summaries were judged: each value of a kind and size that can be asked."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

MOST_DRAWS = 100
"""As `--draws` has it: every draw is a request that is made again, so a file could ask for endless ones."""


def require_records(records: Any) -> Sequence[Mapping[str, Any]]:
    """The records of a run, and of its control if there is one, as they are.

    Raises ValueError that names the value that cannot be, and what it must be.
    """
    if not isinstance(records, list) or not all(isinstance(one, dict) for one in records):
        raise ValueError("it must be a list of objects")
    if len(records) not in (1, 2):
        raise ValueError(f"it must have the run, and the control if there is one, not {len(records)} records")
    for number, record in enumerate(records):
        _require(f"[{number}].plan", record.get("plan"), _PLAN)
        _require(f"[{number}].asking", record.get("asking"), _ASKING)
        _require(f"[{number}].asking.options", record["asking"]["options"], _OPTIONS)
        _require(f"[{number}]", record, {"prompt_digest": (_is_text, "a text")})
        if record["plan"]["shuffled"] is not bool(number):
            raise ValueError(f"[{number}].plan.shuffled must be {str(bool(number)).lower()}")
    return records


_Rules = Mapping[str, tuple[Callable[[Any], bool], str]]


def _require(path: str, record: Any, rules: _Rules) -> None:
    if not isinstance(record, dict):
        raise ValueError(f"{path} must be an object")  # noqa: TRY004 - as for any other wrong value
    for name, (is_good, wanted) in rules.items():
        if name not in record:
            raise ValueError(f"{path}.{name} is missing")
        if not is_good(record[name]):
            raise ValueError(f"{path}.{name} must be {wanted}")


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_text, value))


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    return type(value) is int


def _is_count(value: Any) -> bool:
    return _is_whole(value) and bool(value >= 1)


def _or_null(is_good: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: value is None or is_good(value)


def _is_number(value: Any) -> bool:
    return type(value) in (int, float)


_PLAN: _Rules = {
    "size": (_is_count, "a whole number from 1"),
    "seed": (_is_whole, "a whole number"),
    "documents": (_or_null(_is_count), "a whole number from 1, or null"),
    "only": (_or_null(_are_texts), "a list of texts, or null"),
    "systems": (_or_null(_are_texts), "a list of texts, or null"),
    "own": (_is_flag, "true or false"),
    "shuffled": (_is_flag, "true or false"),
    "draws": (
        lambda value: _is_count(value) and value <= MOST_DRAWS,
        f"a whole number from 1 to {MOST_DRAWS}",
    ),
}
_ASKING: _Rules = {
    "options": (lambda value: isinstance(value, dict), "an object"),
    "attempts": (_is_count, "a whole number from 1"),
    "histories": (
        lambda value: isinstance(value, dict) and all(map(_are_texts, value.values())),
        "an object with a list of titles for each reader",
    ),
}
_OPTIONS: _Rules = {
    "model": (_is_text, "a text"),
    "name": (_or_null(_is_text), "a text, or null"),
    "revision": (_or_null(_is_text), "a text, or null"),
    "temperature": (_is_number, "a number"),
    "top_p": (_is_number, "a number"),
    "top_k": (_or_null(_is_whole), "a whole number, or null"),
    "seed": (_is_whole, "a whole number"),
    "structured": (_is_text, "a text"),
}
