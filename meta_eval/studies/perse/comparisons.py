"""Choices in a person's place: judged by models and baselines, and set beside what the person chose."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.llm.asking import Answer
from meta_eval.llm.models import ModelOptions
from meta_eval.llm.prompts import Prompt
from meta_eval.llm.questions import Question
from meta_eval.llm.signing import asked_signature, digest_of
from meta_eval.studies.perse.agreement import PersonDraws
from meta_eval.studies.perse.baselines import majority_choices
from meta_eval.studies.perse.cases import ComparisonCase, Profiles, profiles_digest
from meta_eval.studies.perse.choices import (
    ChosenCase,
    Winner,
    alignments,
    choice_agreement,
    choice_gain,
)
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
from meta_eval.studies.perse.questions import AskedComparison, requests_of

MEASURE = "perse-comparisons"
_BACK: Mapping[str, Winner] = {"A": "B", "B": "A", "tie": "tie"}


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedComparisons:
    """One judge's choice of every case, in the order given and with the texts changed over."""

    name: JudgeName
    chosen: Sequence[ChosenCase]
    cases: Sequence[ComparisonCase]
    said: Mapping[tuple[int, bool], Draws]
    asked: JudgeRun | None = None

    def records(self) -> list[dict[str, Any]]:
        """One record an answer, or a case where no model was asked.

        `choice` and `probabilities` name the texts as given, whatever order they were shown in.
        """
        if not self.said:
            return [
                {**self._head(at), "order": "ab", "choice": one.choice} for at, one in enumerate(self.chosen)
            ]
        return [
            {
                **self._head(at),
                "order": "ba" if flipped else "ab",
                "choice": self.chosen[at].swapped if flipped else self.chosen[at].choice,
                **_as_given(draws.as_record(), flipped=flipped),
            }
            for (at, flipped), draws in self.said.items()
        ]

    def _head(self, at: int) -> dict[str, Any]:
        query = self.cases[at].query
        return {
            "person": query.person,
            "comparison": query.id,
            "aspect": query.aspect,
            **self.name.as_record(),
            "truth": query.choice,
        }


def _as_given(record: dict[str, Any], *, flipped: bool) -> dict[str, Any]:
    """What was said of two texts, by their names as given."""
    shown = record.get("probabilities")
    if not flipped or shown is None:
        return record
    return {**record, "probabilities": {name: shown[_BACK[name]] for name in shown}}


def judge_comparisons(
    cases: Sequence[ComparisonCase],
    questions: Sequence[tuple[AskedComparison, Question]],
    answers: Sequence[Answer],
    *,
    options: ModelOptions,
    profiles: Profiles,
    prompt: Prompt,
    aspects: Mapping[str, str],
    attempts: int,
) -> JudgedComparisons:
    """A model's choices in the place of the persons; of several draws the choice that most of them made.

    Parameters
    ----------
    cases, questions
        As `comparison_questions` made these of those.
    answers : sequence of Answer
        To the questions, in order.
    options : ModelOptions
        Of the model that gave them.
    profiles, prompt, aspects, attempts
        With which the questions were made and are asked.

    Returns
    -------
    JudgedComparisons

    Examples
    --------
    >>> from meta_eval.llm.models import parse_model
    >>> from meta_eval.llm.prompts import load_prompt
    >>> settings = {"options": parse_model("replay:model=m"), "prompt": load_prompt("judge-comparisons")}
    >>> found = judge_comparisons([], [], [], **settings, profiles="own", aspects={}, attempts=1)
    >>> found.chosen
    []
    """
    said = group_draws(((one.case, one.flipped) for one, _ in questions), answers)
    chosen = [
        ChosenCase(
            case.person,
            case.query.aspect,
            case.query.choice,
            said[at, False].majority,
            _BACK.get(said[at, True].majority) if (at, True) in said else None,
        )
        for at, case in enumerate(cases)
    ]
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
            "both_orders": any(one.flipped for one, _ in questions),
            "aspects_digest": digest_of(dict(aspects)),
        },
    )
    return JudgedComparisons(
        name=JudgeName(
            judge=options.title,
            profiles=profiles,
            baseline="no-profile" if profiles == "none" else None,
        ),
        chosen=chosen,
        cases=cases,
        said=said,
        asked=JudgeRun(options=options, prompt=prompt, signature=signature, answers=answers),
    )


def baseline_comparisons(cases: Sequence[ComparisonCase]) -> JudgedComparisons:
    """The letter that won in each profile; half to each side where both won as often."""
    chosen = [
        ChosenCase(case.person, case.query.aspect, case.query.choice, choice)
        for case, choice in zip(cases, majority_choices(cases), strict=True)
    ]
    name = JudgeName(judge="reviewer-average", profiles="own", baseline="reviewer-average")
    return JudgedComparisons(name=name, chosen=chosen, cases=cases, said={})


def summarise_comparisons(
    judged: Sequence[JudgedComparisons], *, draws: PersonDraws, facts: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """One record a judge: accuracies, order effects, and for a model with a shuffled control what it gains.

    The fields are those of `summarise_reviews`: `gain_over_shuffled`, `personal`, `verdict` and `note`, of
    the share of right choices.

    Parameters
    ----------
    judged : sequence of JudgedComparisons
    draws : PersonDraws
        Persons drawn again, the same for all judges.
    facts : mapping
        What else each record is to say.

    Returns
    -------
    list of dict

    Examples
    --------
    >>> summarise_comparisons([], draws=PersonDraws(["ann"], resamples=9, seed=0), facts={})
    []
    """
    found = []
    for one in judged:
        both = any(flipped for _, flipped in one.said)
        record = {**one.name.as_record(), **facts, **choice_agreement(one.chosen, draws, both_orders=both)}
        if one.asked:
            record |= one.asked.as_record()
        control = control_of(one, judged)
        if control is not None:
            gain = choice_gain(one.chosen, control.chosen, draws)
            record |= {"gain_over_shuffled": gain, **verdict_on(gain, len(draws.cases_of))}
        found.append({**record, "decisions": {"paper": list(PAPER), "ours": list(OURS)}})
    return found


def alignment_records(judged: Sequence[JudgedComparisons]) -> list[dict[str, Any]]:
    """One record a judge, person and comparison: the share of aspects won by A, beside the person's own."""
    return [
        {**one.name.as_record(), **record}
        for one in judged
        for record in alignments(one.chosen, [case.subject for case in one.cases])
    ]
