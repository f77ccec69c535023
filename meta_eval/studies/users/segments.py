"""A user's past cut into segments of time."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from meta_eval.studies.users.timelines import Activity

Every = Literal["month", "quarter", "year"]
LEAST = 20
"""Activities of a segment at least, where nobody says otherwise; the text is silent."""
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True)
class Segment:
    """Activities of one stretch of time, oldest first."""

    activities: tuple[Activity, ...]

    @property
    def period(self) -> str:
        """Its time in words, as prompts say it; where there are no dates, only that it is one stretch."""
        first, last = self.activities[0].time, self.activities[-1].time
        if first is None or last is None:
            return "in one stretch of time"
        return f"from {first.date().isoformat()} to {last.date().isoformat()}"


def cut_segments(
    activities: Sequence[Activity], *, every: Every = "quarter", least: int = LEAST
) -> tuple[Segment, ...]:
    """Cut a past at the ends of calendar months, quarters or years.

    Parameters
    ----------
    activities : sequence of Activity
        Oldest first. Without times, each segment has `least` activities.
    every : "month", "quarter" or "year"
    least : int
        A shorter segment goes on into the next; a short last one joins the one before.

    Returns
    -------
    tuple of Segment
        In the order of time; together they are all activities.

    Examples
    --------
    >>> [len(one.activities) for one in cut_segments([Activity("a", "a")] * 7, least=3)]
    [3, 4]
    """
    found: list[list[Activity]] = []
    current: list[Activity] = []
    for part in _periods(activities, every):
        current += part
        if len(current) >= least:
            found.append(current)
            current = []
    if current and found:
        found[-1] += current
    elif current:
        found.append(current)
    return tuple(Segment(tuple(one)) for one in found)


def _periods(activities: Sequence[Activity], every: Every) -> list[list[Activity]]:
    """Activities of one calendar period each; one activity each where there are no times."""
    if any(one.time is None for one in activities):
        return [[one] for one in activities]

    def period(one: Activity) -> int:
        return 0 if one.time is None else (12 * one.time.year + one.time.month - 1) // _MONTHS[every]

    return [list(part) for _, part in groupby(activities, key=period)]
