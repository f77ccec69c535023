"""How far raters agree, by coefficients that allow changing raters and missing ratings.

A unit is what was rated: a pair of texts. All coefficients are functions of sums over units, so a bootstrap
of units, or of the documents they belong to, is one matrix product.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.ratings.rating import SIX_POINTS, Ends, RatedPair, Rating
from meta_eval.stats.resampling.intervals import Interval
from meta_eval.stats.resampling.samples import DEFAULT_BATCH, make_interval
from meta_eval.stats.resampling.weights import batch_sizes, draw_weights

CATEGORIES = tuple(SIX_POINTS.steps)
LEAST_UNITS = 10
"""Fewer units than this with two ratings say nothing about agreement."""

AGREEMENT_RESAMPLES = 2_000
ALPHA = "krippendorff_ordinal"
"""The coefficient that a report and the monitor judge agreement by."""

COEFFICIENTS = {
    ALPHA: "Krippendorff's alpha, ordinal",
    "krippendorff_interval": "Krippendorff's alpha, interval",
    "kappa_quadratic": "Kappa with quadratic weights, raters interchangeable",
    "icc_1_1": "ICC(1,1), one rating",
    "icc_1_k": "ICC(1,k), the mean of a unit's ratings",
    "gwet_ac2": "Gwet's AC2, quadratic weights",
    "within_one": "Share of pairs of ratings at most one point apart",
}


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
    so that it sums to `ratings`.
    """

    agreements: tuple[Agreement, ...]
    units: int
    ratings: int
    single: int
    table: FloatArray


@dataclass(frozen=True, slots=True)
class RatingCounts:
    """`counts` (U, categories): how often each category was given to each unit.

    A rater's second rating of one pair (the gold pair stands in several questionnaires) is no second opinion:
    the first counts, `repeated` says how many did not.
    """

    pairs: tuple[RatedPair, ...]
    counts: FloatArray
    repeated: int

    @property
    def documents(self) -> tuple[str, ...]:
        return tuple(pair.doc_id for pair in self.pairs)


def count_ratings(ratings: Iterable[Rating], ends: Ends = SIX_POINTS) -> RatingCounts:
    """Ratings of each pair by category: 1 to 6, or from the lowest to the highest of `ends`."""
    first: dict[tuple[RatedPair, str], int] = {}
    repeated = 0
    for rating in ratings:
        repeated += (rating.pair, rating.rater) in first
        first.setdefault((rating.pair, rating.rater), rating.rating)
    pairs = tuple(dict.fromkeys(pair for pair, _ in first))
    rows = {pair: row for row, pair in enumerate(pairs)}
    counts = np.zeros((len(pairs), len(ends.steps)))
    for (pair, _), value in first.items():
        counts[rows[pair], value - ends.lowest] += 1
    return RatingCounts(pairs, counts, repeated)


