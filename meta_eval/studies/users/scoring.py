"""From the answers of a model to results: scores, the quality of each summary, and what the run was."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers
from meta_eval.llm.signing import digest_of
from meta_eval.measures.signatures import signature_line
from meta_eval.studies.users.comparing import Resampling, score_approaches
from meta_eval.studies.users.decisions import DECISIONS
from meta_eval.studies.users.metrics import Threshold, judge_summaries
from meta_eval.studies.users.predicting import (
    AskedTask,
    Matched,
    Prediction,
    first_share,
    prediction_signature,
    read_answers,
)
from meta_eval.studies.users.results import Results

LEAST_LIKELY = 1e-6
"""What a probability counts as at least in a mean of logarithms; decided here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """How summaries are scored: from what on one is good, the limit of words, the seed of controls."""

    threshold: Threshold
    limit: int
    attempts: int = 2
    draws: int = 1
    all_orders: bool = False
    controls: bool = True
    seed: int = 0


def score_summaries(
    matched: Matched,
    asked: Sequence[tuple[AskedTask, Question]],
    answers: Sequence[Answer],
    *,
    options: ModelOptions,
    prompt: Prompt,
    setting: Setting,
    resampling: Resampling,
) -> tuple[Results, list[Prediction]]:
    """Scores and predictions, from the answers of one model.

    Parameters
    ----------
    matched : Matched
        Summaries and tasks.
    asked : sequence of (AskedTask, Question)
        As `prediction_questions` made them.
    answers : sequence of Answer
        One to each, in the same order.
    options, prompt, setting, resampling
        With which they were asked and are scored, for the signature.

    Returns
    -------
    Results and list of Prediction
        The same whether replies are new or were kept.

    Examples
    --------
    >>> from io import BytesIO
    >>> from meta_eval.llm.asking import Asking
    >>> from meta_eval.llm.models import ReplayModel, parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> from meta_eval.studies.users.metrics import parse_threshold
    >>> from meta_eval.studies.users.predicting import match_tasks, prediction_questions
    >>> from meta_eval.studies.users.summaries import read_summaries
    >>> from meta_eval.studies.users.tasks import make_tasks
    >>> from meta_eval.studies.users.timelines import Activity, Timeline
    >>> done = {user: tuple(Activity(f"{user}{n}", f"{user}{n}") for n in range(3)) for user in "ab"}
    >>> tasks = make_tasks([Timeline(user, own) for user, own in done.items()], future=1).tasks
    >>> summaries = read_summaries(BytesIO(b'{"user": "a", "approach": "ours", "summary": "likes rain"}'))
    >>> matched, prompt = match_tasks(summaries, tasks), load_prompt("users-predict")
    >>> asked = prediction_questions(matched, prompt, controls=False)
    >>> model = ReplayModel(parse_model("replay:model=m"))
    >>> answers = list(Asking([question for _, question in asked], model))
    >>> setting = Setting(threshold=parse_threshold("60%"), limit=50)
    >>> known = {"options": model.options, "prompt": prompt, "resampling": Resampling()}
    >>> results, predictions = score_summaries(matched, asked, answers, setting=setting, **known)
    >>> len(predictions), results.qualities[0].accuracy
    (1, None)
    """
    predictions = read_answers([one for one, _ in asked], answers)
    qualities = judge_summaries(matched.summaries, matched.tasks, predictions, setting.threshold)
    tasks = [task for own in matched.tasks.values() for task in own]
    signature = prediction_signature(
        options,
        prompt,
        requests=[question.request for _, question in asked],
        tasks=tasks,
        attempts=setting.attempts,
        at_least=str(setting.threshold),
        limit=setting.limit,
        draws=setting.draws,
        all_orders=setting.all_orders,
        controls=setting.controls,
        controls_seed=setting.seed,
        summaries_digest=digest_of([one.as_line() for one in matched.summaries]),
    )
    signed = {"signature": signature.as_dict(), "signature_line": signature_line(signature)}
    scores = score_approaches(
        qualities, limit=setting.limit, left_out=matched.left_out, resampling=resampling
    )
    run = {
        "predictor": options.title,
        "model": options.model,
        "at_least": str(setting.threshold),
        "limit": setting.limit,
        "draws": setting.draws,
        "all_orders": setting.all_orders,
        "controls": setting.controls,
        "seed": setting.seed,
        "resamples": resampling.resamples,
        **count_answers(answers),
        "first_option_share": first_share(predictions),
        "tasks_by_kind": _by_kind(predictions),
        **({"log_scores": _log_scores(predictions)} if options.probabilities else {}),
        "prompt": prompt.name,
        "prompt_version": prompt.version,
        "prompt_digest": prompt.digest,
        "decisions": [decision.as_record() for decision in DECISIONS],
        **signed,
    }
    records = [{**score, "predictor": options.title, **signed} for score in scores]
    return Results(scores=records, qualities=qualities, run=run), predictions


def _log_scores(predictions: Sequence[Prediction]) -> list[dict[str, Any]]:
    """By approach and what was shown: the mean log of the probability of the true option, and of guessing.

    Over the answers whose probabilities are known; `weighed` counts them. A server lists the likeliest tokens
    alone: of an option that is not among them (`unlisted`) nobody knows how much less likely it was. So no
    probability counts as less than `LEAST_LIKELY`, and one answer does not decide the mean.
    """
    found: dict[tuple[str, str], list[tuple[float, float]]] = {}
    for one in predictions:
        known = found.setdefault((one.asked.approach, one.asked.shown), [])
        if one.p is not None:
            known.append((one.p, math.log(one.asked.task.chance)))
    return [
        {
            "approach": approach or None,
            "shown": shown,
            "weighed": len(known),
            "unlisted": sum(p == 0 for p, _ in known),
            "log_score": fmean(math.log(max(p, LEAST_LIKELY)) for p, _ in known) if known else None,
            "log_score_of_guessing": fmean(one for _, one in known) if known else None,
        }
        for (approach, shown), known in found.items()
    ]


def _by_kind(predictions: Sequence[Prediction]) -> list[dict[str, Any]]:
    """By kind of task, approach and what was shown: how many were answered, how many of these right."""
    found: dict[tuple[str, str, str], list[bool]] = {}
    for one in predictions:
        task, asked = one.asked.task, one.asked
        kind = task.kind if task.attribute is None else f"{task.kind} {task.attribute}"
        given = found.setdefault((kind, asked.approach, asked.shown), [])
        if one.right is not None:
            given.append(one.right)
    return [
        {
            "kind": kind,
            "approach": approach or None,
            "shown": shown,
            "answered": len(given),
            "accuracy": sum(given) / len(given) if given else None,
        }
        for (kind, approach, shown), given in found.items()
    ]
