"""Rows of a judge of single summaries beside the measures: its scores, how they agree, and its control."""

from dataclasses import dataclass, field
from typing import Any

from meta_eval.report.schema.coefficients import CorrelationRow, MeasureDifference, RankedMeasure


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedSystemRow:
    """What a judge gives one system: the mean over `documents`, its interval over documents, its rank.

    `estimate` is None with a `reason` where no summary of the system was judged, and the interval where there
    are too few documents (`ci_reason`). Higher is better.
    """

    measure: str
    system: str
    estimate: float | None
    rank: int | None
    ranked: int
    documents: int
    ci_low: float | None
    ci_high: float | None
    ci_level: float
    reason: str | None
    ci_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedControl:
    """What the judge gains from a reader's own profile over another reader's, over `documents`.

    `personal` says whether the whole interval lies above 0, in words `verdict`; None where there is no
    interval. `note` warns of few documents.
    """

    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    documents: int
    personal: bool | None
    verdict: str | None
    note: str | None


@dataclass(frozen=True, slots=True)
class JudgedLeftOutRow:
    """How much the judge did not judge, or did not answer, and why."""

    what: str
    count: int
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgedStudy:
    """One judge of summaries: `systems` are its scores, `correlations` its accuracy against people's scores.

    Beside its own measures stands the accuracy of each measure of the report, under the same draws: like is
    set against like. In `ranking` and `comparisons`, `score` names the human score. `control` is None where
    nobody asked under other readers' profiles. `signatures` are of its measures, by name.
    """

    judge: str
    questions: int
    answered: int
    systems: tuple[JudgedSystemRow, ...]
    correlations: tuple[CorrelationRow, ...] = ()
    ranking: tuple[RankedMeasure, ...] = ()
    comparisons: tuple[MeasureDifference, ...] = ()
    left_out: tuple[JudgedLeftOutRow, ...] = ()
    control: JudgedControl | None = None
    problem: str | None = None
    signatures: dict[str, dict[str, Any]] = field(default_factory=dict)

    @property
    def measures(self) -> list[str]:
        """The judge's own measures."""
        return list(self.signatures)
