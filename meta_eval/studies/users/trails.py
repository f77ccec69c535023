"""The trail of a summary in words: what was claimed, asked, found and revised."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.json_files import read_json_lines
from meta_eval.files.reading import Faults
from meta_eval.files.values import json_value_problem

_FAULTS = 20
_NO_TRAIL = "is no trail, as `users summarise` writes it"
_FOUND = {True: "borne out", False: "not borne out", None: "not checked"}


def read_trail(path: Path, *, first: int) -> tuple[int, list[dict[str, Any]]]:
    """How many users a file of `users summarise` tells of, and the trails of the `first` of them.

    Read line by line: the rest is checked, and not held.

    Raises `InputError` with every line that is none.
    """
    faults, users = Faults(_FAULTS), 0
    found: list[dict[str, Any]] = []
    for number, record in read_json_lines(path, str(path), faults, _NO_TRAIL):
        if problem := _problem(record):
            faults.add(str(path), number, problem)
            continue
        users += 1
        if len(found) < first:
            found.append(record)
    faults.raise_if_any()
    if not users:
        raise InputError([Fault(str(path), None, "holds no trail")])
    return users, found


def _problem(record: Any) -> str | None:
    """Why a line is no trail that a page could show; None where it is one."""
    try:
        for _ in trail_lines(record):
            pass
        whose = [record["user"], record["approach"]]
    except (ValueError, KeyError, TypeError, AttributeError):
        return _NO_TRAIL
    return json_value_problem(record) if all(isinstance(one, str) for one in whose) else _NO_TRAIL


def trail_lines(record: Mapping[str, Any]) -> Iterator[str]:
    """A user's trail, a sentence or two a step.

    Examples
    --------
    >>> list(trail_lines({"user": "u", "past": 9, "shown": 9, "summary": "Likes rain.", "reason": None}))
    ['Written from 9 of 9 activities.', 'Summary: Likes rain.']
    """
    if "segments" not in record:
        yield f"Written from {record['shown']} of {record['past']} activities."
    for segment in record.get("segments", ()):
        yield f"Segment {segment['period']}, {segment['activities']} activities. {_text(segment['first'])}"
        for number, one in enumerate(segment["rounds"], start=1):
            yield from _round(number, one)
    yield f"Summary: {_text(record['summary'], record['reason'])}"


def _round(number: int, one: Mapping[str, Any]) -> Iterator[str]:
    checked = {True: "does what was asked", False: "does not do what was asked", None: "not checked"}
    problems = f" ({one['problems']})" if one["consistent"] is False and one["problems"] else ""
    yield f"Round {number}: {checked[one['consistent']]}{problems}."
    for claim in one["claims"]:
        asked = f"; asked: {claim['question']}" if claim["question"] else ""
        found = f"; found: {claim['found']}" if claim["found"] else ""
        reason = f" ({claim['reason']})" if claim["reason"] else ""
        yield f"Claim {claim['claim']}: {_FOUND[claim['supported']]}{reason}{asked}{found}."
    if unchecked := one.get("not_checked"):
        yield f"Beyond the claims of a round, not checked: {', '.join(unchecked)}."
    for reason in one["reasons"]:
        yield f"Missing in this round: {reason}."
    if one["revised"]:
        yield f"Revised: {one['revised']}"


def _text(text: str | None, reason: str | None = None) -> str:
    return text if text is not None else f"none ({reason or 'no answer'})"
