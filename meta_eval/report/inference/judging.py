"""What a judge of single summaries gives a report: its scores, and what it left out."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from meta_eval.report.schema import JudgedControl
from meta_eval.scores.judged import JudgedScores

LEFT_OUT: Mapping[str, str] = {
    "readers_without_profile": "readers with no other document in the corpus, so without a profile",
    "missing_summaries": "summaries that a system did not write; nothing was asked about them",
    "unanswered": "summaries under a profile for which no answer could be read",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judging:
    """What a judge said of summaries: `scores` a measure, the number of `questions` and of those answered.

    `left_out` counts by the names of `LEFT_OUT`; `control` is what it gains over other readers' profiles.
    """

    judge: str
    scores: Sequence[JudgedScores]
    questions: int
    answered: int
    left_out: Mapping[str, int] = field(default_factory=dict)
    control: JudgedControl | None = None


Judge = Callable[[], Judging]
"""Gives what a judge said, when it is asked for: it may fail, and then costs its part alone."""
