"""Summaries of users: who wrote which, about whom, and from how much of the user's past."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from meta_eval.errors import InputError
from meta_eval.files.json_files import json_line, read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import kind_of, name_problem, text_problem

_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Summary:
    """A summary of a user by an approach; `past` says from how many activities, None where nobody says."""

    user: str
    approach: str
    text: str
    past: int | None = None

    @property
    def words(self) -> int:
        """Its length: words between blanks.

        Examples
        --------
        >>> Summary("ann", "single", "likes rain, not sun").words
        4
        """
        return len(self.text.split())

    def as_line(self) -> str:
        """As one line of a file of summaries, without the line's end."""
        record: dict[str, Any] = {"user": self.user, "approach": self.approach, "summary": self.text}
        return json_line(record | ({} if self.past is None else {"past": self.past}))


def summary_lines(summaries: Iterable[Summary]) -> Iterator[str]:
    """Lines of a file of summaries, each with its end."""
    return (f"{summary.as_line()}\n" for summary in summaries)


def read_summaries(source: Source, *, name: str | None = None) -> tuple[Summary, ...]:
    """Read a file of summaries, of any system.

    Parameters
    ----------
    source : path or binary stream
        Lines `{"user", "approach", "summary"}`, and perhaps `past`: from how many activities.
    name : str, optional
        What to call it in messages.

    Returns
    -------
    tuple of Summary
        In the order of the file; an empty summary was written and is empty.

    Raises
    ------
    InputError
        With every faulty line, and for an approach with two summaries of one user.

    Examples
    --------
    >>> from io import BytesIO
    >>> read_summaries(BytesIO(b'{"user": "u", "approach": "ours", "summary": "likes rain"}'))[0].words
    2
    """
    called, faults = source_name(source, name), Faults(_FAULTS)
    found: dict[tuple[str, str], Summary] = {}
    for number, record in read_json_lines(source, called, faults, "is no summary"):
        try:
            summary = _summary(record)
        except InputError as error:
            faults.add(called, number, f"is no summary: {error}")
            continue
        if (summary.user, summary.approach) in found:
            message = f"approach {summary.approach!r} has a summary of user {summary.user!r} on a line before"
            faults.add(called, number, message)
        found[summary.user, summary.approach] = summary
    faults.raise_if_any()
    if not found:
        raise InputError(f"{called} holds no summary")
    return tuple(found.values())


def _summary(record: Any) -> Summary:
    if not isinstance(record, dict):
        raise InputError(f"must be an object, not {kind_of(record)}")
    given: Any = record
    past = given.get("past")
    for name, problem in (
        ("user", name_problem(given.get("user"))),
        ("approach", name_problem(given.get("approach"))),
        ("summary", text_problem(given.get("summary"))),
        (
            "past",
            None if past is None or _is_count(past) else "must be a whole number from 1",
        ),
    ):
        if problem:
            raise InputError(f"{name} {problem}")
    return Summary(given["user"], given["approach"], given["summary"], past)


def _is_count(value: Any) -> bool:
    return type(value) is int and value > 0
