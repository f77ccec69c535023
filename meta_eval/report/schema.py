"""What a report holds: one frozen dataclass a kind of row, and their JSON, which is made and read here alone.

A report is written with its `schema_version`. One of the version before is upgraded when it is read; older
ones are refused with what to do. Nothing undefined is a number: it is None, and `reason` says why.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, NamedTuple

import msgspec

from meta_eval.errors import InputError
from meta_eval.measures.signatures import read_signature, signature_line
from meta_eval.report.options import InferenceOptions

SCHEMA = "concord-report"
SCHEMA_VERSION = 5
_UPGRADED = 4


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """One score of one system with its rank among `ranked` systems; `side` is human or automatic.

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


class CoefficientKey(NamedTuple):
    """By what a coefficient is found: the automatic score, the surrogate, the measure, the coefficient."""

    automatic: str
    surrogate: str | None
    measure: str
    coefficient: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientRow:
    """A coefficient over `n` systems between a human and an automatic score, with its interval and p.

    `surrogate` is None where the human score rests on ratings alone. `ci_over` says what the interval is
    about. `p_adjusted` is p adjusted over all coefficients of the human score.
    """

    human: str
    surrogate: str | None
    automatic: str
    measure: str
    shared_input: bool
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_method: str | None = None
    ci_over: str | None = None
    ci_level: float | None = None
    ci_reason: str | None = None
    resamples: int | None = None
    degenerate: int | None = None
    p_value: float | None = None
    p_method: str | None = None
    p_adjusted: float | None = None
    p_adjustment: str | None = None

    @property
    def key(self) -> CoefficientKey:
        return CoefficientKey(self.automatic, self.surrogate, self.measure, self.coefficient)

    @property
    def is_inferred(self) -> bool:
        """Whether the inference has looked at the coefficient, whatever it found."""
        return self.ci_over is not None

    def is_significant(self, alpha: float) -> bool:
        """Whether the adjusted p is below `alpha`."""
        return self.p_adjusted is not None and self.p_adjusted < alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationRow(CoefficientRow):
    """A coefficient of the report's main table, with its ceiling and what it hangs on.

    `without_low` and `without_high` are the least and greatest coefficient with one system left out;
    `carried_by` names the systems without which it loses its meaning.
    """

    ceiling: float | None = None
    ceiling_method: str | None = None
    ceiling_reason: str | None = None
    without_low: float | None = None
    without_high: float | None = None
    carried_by: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow(CoefficientRow):
    """A coefficient over the `systems` of one family alone."""

    family: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow:
    """One agreement at one `level`: of systems, within documents (their mean), or over reader pairs (item).

    `n` counts systems, documents or items, `undefined` the documents without a coefficient.
    """

    human: str
    surrogate: str | None
    automatic: str
    measure: str
    shared_input: bool
    coefficient: str
    level: str
    n: int
    undefined: int
    estimate: float | None
    reason: str | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_over: str
    ci_level: float
    ci_reason: str | None


