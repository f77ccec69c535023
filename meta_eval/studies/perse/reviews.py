"""Scores in a person's place: judged by models and baselines, and set beside what the person gave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.signing import asked_signature
from meta_eval.measures.base import Measure
from meta_eval.studies.perse.agreement import PersonDraws, ScoredCase, gain_over, score_agreement
from meta_eval.studies.perse.baselines import Baseline, average_scores, factorise, mean_score
from meta_eval.studies.perse.cases import Profiles, Review, ReviewCase, profiles_digest
from meta_eval.studies.perse.judged import (
    OURS,
    PAPER,
    Draws,
    JudgeName,
    JudgeRun,
    control_of,
    group_draws,
    verdict_on,
)
from meta_eval.studies.perse.memorised import Named, memorisation
from meta_eval.studies.perse.questions import AskedReview, requests_of
from meta_eval.studies.perse.reading import HIGHEST, LOWEST

MEASURE = "perse-reviews"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedReviews:
    """One judge's score of every case, from 1 to 10, and what a model said.

    `named` is what the model called each item, where it was asked for titles.
    """

    name: JudgeName
    cases: Sequence[ReviewCase]
    scores: Sequence[float | None]
    said: Sequence[Draws] = ()
    asked: JudgeRun | None = None
    named: Mapping[str, Named] = field(default_factory=dict)

    @property
    def expected(self) -> list[float | None]:
        """The mean score of each case under the model's probabilities, where these were asked for."""
        return [one.expected for one in self.said] if self.asked and self.asked.weighs else []

    def scored(
        self, usual: Sequence[float | None], scores: Sequence[float | None] | None = None
    ) -> list[ScoredCase]:
        """The cases as `score_agreement` takes them; `usual` is the mean of each person's own profile.

        With `scores` these in the place of what was read.
        """
        given = self.scores if scores is None else scores
        return [
            ScoredCase(case.person, case.query.score, score, mean)
            for case, score, mean in zip(self.cases, given, usual, strict=True)
        ]

    def records(self, ends: tuple[float, float]) -> list[dict[str, Any]]:
        """One record a case, scores on the scale of the people (`ends`)."""
        none = dict.fromkeys(
            ("reason", "problem", "explanation", "texts", "sd", "prompt_tokens", "completion_tokens")
        )
        said = [one.as_record() for one in self.said] or [none for _ in self.cases]
        low, high = ends
        expected = [{"expected": _to_scale(one, low, high)} for one in self.expected] or [{} for _ in said]
        return [
            {
                "reviewer": case.person,
                "item": case.subject,
                **self.name.as_record(),
                "score": _to_scale(score, low, high),
                **weighed,
                "truth": _to_scale(case.query.score, low, high),
                "review": case.query.review,
                **one,
            }
            for case, score, weighed, one in zip(self.cases, self.scores, expected, said, strict=True)
        ]


def _to_scale(score: float | None, low: float, high: float) -> float | None:
    return None if score is None else low + (high - low) * (score - LOWEST) / (HIGHEST - LOWEST)


def judge_reviews(
    cases: Sequence[ReviewCase],
    questions: Sequence[tuple[AskedReview, Question]],
    answers: Sequence[Answer],
    *,
    options: ModelOptions,
    profiles: Profiles,
    prompt: Prompt,
    attempts: int,
    named: Mapping[str, Named] | None = None,
) -> JudgedReviews:
    """A model's scores in the place of the persons.

    Parameters
    ----------
    cases, questions
        As `review_questions` made these of those.
    answers : sequence of Answer
        To the questions, in order.
    options : ModelOptions
        Of the model that gave them.
    profiles, prompt, attempts
        With which the questions were made and are asked.
    named : mapping, optional
        What the model called the items, of `name_items`.

    Returns
    -------
    JudgedReviews
        The same whether replies are new or were kept. A score is the mean over draws.

    Examples
    --------
    >>> from meta_eval.llm.models import parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> settings = {"options": parse_model("replay:model=m"), "prompt": load_prompt("judge-reviews")}
    >>> judge_reviews([], [], [], **settings, profiles="own", attempts=1).said
    []
    """
    said = list(group_draws((one.case for one, _ in questions), answers).values())
    signature = asked_signature(
        MEASURE,
        options,
        prompt,
        requests=requests_of(questions),
        attempts=attempts,
        more={
            "profiles": profiles,
            "profile_size": max((len(case.profile) for case in cases), default=0),
            "profiles_digest": profiles_digest(cases),
        },
    )
    return JudgedReviews(
        name=JudgeName(
            judge=options.title,
            profiles=profiles,
            baseline="no-profile" if profiles == "none" else None,
        ),
        cases=cases,
        scores=[one.mean for one in said],
        said=said,
        asked=JudgeRun(options=options, prompt=prompt, signature=signature, answers=answers),
        named=named or {},
    )


