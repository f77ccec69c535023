"""Tasks about a user's future: a question with options, one of them true, and the chance of guessing it.

The published text names "multiple future activity prediction tasks" and no more. Which tasks there are, and
how options are drawn, is decided here.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from random import Random
from statistics import fmean
from typing import Any, Literal, get_args

from meta_eval.errors import InputError
from meta_eval.files.json_files import json_line, read_json_lines
from meta_eval.files.reading import Faults, Source, source_name
from meta_eval.files.values import kind_of, name_problem, text_problem
from meta_eval.studies.users.timelines import FUTURE, Activity, Timeline

Kind = Literal["item", "attribute", "rating"]
KINDS: tuple[Kind, ...] = get_args(Kind)
Shown = Literal["own", "none", "other"]
"""What the model saw: the user's summary, nothing, or another user's summary."""
OPTIONS = 4
"""How many options a task has, where there are so many."""
ABOVE, NOT_ABOVE = "higher than this person's own average so far", "not higher than that average"

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
MOST_OPTIONS = len(_LETTERS)
_FAULTS = 20


@dataclass(frozen=True, slots=True)
class Task:
    """One question about a future activity.

    `past` is how many activities came before the future began: no summary may rest on more. `attribute` is
    the kind of attribute that is asked for, `about` the name of the item whose rating is; `truth` the place
    of the true one among the `options`, from 0.
    """

    user: str
    id: str
    kind: Kind
    options: tuple[str, ...]
    truth: int
    past: int
    attribute: str | None = None
    about: str | None = None

    @property
    def chance(self) -> float:
        """The share of right answers of somebody who guesses."""
        return 1.0 / len(self.options)

    @property
    def letters(self) -> tuple[str, ...]:
        """What the options are called: A, B, ..."""
        return tuple(_LETTERS[: len(self.options)])

    @property
    def question(self) -> str:
        """What is asked, in one sentence."""
        if self.kind == "item":
            return "Which of these did this person choose next?"
        if self.kind == "attribute":
            return f"Which {self.attribute} does what this person chose next have?"
        about = " ".join((self.about or "").split())
        return f"This person went on to rate {about!r}. How was that rating?"

    def as_line(self) -> str:
        """As one line of a file of tasks, without the line's end."""
        record = {
            "user": self.user,
            "task": self.id,
            "kind": self.kind,
            "attribute": self.attribute,
            "about": self.about,
            "options": list(self.options),
            "truth": self.truth,
            "chance": self.chance,
            "past": self.past,
        }
        return json_line(record)


@dataclass(frozen=True, slots=True)
class MadeTasks:
    """Tasks, and by reason how many could not be made."""

    tasks: tuple[Task, ...]
    left_out: dict[str, int]


def make_tasks(
    timelines: Sequence[Timeline], *, future: int = FUTURE, options: int = OPTIONS, seed: int = 0
) -> MadeTasks:
    """Tasks about the last activities of every user.

    `item`: which of some items came next; the others were never touched by the user, occur in the past of
    other users and are nearest in how often they do. `attribute`, for each kind of attribute: which value the
    next activity has; the others are values of somebody's past that it does not have. `rating`: whether the
    user rated it above the mean of his or her past ratings, where these have a spread.

    Parameters
    ----------
    timelines : sequence of Timeline
    future : int
        How many last activities of a user are asked about, at least 1.
    options : int
        Options of a task, 2 to 26; a task has fewer where there are not so many, and is left out with one.
    seed : int
        Of the order of the options and of ties; the same seed gives the same tasks.

    Returns
    -------
    MadeTasks
        User by user, and by reason what was left out: `users without a past`, `items chosen before`, `items
        without other options`, `values without other options`, `ratings without a past spread`.

    Raises
    ------
    InputError
        For another number of options or activities, and where no task can be made.

    Examples
    --------
    >>> done = {user: tuple(Activity(f"{user}{n}", f"{user}{n}") for n in range(3)) for user in "ab"}
    >>> people = [Timeline(user, activities) for user, activities in done.items()]
    >>> found = make_tasks(people, future=1)
    >>> [(task.user, task.kind, sorted(task.options)) for task in found.tasks]
    [('a', 'item', ['a2', 'b0', 'b1']), ('b', 'item', ['a0', 'a1', 'b2'])]
    """
    if future < 1:
        raise InputError("the future must have at least 1 activity")
    if not 2 <= options <= MOST_OPTIONS:
        raise InputError(f"a task has 2 to {MOST_OPTIONS} options, not {options}")
    made = _Making(timelines, future, options, seed)
    tasks = tuple(task for timeline in timelines for task in made.of_user(timeline))
    if not tasks:
        reasons = ", ".join(f"{count} {reason}" for reason, count in made.left_out.items())
        raise InputError(f"no task can be made ({reasons}); give longer timelines, or a smaller future")
    return MadeTasks(tasks, dict(made.left_out))


