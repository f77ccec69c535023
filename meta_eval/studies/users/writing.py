"""What a run that wrote summaries records: models, prompts, options, and what came of it."""

from collections.abc import Mapping, Sequence
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import load_prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.runs import count_answers
from meta_eval.llm.signing import digest_of, forms_digest, model_signature
from meta_eval.measures.base import OptionValue
from meta_eval.measures.signatures import signature_line
from meta_eval.studies.users.critique import PROMPTS, Critique
from meta_eval.studies.users.decisions import DECISIONS
from meta_eval.studies.users.summarising import Size, Summarised
from meta_eval.studies.users.timelines import Timeline

MEASURE = "user-summary"


def writing_record(
    made: Summarised,
    *,
    approach: str,
    timelines: Sequence[Timeline],
    future: int,
    size: Size,
    critique: Critique | None,
    attempts: int,
    asked: Mapping[str, tuple[ModelOptions, Sequence[Question], Sequence[Answer]]],
) -> dict[str, Any]:
    """The record of a run over timelines.

    Parameters
    ----------
    made : Summarised
    approach : str
        What the summaries are called.
    timelines, future, size, critique, attempts
        With which they were made; `critique` is None for the approach of one request.
    asked : mapping
        `summariser`, and perhaps `verifier`: its options, its questions and its answers.

    Returns
    -------
    dict
        Counts of users, summaries and answers, both models, the prompts' digests, and a signature a model.
    """
    names = ["single"] if critique is None else list(PROMPTS)
    prompts = [load_prompt(f"users-{name}") for name in names]
    shared: dict[str, OptionValue] = {
        "attempts": attempts,
        "words": size.words,
        "context": size.context,
        "future": future,
        "prompts_digest": digest_of([prompt.digest for prompt in prompts]),
        "timelines_digest": digest_of([timeline.as_line() for timeline in timelines]),
    }
    if critique is not None:
        shared |= {
            "every": critique.every,
            "least": critique.least,
            "rounds": critique.rounds,
            "claims": critique.claims,
            "entities": critique.entities,
        }
    return {
        "approach": approach,
        "users": len(timelines),
        "summaries": len(made.summaries),
        "left_out": made.left_out,
        **({} if critique is None else {"claims_not_checked": made.unchecked}),
        **{role: _role(role, *one, shared) for role, one in asked.items()},
        "prompts": [
            {"prompt": prompt.name, "version": prompt.version, "digest": prompt.digest} for prompt in prompts
        ],
        "decisions": [decision.as_record() for decision in DECISIONS],
    }


def _role(
    role: str,
    options: ModelOptions,
    questions: Sequence[Question],
    answers: Sequence[Answer],
    shared: Mapping[str, OptionValue],
) -> dict[str, Any]:
    """What one model was asked."""
    form_digest = forms_digest([question.request for question in questions])
    signature = model_signature(MEASURE, options, {**shared, "role": role, "form_digest": form_digest})
    return {
        "name": options.title,
        "model": options.model,
        **count_answers(answers),
        "signature": signature.as_dict(),
        "signature_line": signature_line(signature),
    }
