"""Rows of how metrics are meta-evaluated by now: pairs of systems, ties, outliers, ranks that are sure.

All are of rated documents and pairs alone, on both sides.
"""

from dataclasses import dataclass

from meta_eval.report.schema.prompts import PromptOrderRow


@dataclass(frozen=True, slots=True, kw_only=True)
class _BothSides:
    """A row that is about a human and an automatic score; `shared` is as in a `CoefficientRow`."""

    human: str
    surrogate: str
    automatic: str
    measure: str
    shared_input: bool
    shared: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftAccuracyRow(_BothSides):
    """Soft pairwise accuracy over `pairs` of systems, with p of each by `documents`."""

    estimate: float | None
    pairs: int
    documents: int
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftDifferenceRow:
    """The soft accuracy of `measure` less that of `other`, meant over `surrogates`, with p of PERM-BOTH.

    `p_adjusted` over all pairs of measures of the score.
    """

    automatic: str
    measure: str
    other: str
    surrogates: int
    difference: float | None
    p_value: float | None
    p_adjusted: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibratedTiesRow(_BothSides):
    """The accuracy over pairs of summaries whose scores within `epsilon` count as equal.

    `grouping` says which pairs: of a document (item), of a system, or any two (none). `untouched` is the
    accuracy without made ties, `tau_b` the mean of Kendall's tau-b over the groups; `tied` the share of pairs
    that people tie.
    """

    grouping: str
    estimate: float | None
    epsilon: float | None
    untouched: float | None
    tau_b: float | None
    groups: int
    pairs: int
    tied: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PairAccuracyRow(_BothSides):
    """The share of `pairs` of systems that the measure orders as people do, by `subset` of the pairs."""

    subset: str
    estimate: float | None
    pairs: int
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticedRow(_BothSides):
    """From which difference (`noticed`) on people order 95 % of the pairs as the measure does.

    `beyond` of the `pairs` lie there or farther apart. The interval is of the systems' scores without noise;
    where an end is missing `ci_reason` says why.
    """

    noticed: float | None
    beyond: int
    pairs: int
    reason: str | None
    ci_low: float | None = None
    ci_high: float | None = None
    ci_level: float | None = None
    ci_reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutlierRow(_BothSides):
    """A coefficient without the `outliers` by people's scores, over the other `n` systems.

    `all_systems` is the coefficient with them.
    """

    coefficient: str
    outliers: tuple[str, ...]
    n: int
    all_systems: float | None
    estimate: float | None
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemRankRow:
    """A system by people: its score, its rank, and the ranks it may have, for all systems together.

    Every system of a `cluster` is better for sure than every one of the next.
    """

    human: str
    surrogate: str
    system: str
    value: float | None
    rank: float | None
    rank_low: int | None
    rank_high: int | None
    cluster: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CombinationRow:
    """Measures joined by a method: how often it orders two systems that it was not made on as people do.

    `one_left_out` is the same where it is made without one of the two alone, `fitted` where it is made on all
    systems; `weights` are those it has then, as text.
    """

    human: str
    surrogate: str
    automatic: str
    combination: str
    held_out: float
    fitted: float
    pairs: int
    weights: tuple[str, ...]
    one_left_out: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RatingComponentRow:
    """The variance that the levels of a factor add to ratings, and its share of all that varies."""

    factor: str
    component: float | None
    component_share: float | None
    levels: int
    reason: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AdjustedRow:
    """A system's mean rating, or a rater's severity: plain, and with all else taken out."""

    plain: float
    adjusted: float
    ratings: int
    system: str | None = None
    rater: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DependabilityRow:
    """How dependable systems' mean ratings would be: to compare systems (relative), or as they are."""

    documents: int
    raters: int
    relative: float
    absolute: float


@dataclass(frozen=True, slots=True, kw_only=True)
class RaterAmongMeasuresRow:
    """A rater (`own`) and a measure (`estimate`), both against the mean of the other raters on `pages`."""

    rater: str
    measure: str
    own: float
    estimate: float | None
    pages: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviationRow:
    """How alike two measures see pairs of readers as served apart, without any rating.

    `estimate` is the mean over systems of the coefficient over all pairs of readers, its interval resamples
    readers; the five numbers are of random samples of `share_of_pairs` of the pairs, of all systems;
    `samples` counts those in which the coefficient is defined. The forms say what is meant first: distances
    over documents ("means"), or the ratio of each ("ratios").
    """

    measure: str
    measure_form: str
    other: str
    other_form: str
    coefficient: str
    estimate: float | None
    ci_low: float | None
    ci_high: float | None
    reason: str | None
    systems_defined: int
    lowest_system: float | None
    highest_system: float | None
    reader_pairs: int
    pairs_left_out: int
    share_of_pairs: float
    samples: int
    sample_lowest: float | None
    sample_q1: float | None
    sample_median: float | None
    sample_q3: float | None
    sample_highest: float | None

    @property
    def five_numbers(self) -> tuple[float, float, float, float, float] | None:
        """The lowest sample, the quartiles around the median, the highest; None without a value."""
        lowest, highest = self.sample_lowest, self.sample_highest
        q1, median, q3 = self.sample_q1, self.sample_median, self.sample_q3
        if lowest is None or q1 is None or median is None or q3 is None or highest is None:
            return None
        return lowest, q1, median, q3, highest


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """A question that the scores and ratings cannot answer, and why."""

    question: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FurtherQuestions:
    """What meta-evaluation asks by now; a question without answer is empty, and in `unanswered` with why.

    Raters are numbered, as elsewhere in a report: who they are is nobody's business.
    """

    soft_accuracy: tuple[SoftAccuracyRow, ...] = ()
    soft_differences: tuple[SoftDifferenceRow, ...] = ()
    calibrated_ties: tuple[CalibratedTiesRow, ...] = ()
    pair_accuracy: tuple[PairAccuracyRow, ...] = ()
    noticed: tuple[NoticedRow, ...] = ()
    outliers: tuple[OutlierRow, ...] = ()
    system_ranks: tuple[SystemRankRow, ...] = ()
    combinations: tuple[CombinationRow, ...] = ()
    rating_components: tuple[RatingComponentRow, ...] = ()
    adjusted_means: tuple[AdjustedRow, ...] = ()
    severities: tuple[AdjustedRow, ...] = ()
    dependability: tuple[DependabilityRow, ...] = ()
    raters_among_measures: tuple[RaterAmongMeasuresRow, ...] = ()
    deviations: tuple[DeviationRow, ...] = ()
    prompt_orders: tuple[PromptOrderRow, ...] = ()
    unanswered: tuple[Unanswered, ...] = ()