def measure_agreement(
    counts: FloatArray,
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

    Parameters
    ----------
    counts : array (U, categories), how many raters chose each category for each unit
    rng : for the intervals
    categories : the value of each category
    clusters : (U,) what each unit is resampled with; each by itself without
    resamples, level : of the intervals
    least_units : how many units of two ratings or more an estimate needs

    Returns
    -------
    AgreementReport

    Raises
    ------
    InputError : for counts without a column for each category

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
    sums, size = _UnitSums(counts, values), counts.sum(axis=1)
    units = int((size > 1).sum())
    reason = f"{units} pairs have two ratings or more, at least {least_units} are needed"
    return AgreementReport(
        agreements=(
            tuple(_undefined(name, reason) for name in COEFFICIENTS)
            if units < least_units
            else _estimate(sums, _sum_by_cluster(sums.features, clusters), rng, resamples, level)
        ),
        units=units,
        ratings=int(size[size > 1].sum()),
        single=int((size == 1).sum()),
        table=sums.table,
    )


def _undefined(name: str, reason: str) -> Agreement:
    return Agreement(name, COEFFICIENTS[name], None, None, reason)


def _estimate(
    sums: "_UnitSums", by_unit: FloatArray, rng: np.random.Generator, resamples: int, level: float
) -> tuple[Agreement, ...]:
    total = by_unit.sum(axis=0, keepdims=True)
    observed = sums.coefficients(total)
    left_out = sums.coefficients(total - by_unit)
    parts = [
        sums.coefficients(draw_weights(units=len(by_unit), resamples=size, rng=rng) @ by_unit)
        for size in batch_sizes(resamples, DEFAULT_BATCH)
    ]
    found = []
    for name, title in COEFFICIENTS.items():
        estimate = float(observed[name][0])
        if not np.isfinite(estimate):
            found.append(_undefined(name, "the ratings do not vary"))
            continue
        replicates = np.concatenate([part[name] for part in parts])
        interval = make_interval(
            replicates, estimate=estimate, left_out=[left_out[name]], method="bca", level=level
        )
        found.append(Agreement(name, title, estimate, interval))
    return tuple(found)


def _sum_by_cluster(features: FloatArray, clusters: Sequence[Hashable] | None) -> FloatArray:
    if clusters is None:
        return features
    if len(clusters) != len(features):
        raise InputError(f"{len(clusters)} clusters cannot be those of {len(features)} units")
    numbers = {name: number for number, name in enumerate(dict.fromkeys(clusters))}
    summed = np.zeros((len(numbers), features.shape[1]))
    np.add.at(summed, [numbers[name] for name in clusters], features)
    return summed


class _UnitSums:
    """What each unit adds to the sums that the coefficients are made of: `features` (U, F).

    For a unit with n_c ratings of category c, m in all: coincidences (n_c n_k - [c = k] n_c) / (m - 1), the
    same over m, shares n_c / m, and the sums of a one-way analysis of variance.
    """

    def __init__(self, counts: FloatArray, values: FloatArray) -> None:
        self._values = values
        size = counts.sum(axis=1)
        paired = size > 1
        m = np.where(paired, size, 2.0)
        ordered = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(len(values))
        coincidences = np.where(
            paired[:, None], ordered.reshape(len(counts), len(values) ** 2) / (m - 1)[:, None], 0.0
        )
        shares = np.divide(counts, size[:, None], out=np.zeros_like(counts), where=size[:, None] > 0)
        total = counts @ values
        variance = np.stack([np.ones_like(m), m, m**2, total, total**2 / m, counts @ values**2], axis=1)
        self.features = np.concatenate(
            [
                coincidences,
                coincidences / m[:, None],
                shares,
                (size > 0)[:, None].astype(np.float64),
                np.where(paired[:, None], variance, 0.0),
            ],
            axis=1,
        )

    @property
    def table(self) -> FloatArray:
        c = len(self._values)
        table: FloatArray = self.features[:, : c * c].sum(axis=0).reshape(c, c)
        return table

    def coefficients(self, sums: FloatArray) -> dict[str, FloatArray]:
        """All of `COEFFICIENTS` (R,) from sums of features (R, F); NaN where one is undefined."""
        c = len(self._values)
        ends = np.cumsum([c * c, c * c, c, 1])
        coincidences, agreements, shares, units, variance = np.split(sums, ends, axis=1)
        coincidences = coincidences.reshape(-1, c, c)
        pairable = variance[:, :1]
        agreements = _ratio(agreements, pairable).reshape(-1, c, c)
        squares = (self._values[:, None] - self._values[None, :]) ** 2
        near = np.abs(self._values[:, None] - self._values[None, :]) <= 1.0
        single, mean = _intraclass(variance)
        return {
            ALPHA: _alpha(coincidences, _ordinal_distances(coincidences)),
            "krippendorff_interval": _alpha(coincidences, squares),
            "kappa_quadratic": _kappa(coincidences, squares),
            "icc_1_1": single,
            "icc_1_k": mean,
            "gwet_ac2": _gwet(agreements, _ratio(shares, units), 1.0 - squares / squares.max()),
            "within_one": _ratio((coincidences * near).sum(axis=(1, 2)), coincidences.sum(axis=(1, 2))),
        }


def _ratio(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where nothing is below, rounding included."""
    below = np.broadcast_to(below, above.shape)
    ratio: FloatArray = np.divide(above, below, out=np.full(above.shape, np.nan), where=np.abs(below) > 1e-12)
    return ratio


def _alpha(coincidences: FloatArray, distances: FloatArray) -> FloatArray:
    """1 - D_o / D_e of Krippendorff (2011), D_e without replacement."""
    total = coincidences.sum(axis=(1, 2))
    alpha: FloatArray = 1.0 - (1.0 - _kappa(coincidences, distances)) * _ratio(total - 1.0, total)
    return alpha


def _kappa(coincidences: FloatArray, distances: FloatArray) -> FloatArray:
    """1 - D_o / D_e of the table in both orders, D_e from its margins with replacement."""
    margins = coincidences.sum(axis=2)
    expected = margins[:, :, None] * margins[:, None, :]
    observed = (coincidences * distances).sum(axis=(1, 2)) * margins.sum(axis=1)
    return 1.0 - _ratio(observed, (expected * distances).sum(axis=(1, 2)))


def _ordinal_distances(coincidences: FloatArray) -> FloatArray:
    """(R, c, c): squared numbers of ratings between two categories, half of their own included."""
    margins = coincidences.sum(axis=2)
    middle = np.cumsum(margins, axis=1) - margins / 2
    distances: FloatArray = (middle[:, :, None] - middle[:, None, :]) ** 2
    return distances


def _gwet(agreements: FloatArray, shares: FloatArray, weights: FloatArray) -> FloatArray:
    """AC2 (Gwet 2014, section 4.4): chance agreement T_w / (q (q - 1)) sum pi (1 - pi)."""
    q = len(weights)
    observed = (agreements * weights).sum(axis=(1, 2))
    chance = weights.sum() / (q * (q - 1)) * (shares * (1.0 - shares)).sum(axis=1)
    return _ratio(observed - chance, 1.0 - chance)


def _intraclass(sums: FloatArray) -> tuple[FloatArray, FloatArray]:
    """ICC(1,1) and ICC(1,k) of a one-way analysis of variance (Shrout and Fleiss 1979).

    `sums` (R, 6) over units of m ratings: of 1, m, m^2, the total, total^2 / m and the squared ratings. For
    unequal m, k is the usual mean of them, k_0.
    """
    units, n, squares, total, means, raw = sums.T
    between = _ratio(means - _ratio(total**2, n), units - 1.0)
    within = _ratio(raw - means, n - units)
    k = _ratio(n - _ratio(squares, n), units - 1.0)
    return (
        _ratio(between - within, between + (k - 1.0) * within),
        _ratio(between - within, between),
    )
