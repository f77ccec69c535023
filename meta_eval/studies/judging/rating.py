"""From a model's answers to its ratings, and what is to be known of them."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.runs import count_answers
from meta_eval.ratings.rating import RatedPair, Rating
from meta_eval.ratings.table import MODEL_RATER
from meta_eval.studies.judging.pairs import Asked


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """What a model said of one pair: the mean over orders and draws, None unless each order has an answer.

    `first` and `second` are the means of the two orders, `sd` the standard deviation over all `answers`.
    """

    pair: RatedPair
    mean: float | None
    first: float | None
    second: float | None
    sd: float | None
    answers: int


def rater_name(title: str) -> str:
    """How a model is called among raters: nobody can take it for a person."""
    return f"{MODEL_RATER}{title}"


def judge_pairs(asked: Sequence[Asked], answers: Sequence[Answer]) -> list[JudgedPair]:
    """The pairs in the order in which they were asked, each with what the model said of it.

    Parameters
    ----------
    asked, answers : sequences of equal length
        What each answer is about, and the answer.

    Returns
    -------
    list of JudgedPair
        A pair that lacks an answer in one of its orders has no mean: half of it would lean to a side.
    """
    values: dict[RatedPair, dict[bool, list[int]]] = defaultdict(dict)
    for one, answer in zip(asked, answers, strict=True):
        orders = values[one.pair].setdefault(one.flipped, [])
        if isinstance(answer.value, int):
            orders.append(answer.value)
    return [_judged(pair, orders) for pair, orders in values.items()]


def _judged(pair: RatedPair, orders: Mapping[bool, Sequence[int]]) -> JudgedPair:
    means = {flipped: fmean(given) if given else None for flipped, given in orders.items()}
    every = [value for given in orders.values() for value in given]
    found = [mean for mean in means.values() if mean is not None]
    return JudgedPair(
        pair,
        mean=fmean(found) if len(found) == len(orders) else None,
        first=means.get(False),
        second=means.get(True),
        sd=stdev(every) if len(every) > 1 else None,
        answers=len(every),
    )


def whole_ratings(judged: Iterable[JudgedPair], rater: str) -> list[Rating]:
    """The means as whole ratings of one rater; a half goes to the even side, so that halves lean nowhere.

    Examples
    --------
    >>> from meta_eval.ratings.rating import rated_pair
    >>> pair = rated_pair("d", "A", "ann", "bob")
    >>> whole_ratings([JudgedPair(pair, 2.5, 2, 3, None, 2)], "model:m")[0].rating
    2
    """
    return [
        Rating(one.pair.doc_id, one.pair.system, one.pair.reader_a, one.pair.reader_b, rater, round(one.mean))
        for one in judged
        if one.mean is not None
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
