"""The columns of a rating file beyond the rating itself: what each may hold, and what it says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from meta_eval.ratings.table import state_problem

MOST_QUESTIONNAIRES = 2_147_483_647
MOST_POSITIONS = 32_767
_BOOLEANS = {"true": True, "1": True, "false": False, "0": False}


@dataclass(frozen=True)
class Columns:
    """What one row says besides its rating; None where it does not.

    copied_from: the position of the pair of the same two texts whose answer this is, of one that nobody saw.
    """

    questionnaire: int | None = None
    position: int | None = None
    flipped: bool | None = None
    simulated: bool | None = None
    submitted_at: datetime | None = None
    copied_from: int | None = None


PLACE = ("position", "flipped")
"""What a pair that nobody saw does not have."""
COLUMNS = tuple(name for name in Columns.__dataclass_fields__ if name != "copied_from")


def read_columns(row: Mapping[str, str], *, now: datetime) -> tuple[Columns, list[str]]:
    """The columns of a row, and everything wrong with them."""
    found: dict[str, Any] = {}
    problems: list[str] = []
    for name, read in _READERS.items():
        text = (row.get(name) or "").strip()
        try:
            found[name] = read(text, now) if text else None
        except ValueError as error:
            problems.append(f"{name} {text!r} {error}")
    if state := state_problem(row):
        problems.append(state)
    if found.get("copied_from") and any(found.get(name) is not None for name in PLACE):
        problems.append("has a copied_from, so nobody saw the pair: leave its position and flipped empty")
    return Columns(**found), problems


def _whole(most: int) -> Callable[[str, datetime], int]:
    def read(text: str, _now: datetime) -> int:
        if text.isascii() and text.isdigit() and 1 <= int(text) <= most:
            return int(text)
        raise ValueError(f"is not a whole number from 1 to {most}")

    return read


def _truth(text: str, _now: datetime) -> bool:
    if text.lower() in _BOOLEANS:
        return _BOOLEANS[text.lower()]
    raise ValueError("is neither true nor false")


def _time(text: str, now: datetime) -> datetime:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise ValueError("is not a time such as 2026-03-02T09:00:00+00:00") from None
    if found.tzinfo is None:
        raise ValueError("does not say its time zone; write it like 2026-03-02T09:00:00+00:00")
    if found > now:
        raise ValueError("lies in the future")
    return found


_READERS: Mapping[str, Callable[[str, datetime], object]] = {
    "questionnaire": _whole(MOST_QUESTIONNAIRES),
    "position": _whole(MOST_POSITIONS),
    "flipped": _truth,
    "simulated": _truth,
    "submitted_at": _time,
    "copied_from": _whole(MOST_POSITIONS),
}
