"""QM, IFM and IDM of summaries (Wang et al. 2024, section 4.1), of predictions that somebody made.

Numbers of one summary are in `Quality`; those of an approach are means over its summaries, with intervals
over users.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from meta_eval.errors import InputError
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.tasks import Shown, Task

if TYPE_CHECKING:
    from meta_eval.studies.users.predicting import Prediction

WORDS = 100
"""The most words of a summary, where nobody says otherwise; the text is silent."""
USUAL_SHARE = "50%"

_THRESHOLD = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(%?)")
_MOST_MISSING = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class Threshold:
    """From what on a summary is good: a share of its tasks, or a number of tasks, answered right.

    The paper calls m "the number of correct predictions required" and compares it with a mean. Which of
    both is meant is said here, and in every signature.
    """

    least: Fraction
    is_share: bool

    def __str__(self) -> str:
        return f"{float(self.least * 100):g}%" if self.is_share else f"{int(self.least)}"

    def is_good(self, accuracies: Sequence[Fraction | None]) -> bool | None:
        """Q of a summary, from the accuracy (0 to 1) of each of its tasks, None for one without an answer.

        None where more than half have no answer, or there is no task.

        Examples
        --------
        >>> parse_threshold("3").is_good([Fraction(1), Fraction(1), Fraction(0), Fraction(1)])
        True
        """
        share = answered_share(accuracies)
        if share is None:
            return None
        if self.is_share:
            return share >= self.least
        return sum((one for one in accuracies if one is not None), Fraction(0)) >= self.least


def parse_threshold(text: str) -> Threshold:
    """A share with a percent sign, `60%`, or a number of tasks, `3`.

    Raises `InputError` for anything else: `0.6` may be either.

    Examples
    --------
    >>> str(parse_threshold("60 %")), str(parse_threshold("3"))
    ('60%', '3')
    """
    found = _THRESHOLD.fullmatch(text.strip())
    if found and found[2] and 0 < Fraction(found[1]) <= 100:
        return Threshold(Fraction(found[1]) / 100, is_share=True)
    if found and not found[2] and found[1].isdigit() and int(found[1]) > 0:
        return Threshold(Fraction(found[1]), is_share=False)
    raise InputError(f"--at-least is a share such as 60%, or a number of tasks such as 3, not {text!r}")


def answered_share(accuracies: Sequence[Fraction | None]) -> Fraction | None:
    """The mean accuracy of the tasks with an answer; None where more than half have none.

    Examples
    --------
    >>> answered_share([Fraction(1), Fraction(0), None])
    Fraction(1, 2)
    """
    known = [one for one in accuracies if one is not None]
    if not known or len(accuracies) - len(known) > len(accuracies) * _MOST_MISSING:
        return None
    return sum(known, Fraction(0)) / len(known)


def within_limit(words: int, limit: int) -> float:
    """1 for a summary of at most `limit` words, else 0."""
    return float(words <= limit)


def density(accuracy: float | None, words: int) -> float | None:
    """Accuracy a word of one summary; None without an accuracy, or without a word."""
    return None if accuracy is None or not words else accuracy / words


def mean_known(values: Iterable[float | None]) -> float | None:
    """The mean of those that are known; None where none is."""
    known = [one for one in values if one is not None]
    return sum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What is known of one summary, from predictions.

    `accuracy` (0 to 1) is of the tasks with an answer, `good` is Q; both None where more than half of the
    `tasks` have none. The same of what the model answered from nothing (`_none`) and from another user's
    summary (`_other`). `chance` is the mean over tasks.
    """

    user: str
    approach: str
    words: int
    tasks: int
    answered: int
    chance: float
    accuracy: float | None
    good: bool | None
    accuracy_none: float | None = None
    good_none: bool | None = None
    accuracy_other: float | None = None
    good_other: bool | None = None

    @property
    def density(self) -> float | None:
        """Accuracy a word; None for an empty summary."""
        return density(self.accuracy, self.words)

    def as_record(self) -> dict[str, Any]:
        """As one row of a table of summaries."""
        return {item.name: getattr(self, item.name) for item in fields(self)}


Key = tuple[str, str, Shown]
"""Approach (empty for what was asked from nothing), user, and what was shown."""


def by_shown(approach: str) -> dict[Shown, str]:
    """Under which approach the answers stand that belong to one: from nothing they are everybody's."""
    return {"own": approach, "none": "", "other": approach}


def judge_summaries(
    summaries: Sequence[Summary],
    tasks: Mapping[str, Sequence[Task]],
    predictions: "Iterable[Prediction]",
    threshold: Threshold,
) -> list[Quality]:
    """The quality of each summary, in their order.

    Parameters
    ----------
    summaries : sequence of Summary
    tasks : mapping of str to Task
        The tasks of each user, all of which were asked.
    predictions : iterable of Prediction
        Several to a task are draws or orders: their mean is the task's accuracy.
    threshold : Threshold

    Returns
    -------
    list of Quality
    """
    given = task_accuracies(predictions)
    found = []
    for one in summaries:
        own = tasks[one.user]
        accuracies = {
            shown: [given.get((approach, one.user, shown), {}).get(task.id) for task in own]
            for shown, approach in by_shown(one.approach).items()
        }
        share = {shown: answered_share(values) for shown, values in accuracies.items()}
        good = {shown: threshold.is_good(values) for shown, values in accuracies.items()}
        found.append(
            Quality(
                user=one.user,
                approach=one.approach,
                words=one.words,
                tasks=len(own),
                answered=sum(value is not None for value in accuracies["own"]),
                chance=sum(task.chance for task in own) / len(own),
                accuracy=_float(share["own"]),
                good=good["own"],
                accuracy_none=_float(share["none"]),
                good_none=good["none"],
                accuracy_other=_float(share["other"]),
                good_other=good["other"],
            )
        )
    return found


def task_accuracies(predictions: "Iterable[Prediction]") -> dict[Key, dict[str, Fraction]]:
    """The share of right answers to each task that has one, over its draws and orders."""
    rights: dict[Key, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for one in predictions:
        if one.right is not None:
            asked = one.asked
            rights[asked.approach, asked.task.user, asked.shown][asked.task.id].append(one.right)
    return {
        key: {task: Fraction(sum(answers), len(answers)) for task, answers in by_task.items()}
        for key, by_task in rights.items()
    }


def _float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)
