"""One model's ratings of pairs, from the questions to what is written about them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import Model, ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Question, Request
from meta_eval.llm.signing import asked_signature, digest_of
from meta_eval.measures.base import Signature
from meta_eval.measures.signatures import signature_line
from meta_eval.ratings.of_models import JudgedPair, ModelTable, pool_answers
from meta_eval.ratings.rating import RatedPair, Rating
from meta_eval.studies.judging.pairs import AskedPair
from meta_eval.studies.judging.rating import answers_of, rater_name, summarise_run
from meta_eval.studies.judging.wording import Wording

MEASURE = "model-rating"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRatings:
    """What a model said: its whole ratings, the unrounded means, every answer, and a record of the run."""

    rater: str
    ratings: list[Rating]
    judged: list[JudgedPair]
    asked: list[AskedPair]
    answers: list[Answer]
    record: Mapping[str, Any]
    weighs: bool = False

    def mean_records(self) -> list[dict[str, Any]]:
        """One record a pair: `mean` of orders and draws, that of each order, `sd` over all `answers`.

        Where probabilities were asked for also `expected`, the mean of the expected ratings of both orders,
        None for a pair one of whose ratings could not be weighed.
        """
        expected = self._expected() if self.weighs else {}
        return [
            {
                **_pair_record(one.pair),
                "rater": self.rater,
                "mean": one.mean,
                "mean_ab": one.first,
                "mean_ba": one.second,
                "sd": one.sd,
                "answers": one.answers,
                **({"expected": expected.get(one.pair)} if self.weighs else {}),
            }
            for one in self.judged
        ]

    def _expected(self) -> dict[RatedPair, float]:
        """By pair that has a rating, as its mean is made: of draws, then of orders."""
        found: dict[RatedPair, dict[bool, list[float | None]]] = {}
        for asked, answer in zip(self.asked, self.answers, strict=True):
            if answer.value is not None:
                found.setdefault(asked.pair, {}).setdefault(asked.flipped, []).append(answer.expected)
        rated = {one.pair for one in self.judged if one.mean is not None}
        return {
            pair: fmean(fmean(one for one in values if one is not None) for values in orders.values())
            for pair, orders in found.items()
            if pair in rated and all(None not in values for values in orders.values())
        }

    def answer_records(self) -> list[dict[str, Any]]:
        """One record a question: the pair, its order and draw, the rating or the reason, what was said."""
        return [
            {
                **_pair_record(asked.pair),
                "rater": self.rater,
                "order": "ba" if asked.flipped else "ab",
                "draw": asked.draw,
                "rating": answer.value,
                **({"expected": answer.expected} if self.weighs else {}),
                "reason": answer.reason,
                "problem": answer.problem or None,
                "explanation": answer.explanation,
                "text": answer.text,
                "turns": answer.turns,
                "prompt_tokens": answer.prompt_tokens,
                "completion_tokens": answer.completion_tokens,
            }
            for asked, answer in zip(self.asked, self.answers, strict=True)
        ]


def rate_pairs(
    questions: Sequence[tuple[AskedPair, Question]],
    model: Model,
    answers: Sequence[Answer],
    *,
    prompt: Prompt,
    wording: Wording,
    attempts: int,
) -> ModelRatings:
    """A model's ratings of the pairs that the questions are about.

    Parameters
    ----------
    questions : sequence of (AskedPair, Question)
        As `pair_questions` makes them.
    model : Model
    answers : sequence of Answer
        To the questions, in order.
    prompt, wording, attempts
        With which the questions were made and are asked, for the signature.

    Returns
    -------
    ModelRatings
        The same whether replies are new or were kept.

    Examples
    --------
    >>> from meta_eval.llm.asking import Answer
    >>> from meta_eval.llm.models import ReplayModel, parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> from meta_eval.studies.judging.wording import default_wording
    >>> model = ReplayModel(parse_model("replay:model=m"))
    >>> wording, prompt = default_wording("similarity"), load_prompt("judge-pairs")
    >>> found = rate_pairs([], model, [], prompt=prompt, wording=wording, attempts=1)
    >>> found.rater, found.ratings
    ('model:m', [])
    """
    asked = [one for one, _ in questions]
    requests = [question.request for _, question in questions]
    rater = rater_name(model.options.title)
    table = ModelTable(rater, tuple(answers_of(asked, answers)))
    judged = pool_answers(table.answers)
    signature = rating_signature(
        model.options, prompt, wording, asked=asked, requests=requests, attempts=attempts
    )
    weighed = sum(answer.expected is not None for answer in answers)
    record = {
        "rater": rater,
        "model": model.options.model,
        **summarise_run(judged, answers),
        **({"weighed": weighed} if model.options.probabilities else {}),
        "wording": wording.as_record(),
        "prompt": prompt.name,
        "prompt_version": prompt.version,
        "prompt_digest": prompt.digest,
        "signature": signature.as_dict(),
        "signature_line": signature_line(signature),
    }
    return ModelRatings(
        rater=rater,
        ratings=table.ratings,
        judged=judged,
        asked=asked,
        answers=list(answers),
        record=record,
        weighs=model.options.probabilities,
    )


def rating_signature(
    options: ModelOptions,
    prompt: Prompt,
    wording: Wording,
    *,
    asked: Sequence[AskedPair],
    requests: Sequence[Request],
    attempts: int,
) -> Signature:
    """All on which a model's ratings depend: a changed word of the prompt or the wording changes it.

    So does the form of the answers, with the words that ask for it and for another, and their length.
    """
    return asked_signature(
        MEASURE,
        options,
        prompt,
        requests=requests,
        attempts=attempts,
        more={
            "both_orders": any(one.flipped for one in asked),
            "wording_digest": digest_of(wording.as_record()),
        },
    )


def _pair_record(pair: RatedPair) -> dict[str, str]:
    return {
        "doc_id": pair.doc_id,
        "system": pair.system,
        "reader_a": pair.reader_a,
        "reader_b": pair.reader_b,
    }
