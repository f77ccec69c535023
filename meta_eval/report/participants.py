"""Totals of what raters said of themselves: never of a person, and small numbers not told."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from meta_eval.report.schema import ParticipantTotals

TITLES: Mapping[str, str] = {"field": "field of study", "gender": "gender", "age": "age"}
"""What people are asked, in words."""

HIDDEN, SMALL = "hidden", "<"
RULE = (
    "Totals of everybody who took part and answered, small numbers not told: “<5” is 0 to 4 people, “hidden” "
    "5 or more, not shown so that nothing can be worked out from the rest."
)


def read_participants(rows: Iterable[Mapping[str, Any]]) -> tuple[ParticipantTotals, ...]:
    """The totals as a survey keeps them.

    Examples
    --------
    >>> kept = {"question": "age", "answered": None, "totals": []}
    >>> read_participants([kept])[0].question
    'age'
    """
    return tuple(msgspec.convert(dict(row), ParticipantTotals) for row in rows)


def participants_in_words(participants: Sequence[ParticipantTotals]) -> str:
    """What people said of themselves, in one sentence; empty where nobody was asked."""
    if not participants:
        return ""
    return f"Of themselves people said: {'; '.join(map(_question, participants))}."


def _question(row: ParticipantTotals) -> str:
    title = TITLES.get(row.question, row.question)
    if row.answered is None:
        return f"{title}, too few answers to be told"
    return f"{title} ({row.answered} people), {', '.join(_choices(row))}"


def _choices(row: ParticipantTotals) -> Iterator[str]:
    """Numbers first; then what is not told, and why."""
    for total in row.totals:
        if total.people != HIDDEN and not total.people.startswith(SMALL):
            yield f"{total.people} {total.choice}"
    small = [total for total in row.totals if total.people.startswith(SMALL)]
    if small:
        least = small[0].people.removeprefix(SMALL)
        yield f"fewer than {least} each {_listed(total.choice for total in small)}"
    if hidden := [total.choice for total in row.totals if total.people == HIDDEN]:
        yield f"not told {_listed(hidden)}"


def _listed(names: Iterable[str]) -> str:
    *most, last = names
    return f"{', '.join(most)} and {last}" if most else last
