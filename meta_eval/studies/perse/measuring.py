"""One run of PerSE over a corpus: its scores by system, every answer, and what is to be known of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.signing import asked_signature, digest_of
from meta_eval.studies.perse.judged import Asked, Draws, group_draws
from meta_eval.studies.perse.questions import requests_of
from meta_eval.studies.perse.summaries import (
    Histories,
    PerseScore,
    SummaryPlan,
    SummaryQuestions,
    perse_scores,
    score_records,
    scores_of,
)

PAPER = ("the judge: one person's past judgments, then one new text, a score from 1 to 10",)
OURS = (
    "headlines that a reader wrote as the profile, in place of reviews",
    "perse: the mean over documents of the mean over readers of (score - 1) / 9",
    "perse-own: the same summary under the reader's own profile less under the other readers' profiles",
    "shuffled profiles as a control",
    "temperature 0 unless set, the words of the prompt, strict reading",
)
PERSONAL = "perse-own is above 0 for some system: there the reader's own profile matters to this judge."
NOT_PERSONAL = (
    "No system has a perse-own above that under shuffled profiles: this judge does not use the reader's "
    "profile, and perse says how it likes texts, not how they fit readers."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSummaries:
    """What a model said of the summaries of a corpus under one plan, and the scores that follow."""

    plan: SummaryPlan
    said: Mapping[tuple[str, str, str, str], Draws]
    scores: Sequence[PerseScore]
    left_out: Mapping[str, int]
    asked: Asked

    def records(self) -> list[dict[str, Any]]:
        """One record a system and measure, as `score` writes them."""
        signature = self.asked.signature
        return score_records(self.scores, signature=signature, left_out=self.left_out)

    def answer_records(self) -> list[dict[str, Any]]:
        """One record a summary and profile: whose it is, who judged, the score or the reason."""
        return [
            {
                "doc_id": document,
                "system": system,
                "reader": reader,
                "profile_of": judge,
                "shuffled": self.plan.shuffled,
                "score": draws.mean,
                **draws.as_record(),
            }
            for (document, system, reader, judge), draws in self.said.items()
        ]


def judge_summaries(
    questions: SummaryQuestions,
    plan: SummaryPlan,
    answers: Sequence[Answer],
    *,
    options: ModelOptions,
    prompt: Prompt,
    attempts: int,
    histories: Histories | None = None,
) -> JudgedSummaries:
    """The scores that follow from a model's answers.

    Parameters
    ----------
    questions : SummaryQuestions
        Of `summary_questions` under `plan`.
    plan : SummaryPlan
    answers : sequence of Answer
        To the questions, in order.
    options : ModelOptions
        Of the model that gave them.
    prompt, attempts, histories
        With which the questions were made and are asked.

    Returns
    -------
    JudgedSummaries
        The same whether replies are new or were kept.
    """
    said = group_draws((one.key for one, _ in questions.questions), answers)
    missing = sum(not draws.values for draws in said.values())
    signature = asked_signature(
        "perse",
        options,
        prompt,
        requests=requests_of(questions.questions),
        attempts=attempts,
        more={
            "profile_size": plan.size,
            "profile_seed": plan.seed,
            "profiles": "shuffled" if plan.shuffled else "own",
            "histories_digest": digest_of({name: list(one) for name, one in (histories or {}).items()}),
        },
    )
    return JudgedSummaries(
        plan=plan,
        said=said,
        scores=perse_scores(scores_of(said), questions.documents, questions.systems, own=plan.own),
        left_out={**questions.left_out, "unanswered": missing},
        asked=Asked(options=options, prompt=prompt, signature=signature, answers=list(answers)),
    )


def summarise_summaries(judged: Sequence[JudgedSummaries]) -> list[dict[str, Any]]:
    """One record a run: how it was asked, its plan, its scores, and beside a control whether it is personal.

    A judge is personal here if some system's perse-own is above 0 and above what it is under shuffled
    profiles.
    """
    found = [
        {
            "judge": one.asked.options.title,
            "profiles": "shuffled" if one.plan.shuffled else "own",
            **one.asked.as_record(),
            "plan": one.plan.as_record(),
            "scores": {f"{score.measure} {score.system}": score.accuracy for score in one.scores},
            "summaries_left_out": dict(one.left_out),
            "decisions": {"paper": list(PAPER), "ours": list(OURS)},
        }
        for one in judged
    ]
    if len(judged) > 1 and judged[0].plan.own:
        own, control = (_gains(one) for one in judged[:2])
        personal = any(gain > max(0.0, control.get(system, 0.0)) for system, gain in own.items())
        found[0] |= {"personal": personal, "verdict": PERSONAL if personal else NOT_PERSONAL}
    return found


def _gains(one: JudgedSummaries) -> dict[str, float]:
    return {
        score.system: score.accuracy
        for score in one.scores
        if score.measure == "perse-own" and score.accuracy is not None
    }
