"""Every question of the datasheet with what a report, its plan and its study say to it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.publish.heds.criterion_answers import CRITERION_ANSWERS
from meta_eval.publish.heds.facts import DatasheetAnswer, Facts
from meta_eval.publish.heds.form import QUESTIONS, DatasheetQuestion
from meta_eval.publish.heds.survey_answers import SURVEY_ANSWERS
from meta_eval.publish.long_form import without_paths
from meta_eval.report.schema import Report

ANSWERS = {**SURVEY_ANSWERS, **CRITERION_ANSWERS}


@dataclass(frozen=True, slots=True)
class Entry:
    """A question with its answer; None where only the researcher knows it."""

    question: DatasheetQuestion
    answer: DatasheetAnswer | None

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

    Parameters
    ----------
    report : Report
    plan, study : mapping, optional
        As in a sealed bundle.
    languages : sequence of str
        Tags of the corpus's texts, each once, "" among them where some name none.

    Returns
    -------
    list of Entry
        One for each of `QUESTIONS`.

    References
    ----------
    Belz and Thomson (2024). HEDS 3.0: The Human Evaluation Data Sheet.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> entries = fill_datasheet(report)
    >>> len(entries) == len(QUESTIONS), any(entry.is_answered for entry in entries)
    (True, True)
    """
    facts = Facts(report=without_paths(report), plan=plan or {}, study=study or {}, languages=languages)
    return [Entry(question, _answer(question.number, facts)) for question in QUESTIONS]


def _answer(number: str, facts: Facts) -> DatasheetAnswer | None:
    return ANSWERS[number](facts) if number in ANSWERS else None
