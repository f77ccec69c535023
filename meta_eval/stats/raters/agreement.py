"""How far raters agree, by coefficients that allow changing raters and missing ratings.

A unit is what was rated: a pair of texts. All coefficients are functions of sums over units, so a bootstrap
of units, or of the documents they belong to, is one matrix product.
"""

from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass

import numpy as np
from scipy.sparse import csr_array

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.ratings.rating import SIX_POINTS, Ends, RatedPair, Rating, check_ratings
from meta_eval.stats.raters.agreement_sums import ALPHA, FIFTH, ClusterSums, UnitSums, join
from meta_eval.stats.resampling.bootstrap import make_interval
from meta_eval.stats.resampling.intervals import Interval
from meta_eval.stats.resampling.weights import batch_sizes, draw_weights

CATEGORIES = tuple(SIX_POINTS.steps)
LEAST_UNITS = 10
"""Fewer units than this with two ratings say nothing about agreement."""

AGREEMENT_RESAMPLES = 2_000
COEFFICIENTS = {
    ALPHA: "Krippendorff's alpha, ordinal",
    "krippendorff_interval": "Krippendorff's alpha, interval",
    "kappa_quadratic": "Kappa with quadratic weights, raters interchangeable",
    "icc_1_1": "ICC(1,1), one rating",
    "icc_1_k": "ICC(1,k), the mean of a unit's ratings",
    "gwet_ac2": "Gwet's AC2, quadratic weights",
    "within_one": "Share of pairs of ratings at most one point apart",
}
_LEAST_WIDE = 10
"""From such a range on, a fifth of it is two points or more."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """One coefficient with its interval; None with a `reason` where it is undefined."""

    coefficient: str
    title: str
    estimate: float | None
    interval: Interval | None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class AgreementReport:
    """All coefficients over `units` with two ratings or more, of which there are `ratings`.

    `single` units have one rating and count for none but Gwet's chance agreement. `table` (categories,
    categories) counts pairs of ratings of one unit in both orders, each weighted 1 / (m - 1) for m ratings,
    so that it sums to `ratings`. `categories` are all of the scale; where they are more than 11, those that
    were given.
    """

    agreements: tuple[Agreement, ...]
    units: int
    ratings: int
    single: int
    table: FloatArray
    categories: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """`counts` (U, categories), sparse: how often each category of the scale was given to each unit.

    A rater's second rating of one pair (the gold pair stands in several questionnaires) is no second opinion:
    the first counts, `repeated` says how many did not.
    """

    pairs: tuple[RatedPair, ...]
    counts: csr_array
    repeated: int

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(pair.doc_id for pair in self.pairs)


def count_ratings(ratings: Iterable[Rating], ends: Ends = SIX_POINTS) -> RatingCounts:
    """Ratings of each pair by category: 1 to 6, or from the lowest to the highest of `ends`.

    Parameters
    ----------
    ratings : of pairs, by one or more raters
    ends : the lowest and highest of the scale, in whole points

    Returns
    -------
    RatingCounts : a row for each pair, a column for each point of the scale

    Raises
    ------
    InputError : for a rating that is not on the scale

    Examples
    --------
    >>> given = [("p", 2), ("q", 2), ("r", 5)]
    >>> ratings = [Rating("d", "A", "ann", "bob", rater, value) for rater, value in given]
    >>> count_ratings(ratings).counts.toarray().tolist()
    [[0.0, 2.0, 0.0, 0.0, 1.0, 0.0]]
    """
    first: dict[tuple[RatedPair, str], int] = {}
    repeated = 0
    ratings = list(ratings)
    check_ratings(ratings, ends)
    for rating in ratings:
        repeated += (rating.pair, rating.rater) in first
        first.setdefault((rating.pair, rating.rater), rating.rating)
    pairs = tuple(sorted({pair for pair, _ in first}, key=astuple))  # drawn by document: in no file's order
    rows = {pair: row for row, pair in enumerate(pairs)}
    places = ([rows[pair] for pair, _ in first], [value - ends.lowest for value in first.values()])
    shape = (len(pairs), len(ends.steps))
    return RatingCounts(pairs, csr_array((np.ones(len(first)), places), shape=shape), repeated)


def measure_agreement(
    counts: FloatArray | csr_array,
    *,
    rng: np.random.Generator,
    categories: Sequence[float] = CATEGORIES,
    clusters: Sequence[Hashable] | None = None,
    resamples: int = AGREEMENT_RESAMPLES,
    level: float = 0.95,
    least_units: int = LEAST_UNITS,
) -> AgreementReport:
    """All of `COEFFICIENTS` from counts (U, categories), each with a BCa interval over units.

    `clusters` (U,) resamples groups of units together, such as the pairs of one document, whose ratings come
    from the same raters. With fewer than `least_units` units of two ratings or more nothing is estimated.
    Where a fifth of the range, which one point of 1 to 6 is, is two points or more, the share of pairs of
    ratings so far apart is estimated as well.

    Parameters
    ----------
    counts : array or sparse array (U, categories), how many raters chose each category for each unit
    rng : for the intervals
    categories : the value of each category of the scale, ascending, given or not
    clusters : (U,) what each unit is resampled with; each by itself without
    resamples, level : of the intervals
    least_units : how many units of two ratings or more an estimate needs

    Returns
    -------
    AgreementReport

    Raises
    ------
    InputError : for counts without a column for each category

    References
    ----------
    Krippendorff, K. (2004). Content analysis. Sage, chapter 11 (alpha).
    Shrout, P. E. and Fleiss, J. L. (1979). Intraclass correlations. Psychological Bulletin 86, 420-428.
    Gwet, K. L. (2014). Handbook of inter-rater reliability. Advanced Analytics (AC2).

    Examples
    --------
    >>> counts = np.eye(6)[[0, 1, 2, 3, 4, 5, 0, 5, 2, 3]] * 2  # ten pairs, both raters of each alike
    >>> found = measure_agreement(counts, rng=np.random.default_rng(0), resamples=50)
    >>> found.agreements[0].title, round(found.agreements[0].estimate, 6)
    ("Krippendorff's alpha, ordinal", 1.0)
    """
    values = np.array(categories, dtype=np.float64)
    if counts.ndim != 2 or counts.shape[1] != len(values):
        raise InputError(f"counts {counts.shape} need one column for each of {len(values)} categories")
    given = csr_array(counts)
    sums, size, titles = UnitSums(given, values), given.sum(axis=1), _titles(values)
    units = int((size > 1).sum())
    reason = f"{units} pairs have two ratings or more, at least {least_units} are needed"
    return AgreementReport(
        agreements=(
            tuple(Agreement(name, title, None, None, reason) for name, title in titles.items())
            if units < least_units
            else tuple(_estimate(sums.by_cluster(clusters), titles, rng, resamples, level))
        ),
        units=units,
        ratings=int(size[size > 1].sum()),
        single=int((size == 1).sum()),
        table=sums.table,
        categories=tuple(categories[number] for number in sums.given.tolist()),
    )


def _titles(values: FloatArray) -> dict[str, str]:
    """Of the coefficients of a scale; on another one than 1 to 6 they say what a point of it is."""
    width = float(values[-1] - values[0])
    if width == SIX_POINTS.highest - SIX_POINTS.lowest:
        return COEFFICIENTS
    one = {"within_one": f"{COEFFICIENTS['within_one']}, of a range of {width:g}"}
    share = f"Share of pairs of ratings at most a fifth of the range apart, {FIFTH * width:g} points"
    return {**COEFFICIENTS, **one, **({"within_fifth": share} if width >= _LEAST_WIDE else {})}


def _estimate(
    sums: ClusterSums, titles: Mapping[str, str], rng: np.random.Generator, resamples: int, level: float
) -> Iterator[Agreement]:
    observed, left_out = sums.observed(), sums.left_out()
    drawn = join(
        sums.resampled(draw_weights(units=sums.clusters, resamples=size, rng=rng))
        for size in batch_sizes(resamples, sums.batch)
    )
    for name, title in titles.items():
        estimate = float(observed[name][0])
        if not np.isfinite(estimate):
            yield Agreement(name, title, None, None, "the ratings do not vary")
            continue
        interval = make_interval(
            drawn[name], estimate=estimate, left_out=[left_out[name]], method="bca", level=level
        )
        yield Agreement(name, title, estimate, interval)
