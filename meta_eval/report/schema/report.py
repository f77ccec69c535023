"""A whole report: its scores, its answer, how sure it is, what was left out, and what it was made with."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from meta_eval.files.frames import Brief, html_paragraphs, html_table
from meta_eval.measures.signatures import read_signature, signature_line
from meta_eval.report.options import InferenceOptions
from meta_eval.report.primary import Primary
from meta_eval.report.schema.coefficients import (
    CeilingRow,
    CoefficientRow,
    CorrelationRow,
    FamilyRow,
    IntervalsRow,
    LeftOutRow,
    LevelRow,
    LimitedRow,
    MeasureDifference,
    RankedMeasure,
)
from meta_eval.report.schema.further import FurtherQuestions
from meta_eval.report.schema.judged import JudgedStudy
from meta_eval.report.schema.sentinels import SentinelRow
from meta_eval.report.schema.stand_in import StandIn
from meta_eval.report.schema.studies import (
    AblationRow,
    AggregationRow,
    AgreementStudy,
    ParadoxRow,
    StabilityRow,
)

SCHEMA = "concord-report"


SCHEMA_VERSION = 7


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one system with its rank among `ranked` systems; `side` is human, automatic or judged.

    `measure` is the surrogate of a human score. `documents` and `pairs` entered the score.
    """

    system: str
    side: str
    measure: str
    score: str
    value: float | None
    rank: int | None
    ranked: int
    documents: int
    pairs: int
    higher_is_better: bool
    reason: str | None


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the inference that could not be made; `failed` where trying again may help."""

    part: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True)
class FoundFamilies:
    """Families that nobody named: `how` they show, and the family of each system."""

    how: str
    families: dict[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How sure a report is, and what else was asked of its scores; a part that could not be made is empty.

    `matched` coefficients are over rated documents and pairs alone, `bare` ones without any surrogate.
    `limits` are sentences on where intervals and ceilings hold less often than they say. `primary_reason`
    says why a declared primary coefficient has no numbers here; None where it has, or none was declared.
    `stand_in` are language models beside people, `judged` is a judge of single summaries, if asked for.
    """

    options: InferenceOptions
    primary_reason: str | None = None
    problems: tuple[Problem, ...] = ()
    left_out_systems: tuple[LeftOutRow, ...] = ()
    ceilings: tuple[CeilingRow, ...] = ()
    ranking: tuple[RankedMeasure, ...] = ()
    comparisons: tuple[MeasureDifference, ...] = ()
    matched: tuple[LimitedRow, ...] = ()
    bare: tuple[CoefficientRow, ...] = ()
    agreement: AgreementStudy | None = None
    stability: tuple[StabilityRow, ...] = ()
    paradox: tuple[ParadoxRow, ...] = ()
    aggregation: tuple[AggregationRow, ...] = ()
    ablation: tuple[AblationRow, ...] = ()
    interval_methods: tuple[IntervalsRow, ...] = ()
    families: tuple[FamilyRow, ...] = ()
    found_families: FoundFamilies | None = None
    limits: tuple[str, ...] = ()
    levels: tuple[LevelRow, ...] = ()
    sentinels: tuple[SentinelRow, ...] = ()
    further: FurtherQuestions = field(default_factory=FurtherQuestions)
    stand_in: tuple[StandIn, ...] = ()
    judged: JudgedStudy | None = None

    @property
    def primary(self) -> Primary | None:
        """The declared primary coefficient, where this report has its numbers."""
        return self.options.primary if self.primary_reason is None else None

    @property
    def known_families(self) -> Mapping[str, str]:
        """The family of each system, given or else found; empty where there are none."""
        if self.options.families or self.found_families is None:
            return self.options.families
        return self.found_families.families


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringMeasure:
    """A measure in the order of the answer: its mean coefficient over the surrogates, and how sure that is.

    `coefficient` is Kendall's tau-b, or the declared primary one, by its surrogate alone. What else follows
    `n` is None without inference. `supported`: the raters support it, shuffled ratings hardly ever reach it.
    """

    measure: str
    title: str
    mean: float
    low: float
    high: float
    surrogates: int
    n: int
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = None
    ci_reason: str | None = None
    ceiling: float | None = None
    significant: int | None = None
    carried_by: tuple[str, ...] | None = None
    group: int | None = None
    null_mean: float | None = None
    null_high: float | None = None
    p_raters: float | None = None
    p_raters_adjusted: float | None = None
    null_reason: str | None = None
    supported: bool | None = None
    coefficient: str = "kendall"
    p_max_t: float | None = None


@dataclass(frozen=True, slots=True)
class Reason:
    """Why ratings carry no answer: the name of `what` is wrong, and `why` as part of a sentence."""

    what: str
    why: str