def baseline_reviews(
    cases: Sequence[ReviewCase], baseline: Baseline, known: Sequence[Review], *, seed: int = 0
) -> JudgedReviews:
    """What a baseline without a model foretells: the profile's mean, or a factorisation of `known` scores."""
    name = JudgeName(judge=baseline, profiles="own", baseline=baseline)
    if baseline == "reviewer-average":
        return JudgedReviews(name=name, cases=cases, scores=average_scores(cases))
    factors = factorise(known, seed=seed)
    scores = [factors.score(case.person, case.subject) for case in cases]
    return JudgedReviews(name=name, cases=cases, scores=scores)


def summarise_reviews(
    judged: Sequence[JudgedReviews],
    *,
    cases: Sequence[ReviewCase],
    draws: PersonDraws,
    measures: Sequence[Measure] = (),
    facts: Mapping[str, Any],
) -> list[dict[str, Any]]:
    """One record a judge: its agreement with the persons, what its explanations share with theirs, and how.

    Parameters
    ----------
    judged : sequence of JudgedReviews
        Over the same cases.
    cases : sequence of ReviewCase
        These, under the persons' own profiles, which say what each person's usual score is.
    draws : PersonDraws
        Of the persons of the cases.
    measures : sequence of Measure
        By which explanations are compared with the persons' reviews.
    facts : mapping
        What every record says of the file and the options.

    Returns
    -------
    list of dict
        Beside what `score_agreement` gives: for a model with shuffled profiles beside its own
        `gain_over_shuffled`, `personal` (whether the whole interval of Kendall's gain lies above 0; None
        without an interval), a sentence, `verdict`, and a `note` for few persons; `decisions` of the paper
        and of ours. Where probabilities were asked for, `expected` has the same of the mean scores under
        them, over the cases alone that could be weighed; where titles were, `memorisation`.

    Examples
    --------
    >>> summarise_reviews([], cases=[], draws=PersonDraws(["ann"], resamples=9, seed=0), facts={})
    []
    """
    usual = [mean_score(case.profile) for case in cases]
    found = []
    for one in judged:
        scored = one.scored(usual)
        record = {
            **one.name.as_record(),
            **facts,
            **score_agreement(scored, draws),
            "explanations": _explanations(one, measures),
        }
        if one.expected:
            record["expected"] = score_agreement(one.scored(usual, one.expected), draws)
        if one.named:
            items = [case.subject for case in one.cases]
            record["memorisation"] = memorisation(scored, items, one.named, draws)
        if one.asked:
            record |= one.asked.as_record()
        control = control_of(one, judged)
        if control is not None:
            gain = gain_over(scored, control.scored(usual), draws)
            record |= {"gain_over_shuffled": gain, **verdict_on(gain["kendall"], len(draws.cases_of))}
        found.append({**record, "decisions": {"paper": list(PAPER), "ours": list(OURS)}})
    return found


def title_records(judged: Sequence[JudgedReviews]) -> list[dict[str, Any]]:
    """One record an item and model that was asked for titles: what it said, whether that is the title."""
    by_judge = {one.name.judge: one.named for one in judged}
    return [item.as_record(judge) for judge, named in by_judge.items() for item in named.values()]


def _explanations(one: JudgedReviews, measures: Sequence[Measure]) -> dict[str, Any]:
    """1 - the mean distance of the judge's explanation from the person's review, by measure."""
    pairs = [
        (said.explanation, case.query.review)
        for said, case in zip(one.said, one.cases, strict=True)
        if said.explanation and case.query.review
    ] if one.said else []  # fmt: skip
    return {
        measure.id: {
            "similarity": fmean(1.0 - measure(*pair) for pair in pairs) if pairs else None,
            "n": len(pairs),
        }
        for measure in measures
    }
