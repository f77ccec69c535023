"""From a model's answers to its ratings, and what is to be known of them."""

from collections.abc import Sequence
from statistics import fmean
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.runs import count_answers
from meta_eval.ratings.of_models import ORDERS, JudgedPair, ModelAnswer
from meta_eval.ratings.table import MODEL_RATER
from meta_eval.studies.judging.pairs import AskedPair


def rater_name(title: str) -> str:
    """How a model is called among raters: nobody can take it for a person."""
    return f"{MODEL_RATER}{title}"


def answers_of(asked: Sequence[AskedPair], answers: Sequence[Answer]) -> list[ModelAnswer]:
    """What a model said about each pair, its order and its draw.

    Parameters
    ----------
    asked, answers : sequences of equal length
        What each answer is about, and the answer.

    Returns
    -------
    list of ModelAnswer
        In the same order.
    """
    return [
        ModelAnswer(
            one.pair,
            answer.value if isinstance(answer.value, int) else None,
            ORDERS[one.flipped],
            one.draw,
            answer.reason,
        )
        for one, answer in zip(asked, answers, strict=True)
    ]


def summarise_run(judged: Sequence[JudgedPair], answers: Sequence[Answer]) -> dict[str, Any]:
    """What a run came to: answers and pairs, with and without a value, reasons, tokens, position.

    `position_effect` is the mean of what a pair gets in the order of its readers less what it gets changed
    over: 0 for a model to which the order is all the same. `fingerprints` of the server: more than one
    means that its software changed under way.
    """
    both = [one.first - one.second for one in judged if one.first is not None and one.second is not None]
    counted = count_answers(answers)
    return {
        **{name: counted[name] for name in ("questions", "answered", "left_out")},
        "pairs": len(judged),
        "pairs_without_rating": sum(one.mean is None for one in judged),
        "position_effect": fmean(both) if both else None,
        **{name: counted[name] for name in ("prompt_tokens", "completion_tokens", "fingerprints")},
    }