@dataclass(frozen=True, slots=True, repr=False)
class ReportAnswer(Brief):
    """The report in words, with the measures behind it, best first, and what to beware of.

    `headline` is the first sentence of `sentence`. `claimed` says whether it names a measure that agrees with
    the raters; None where that could not be tested. `beside` are the measures by PerSEval. `declared` says
    which primary coefficient was declared, and when, or that none was. `answerable` says whether the ratings
    can carry an answer at all, and `reasons` why not; None where nobody judged it, as in older reports.
    """

    score: str
    coefficient: str
    ranking: tuple[AnsweringMeasure, ...]
    sentence: str
    cautions: tuple[str, ...]
    headline: str = ""
    claimed: bool | None = None
    beside: tuple[AnsweringMeasure, ...] = ()
    declared: str = ""
    answerable: bool | None = None
    reasons: tuple[Reason, ...] = ()

    @property
    def is_open(self) -> bool:
        """Whether no measure is named: the ratings carry no answer, or support no measure."""
        return self.answerable is False or self.claimed is False

    def brief(self) -> tuple[str, str]:
        return f"{self.score}, {self.coefficient}", self.sentence


@dataclass(frozen=True, slots=True)
class ScaleInWords:
    """The direction of the ratings, in words, and as the formula of a divergence."""

    direction: str
    in_words: str
    divergence: str


@dataclass(frozen=True, slots=True)
class ParticipantTotal:
    """How many `people` chose an answer: a number, "<5", or "hidden"."""

    choice: str
    people: str


@dataclass(frozen=True, slots=True)
class ParticipantTotals:
    """What people said of themselves; `answered` is None where so few did that nothing is told."""

    question: str
    answered: int | None
    totals: tuple[ParticipantTotal, ...]


@dataclass(frozen=True, slots=True)
class LeftOutCount:
    """How much of something was left out or stands apart, and why; by `measure` where measures differ."""

    what: str
    measure: str | None
    count: int
    why: str


@dataclass(frozen=True, slots=True)
class PartFailure:
    """A measure (`side` automatic) or surrogate (`side` human) that could not be computed, and why."""

    side: str
    measure: str
    reason: str


@dataclass(frozen=True, slots=True)
class SignatureRow:
    """The full signature of a measure or surrogate, with its digest."""

    side: str
    measure: str
    normalise: str
    digest: str
    signature: dict[str, Any]

    @property
    def line(self) -> str:
        """The signature on one line, to paste into a paper."""
        return signature_line(read_signature(self.signature))


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedRow:
    """One number of ours beside the published one."""

    score: str
    system: str | None
    published_system: str | None
    surrogate: str | None
    measure: str | None
    ours: float | None
    published: float
    difference: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedAgreement:
    """How alike our numbers and the published ones rank."""

    score: str
    measure: str | None
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Unmatched:
    """A system, measure or surrogate that stands on one side alone: `ours` or `published`."""

    what: str
    name: str
    where: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedComparison:
    """One published table beside ours; `remarks` say how it was made, where that is known."""

    kind: str
    title: str
    name: str
    rows: tuple[PublishedRow, ...]
    agreement: tuple[PublishedAgreement, ...]
    unmatched: tuple[Unmatched, ...]
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Report(Brief):
    """A whole report; `inference` is None where none was made.

    `subject` names batch and corpus, `options` is what was asked for, `plan` and `ratings` count what was
    planned and what raters did, `participants` what people said of themselves. `problem` says why nothing
    could be correlated, where that is so.
    """

    schema: str = SCHEMA
    schema_version: int = SCHEMA_VERSION
    subject: dict[str, Any]
    answer: ReportAnswer
    problem: str | None
    scale: ScaleInWords
    options: dict[str, Any]
    plan: dict[str, int]
    ratings: dict[str, Any]
    leaderboard: tuple[ScoreRow, ...]
    correlations: tuple[CorrelationRow, ...]
    inference: Inference | None = None
    left_out: tuple[LeftOutCount, ...] = ()
    failures: tuple[PartFailure, ...] = ()
    notes: tuple[str, ...] = ()
    signatures: tuple[SignatureRow, ...] = ()
    versions: dict[str, str] = field(default_factory=dict)
    published: tuple[PublishedComparison, ...] = ()
    participants: tuple[ParticipantTotals, ...] = ()

    def brief(self) -> tuple[str, str]:
        systems = {row.system for row in self.leaderboard}
        return f"{len(systems)} systems, {len(self.correlations)} coefficients", self.answer.sentence

    def _repr_html_(self) -> str:
        """The answer in words and the coefficients, as a notebook shows them."""
        words = html_paragraphs([self.answer.sentence, *self.answer.cautions])
        rows = [{name: getattr(row, name) for name in _SHOWN} for row in self.correlations]
        return f"{words}\n{html_table(rows, caption='Automatic against human scores')}"


_SHOWN = (
    "measure",
    "automatic",
    "surrogate",
    "human",
    "coefficient",
    "n",
    "estimate",
    "ci_low",
    "ci_high",
    "p_adjusted",
)
