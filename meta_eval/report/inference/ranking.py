"""Measures ranked by how well they agree with the raters, and which of them can be told apart."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.report.inference.table import JointTable
from meta_eval.report.primary import Primary
from meta_eval.report.schema import CorrelationRow, MeasureDifference, RankedMeasure
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.names import OWN_KINDS, SCORES, ScoreName
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.bootstrap import RowCache, make_interval, replicates_p_value, widen_by
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod, wider_interval
from meta_eval.stats.resampling.samples import ScoreSample
from meta_eval.stats.significance.adjustment import Adjustment, adjust_p_values
from meta_eval.stats.significance.comparison import compare_by_permutation, rank_clusters
from meta_eval.stats.significance.shuffle_null import compare_with_shuffles, max_t_p_values
from meta_eval.stats.table.joint import align_contributions
from meta_eval.stats.table.schemes import DIFFERENCE_OVER_SYSTEMS

RANKED_BY: Coefficient = "kendall"
"""Systems are compared by order."""

SWAPS = 1_999
"""Random swaps of two measures, where there are too many systems to enumerate them all."""

RANKED: tuple[ScoreName, ...] = tuple(kind.automatic for kind in OWN_KINDS)
"""Measures are ranked by DEGRESS, whose human side holds human input alone, and by PerSEval beside it."""


def rank_measures(
    table: JointTable,
    correlations: Sequence[CorrelationRow],
    automatic: Mapping[str, Contributions],
    *,
    rng: np.random.Generator,
    alpha: float,
    primary: Primary | None = None,
) -> tuple[tuple[RankedMeasure, ...], tuple[MeasureDifference, ...]]:
    """The measures by their mean tau-b over the surrogates, best first, and the differences of all pairs.

    With a `primary` by its coefficient with its surrogate alone. Once by DEGRESS and once by PerSEval. The
    mean is taken in every resample, so that its interval, and that of the difference of two measures, knows
    that the surrogates share their raters. Two measures are told apart by the stricter of two tests: the
    resamples, which are about what is drawn, and swapping the two for whole systems, as `compare` does, which
    is about other systems. Their larger p is adjusted over all pairs of a score; `automatic` are the
    contributions that the systems' scores are means of.
    """
    ranked: list[RankedMeasure] = []
    differences: list[MeasureDifference] = []
    for score in RANKED:
        contributions = {
            measure: align_contributions(
                scores.matrix(score),
                systems=scores.systems,
                documents=scores.documents,
                to_systems=table.systems,
                to_documents=scores.documents,
            )
            for measure, scores in automatic.items()
        }
        means = _MeanCoefficients(table, score, contributions, rng, primary)
        rows, compared = _rank_by(means, correlations, alpha)
        ranked += rows
        differences += compared
    return tuple(ranked), tuple(differences)


def _rank_by(
    means: "_MeanCoefficients", correlations: Sequence[CorrelationRow], alpha: float
) -> tuple[list[RankedMeasure], tuple[MeasureDifference, ...]]:
    table = means.table
    behind = {measure: _behind(means, measure, correlations) for measure in table.measures}
    behind = {measure: rows for measure, rows in behind.items() if rows}
    estimates = {measure: means.observed(measure) for measure in behind}
    differences = _compare(list(behind), means, table.design.adjustment)
    groups = rank_clusters(
        estimates, {(row.measure, row.other): row.p_adjusted for row in differences}, alpha=alpha
    )
    group_of = {measure: number for number, group in enumerate(groups, start=1) for measure in group}
    nulls = _nulls(means, estimates)
    ranked = [
        replace(_ranked(measure, rows, means, alpha, group=group_of[measure]), **nulls[measure])
        for measure, rows in behind.items()
    ]
    return sorted(ranked, key=lambda row: -row.estimate), differences


def _nulls(means: "_MeanCoefficients", estimates: Mapping[str, float]) -> dict[str, dict[str, Any]]:
    """What shuffled ratings give each measure, by the names of its row's fields; p adjusted for all."""
    shuffled = means.table.share.shuffled
    if shuffled.reason is not None:
        return {measure: {"null_reason": shuffled.reason} for measure in estimates}
    drawn = {measure: means.shuffled(measure) for measure in estimates}
    nulls = {
        measure: compare_with_shuffles(drawn[measure], estimate, exact=shuffled.exact)
        for measure, estimate in estimates.items()
    }
    observed = np.array(list(estimates.values()))
    both = np.stack(list(drawn.values()), axis=1) if drawn else np.empty((0, 0))
    adjusted = max_t_p_values(both, observed, exact=shuffled.exact) if drawn else ()
    return {
        measure: {
            "null_mean": null.mean,
            "null_high": null.high,
            "p_raters": null.p,
            "p_raters_adjusted": p,
            "null_reason": null.reason,
        }
        for (measure, null), p in zip(nulls.items(), adjusted, strict=True)
    }


