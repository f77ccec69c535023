"""One run of PerSE over a corpus: its scores by system, every answer, and what is to be known of the run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.signing import asked_signature, digest_of
from meta_eval.measures.base import Signature
from meta_eval.studies.perse.agreement import PersonDraws, interval_of
from meta_eval.studies.perse.judged import Draws, JudgeRun, group_draws, verdict_on
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
    "shuffled profiles as a control, all systems together, 95 % over documents",
    "temperature 0 unless set, the words of the prompt, strict reading",
)
PERSONAL = "perse-own is higher under readers' own profiles than under shuffled ones: this judge uses them."
NOT_PERSONAL = (
    "These documents do not show that perse-own is higher under readers' own profiles than under shuffled "
    "ones: perse may say how this judge likes texts, not how they fit readers."
)
LEAST_DOCUMENTS, RESAMPLES = 10, 1000
"""Documents of which an interval is made at least, and how often they are drawn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSummaries:
    """What a model said of the summaries of a corpus under one plan, and the scores that follow.

    `asking` is what beside the plan has to be known to ask the same again: see `asking_record`.
    """

    plan: SummaryPlan
    said: Mapping[tuple[str, str, str, str], Draws]
    scores: Sequence[PerseScore]
    left_out: Mapping[str, int]
    asked: JudgeRun
    asking: Mapping[str, Any]

    def records(self) -> list[dict[str, Any]]:
        """One record a system and measure, as `score` writes them."""
        signature = self.asked.signature
        return score_records(self.scores, signature=signature, left_out=self.left_out)

    def signature_of(self, measure: str) -> Signature:
        """The signature under the name of one of the measures."""
        return replace(self.asked.signature, measure=measure)

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
                **({"expected": draws.expected} if self.asked.weighs else {}),
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
    prompt, attempts
        With which the questions were made and are asked.

    Returns
    -------
    JudgedSummaries
        The same whether replies are new or were kept.

    Examples
    --------
    >>> from meta_eval.llm.models import parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> asked = SummaryQuestions([], documents=(), systems=())
    >>> settings = {"options": parse_model("replay:model=m"), "prompt": load_prompt("judge-summaries")}
    >>> judge_summaries(asked, SummaryPlan(), [], **settings, attempts=1).scores
    []
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
            "histories_digest": digest_of({name: list(one) for name, one in questions.histories.items()}),
        },
    )
    return JudgedSummaries(
        plan=plan,
        said=said,
        scores=perse_scores(scores_of(said), questions.documents, questions.systems, own=plan.own),
        left_out={**questions.left_out, "unanswered": missing},
        asked=JudgeRun(options=options, prompt=prompt, signature=signature, answers=list(answers)),
        asking=asking_record(options, attempts, questions.histories),
    )


def asking_record(options: ModelOptions, attempts: int, histories: Histories) -> dict[str, Any]:
    """What has to be known, beside corpus and plan, to ask the same again; not where the model was."""
    return {
        "options": {**options.shape, "name": options.name},
        "attempts": attempts,
        "histories": {name: list(titles) for name, titles in histories.items()},
    }


def summarise_summaries(judged: Sequence[JudgedSummaries]) -> list[dict[str, Any]]:
    """One record a run: how it was asked, its plan, its scores, and beside a control whether it is personal.

    Parameters
    ----------
    judged : sequence of JudgedSummaries
        The run under readers' own profiles, and that under shuffled ones if there is one.

    Returns
    -------
    list of dict
        Beside a control the first has `gain_over_shuffled` (of `gain_over_control`), `personal` (whether its
        whole interval lies above 0; None without an interval), a sentence, `verdict`, and a `note` on few
        documents.

    Examples
    --------
    >>> summarise_summaries([])
    []
    """
    found = [
        {
            "judge": one.asked.options.title,
            "profiles": "shuffled" if one.plan.shuffled else "own",
            **one.asked.as_record(),
            "plan": one.plan.as_record(),
            "asking": dict(one.asking),
            "scores": {f"{score.measure} {score.system}": score.accuracy for score in one.scores},
            "summaries_left_out": dict(one.left_out),
            "decisions": {"paper": list(PAPER), "ours": list(OURS)},
        }
        for one in judged
    ]
    if len(judged) > 1 and judged[0].plan.own:
        gain = gain_over_control(judged[0].scores, judged[1].scores, seed=judged[0].plan.seed)
        said = verdict_on(gain, gain["n"], "documents", words=(PERSONAL, NOT_PERSONAL))
        found[0] |= {"gain_over_shuffled": gain, **said, "note": said["note"] or gain["reason"]}
    return found


def gain_over_control(
    own: Sequence[PerseScore], control: Sequence[PerseScore], *, seed: int = 0
) -> dict[str, Any]:
    """How much higher perse-own is under readers' own profiles than under shuffled ones.

    Parameters
    ----------
    own, control : sequence of PerseScore
        Of the same systems and documents; all but perse-own is passed over.
    seed : int
        Of the resamples.

    Returns
    -------
    dict
        `estimate`: the mean over `n` documents of the mean over systems of the difference, in [-2, 2]. The
        systems are taken together, so that a judge that says anything at random is not called personal for
        the one system that it happened to favour. `ci_low`, `ci_high`: 95 %, documents resampled; None for
        fewer than 10 documents, with the `reason`.

    Examples
    --------
    >>> own, control = ([PerseScore("perse-own", "m", 0.5, {"d": one})] for one in (0.5, 0.25))
    >>> found = gain_over_control(own, control)
    >>> found["estimate"], found["ci_low"], found["reason"]
    (0.25, None, '1 documents; an interval needs at least 10')
    """
    shuffled = {one.system: one.by_document for one in control if one.measure == "perse-own"}
    gains: dict[str, list[float]] = {}
    for one in own:
        if one.measure == "perse-own":
            for document, value in one.by_document.items():
                if document in shuffled.get(one.system, {}):
                    gains.setdefault(document, []).append(value - shuffled[one.system][document])
    means = [fmean(values) for _, values in sorted(gains.items())]
    enough = len(means) >= LEAST_DOCUMENTS
    draws = PersonDraws(sorted(gains), resamples=RESAMPLES if enough else 0, seed=seed)
    return {
        "estimate": fmean(means) if means else None,
        "n": len(means),
        **interval_of(draws.means(means)),
        "reason": None if enough else f"{len(means)} documents; an interval needs at least {LEAST_DOCUMENTS}",
    }