class _Making:
    """What is known of all users' pasts, and the tasks made of it."""

    def __init__(self, timelines: Sequence[Timeline], future: int, options: int, seed: int) -> None:
        self._future, self._options, self._seed = future, options, seed
        self.left_out: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._counts: Counter[str] = Counter()
        values: dict[str, set[str]] = {}
        for timeline in timelines:
            past, _ = timeline.split(future)
            self._counts.update(one.item for one in past)
            for one in past:
                self._names.setdefault(one.item, one.name)
                for kind, given in one.attributes.items():
                    values.setdefault(kind, set()).update(given)
        self._values = {kind: sorted(given) for kind, given in values.items()}
        self._by_count: dict[int, list[str]] = {}
        for item in sorted(self._counts):
            self._by_count.setdefault(self._counts[item], []).append(item)
        self._popularity = sorted(self._by_count)

    def of_user(self, timeline: Timeline) -> Iterator[Task]:
        past, future = timeline.split(self._future)
        if not past or not future:
            self.left_out["users without a past"] += 1
            return
        ratings = [one.rating for one in past if one.rating is not None]
        for number, activity in enumerate(future, start=1):
            for kind, attribute, made in self._about(activity, timeline, past, ratings):
                name = kind if attribute is None else f"{kind} {attribute}"
                key = f"{number}/{name}"
                random = self._random(timeline.user, key)
                wanted = made(random)
                if isinstance(wanted, str):
                    self.left_out[wanted] += 1
                    continue
                true, others = wanted
                shown = [true, *others]
                random.shuffle(shown)
                about = activity.name if kind == "rating" else None
                yield Task(
                    timeline.user, key, kind, tuple(shown), shown.index(true), len(past), attribute, about
                )

    def _random(self, user: str, key: str) -> Random:
        # Reproducible, not secret.
        return Random(f"{self._seed}\x1f{user}\x1f{key}")  # noqa: S311

    def _about(
        self,
        activity: Activity,
        timeline: Timeline,
        past: Sequence[Activity],
        ratings: Sequence[float],
    ) -> Iterator[tuple[Kind, str | None, Any]]:
        """Kind, attribute, and a function that draws the true and the other options, or says why not."""
        yield "item", None, lambda random: self._item(activity, timeline, past, random)
        for attribute, values in activity.attributes.items():
            if values:
                yield "attribute", attribute, lambda random, at=attribute: self._value(activity, at, random)
        if activity.rating is not None:
            yield "rating", None, lambda _: _rating(activity.rating or 0.0, ratings)

    def _item(
        self, activity: Activity, timeline: Timeline, past: Sequence[Activity], random: Random
    ) -> tuple[str, list[str]] | str:
        if any(activity.item == one.item or _same(activity.name, one.name) for one in past):
            return "items chosen before"
        touched = {one.item for one in timeline.activities}
        taken = {one.name.casefold() for one in timeline.activities}
        others: list[str] = []
        for item in self._near(self._counts[activity.item], random):
            name = self._names[item]
            if item not in touched and name.casefold() not in taken:
                taken.add(name.casefold())
                others.append(name)
            if len(others) == self._options - 1:
                break
        return (activity.name, others) if others else "items without other options"

    def _near(self, count: int, random: Random) -> Iterator[str]:
        """Items from those nearest in popularity to the farthest; equally near ones in a drawn order."""
        high = bisect_left(self._popularity, count)
        low = high - 1
        while low >= 0 or high < len(self._popularity):
            below = count - self._popularity[low] if low >= 0 else None
            above = self._popularity[high] - count if high < len(self._popularity) else None
            gap = min(one for one in (below, above) if one is not None)
            tied: list[Sequence[str]] = []
            if below == gap:
                tied.append(self._by_count[self._popularity[low]])
                low -= 1
            if above == gap:
                tied.append(self._by_count[self._popularity[high]])
                high += 1
            first = tied[0]
            for place in _drawn(sum(map(len, tied)), random):
                yield first[place] if place < len(first) else tied[1][place - len(first)]

    def _value(self, activity: Activity, attribute: str, random: Random) -> tuple[str, list[str]] | str:
        own, values = activity.attributes[attribute], self._values.get(attribute, [])
        others = (values[place] for place in _drawn(len(values), random))
        wanted = list(islice((value for value in others if value not in own), self._options - 1))
        return (random.choice(own), wanted) if wanted else "values without other options"