@dataclass(frozen=True, slots=True)
class _MeanCoefficients:
    """A measure's coefficient, meant over the surrogates, as observed and in every resample and shuffle."""

    table: JointTable
    score: ScoreName
    contributions: Mapping[str, FloatArray]
    rng: np.random.Generator
    primary: Primary | None = None
    cache: RowCache = field(default_factory=RowCache)
    _replicates: dict[str, FloatArray] = field(default_factory=dict)

    @property
    def coefficient(self) -> Coefficient:
        return self.primary.coefficient if self.primary else RANKED_BY

    @property
    def surrogates(self) -> tuple[str, ...]:
        return (self.primary.surrogate,) if self.primary else self.table.surrogates

    def observed(self, measure: str) -> float:
        return float(self._mean(measure, self._rows(lambda sample: sample.observed[None]))[0])

    def replicates(self, measure: str) -> FloatArray:
        """(R,): the mean in each resample, or in each draw of the true scores; made once."""
        if measure not in self._replicates:
            self._replicates[measure] = self._mean(
                measure, lambda x, y: self.cache.replicates(x, y, self.coefficient, self.method)
            )
        return self._replicates[measure]

    def shuffled(self, measure: str) -> FloatArray:
        """(R,): the mean under each shuffle of the ratings."""
        machine = self.table.samples[ScoreId(self.score, measure)].observed
        shuffled = self.table.share.shuffled
        return _mean_defined(
            np.stack([shuffled.coefficients(human, machine, self.coefficient) for human in self._human])
        )

    def swapped_p(self, measure: str, other: str) -> float | None:
        """p of the difference of two measures by swapping them for whole systems."""
        human = np.stack([self.table.samples[one].observed for one in self._human])
        sides = self.contributions[measure], self.contributions[other]
        found = compare_by_permutation(*sides, human, self.coefficient, rng=self.rng, permutations=SWAPS)
        return found.p_value

    @property
    def _human(self) -> list[ScoreId]:
        return [ScoreId(SCORES[self.score].human, surrogate) for surrogate in self.surrogates]

    @property
    def method(self) -> IntervalMethod:
        """Where systems are drawn, BCa: a mean over surrogates has no interval in closed form."""
        resampled = self.table.design.resampled
        return "bca" if "systems" in resampled else self.table.design.intervals[self.coefficient]

    def left_out(self, measure: str) -> list[FloatArray]:
        if self.method != "bca":
            return []
        kinds = len(next(iter(self.table.samples.values())).left_out)
        return [self._mean(measure, self._rows(_left_out(kind))) for kind in range(kinds)]

    def _rows(self, of: Callable[[ScoreSample], FloatArray]) -> "_Coefficients":
        return lambda x, y: self.cache.correlate(of(x), of(y), self.coefficient)

    def _mean(self, measure: str, coefficients: "_Coefficients") -> FloatArray:
        return _mean_defined(np.stack([coefficients(*pair) for pair in self._pairs(measure)]))

    def interval(self, measure: str, estimate: float) -> Interval:
        """As that of one coefficient: by family where families were given, or the wider of two."""
        found = self._interval_of(self.replicates(measure), measure, estimate)
        pairs = list(self._pairs(measure))
        if self.method != "hierarchical" or found.low is None:
            return found
        if pairs[0][0].families:
            found = replace(found, method="hierarchical-by-family")
        if all(widen_by(*pair, self.coefficient) is None for pair in pairs):
            return found
        again = self._mean(
            measure,
            lambda x, y: self.cache.replicates(
                x, y, self.coefficient, self.method, widen_by(x, y, self.coefficient)
            ),
        )
        return wider_interval(found, self._interval_of(again, measure, estimate))

    def _interval_of(self, replicates: FloatArray, measure: str, estimate: float) -> Interval:
        return make_interval(
            replicates,
            estimate=estimate,
            left_out=self.left_out(measure),
            method=self.method,
            level=self.table.design.level,
        )

    def _pairs(self, measure: str) -> Iterator[tuple[ScoreSample, ScoreSample]]:
        """The human score by each surrogate, and the measure's."""
        samples = self.table.samples
        return ((samples[human], samples[ScoreId(self.score, measure)]) for human in self._human)

    def interval_of_difference(self, measure: str, other: str, estimate: float) -> Interval:
        over_systems = "systems" in self.table.design.resampled
        left_out = zip(self.left_out(measure), self.left_out(other), strict=True)
        return make_interval(
            self.replicates(measure) - self.replicates(other),
            estimate=estimate,
            left_out=[first - second for first, second in left_out],
            method=DIFFERENCE_OVER_SYSTEMS if over_systems else self.method,
            level=self.table.design.level,
        )


