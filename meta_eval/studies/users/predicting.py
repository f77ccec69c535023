"""Predictions: each task asked of a model that sees a summary, nothing, or another user's summary."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from meta_eval.errors import InputError
from meta_eval.llm.asking import Answer
from meta_eval.llm.forms import Choice
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.llm.signing import asked_signature, digest_of
from meta_eval.measures.base import Signature
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.tasks import Shown, Task

MEASURE = "usersumbench"
TOKENS = 48
"""The longest answer: a letter in a JSON object."""
_NOTHING = "Nothing is known of the person."


@dataclass(frozen=True, slots=True)
class AskedTask:
    """One question: the task, what was shown, by whom it was written, and in which order the options stood.

    `approach` is empty where nothing was shown: that question is the same for every approach. `turn` is how
    many places the options were moved up, `draw` the number of the draw.
    """

    approach: str
    task: Task
    shown: Shown
    turn: int = 0
    draw: int = 0

    @property
    def id(self) -> str:
        """Of the answer; it is never sent."""
        parts = (self.task.user, self.task.id, self.approach, self.shown, str(self.turn), str(self.draw))
        return "\x1f".join(parts)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What was asked, and the place of the chosen option among the task's, or why there is none.

    `p` is the probability that the model gave the true option, None where it is not known.
    """

    asked: AskedTask
    chosen: int | None
    reason: str | None = None
    p: float | None = None

    @property
    def right(self) -> bool | None:
        """Whether the true option was chosen; None without an answer."""
        return None if self.chosen is None else self.chosen == self.asked.task.truth

    def as_record(self) -> dict[str, Any]:
        """As one line of a file of predictions."""
        asked, task = self.asked, self.asked.task
        return {
            "user": task.user,
            "approach": asked.approach or None,
            "shown": asked.shown,
            "task": task.id,
            "kind": task.kind,
            "attribute": task.attribute,
            "turn": asked.turn,
            "draw": asked.draw,
            "options": list(task.options),
            "truth": task.truth,
            "answer": self.chosen,
            "right": self.right,
            "reason": self.reason,
            "chance": task.chance,
            **({} if self.p is None else {"p": self.p}),
        }


@dataclass(frozen=True, slots=True)
class Matched:
    """Summaries with tasks, in the order of the summaries; and by reason how many have no other side."""

    summaries: tuple[Summary, ...]
    tasks: Mapping[str, tuple[Task, ...]]
    left_out: Mapping[str, Mapping[str, int]]


def match_tasks(summaries: Sequence[Summary], tasks: Sequence[Task]) -> Matched:
    """Summaries of users who have tasks.

    Parameters
    ----------
    summaries : sequence of Summary
    tasks : sequence of Task

    Returns
    -------
    Matched
        `left_out` counts, by approach, `users without a summary` and `users without a task`.

    Raises
    ------
    InputError
        Where a summary was written from more of a timeline than the tasks call the past: it has seen what it
        is asked about. And where no summary has a task.

    Examples
    --------
    >>> from io import BytesIO
    >>> from meta_eval.studies.users.summaries import read_summaries
    >>> from meta_eval.studies.users.tasks import make_tasks
    >>> from meta_eval.studies.users.timelines import Activity, Timeline
    >>> done = {user: tuple(Activity(f"{user}{n}", f"{user}{n}") for n in range(3)) for user in "ab"}
    >>> tasks = make_tasks([Timeline(user, own) for user, own in done.items()], future=1).tasks
    >>> summaries = read_summaries(BytesIO(b'{"user": "a", "approach": "ours", "summary": "likes rain"}'))
    >>> match_tasks(summaries, tasks).left_out
    {'ours': {'users without a summary': 1}}
    """
    by_user: dict[str, list[Task]] = defaultdict(list)
    for task in tasks:
        by_user[task.user].append(task)
    for one in summaries:
        least = min((task.past for task in by_user.get(one.user, ())), default=None)
        if one.past is not None and least is not None and one.past > least:
            raise InputError(
                f"the summary of user {one.user!r} by {one.approach!r} was written from {one.past} "
                f"activities, and the tasks begin after {least}: it has seen the answers. "
                "Use the same --future for both."
            )
    kept = tuple(one for one in summaries if one.user in by_user)
    if not kept:
        raise InputError("no summary is of a user who has a task; are these files of one study?")
    left_out: dict[str, dict[str, int]] = {}
    for approach in dict.fromkeys(one.approach for one in summaries):
        users = {one.user for one in summaries if one.approach == approach}
        counts = {
            "users without a summary": len(by_user.keys() - users),
            "users without a task": len(users - by_user.keys()),
        }
        left_out[approach] = {reason: count for reason, count in counts.items() if count}
    return Matched(kept, {user: tuple(own) for user, own in by_user.items()}, left_out)


def other_users(users: Collection[str], seed: int) -> dict[str, str]:
    """For each user another one, each once: the next one of a drawn circle. Empty for fewer than two.

    Examples
    --------
    >>> found = other_users(["ann", "bob", "cid"], seed=0)
    >>> sorted(found.values()), any(user == other for user, other in found.items())
    (['ann', 'bob', 'cid'], False)
    """
    circle = sorted(users)
    if len(circle) < 2:
        return {}
    Random(f"{seed}\x1fothers").shuffle(circle)  # noqa: S311 - reproducible, not secret
    return dict(zip(circle, circle[1:] + circle[:1], strict=True))


