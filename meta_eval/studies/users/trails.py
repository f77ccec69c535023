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


def read_trail(path: Path) -> list[dict[str, Any]]:
    """The trails of `users summarise`, one user a line.

    Raises `InputError` with every line that is none.
    """
    faults, found = Faults(_FAULTS), []
    for number, record in read_json_lines(path, str(path), faults, _NO_TRAIL):
        try:
            list(trail_lines(record))
            whose = [record["user"], record["approach"]]
        except (ValueError, KeyError, TypeError, AttributeError):
            faults.add(str(path), number, _NO_TRAIL)
            continue
        if not all(isinstance(one, str) for one in whose):
            faults.add(str(path), number, _NO_TRAIL)
        elif problem := json_value_problem(record):
            faults.add(str(path), number, problem)
        else:
            found.append(record)
    faults.raise_if_any()
    if not found:
        raise InputError([Fault(str(path), None, "holds no trail")])
    return found


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