def _mean_defined(found: FloatArray) -> FloatArray:
    """(X, R) to (R,); surrogates in which one side is constant are left out as `answer_in_words` does."""
    count = np.isfinite(found).sum(axis=0)
    total = np.where(np.isfinite(found), found, 0.0).sum(axis=0)
    mean: FloatArray = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean


_Coefficients = Callable[[ScoreSample, ScoreSample], FloatArray]
"""Coefficients of two scores, one for each row."""


def _left_out(kind: int) -> Callable[[ScoreSample], FloatArray]:
    return lambda sample: sample.left_out[kind]


def _behind(
    means: "_MeanCoefficients", measure: str, correlations: Sequence[CorrelationRow]
) -> list[CorrelationRow]:
    """The defined coefficients that a measure is ranked by, one for each surrogate."""
    wanted = (means.score, means.coefficient, measure)
    return [
        row
        for row in correlations
        if (row.automatic, row.coefficient, row.measure) == wanted
        and row.surrogate in means.surrogates
        and row.estimate is not None
    ]


def _is_significant(row: CorrelationRow, means: "_MeanCoefficients", alpha: float) -> bool:
    """By max-T within the primary; everywhere else adjusted over the whole table."""
    if means.primary is not None and means.primary.covers(row):
        return row.p_max_t is not None and row.p_max_t < alpha
    return row.is_significant(alpha)


def _ranked(
    measure: str, behind: Sequence[CorrelationRow], means: _MeanCoefficients, alpha: float, *, group: int
) -> RankedMeasure:
    estimate = means.observed(measure)
    interval = means.interval(measure, estimate)
    ceilings = [row.ceiling for row in behind if row.ceiling is not None]
    systems = means.table.systems
    return RankedMeasure(
        score=means.score,
        measure=measure,
        estimate=estimate,
        n=min(row.n for row in behind),
        surrogates=len(behind),
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        ci_over=means.table.design.resampled,
        ci_level=interval.level,
        ci_reason=interval.reason,
        ceiling=sum(ceilings) / len(ceilings) if ceilings else None,
        significant=sum(_is_significant(row, means, alpha) for row in behind),
        p_max_t=behind[0].p_max_t if means.primary else None,
        carried_by=tuple(
            system for system in systems if all(system in (row.carried_by or ()) for row in behind)
        ),
        group=group,
    )


def _compare(
    measures: Sequence[str], means: _MeanCoefficients, adjustment: Adjustment
) -> tuple[MeasureDifference, ...]:
    rows = [_difference(*pair, means) for pair in combinations(measures, 2)]
    adjusted = adjust_p_values([stricter_p(row.p_value, row.p_systems) for row in rows], method=adjustment)
    return tuple(replace(row, p_adjusted=p) for row, p in zip(rows, adjusted, strict=True))


def stricter_p(first: float | None, second: float | None) -> float | None:
    """The larger of two p-values of one difference; None where either is."""
    return None if first is None or second is None else max(first, second)


def _difference(measure: str, other: str, means: _MeanCoefficients) -> MeasureDifference:
    estimate = means.observed(measure) - means.observed(other)
    interval = means.interval_of_difference(measure, other, estimate)
    return MeasureDifference(
        score=means.score,
        measure=measure,
        other=other,
        difference=estimate,
        ci_low=interval.low,
        ci_high=interval.high,
        ci_method=interval.method,
        ci_over=means.table.design.resampled,
        p_value=replicates_p_value(means.replicates(measure) - means.replicates(other), means.method),
        p_method="bootstrap",
        p_systems=means.swapped_p(measure, other),
        p_adjusted=None,
    )
