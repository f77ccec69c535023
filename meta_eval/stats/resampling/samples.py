"""Bootstrap of coefficients: over documents, systems, raters, and raters within documents.

A score of all systems is resampled once (`ScoreSample`) and then correlated with any other score that was
resampled with the same draws. What is resampled is what the interval is about: other documents, other
systems, other raters.
"""

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

import numpy as np
from scipy.sparse import csr_array

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import (
    correlate_rising,
    correlate_rows,
    dot_rows,
    has_unit_rows,
    rising_rows,
    unit_rows,
)
from meta_eval.stats.coefficients.ties import constant_rows, tie_tolerance
from meta_eval.stats.resampling.hierarchical import LEAST_SYSTEMS, draw_true_scores
from meta_eval.stats.resampling.intervals import (
    Alternative,
    Interval,
    IntervalMethod,
    bca_interval,
    bootstrap_p_value,
    mid_interval,
    percentile_interval,
)
from meta_eval.stats.resampling.weights import (
    batch_sizes,
    count_draws,
    draw_indices,
    left_out_scores,
    mean_scores,
    weighted_scores,
)

Key = TypeVar("Key", bound=Hashable)
"""By what a score is addressed: any value that can be a key of a mapping."""

DEFAULT_RESAMPLES = 10_000
DEFAULT_BATCH = 500
RESAMPLING: tuple[IntervalMethod, ...] = ("percentile", "bca", "hierarchical")
"""Intervals that are made from resamples."""


@dataclass(frozen=True, slots=True)
class ScoreSample:
    """One score of S systems: as observed (S,), in R resamples (R, S), and with each unit left out.

    `left_out` has one (U, S) array for each kind of resampled unit. NaN where a system has no score.
    """

    observed: FloatArray
    resampled: FloatArray
    left_out: tuple[FloatArray, ...] = ()


@dataclass(frozen=True, slots=True)
class RaterPool:
    """Contributions under K draws of raters within documents: `values` (K, S, P) of `documents` (P,)."""

    documents: IntArray
    values: FloatArray


def fixed_score(scores: FloatArray, *, resamples: int, units: tuple[int, ...] = ()) -> ScoreSample:
    """A score (S,) that the resampling does not touch, such as an automatic one when raters are resampled.

    `units` are the numbers of units whose resampling it does not feel.
    """
    rows = (np.broadcast_to(scores, (count, len(scores))) for count in (resamples, *units))
    return ScoreSample(scores, next(rows), tuple(rows))


def resample_documents(
    contributions: Mapping[Key, FloatArray],
    *,
    resamples: int = DEFAULT_RESAMPLES,
    rng: np.random.Generator,
    strata: IntArray | None = None,
    pools: Mapping[Key, RaterPool] | None = None,
    batch: int = DEFAULT_BATCH,
) -> dict[Key, ScoreSample]:
    """Every score under the same draws of documents.

    `contributions` maps a score to its (S, D) array, NaN where a document has none. `strata` (D,) keeps the
    number of documents of each kind, such as surveyed or not, as the design has it. Scores with a pool are
    resampled in two stages: each drawn document takes one of its pool's draws of raters. The result does not
    depend on `batch`.
    """
    stack: _Stack[Key] = _Stack(contributions, pools or {})
    documents_rng, raters_rng = rng.spawn(2)
    parts = []
    for size in batch_sizes(resamples, batch):
        drawn = draw_indices(units=stack.documents, resamples=size, rng=documents_rng, strata=strata)
        parts.append(stack.scores_under(drawn, raters_rng))
    return stack.samples(np.concatenate(parts))


class _Stack(Generic[Key]):
    """The contributions of many scores as one matrix, so that one product serves them all."""

    def __init__(self, contributions: Mapping[Key, FloatArray], pools: Mapping[Key, RaterPool]) -> None:
        if not contributions:
            raise InputError("there is no score to resample")
        shapes = {values.shape for values in contributions.values()}
        if len(shapes) > 1:
            raise InputError(f"scores resampled together need one shape (systems, documents): {shapes}")
        self.keys = list(contributions)
        self.systems, self.documents = shapes.pop()
        self.matrix = np.concatenate(list(contributions.values()))  # (M S, D)
        self.pools = pools

    def scores_under(self, drawn: IntArray, raters_rng: np.random.Generator) -> FloatArray:
        """(R, D) drawn documents to (R, M, S) scores."""
        scores = weighted_scores(count_draws(drawn, self.documents), self.matrix)
        scores = scores.reshape(len(drawn), len(self.keys), self.systems)
        if self.pools:
            uniform = raters_rng.random(drawn.shape)
            for key, pool in self.pools.items():
                scores[:, self.keys.index(key)] = _pooled_scores(pool, drawn, uniform, self.documents)
        return scores

    def samples(self, resampled: FloatArray) -> dict[Key, ScoreSample]:
        observed = mean_scores(self.matrix).reshape(len(self.keys), self.systems)
        left_out = left_out_scores(self.matrix).reshape(self.documents, len(self.keys), self.systems)
        return {
            key: ScoreSample(observed[row], resampled[:, row], (left_out[:, row],))
            for row, key in enumerate(self.keys)
        }