def prediction_questions(
    matched: Matched,
    prompt: Prompt,
    *,
    controls: bool = True,
    all_orders: bool = False,
    draws: int = 1,
    seed: int = 0,
) -> list[tuple[AskedTask, Question]]:
    """The questions about every task: from the summary, and as controls from nothing and from another's.

    Parameters
    ----------
    matched : Matched
    prompt : Prompt
        Of `load_prompt("users-predict")`.
    controls : bool
        Whether the two controls are asked. They make three questions of one; the one without a summary is the
        same for all approaches, and asked once.
    all_orders : bool
        Whether each task is asked once for each place of its options, moved round.
    draws : int
        How often each is asked.
    seed : int
        Of who the other user is.

    Returns
    -------
    list of (AskedTask, Question)
        Users together, so that servers may keep what requests begin with.

    Examples
    --------
    >>> from io import BytesIO
    >>> from meta_eval.llm.prompts import load_prompt
    >>> from meta_eval.studies.users.summaries import read_summaries
    >>> from meta_eval.studies.users.tasks import make_tasks
    >>> from meta_eval.studies.users.timelines import Activity, Timeline
    >>> done = {user: tuple(Activity(f"{user}{n}", f"{user}{n}") for n in range(3)) for user in "ab"}
    >>> tasks = make_tasks([Timeline(user, own) for user, own in done.items()], future=1).tasks
    >>> summaries = read_summaries(BytesIO(b'{"user": "a", "approach": "ours", "summary": "likes rain"}'))
    >>> matched = match_tasks(summaries, tasks)
    >>> len(prediction_questions(matched, load_prompt("users-predict"), controls=False))
    1
    """
    texts = {(one.approach, one.user): one.text for one in matched.summaries}
    by_approach: dict[str, list[str]] = defaultdict(list)
    for one in matched.summaries:
        by_approach[one.approach].append(one.user)
    others = {approach: other_users(users, seed) for approach, users in by_approach.items()}
    found: list[tuple[AskedTask, Question]] = []
    for user, tasks in matched.tasks.items():
        shown: list[tuple[str, Shown, str | None]] = []
        for approach in by_approach:
            if (approach, user) in texts:
                shown.append((approach, "own", texts[approach, user]))
                if controls and user in others[approach]:
                    shown.append((approach, "other", texts[approach, others[approach][user]]))
        if controls and shown:
            shown.append(("", "none", None))
        for approach, what, text in shown:
            for task in tasks:
                for turn in range(len(task.options) if all_orders else 1):
                    messages = _messages(prompt, task, turn, text)
                    for draw in range(draws):
                        asked = AskedTask(approach, task, what, turn, draw)
                        request = Request(messages, Choice(task.letters), TOKENS, draw)
                        found.append((asked, Question(asked.id, request)))
    return found


def _messages(prompt: Prompt, task: Task, turn: int, text: str | None) -> tuple[Message, ...]:
    options = [" ".join(option.split()) for option in _turned(task.options, turn)]
    line = fence([*options, task.question, text or ""])
    known = f"What is known of the person:\n{line}\n{text}\n{line}"
    return prompt.fill(
        Choice(task.letters),
        person=_NOTHING if text is None else known,
        question=task.question,
        fence=line,
        options="\n".join(f"{letter}) {one}" for letter, one in zip(task.letters, options, strict=True)),
    )


def _turned(options: Sequence[str], turn: int) -> list[str]:
    return [*options[turn:], *options[:turn]]


def read_answers(asked: Iterable[AskedTask], answers: Iterable[Answer]) -> list[Prediction]:
    """The predictions: of each answer the option that its letter stood for."""
    return list(_predictions(asked, answers))


def _predictions(asked: Iterable[AskedTask], answers: Iterable[Answer]) -> Iterator[Prediction]:
    for one, answer in zip(asked, answers, strict=True):
        task = one.task
        if isinstance(answer.value, str):
            place = (task.letters.index(answer.value) + one.turn) % len(task.options)
            true = task.letters[(task.truth - one.turn) % len(task.options)]
            yield Prediction(one, place, p=answer.probabilities[true] if answer.probabilities else None)
        else:
            yield Prediction(one, None, answer.reason)


def first_share(predictions: Iterable[Prediction]) -> float | None:
    """The share of answers that chose the option shown first: far from chance, a model favours it."""
    places = Counter(
        (one.chosen - one.asked.turn) % len(one.asked.task.options) == 0
        for one in predictions
        if one.chosen is not None
    )
    return places[True] / places.total() if places else None


def prediction_signature(
    options: ModelOptions,
    prompt: Prompt,
    *,
    requests: Sequence[Request],
    tasks: Sequence[Task],
    attempts: int,
    **more: Any,
) -> Signature:
    """All on which scores depend but for the summaries: the model, the prompt, the tasks, and `more`."""
    tasks_digest = digest_of([task.as_line() for task in tasks])
    return asked_signature(
        MEASURE,
        options,
        prompt,
        requests=requests,
        attempts=attempts,
        more={"tasks_digest": tasks_digest, **more},
    )