@dataclass(frozen=True, slots=True)
class WithoutSystem:
    """A coefficient without one system; `carries` where it loses its meaning so."""

    system: str
    estimate: float | None
    change: float | None
    reason: str | None
    carries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutRow:
    """A coefficient over all systems, and without each."""

    human: str
    surrogate: str | None
    automatic: str
    measure: str
    shared_input: bool
    coefficient: str
    n: int
    estimate: float | None
    systems: tuple[WithoutSystem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalsRow:
    """A coefficient with its percentile and its BCa interval, from the same resamples."""

    human: str
    surrogate: str | None
    automatic: str
    measure: str
    shared_input: bool
    coefficient: str
    n: int
    estimate: float | None
    percentile_low: float | None
    percentile_high: float | None
    percentile_reason: str | None
    bca_low: float | None
    bca_high: float | None
    bca_reason: str | None
    ci_over: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingRow:
    """What perfect agreement with raters this noisy could reach, by one method."""

    human: str
    surrogate: str | None
    method: str
    coefficient: str
    ceiling: float | None
    reliability: float | None
    low: float | None
    high: float | None
    used: int
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMeasure:
    """A measure's mean tau-b of PerSEval with PerSEval-HJ over `surrogates`.

    `significant` counts the surrogates for which the adjusted p is below alpha. Measures of one `group`
    cannot be told apart from its best; group 1 holds the best.
    """

    measure: str
    estimate: float
    n: int
    surrogates: int
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_over: str
    ci_level: float
    ci_reason: str | None
    ceiling: float | None
    significant: int
    carried_by: tuple[str, ...]
    group: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDifference:
    """How much better one measure agrees with the raters than the `other`."""

    measure: str
    other: str
    difference: float
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_over: str
    p_value: float | None
    p_method: str
    p_adjusted: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementRow:
    """One coefficient of the raters' agreement with its interval."""

    coefficient: str
    title: str
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    ci_method: str | None
    ci_level: float | None
    reason: str | None
    ci_reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgreementStudy:
    """How far raters agree; `table` (6 x 6) counts pairs of ratings of the same item by two raters."""

    coefficients: tuple[AgreementRow, ...]
    units: int
    ratings: int
    single: int
    repeated: int
    table: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityShare:
    """Rank coefficients of `samples` samples of a share of the documents with the full ranking."""

    share: float
    documents: int
    samples: int
    coefficient: str
    minimum: float | None
    mean: float | None
    maximum: float | None
    undefined: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemStability:
    """A system's mean scores at each share, all documents first, with their bias and variance."""

    system: str
    means: tuple[float | None, ...]
    bias: float | None
    variance: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StabilityRow:
    """How stable a score is under a measure; `delta` is the larger of the greatest bias and variance."""

    score: str
    measure: str
    delta: float | None
    shares: tuple[StabilityShare, ...]
    systems: tuple[SystemStability, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParadoxRow:
    """How alike DEGRESS and PerSEval rank the systems under a measure."""

    measure: str
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationRow:
    """Agreement with PerSEval-HJ of PerSEval (`metric`), of an accuracy measure, and of both combined."""

    surrogate: str
    measure: str
    accuracy: str
    coefficient: str
    metric: float | None
    accuracy_alone: float | None
    combined: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AblationRow:
    """Agreement of PerSEval with PerSEval-HJ where `beta` changes on both sides."""

    surrogate: str
    measure: str
    scope: str
    beta: float
    coefficient: str
    n: int
    estimate: float | None
    reason: str | None


@dataclass(frozen=True, slots=True)
class Problem:
    """A part of the inference that could not be made; `failed` where trying again may help."""

    part: str
    reason: str
    failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Inference:
    """How sure a report is, and what else was asked of its scores; a part that could not be made is empty.

    `matched` coefficients are over rated documents and pairs alone, `bare` ones without any surrogate.
    """

    options: InferenceOptions
    problems: tuple[Problem, ...] = ()
    left_out_systems: tuple[LeftOutRow, ...] = ()
    ceilings: tuple[CeilingRow, ...] = ()
    ranking: tuple[RankedMeasure, ...] = ()
    comparisons: tuple[MeasureDifference, ...] = ()
    matched: tuple[CoefficientRow, ...] = ()
    bare: tuple[CoefficientRow, ...] = ()
    agreement: AgreementStudy | None = None
    stability: tuple[StabilityRow, ...] = ()
    paradox: tuple[ParadoxRow, ...] = ()
    aggregation: tuple[AggregationRow, ...] = ()
    ablation: tuple[AblationRow, ...] = ()
    interval_methods: tuple[IntervalsRow, ...] = ()
    families: tuple[FamilyRow, ...] = ()
    levels: tuple[LevelRow, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweringMeasure:
    """A measure in the order of the answer: its mean tau-b over the surrogates, and how sure that is.

    The last eight are None where there is no inference.
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


@dataclass(frozen=True, slots=True)
class Answer:
    """The report in a sentence, with the measures behind it, best first, and what to beware of."""

    score: str
    coefficient: str
    ranking: tuple[AnsweringMeasure, ...]
    sentence: str
    cautions: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScaleInWords:
    """The direction of the ratings, in words, and as the formula of a divergence."""

    direction: str
    in_words: str
    divergence: str


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
    """One published table beside ours."""

    kind: str
    title: str
    name: str
    rows: tuple[PublishedRow, ...]
    agreement: tuple[PublishedAgreement, ...]
    unmatched: tuple[Unmatched, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report; `inference` is None where none was made.

    `subject` names batch and corpus, `options` is what was asked for, `plan` and `ratings` count what was
    planned and what raters did. `problem` says why nothing could be correlated, where that is so.
    """

    schema: str = SCHEMA
    schema_version: int = SCHEMA_VERSION
    subject: dict[str, Any]
    answer: Answer
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


CERTAINTY_FIELDS = tuple(
    row_field.name for row_field in fields(CorrelationRow) if row_field.default is not MISSING
)
"""What a correlation has from the statistics of the report, not from its scores alone."""


def report_record(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON; nothing rounded."""
    return row_record(report)


def row_record(row: Any) -> dict[str, Any]:
    """Any row of a report as plain values by the names of its fields, in their order."""
    record: dict[str, Any] = _with_lists(msgspec.to_builtins(row))
    return record


def _with_lists(value: Any) -> Any:
    """Tuples as lists, as they read back from JSON."""
    if isinstance(value, dict):
        return {name: _with_lists(inner) for name, inner in value.items()}
    return [_with_lists(inner) for inner in value] if isinstance(value, tuple | list) else value


def read_report(record: Mapping[str, Any]) -> Report:
    """The report of plain values that `report_record` made here or in the version before.

    Raises `InputError` for what is no report, for one that is too old, and for one whose values do not fit.
    """
    if record.get("schema") != SCHEMA:
        raise InputError(f"this is no report: its schema is {record.get('schema')!r}, not {SCHEMA!r}")
    version = record.get("schema_version")
    if version == _UPGRADED:
        record = _upgrade(record)
    elif version != SCHEMA_VERSION:
        raise InputError(
            f"the report is of version {version!r}, which cannot be read here: "
            f"versions {_UPGRADED} and {SCHEMA_VERSION} can. Make it again from its ratings."
        )
    try:
        return msgspec.convert(record, Report)
    except msgspec.ValidationError as error:
        raise InputError(f"the report does not hold what a report holds: {error}") from error


def _upgrade(record: Mapping[str, Any]) -> dict[str, Any]:
    """Version 4 kept intervals, p and ceilings apart from the correlations, row for row."""
    upgraded = {**record, "schema_version": SCHEMA_VERSION}
    if inference := record.get("inference"):
        cells = {_key(cell): cell for cell in inference.get("cells") or ()}
        upgraded["correlations"] = [{**cells.get(_key(row), {}), **row} for row in record["correlations"]]
        upgraded["inference"] = {name: rows for name, rows in inference.items() if name != "cells"}
    return upgraded


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in CoefficientKey._fields)