def _pooled_scores(pool: RaterPool, drawn: IntArray, uniform: FloatArray, documents: int) -> FloatArray:
    """(R, S): each drawn document with a draw of its raters of its own, even where it is drawn twice."""
    draws, systems, pooled = pool.values.shape
    place = np.full(documents, -1)
    place[pool.documents] = np.arange(pooled)
    at = place[drawn]  # (R, D), -1 for documents nobody rated
    columns = at * draws + np.minimum((uniform * draws).astype(np.int64), draws - 1)
    rows = np.broadcast_to(np.arange(len(drawn))[:, None], at.shape)
    ones = np.ones(int((at >= 0).sum()))
    weights = csr_array((ones, (rows[at >= 0], columns[at >= 0])), shape=(len(drawn), pooled * draws))
    values = pool.values.transpose(2, 0, 1).reshape(pooled * draws, systems)  # (K, S, P) -> (P K, S)
    present = np.isfinite(values)
    totals = np.asarray(weights @ np.where(present, values, 0.0))
    counts = np.asarray(weights @ present.astype(np.float64))
    scores: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    return scores


def resample_systems(
    samples: Mapping[Key, ScoreSample], *, rng: np.random.Generator
) -> dict[Key, ScoreSample]:
    """The same draws of systems for every score, on top of what was resampled before."""
    if not samples:
        raise InputError("there is no score to resample")
    resamples, systems = next(iter(samples.values())).resampled.shape
    drawn = draw_indices(units=systems, resamples=resamples, rng=rng)
    return {key: _with_drawn_systems(sample, drawn) for key, sample in samples.items()}


def _with_drawn_systems(sample: ScoreSample, drawn: IntArray) -> ScoreSample:
    systems = len(sample.observed)
    without_each = np.where(np.eye(systems, dtype=bool), np.nan, sample.observed)
    return ScoreSample(
        sample.observed,
        np.take_along_axis(sample.resampled, drawn, axis=1),
        (*sample.left_out, without_each),
    )


@dataclass(frozen=True, slots=True)
class CorrelationBootstrap:
    """A coefficient with its interval, standard error and p of being 0, from `replicates` (R,)."""

    correlation: Correlation
    interval: Interval
    standard_error: float | None
    p_value: float | None
    replicates: FloatArray


class TrueScores:
    """Draws of the true scores of which `x` and `y` show noisy ones, the noise being that of the resamples.

    `replicates` (R,) of a coefficient are NaN for resamples in which a system has no score, and throughout
    for fewer than three systems with both scores or a side that is constant.
    """

    def __init__(self, x: ScoreSample, y: ScoreSample) -> None:
        self.sides = x, y
        systems = np.isfinite(x.observed) & np.isfinite(y.observed)
        observed = x.observed[systems], y.observed[systems]
        noisy = x.resampled[:, systems], y.resampled[:, systems]
        self._whole: BoolArray = np.logical_and.reduce(np.isfinite(np.concatenate(noisy, axis=1)), axis=1)
        enough = len(observed[0]) >= LEAST_SYSTEMS and not any(constant_rows(side) for side in observed)
        self._drawn: FloatArray | None = None
        self._rising: tuple[BoolArray, BoolArray] | None = None
        if enough and self._whole.any():
            self._drawn = draw_true_scores(*observed, (noisy[0][self._whole], noisy[1][self._whole]))
            # only a side without noise, which is drawn as it is, can have ties
            if not any((np.diff(np.sort(side)) <= tie_tolerance(side)).any() for side in observed):
                self._rising = rising_rows(self._drawn[0]), rising_rows(self._drawn[1])

    def replicates(self, coefficient: Coefficient) -> FloatArray:
        """(R,): the coefficient in each draw."""
        found = np.full(len(self._whole), np.nan)
        if self._drawn is not None:
            found[self._whole] = self._correlate(self._drawn, coefficient)
        return found

    def _correlate(self, drawn: FloatArray, coefficient: Coefficient) -> FloatArray:
        if self._rising is None or REGISTRY[coefficient].without_ties is None:
            return correlate_rows(drawn[0], drawn[1], coefficient)
        return correlate_rising(*self._rising, drawn.shape[2], coefficient)


