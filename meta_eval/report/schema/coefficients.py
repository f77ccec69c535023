"""Rows that hold a coefficient between a human and an automatic score, and what belongs to one."""

from dataclasses import dataclass
from typing import NamedTuple


class CoefficientKey(NamedTuple):
    """By what a coefficient is found: the automatic score, the surrogate, the measure, the coefficient."""

    automatic: str
    surrogate: str | None
    measure: str
    coefficient: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BetweenScores:
    """Which coefficient it is, and between which scores: the first fields of a row that holds one.

    `surrogate` is None where the human score rests on ratings alone; `shared_input` says whether both sides
    rest on distances by the same measure.
    """

    human: str
    surrogate: str | None
    automatic: str
    measure: str
    shared_input: bool
    coefficient: str

    @property
    def key(self) -> CoefficientKey:
        return CoefficientKey(self.automatic, self.surrogate, self.measure, self.coefficient)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoefficientRow(BetweenScores):
    """A coefficient over `n` systems between a human and an automatic score, with its interval and p.

    `ci_over` says what the interval is about. `p_adjusted` is p adjusted over all coefficients of the human
    score.

    `shared` names what is on both sides whatever raters say: distances of the same measure, the penalty, or
    both. Ratings shuffled within questionnaires give `null_mean` on average and reach `null_high` at most in
    95 of 100 of the `shuffles`; `p_raters` is the share that reaches the estimate, None with a `null_reason`.
    Where the penalty is on both sides, `penalty_share` is how much of the human score's variance over systems
    it explains alone, and `given_penalty` the partial coefficient given it.
    """

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
    shared: str | None = None
    null_mean: float | None = None
    null_high: float | None = None
    p_raters: float | None = None
    p_raters_method: str | None = None
    shuffles: int | None = None
    null_reason: str | None = None
    penalty_share: float | None = None
    given_penalty: float | None = None

    @property
    def is_inferred(self) -> bool:
        """Whether the inference has looked at the coefficient, whatever it found."""
        return self.ci_over is not None

    def is_significant(self, alpha: float) -> bool:
        """Whether the adjusted p is below `alpha`."""
        return self.p_adjusted is not None and self.p_adjusted < alpha

    def may_be_supported(self, alpha: float) -> bool:
        """Whether shuffled ratings reach the coefficient rarely enough; so, too, where that is not known."""
        return self.p_raters is None or self.p_raters <= alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class LimitedRow(CoefficientRow):
    """A coefficient with its ceiling, which is that of its scope."""

    ceiling: float | None = None
    ceiling_method: str | None = None
    ceiling_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrelationRow(LimitedRow):
    """A coefficient of the report's main table, with what it hangs on.

    `without_low` and `without_high` are the least and greatest coefficient with one system left out;
    `carried_by` names the systems without which it loses its meaning. Where systems fall into families,
    `within` is the coefficient of all families together to which their distance adds nothing,
    `families_mean` what matchings of the systems within their families give on average, `p_within` p against
    these (`p_within_adjusted` for all rows of its human score), and `families_explain` whether the families
    alone explain the coefficient. `p_max_t` is p adjusted over the measures of the declared primary
    coefficient by max-T; None for every other coefficient.
    """

    without_low: float | None = None
    without_high: float | None = None
    carried_by: tuple[str, ...] | None = None
    within: float | None = None
    within_reason: str | None = None
    families_mean: float | None = None
    p_within: float | None = None
    p_within_method: str | None = None
    p_within_adjusted: float | None = None
    families_explain: bool | None = None
    p_max_t: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FamilyRow(CoefficientRow):
    """A coefficient over the `systems` of one family alone."""

    family: str
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class LevelRow(BetweenScores):
    """One agreement at one `level`: of systems, within documents or systems (their mean), over reader pairs.

    `n` counts systems, documents or items, `undefined` the documents or systems without a coefficient.
    """

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
    shared: str | None = None


@dataclass(frozen=True, slots=True)
class WithoutSystem:
    """A coefficient without one system; `carries` where it loses its meaning so."""

    system: str
    estimate: float | None
    change: float | None
    reason: str | None
    carries: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOutRow(BetweenScores):
    """A coefficient over all systems, and without each."""

    n: int
    estimate: float | None
    systems: tuple[WithoutSystem, ...]
    shared: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class IntervalsRow(BetweenScores):
    """A coefficient with its percentile and its BCa interval, from the same resamples."""

    n: int
    estimate: float | None
    percentile_low: float | None
    percentile_high: float | None
    percentile_reason: str | None
    bca_low: float | None
    bca_high: float | None
    bca_reason: str | None
    ci_over: str
    shared: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CeilingRow:
    """What perfect agreement with raters this noisy could reach, by one method.

    `scope` is that of the automatic scores: matched (rated documents and pairs alone) or corpus. Reports made
    before there were two know the first only, and show it everywhere.
    """

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
    scope: str = "matched"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedMeasure:
    """A measure's mean tau-b of a `score` with its human twin over `surrogates`.

    Where a primary coefficient was declared it is that one, by its surrogate alone, and `p_max_t` is p of the
    primary score adjusted over its measures by max-T.

    `significant` counts the surrogates for which the adjusted p (of the primary: `p_max_t`) is below alpha.
    Measures of one `group` cannot be told apart from its best; group 1 holds the best. Ratings shuffled
    within questionnaires give a mean of `null_mean` and reach `null_high` at most in 95 of 100; `p_raters` is
    the share that reaches the estimate, and `p_raters_adjusted` the same, adjusted for all measures of the
    score.
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
    score: str = "perseval"
    null_mean: float | None = None
    null_high: float | None = None
    p_raters: float | None = None
    p_raters_adjusted: float | None = None
    null_reason: str | None = None
    p_max_t: float | None = None

    def is_supported(self, alpha: float) -> bool:
        """Whether raters support the agreement: shuffled ratings hardly ever reach it."""
        return self.p_raters_adjusted is not None and self.p_raters_adjusted <= alpha


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasureDifference:
    """How much better one measure agrees with the raters than the `other`.

    `p_value` is that of the resamples, as the interval; `p_systems` that of swapping the two for whole
    systems, so about other systems. `p_adjusted` is the larger of both, adjusted: it tells measures apart.
    """

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
    score: str = "perseval"
    p_systems: float | None = None
