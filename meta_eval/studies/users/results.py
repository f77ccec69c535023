"""What a run over tasks leaves: predictions, the quality of each summary, scores; written and read again."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from meta_eval.errors import Fault, InputError
from meta_eval.files.reading import Faults, read_lines
from meta_eval.files.values import is_number, parse_json
from meta_eval.files.writing import render_records
from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers
from meta_eval.llm.signing import digest_of
from meta_eval.measures.signatures import signature_line
from meta_eval.studies.users.comparing import Resampling, score_approaches
from meta_eval.studies.users.decisions import DECISIONS
from meta_eval.studies.users.metrics import Quality, Threshold, judge_summaries
from meta_eval.studies.users.predicting import (
    Asked,
    Matched,
    Prediction,
    first_share,
    prediction_signature,
    read_answers,
)

PREDICTIONS, QUALITY, SCORES, RUN = "predictions.jsonl", "quality.jsonl", "scores.json", "run.json"
_FAULTS = 20


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """Scores of approaches, the quality of each summary under them, and what the run was."""

    scores: list[dict[str, Any]]
    qualities: list[Quality]
    run: Mapping[str, Any]

    @property
    def limit(self) -> int:
        """The most words of a summary."""
        return int(self.run["limit"])


def score_summaries(
    matched: Matched,
    asked: Sequence[tuple[Asked, Question]],
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
    asked : sequence of (Asked, Question)
        As `prediction_questions` made them.
    answers : sequence of Answer
        One to each, in the same order.
    options, prompt, setting, resampling
        With which they were asked and are scored, for the signature.

    Returns
    -------
    Results and list of Prediction
        The same whether replies are new or were kept.
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
        "prompt": prompt.name,
        "prompt_version": prompt.version,
        "prompt_digest": prompt.digest,
        "decisions": [decision.as_record() for decision in DECISIONS],
        **signed,
    }
    records = [{**score, "predictor": options.title, **signed} for score in scores]
    return Results(scores=records, qualities=qualities, run=run), predictions


def result_texts(results: Results, predictions: Sequence[Prediction]) -> dict[str, str]:
    """The files of a run, by name."""
    return {
        PREDICTIONS: "".join(_line(one.as_record()) for one in predictions),
        QUALITY: "".join(_line(one.as_record()) for one in results.qualities),
        SCORES: render_records(results.scores, "json"),
        RUN: json.dumps(results.run, indent=2, ensure_ascii=False, allow_nan=False) + "\n",
    }


def read_results(folder: Path) -> Results:
    """What `result_texts` gave, from its folder.

    Raises
    ------
    InputError
        With the file and line that are not as `users score` writes them.
    """
    run, scores = (_json(folder / name) for name in (RUN, SCORES))
    if not isinstance(run, dict) or type(run.get("limit")) is not int:
        raise InputError([Fault(str(folder / RUN), None, "is no run of `users score`: it has no limit")])
    if not isinstance(scores, list) or not all(isinstance(one, dict) and "qm" in one for one in scores):
        raise InputError([Fault(str(folder / SCORES), None, "is no result of `users score`")])
    name, faults, qualities = str(folder / QUALITY), Faults(_FAULTS), []
    for number, line in read_lines(folder / QUALITY, name, faults, alone=True):
        try:
            qualities.append(_quality(parse_json(line)))
        except (ValueError, TypeError, KeyError) as error:
            faults.add(name, number, f"is no summary's quality, as `users score` writes it: {error}")
    faults.raise_if_any()
    if not qualities:
        raise InputError([Fault(name, None, "holds no summary")])
    return Results(scores=scores, qualities=qualities, run=run)


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


def _quality(record: Any) -> Quality:
    names = [item.name for item in fields(Quality)]
    if not isinstance(record, dict) or set(record) != set(names):
        raise ValueError(f"wanted are the fields {', '.join(names)}")
    for name, value in record.items():
        text, whole = name in ("user", "approach"), name in ("words", "tasks", "answered")
        fits = (
            isinstance(value, str) if text
            else type(value) is int if whole
            else value is None or isinstance(value, bool) if name.startswith("good")
            else value is None or (is_number(value) and 0 <= value <= 1)
        )  # fmt: skip
        if not fits:
            raise ValueError(f"{name} is {value!r}")
    return Quality(**record)


def _json(path: Path) -> Any:
    try:
        return parse_json(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise InputError([Fault(str(path), None, f"cannot be read: {error.strerror}")]) from error
    except ValueError as error:
        raise InputError([Fault(str(path), None, f"not JSON: {error}")]) from error


def _line(record: Mapping[str, Any]) -> str:
    return json.dumps(record, ensure_ascii=False) + "\n"
