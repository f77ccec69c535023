"""Timelines: what each user did, in the order of time, and where the past ends."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from meta_eval.errors import InputError
from meta_eval.files.json_files import json_line, read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import is_number, kind_of, name_problem, text_problem

FUTURE = 5
"""How many of a user's last activities are the future, where nobody says otherwise; the text is silent."""

_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Activity:
    """One thing that a user did: what (`item`, its `name`), when, and what is known of it.

    `time` is None where only the order is known. `attributes` are the values of each kind of attribute,
    such as genre. `rating` and `text` are what the user gave and wrote, None and empty where nothing.
    """

    item: str
    name: str
    time: datetime | None = None
    attributes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    rating: float | None = None
    text: str = ""

    def as_record(self) -> dict[str, Any]:
        """As a timeline file holds it."""
        return {
            "time": None if self.time is None else self.time.isoformat(),
            "item": self.item,
            "name": self.name,
            "attributes": {kind: list(values) for kind, values in self.attributes.items()},
            "rating": self.rating,
            "text": self.text,
        }

    def as_line(self) -> str:
        """On one line, as prompts show it: date; name; attributes; rating; text."""
        kinds = (f"{kind}: {', '.join(values)}" for kind, values in self.attributes.items() if values)
        rated = "" if self.rating is None else f"rated {self.rating:g}"
        parts = ("" if self.time is None else self.time.date().isoformat(), self.name, *kinds, rated)
        return "; ".join(one for part in (*parts, self.text) if (one := " ".join(part.split())))


@dataclass(frozen=True, slots=True)
class Timeline:
    """A user and what the user did, oldest first."""

    user: str
    activities: tuple[Activity, ...]

    def as_line(self) -> str:
        """As one line of a timeline file, without the line's end."""
        record = {"user": self.user, "activities": [one.as_record() for one in self.activities]}
        return json_line(record)

    def split(self, future: int = FUTURE) -> tuple[tuple[Activity, ...], tuple[Activity, ...]]:
        """The past and the last `future` activities, which nobody who summarises may see.

        Both are empty parts of each other: a user with no more than `future` activities has no past.

        Examples
        --------
        >>> timeline = Timeline("ann", tuple(Activity(item, item) for item in "abc"))
        >>> [[one.item for one in part] for part in timeline.split(1)]
        [['a', 'b'], ['c']]
        """
        cut = max(0, len(self.activities) - future)
        return self.activities[:cut], self.activities[cut:]


def make_timeline(user: str, activities: Iterable[Activity]) -> Timeline:
    """The timeline of a user, sorted by time; activities of equal time, or without one, keep their order.

    Raises
    ------
    InputError
        Where some activities have a time and others have none: nobody can say which came first.

    Examples
    --------
    >>> late, early = (datetime(2026, month, 1, tzinfo=UTC) for month in (5, 4))
    >>> made = make_timeline("ann", [Activity("b", "B", late), Activity("a", "A", early)])
    >>> [one.item for one in made.activities]
    ['a', 'b']
    """
    given = list(activities)
    timed = [one.time for one in given if one.time is not None]
    if timed and len(timed) < len(given):
        raise InputError(
            f"{len(given) - len(timed)} of {len(given)} activities of user {user!r} have no time: "
            "give all of them one, or none"
        )
    return Timeline(user, tuple(sorted(given, key=lambda one: one.time or datetime.min.replace(tzinfo=UTC))))


def read_timelines(source: Source, *, name: str | None = None) -> tuple[Timeline, ...]:
    """Read a timeline file: one user a line.

    Parameters
    ----------
    source : path or binary stream
        Lines `{"user", "activities": [{"time", "item", "name", "attributes", "rating", "text"}]}`. `time` is
        ISO 8601, seconds since 1970 or null; of the others only `item` is required, `name` is the item where
        it is missing.
    name : str, optional
        What to call it in messages.

    Returns
    -------
    tuple of Timeline
        In the order of the file; activities by time.

    Raises
    ------
    InputError
        With every faulty line: no object, a user twice, an activity without an item, a time or rating that
        is none.

    Examples
    --------
    >>> from io import BytesIO
    >>> (found,) = read_timelines(BytesIO(b'{"user": "u", "activities": [{"item": "x", "time": 60}]}'))
    >>> found.activities[0].as_line()
    '1970-01-01; x'
    """
    called, faults = source_name(source, name), Faults(_FAULTS)
    found: dict[str, Timeline] = {}
    no_json = "is no JSON object with a user and activities"
    for number, record in read_json_lines(source, called, faults, no_json):
        try:
            timeline = _timeline(record)
        except InputError as error:
            faults.add(called, number, str(error))
            continue
        if timeline.user in found:
            faults.add(called, number, f"user {timeline.user!r} stands on a line before: join both")
        found[timeline.user] = timeline
    faults.raise_if_any()
    if not found:
        raise InputError(f"{called} holds no timeline")
    return tuple(found.values())


def timeline_lines(timelines: Iterable[Timeline]) -> Iterator[str]:
    """Lines of a timeline file, each with its end."""
    return (f"{timeline.as_line()}\n" for timeline in timelines)


def read_time(value: Any) -> datetime | None:
    """A time as files hold it: ISO 8601 (without a zone UTC), seconds since 1970, or null.

    Raises `InputError` for anything else.

    Examples
    --------
    >>> read_time("2026-01-02").isoformat(), read_time(0).year, read_time(None)
    ('2026-01-02T00:00:00+00:00', 1970, None)
    """
    try:
        if value is None:
            return None
        if is_number(value):
            return datetime.fromtimestamp(value, UTC)
        found = datetime.fromisoformat(value)
    except (TypeError, ValueError, OverflowError, OSError) as error:
        raise InputError(f"time {value!r} is neither ISO 8601 nor seconds since 1970 nor null") from error
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)


def _timeline(record: Any) -> Timeline:
    if not isinstance(record, dict) or not isinstance(record.get("activities"), list):
        raise InputError("is no JSON object with a user and a list of activities")
    user: Any = record.get("user")
    if problem := name_problem(user):
        raise InputError(f"the user {problem}")
    return make_timeline(
        user, [_activity(one, number) for number, one in enumerate(record["activities"], start=1)]
    )


def _activity(record: Any, number: int) -> Activity:
    """One activity; raises `InputError` that says which it is."""
    try:
        if not isinstance(record, dict):
            raise InputError(f"must be an object, not {kind_of(record)}")  # noqa: TRY301 - placed below
        item: Any = record.get("item")
        name, text = record.get("name"), record.get("text") or ""
        rating = record.get("rating")
        for field_name, problem in (
            ("item", name_problem(item)),
            ("name", None if name in (None, "") else text_problem(name)),
            ("text", text_problem(text)),
            ("rating", None if rating is None or is_number(rating) else "must be a finite number or null"),
        ):
            if problem:
                raise InputError(f"{field_name} {problem}")  # noqa: TRY301 - placed below
        attributes = _attributes(record.get("attributes") or {})
        time = read_time(record.get("time"))
    except InputError as error:
        raise InputError(f"activity {number}: {error}") from error
    return Activity(item, name or item, time, attributes, rating, text)


def _attributes(given: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(given, dict):
        raise InputError(f"attributes must be an object, not {kind_of(given)}")
    found = {}
    for kind, values in given.items():
        listed: Sequence[Any] = [values] if isinstance(values, str) else values
        if name_problem(kind) or not isinstance(listed, list) or any(map(name_problem, listed)):
            raise InputError(f"attribute {kind!r} must be a text or a list of texts, none of them empty")
        found[kind] = tuple(dict.fromkeys(listed))
    return found