class RowCache:
    """Unit rows of samples, kept so that a table turns each score into them once, not once a cell.

    Draws of true scores are kept for the last pair, for all of its coefficients.
    """

    def __init__(self) -> None:
        self._rows: dict[tuple[int, Coefficient], tuple[FloatArray, FloatArray | None]] = {}
        self._last: TrueScores | None = None

    def correlate(self, x: FloatArray, y: FloatArray, coefficient: Coefficient) -> FloatArray:
        """As `correlate_rows`; x and y must not be changed afterwards."""
        if not has_unit_rows(coefficient):
            return correlate_rows(x, y, coefficient)
        first, second = self._units(x, coefficient), self._units(y, coefficient)
        if first is None or second is None:
            return correlate_rows(x, y, coefficient)
        return dot_rows(first, second)

    def replicates(
        self, x: ScoreSample, y: ScoreSample, coefficient: Coefficient, method: IntervalMethod
    ) -> FloatArray:
        """(R,): the coefficient in each resample, or in each draw of the true scores."""
        if method == "hierarchical":
            return self._true_scores(x, y).replicates(coefficient)
        return self.correlate(x.resampled, y.resampled, coefficient)

    def _true_scores(self, x: ScoreSample, y: ScoreSample) -> TrueScores:
        """Those of the last pair alone: a table's would fill the memory."""
        last = self._last
        if last is None or last.sides[0] is not x or last.sides[1] is not y:
            self._last = last = TrueScores(x, y)
        return last

    def _units(self, values: FloatArray, coefficient: Coefficient) -> FloatArray | None:
        """None where something is missing: then each pair of scores has its own systems."""
        key = (id(values), coefficient)
        if key not in self._rows:
            complete = bool(np.isfinite(values).all())
            # the array is kept with its rows: an id is only unique among living objects
            self._rows[key] = (values, unit_rows(values, coefficient) if complete else None)
        return self._rows[key][1]


def bootstrap_correlation(
    x: ScoreSample,
    y: ScoreSample,
    coefficient: Coefficient,
    *,
    method: IntervalMethod = "percentile",
    level: float = 0.95,
    cache: RowCache | None = None,
) -> CorrelationBootstrap:
    """The coefficient of two scores over systems, with what their shared resamples say of it.

    Resamples in which it is undefined are counted as degenerate. BCa needs `left_out` of both samples. By
    "hierarchical" the replicates are those of `TrueScores`. A `cache` serves many calls on the
    same samples.
    """
    if x.resampled.shape != y.resampled.shape:
        raise InputError(f"the samples differ in shape: {x.resampled.shape} and {y.resampled.shape}")
    cache = cache or RowCache()
    correlation = correlate(list(x.observed), list(y.observed), coefficient)
    replicates = cache.replicates(x, y, coefficient, method)
    left_out = (
        [cache.correlate(*pair, coefficient) for pair in _paired_left_out(x, y)] if method == "bca" else []
    )
    interval = make_interval(
        replicates, estimate=correlation.estimate, left_out=left_out, method=method, level=level
    )
    if method == "hierarchical" and correlation.estimate is not None and correlation.n < LEAST_SYSTEMS:
        interval = replace(interval, reason=f"{correlation.n} systems, at least {LEAST_SYSTEMS} are needed")
    return CorrelationBootstrap(
        correlation, interval, standard_error(replicates), replicates_p_value(replicates, method), replicates
    )


def replicates_p_value(
    replicates: FloatArray, method: IntervalMethod, *, alternative: Alternative = "two-sided"
) -> float | None:
    """p of the hypothesis that the statistic is 0, counted as the interval of the method is."""
    tied = 0.5 if method == "hierarchical" else 1.0
    return bootstrap_p_value(replicates, tied=tied, alternative=alternative)


def _paired_left_out(x: ScoreSample, y: ScoreSample) -> Iterator[tuple[FloatArray, FloatArray]]:
    if len(x.left_out) != len(y.left_out):
        raise InputError("BCa needs both samples to leave out the same kinds of units")
    yield from zip(x.left_out, y.left_out, strict=True)


def make_interval(
    replicates: FloatArray,
    *,
    estimate: float | None,
    left_out: list[FloatArray],
    method: IntervalMethod,
    level: float = 0.95,
) -> Interval:
    """An interval from resamples, or from draws of the true value; none where the estimate is undefined."""
    if method not in RESAMPLING:
        raise InputError(f"an interval from resamples is {', '.join(RESAMPLING)}, not {method!r}")
    if estimate is None:
        return Interval(None, None, method, level, reason="the coefficient is undefined")
    if method == "bca":
        return bca_interval(replicates, estimate=estimate, left_out=left_out, level=level)
    if method == "hierarchical":
        return mid_interval(replicates, estimate=estimate, method=method, level=level)
    return percentile_interval(replicates, level=level)


def standard_error(replicates: FloatArray) -> float | None:
    """Standard deviation of the defined resamples; None with fewer than two."""
    defined = replicates[np.isfinite(replicates)]
    return float(defined.std(ddof=1)) if defined.size > 1 else None
