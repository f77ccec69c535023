"""Summaries by a model: the whole past in one request (approach `single`), and what all approaches share."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from meta_eval.llm.asking import Answer
from meta_eval.llm.counting import estimate_tokens
from meta_eval.llm.forms import Form, Passage
from meta_eval.llm.prompts import Prompt, fence, load_prompt
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.studies.users.metrics import WORDS
from meta_eval.studies.users.summaries import Summary
from meta_eval.studies.users.timelines import FUTURE, Activity, Timeline

Ask = Callable[[Sequence[Question]], Iterable[Answer]]
"""From questions to their answers, in order; called once for every step."""
Approach = Literal["single", "hierarchy-critique"]

CONTEXT = 8_000
"""Tokens of a prompt, where nobody says otherwise; four characters count as one, whatever the model."""
_TOKENS_A_WORD = 3
_TOKENS_MORE = 64
SUMMARY = Passage("the text")


@dataclass(frozen=True, slots=True)
class Size:
    """The most `words` of a summary, and the most tokens of a prompt (`context`).

    Tokens are estimated for every model alike: kept replies answer the same prompts later.
    """

    words: int = WORDS
    context: int = CONTEXT

    @property
    def tokens(self) -> int:
        """The longest reply: more than the words take, so that the limit is the model's to keep."""
        return _TOKENS_A_WORD * self.words + _TOKENS_MORE


@dataclass(frozen=True, slots=True)
class Summarised:
    """What a run wrote: `summaries`, each user's `trail` that says how, and users left out by reason.

    `unchecked` counts claims that nobody checked, since a round had as many already.
    """

    summaries: tuple[Summary, ...]
    trail: tuple[dict[str, Any], ...]
    left_out: dict[str, int]
    unchecked: int = 0


def fill_with_activities(
    prompt: Prompt, activities: Sequence[Activity], size: Size, form: Form, **places: str
) -> tuple[tuple[Message, ...], int]:
    """A prompt with activities, one a line, oldest first; and how many of them it shows.

    Where they are too many for the context the oldest are left out; one always stays.
    """
    lines = [activity.as_line() for activity in activities]
    line = fence([*lines, *places.values()])

    def filled(shown: int) -> tuple[Message, ...]:
        kept = "\n".join(lines[len(lines) - shown :])
        return prompt.fill(form, activities=kept, fence=line, words=str(size.words), **places)

    low, high = 1, len(lines)
    while low < high:
        middle = (low + high + 1) // 2
        if estimate_tokens(filled(middle)) <= size.context:
            low = middle
        else:
            high = middle - 1
    return filled(low), low


def summarise_single(
    timelines: Sequence[Timeline],
    ask: Ask,
    *,
    size: Size | None = None,
    future: int = FUTURE,
    approach: str = "single",
) -> Summarised:
    """Each user's whole past in one request: the baseline of the paper (A.1).

    Parameters
    ----------
    timelines : sequence of Timeline
    ask : function
        From questions to their answers.
    size : Size, optional
    future : int
        How many last activities the model never sees.
    approach : str
        What the summaries are called.

    Returns
    -------
    Summarised
        A user without a past has no summary, nor has one whose answer is missing; `left_out` counts both.

    Examples
    --------
    >>> from meta_eval.studies.users.timelines import Activity
    >>> timeline = Timeline("ann", (Activity("x", "x"),))
    >>> summarise_single([timeline], lambda questions: [], future=1).left_out
    {'users without a past': 1}
    """
    chosen, prompt = size or Size(), load_prompt("users-single")
    left_out: dict[str, int] = {}
    asked: list[tuple[str, int, int, Question]] = []
    for timeline in timelines:
        past, _ = timeline.split(future)
        if not past:
            count(left_out, "users without a past")
            continue
        messages, shown = fill_with_activities(prompt, past, chosen, SUMMARY)
        question = Question(timeline.user, Request(messages, SUMMARY, chosen.tokens))
        asked.append((timeline.user, len(past), shown, question))
    answers = list(ask([question for *_, question in asked]))
    summaries, trail = [], []
    for (user, past_length, shown, _), answer in zip(asked, answers, strict=True):
        trail.append(
            {
                "user": user,
                "approach": approach,
                "past": past_length,
                "shown": shown,
                "summary": text_of(answer),
                "reason": answer.reason,
            }
        )
        if answer.reason:
            count(left_out, f"summaries {answer.reason}")
        else:
            summaries.append(Summary(user, approach, text_of(answer) or "", past_length))
    return Summarised(tuple(summaries), tuple(trail), left_out)


def text_of(answer: Answer) -> str | None:
    """What was written; None where the answer is missing."""
    return answer.value if isinstance(answer.value, str) else None


def count(counts: dict[str, int], reason: str) -> None:
    """One more for a reason."""
    counts[reason] = counts.get(reason, 0) + 1
