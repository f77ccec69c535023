"""Examples to tune a model with elsewhere: the questions of persons who are not tested, each answered."""

from collections.abc import Iterator, Sequence

from meta_eval.files.json_files import json_line
from meta_eval.llm.questions import Question
from meta_eval.studies.perse.cases import ComparisonCase, ReviewCase


def review_answer(case: ReviewCase) -> str:
    """The answer that the person gave, in the form that is asked for: a whole score, halves to the even side.

    Examples
    --------
    >>> from meta_eval.studies.perse.cases import Review
    >>> review_answer(ReviewCase(Review("ann", "x", "text", "Dull.", 3), ()))
    '{"review": "Dull.", "score": 3}'
    """
    return json_line({"review": case.query.review, "score": round(case.query.score)})


def comparison_answer(case: ComparisonCase) -> str:
    """The choice that the person made, in the form that is asked for; people gave no reasons."""
    return json_line({"choice": case.query.choice})


def tuning_lines(questions: Sequence[Question], answers: Sequence[str]) -> Iterator[str]:
    """Chat JSONL, one example a line: `messages` as they are asked, and last the person's answer.

    Examples
    --------
    >>> from meta_eval.llm.forms import Score
    >>> from meta_eval.llm.questions import Message, Request
    >>> question = Question("q", Request((Message("user", "How?"),), Score(1, 10)))
    >>> print(*tuning_lines([question], ["3"]), end="")
    {"messages": [{"role": "user", "content": "How?"}, {"role": "assistant", "content": "3"}]}
    """
    for question, answer in zip(questions, answers, strict=True):
        messages = [message.as_dict() for message in question.request.messages]
        line = {"messages": [*messages, {"role": "assistant", "content": answer}]}
        yield f"{json_line(line)}\n"