def _drawn(size: int, random: Random) -> Iterator[int]:
    """The numbers below `size` in a drawn order, each drawn when it is wanted: few are, of very many."""
    moved: dict[int, int] = {}
    for place in range(size):
        other = random.randrange(place, size)
        yield moved.get(other, other)
        moved[other] = moved.get(place, place)


def _rating(rating: float, ratings: Sequence[float]) -> tuple[str, list[str]] | str:
    if len(set(ratings)) < 2:
        return "ratings without a past spread"
    return (ABOVE, [NOT_ABOVE]) if rating > fmean(ratings) else (NOT_ABOVE, [ABOVE])


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold()


def read_tasks(source: Source, *, name: str | None = None) -> tuple[Task, ...]:
    """Read a file of tasks, as `Task.as_line` writes them.

    Parameters
    ----------
    source : path or binary stream
    name : str, optional
        What to call it in messages.

    Returns
    -------
    tuple of Task

    Raises
    ------
    InputError
        With every line that is no task, and for a task that stands twice.

    Examples
    --------
    >>> from io import BytesIO
    >>> done = {user: tuple(Activity(f"{user}{n}", f"{user}{n}") for n in range(3)) for user in "ab"}
    >>> made = make_tasks([Timeline(user, own) for user, own in done.items()], future=1).tasks
    >>> read_tasks(BytesIO("\\n".join(task_lines(made)).encode())) == made
    True
    """
    called, faults = source_name(source, name), Faults(_FAULTS)
    found: dict[tuple[str, str], Task] = {}
    for number, record in read_json_lines(source, called, faults, "is no task"):
        try:
            task = _task(record)
        except InputError as error:
            faults.add(called, number, f"is no task: {error}")
            continue
        if (task.user, task.id) in found:
            faults.add(called, number, f"task {task.id!r} of user {task.user!r} stands twice")
        found[task.user, task.id] = task
    faults.raise_if_any()
    if not found:
        raise InputError(f"{called} holds no task; `users tasks` makes them from timelines")
    return tuple(found.values())


def task_lines(tasks: Iterable[Task]) -> Iterator[str]:
    """Lines of a file of tasks, each with its end."""
    return (f"{task.as_line()}\n" for task in tasks)


def _task(record: Any) -> Task:
    if not isinstance(record, dict):
        raise InputError(f"must be an object, not {kind_of(record)}")
    given: Any = record
    options, truth, past = (given.get(name) for name in ("options", "truth", "past"))
    attribute, about = given.get("attribute"), given.get("about")
    listed = isinstance(options, list) and not any(map(text_problem, options))
    for name, wrong, wanted in (
        ("user", name_problem(record.get("user")), "a name"),
        ("task", name_problem(record.get("task")), "a name"),
        ("kind", record.get("kind") not in KINDS, f"one of {', '.join(KINDS)}"),
        ("options", not listed or not 2 <= len(options) <= MOST_OPTIONS, "2 to 26 texts"),
        ("options", listed and len(set(options)) < len(options), "different from each other"),
        (
            "truth",
            type(truth) is not int or not listed or not 0 <= truth < len(options),
            "a place of options",
        ),
        ("past", type(past) is not int or past < 1, "a whole number from 1"),
        ("attribute", not (attribute is None or isinstance(attribute, str)), "a text or null"),
        ("about", not (about is None or isinstance(about, str)), "a text or null"),
    ):
        if wrong:
            raise InputError(f"{name} must be {wanted}")
    return Task(record["user"], record["task"], record["kind"], tuple(options), truth, past, attribute, about)
