"""Every question of the datasheet with what a report, its plan and its study say to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.publish.heds.criterion_answers import CRITERION_ANSWERS
from meta_eval.publish.heds.facts import Answer, Facts
from meta_eval.publish.heds.form import QUESTIONS, Question
from meta_eval.publish.heds.survey_answers import SURVEY_ANSWERS
from meta_eval.publish.long_form import without_paths
from meta_eval.report.schema import Report

ANSWERS = {**SURVEY_ANSWERS, **CRITERION_ANSWERS}


@dataclass(frozen=True, slots=True)
class Entry:
    """A question with its answer; None where only the researcher knows it."""

    question: Question
    answer: Answer | None

    @property
    def is_answered(self) -> bool:
        return self.answer is not None and self.answer.complete


def fill_datasheet(
    report: Report,
    *,
    plan: Mapping[str, Any] | None = None,
    study: Mapping[str, Any] | None = None,
    languages: Sequence[str] = (),
) -> list[Entry]:
    """Every question in order, with the answer that these hold.

    `plan` and `study` as in a sealed bundle, `languages` the tags of the corpus's texts, each once, "" among
    them where some name none.
    """
    facts = Facts(report=without_paths(report), plan=plan or {}, study=study or {}, languages=languages)
    return [Entry(question, _answer(question.number, facts)) for question in QUESTIONS]


def _answer(number: str, facts: Facts) -> Answer | None:
    return ANSWERS[number](facts) if number in ANSWERS else None
