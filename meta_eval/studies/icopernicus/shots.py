"""The two styles with any number of examples: a text to complete, and a conversation about each example.

Both tell what `2-shot w/o` tells, within the same tokens in all. They are for models that were tuned to
complete prompts (`k-shot`) or to talk (`dialogue`).
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from meta_eval.llm.asking import Answer
from meta_eval.llm.prompts import fence
from meta_eval.llm.questions import Message, Question, Request
from meta_eval.studies.icopernicus.headlines import PLAIN
from meta_eval.studies.icopernicus.plans import EXAMPLES, Case
from meta_eval.studies.icopernicus.styles import (
    BUDGETS,
    MOST_TOKENS,
    PROMPT_TOKENS,
    LeftOutError,
    PromptMaker,
    StyleTokens,
    style_form,
    style_prompt,
)

Ask = Callable[[Sequence[Question]], Sequence[Answer] | None]
"""From the questions of a step to their answers; None where nobody has answered all of them yet."""
MOST_EXAMPLES = 8
"""With more an example would have so few tokens that little of an article is told."""
NO_OWN = "the model wrote no headline of its own for an example"


def shot_budget(examples: int) -> StyleTokens:
    """The tokens of a prompt with so many examples: they share what the two of `2-shot w/o` have.

    Examples
    --------
    >>> shot_budget(2) == BUDGETS["2-shot w/o"], shot_budget(4).example, shot_budget(3).total
    (True, 475, 3700)
    """
    each = EXAMPLES * BUDGETS["2-shot w/o"].example // examples
    return StyleTokens(0, each, PROMPT_TOKENS - examples * each, examples=examples)


@dataclass(frozen=True, slots=True)
class _Told:
    """What a prompt tells: bodies and headlines of the examples, the target's body, and the fence."""

    bodies: tuple[str, ...]
    headlines: tuple[str, ...]
    article: str
    fence: str


def _told(maker: PromptMaker, case: Case, *, reserved: int = 0) -> _Told:
    """`reserved` tokens of each example are left for what the model says of it."""
    budget, (reader,) = shot_budget(len(case.examples)), case.readers
    article = maker.article(case, budget)
    headlines = tuple(maker.headline(example, reader) for example in case.examples)
    bodies = tuple(
        maker.example(example, [headline], budget.example - reserved)
        for example, headline in zip(case.examples, headlines, strict=True)
    )
    return _Told(bodies, headlines, article, fence((article, *bodies, *headlines)))


def completion_request(maker: PromptMaker, case: Case) -> Request:
    """A text of articles, each with the reader's headline, which ends where the target's headline is missing.

    Raises `LeftOutError` where the data for it is not there.
    """
    prompt, form, told = style_prompt("k-shot"), style_form("k-shot"), _told(maker, case)
    parts: list[Message] = []
    for body, headline in zip((*told.bodies, told.article), (*told.headlines, None), strict=True):
        section = prompt.sections[1 if headline is not None else 2]
        one = replace(prompt, sections=(section,))
        parts += one.fill(form, fence=told.fence, article=body, headline=headline or "")
    opening = replace(prompt, sections=prompt.sections[:1]).fill(form)
    text = "\n\n".join(part.content for part in parts)
    return Request((*opening, Message("user", text)), form, MOST_TOKENS[False])


def dialogue_request(maker: PromptMaker, case: Case, said: Sequence[str]) -> Request:
    """The next question of a conversation in which the model `said` its headlines of the first examples.

    It asks about the next example, or about the target when the model has spoken of all. What the reader
    expected stands at the head of the next turn: chat templates want turns of user and model to alternate.

    Raises `LeftOutError` where the data for it is not there.
    """
    most = MOST_TOKENS[False]
    prompt, form, told = style_prompt("dialogue"), style_form("dialogue"), _told(maker, case, reserved=most)
    articles = (*told.bodies, told.article)
    first, later = (replace(prompt, sections=part) for part in (prompt.sections[:2], prompt.sections[2:]))
    messages = first.fill(form, fence=told.fence, article=articles[0])
    for own, headline, article in zip(said, told.headlines, articles[1:], strict=False):
        messages += later.fill(
            form, own=maker.beginning(own, most), headline=headline, fence=told.fence, article=article
        )
    return Request(messages, form, most)


@dataclass(frozen=True, slots=True)
class Dialogues:
    """Conversations at their last question: what the model `said` by case, its answers, cases left out.

    `waiting` are the questions of the step that nobody has answered yet; the conversations stand before it.
    """

    said: dict[Case, tuple[str, ...]]
    answers: tuple[Answer, ...]
    left_out: dict[str, int]
    waiting: tuple[tuple[Case, Question], ...] = ()


def hold_dialogues(maker: PromptMaker, cases: Sequence[Case], ask: Ask) -> Dialogues:
    """Ask for the model's own headlines of all examples, one example of every case after the other.

    Each question follows from the answers before, so there are as many rounds as examples. A case is left
    out, with the reason, where its data is not there or an own headline cannot be read.
    """
    said: dict[Case, tuple[str, ...]] = dict.fromkeys(cases, ())
    answers: list[Answer] = []
    left_out: Counter[str] = Counter()
    for number in range(max((len(case.examples) for case in cases), default=0)):
        asked: list[tuple[Case, Question]] = []
        for case, own in list(said.items()):
            try:
                request = dialogue_request(maker, case, own)
            except LeftOutError as reason:
                left_out[str(reason)] += 1
                del said[case]
                continue
            key = "\x1f".join(("dialogue", f"example {number + 1}", case.target, *case.readers))
            asked.append((case, Question(key, request)))
        found = ask([question for _, question in asked])
        if found is None:
            return Dialogues(said, tuple(answers), dict(left_out), tuple(asked))
        for (case, _), answer in zip(asked, found, strict=True):
            if isinstance(answer.value, dict):
                said[case] += (answer.value[PLAIN[0]],)
            else:
                left_out[NO_OWN] += 1
                del said[case]
        answers += found
    return Dialogues(said, tuple(answers), dict(left_out))
