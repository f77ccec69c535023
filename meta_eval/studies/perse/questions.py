"""What a model is asked: a person's profile, the new text or pair, and nothing of where they are from."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from meta_eval.llm.forms import Choice, Score
from meta_eval.llm.prompts import Prompt, fence
from meta_eval.llm.questions import Question, Request
from meta_eval.studies.perse.cases import LETTERS, Comparison, ComparisonCase, Review, ReviewCase

REVIEW_TOKENS, REASON_TOKENS, BARE_TOKENS = 600, 512, 48
"""The longest answer with a review, with a reason, and without either."""

LOWEST, HIGHEST = 1, 10
REVIEW_FORM = Score(LOWEST, HIGHEST, explain="review")

ASPECTS: Mapping[str, str] = {
    "interestingness": "Which of the two is more interesting to this person?",
    "adaptability": "Which of the two could become the more interesting book or film for this person?",
    "surprise": "Which of the two has more suspense and surprise for this person?",
    "character development": "Whose characters or events does this person care for more?",
    "ending": "Which of the two has the better ending for this person?",
}
"""The five aspects of stories that the paper compares, with the question asked of each."""


@dataclass(frozen=True, slots=True)
class AskedReview:
    """What an answer is about: a case by its place, and the number of the draw."""

    case: int
    draw: int


@dataclass(frozen=True, slots=True)
class AskedComparison:
    """What an answer is about: a case by its place, whether the new texts are changed over, and the draw."""

    case: int
    flipped: bool
    draw: int


def review_questions(
    cases: Sequence[ReviewCase], prompt: Prompt, *, draws: int = 1
) -> list[tuple[AskedReview, Question]]:
    """One question a case and draw: the profile, the new text, and the form `Score(1, 10)` after a review.

    Parameters
    ----------
    cases : sequence of ReviewCase
    prompt : Prompt
        Of `load_prompt("judge-reviews")`.
    draws : int
        How often each is asked.

    Returns
    -------
    list of (AskedReview, Question)
        In the order of the cases. A question holds neither person nor item, nor what is to be foretold.

    Examples
    --------
    >>> from meta_eval.llm.prompts import load_prompt
    >>> review_questions([], load_prompt("judge-reviews"))
    []
    """
    found = []
    for number, case in enumerate(cases):
        texts = [part for one in case.profile for part in (one.text, one.review)]
        line = fence([*texts, case.query.text])
        messages = prompt.fill(
            REVIEW_FORM,
            profile="\n\n".join(_past_review(at, one, line) for at, one in enumerate(case.profile, start=1)),
            fence=line,
            text=case.query.text,
        )
        for draw in range(draws):
            asked = AskedReview(number, draw)
            request = Request(messages, REVIEW_FORM, REVIEW_TOKENS, draw)
            found.append((asked, Question(f"{number}\x1f{draw}", request)))
    return found


def _past_review(number: int, one: Review, line: str) -> str:
    return (
        f"Text {number}:\n{line}\n{one.text}\n{line}\n"
        f"Review {number}:\n{line}\n{one.review}\n{line}\nScore {number}: {round(one.score, 2):g}"
    )


def comparison_questions(
    cases: Sequence[ComparisonCase],
    prompt: Prompt,
    *,
    aspects: Mapping[str, str] = ASPECTS,
    both_orders: bool = False,
    brief: bool = False,
    draws: int = 1,
) -> list[tuple[AskedComparison, Question]]:
    """One question a case, order and draw: the past comparisons, the new pair, and the form `Choice(A, B)`.

    Parameters
    ----------
    cases : sequence of ComparisonCase
        One aspect each: an aspect's answer cannot colour another's.
    prompt : Prompt
        Of `load_prompt("judge-comparisons")`.
    aspects : mapping
        The question of each aspect.
    both_orders : bool
        Whether the new pair is shown a second time with its texts changed over; the profile stays.
    brief : bool
        Without a reason before the choice, as released.
    draws : int

    Returns
    -------
    list of (AskedComparison, Question)

    Examples
    --------
    >>> from meta_eval.llm.prompts import load_prompt
    >>> comparison_questions([], load_prompt("judge-comparisons"))
    []
    """
    form = Choice(LETTERS, explain=None if brief else "reason")
    most = BARE_TOKENS if brief else REASON_TOKENS
    found = []
    for number, case in enumerate(cases):
        for flipped in (False, True)[: 1 + both_orders]:
            new = replace(case.query, a=case.query.b, b=case.query.a) if flipped else case.query
            texts = (part for one in (*case.profile, new) for part in (one.premise, one.a, one.b))
            line = fence(texts)
            messages = prompt.fill(
                form,
                question=aspects[case.query.aspect],
                profile="\n\n".join(
                    f"Pair {at}\n{_pair(one, line)}\nThis person chose: {one.choice}"
                    for at, one in enumerate(case.profile, start=1)
                ),
                texts=_pair(new, line),
            )
            for draw in range(draws):
                request = Request(messages, form, most, draw)
                found.append(
                    (AskedComparison(number, flipped, draw), Question(f"{number}{flipped}{draw}", request))
                )
    return found


def _pair(one: Comparison, line: str) -> str:
    premise = f"Premise:\n{line}\n{one.premise}\n{line}\n" if one.premise else ""
    return f"{premise}A:\n{line}\n{one.a}\n{line}\nB:\n{line}\n{one.b}\n{line}"


def requests_of(questions: Iterable[tuple[object, Question]]) -> list[Request]:
    """What is sent, without what it is about."""
    return [question.request for _, question in questions]
