"""What a planned survey will buy: how far a correlation moves with its documents and raters.

A system's human score is its true one, plus what its documents do to it, plus its raters' errors, averaged:

    h_m = q_m + N(0, interaction_sd^2 / (D P)) + N(0, error_sd^2 / (D P R))

for D documents, P reader pairs and R raters; the measure's score correlates with q over systems as stated.
All in scale points. What all systems share, such as a document's difficulty, moves no correlation.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.ratings.rating import RatedPair, Rating
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows

LEAST_PAIRS = 20
"""Fewer pairs with two ratings than this say little about raters' errors."""


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Standard deviations in scale points: of systems' true scores, of what a document and reader pair adds
    to one system, of one rating; and the true correlation of measure and human score, in (-1, 1)."""

    system_sd: float = 0.5
    interaction_sd: float = 0.8
    error_sd: float = 1.0
    correlation: float = 0.7

    def __post_init__(self) -> None:
        if self.system_sd <= 0 or min(self.interaction_sd, self.error_sd) < 0:
            raise InputError("systems must differ, and no standard deviation is below 0")
        if not -1 < self.correlation < 1:
            raise InputError(f"a correlation lies between -1 and 1, not at {self.correlation}")


@dataclass(frozen=True, slots=True)
class Precision:
    """A coefficient expected, and its central 95 % range (`low` to `high`), averaged over sets of systems.

    `width` is that range: documents and raters are drawn anew, the systems stay as they are; `width_systems`
    with other systems drawn too, which documents and raters narrow little and never to nothing.
    """

    expected: float
    low: float
    high: float
    width: float
    width_systems: float


def simulate_precision(
    assumptions: Assumptions,
    *,
    systems: int,
    documents: int,
    reader_pairs: int,
    raters: int,
    seed: int = 0,
    surveys: int = 400,
    sets: int = 100,
    others: int = 4_000,
) -> dict[Coefficient, Precision]:
    """Simulate `surveys` surveys of each of `sets` sets of systems, and one of each of `others` more sets.

    Every coefficient sees the same ones.
    """
    if systems < 3:
        raise InputError(f"a correlation over {systems} systems says nothing; at least 3 are needed")
    if min(documents, reader_pairs, raters) < 1:
        raise InputError("documents, reader pairs and raters are at least 1 each")
    rng = np.random.default_rng(seed)
    pairs = documents * reader_pairs
    noise_sd = float(
        np.sqrt(assumptions.interaction_sd**2 / pairs + assumptions.error_sd**2 / (pairs * raters))
    )
    same = [
        _correlate(human + noise_sd * rng.standard_normal((surveys, systems)), metric)
        for human, metric in zip(*_draw_systems(rng, assumptions, sets, systems), strict=True)
    ]
    human, metric = _draw_systems(rng, assumptions, others, systems)
    other = _correlate(human + noise_sd * rng.standard_normal((others, systems)), metric)
    return {name: _summarise(np.stack([rows[name] for rows in same]), other[name]) for name in COEFFICIENTS}


def _draw_systems(
    rng: np.random.Generator, assumptions: Assumptions, sets: int, systems: int
) -> tuple[FloatArray, FloatArray]:
    """Their true human scores, in scale points, and the measure's, each (sets, systems)."""
    rho = assumptions.correlation
    true = rng.standard_normal((sets, systems))
    measure = rho * true + np.sqrt(1 - rho**2) * rng.standard_normal((sets, systems))
    return assumptions.system_sd * true, measure


def _correlate(human: FloatArray, metric: FloatArray) -> dict[Coefficient, FloatArray]:
    """Of each row of `human` (R, n) with the same row of `metric`, or with its one row."""
    return {
        "pearson": correlate_rows(human, metric, "pearson"),
        "spearman": correlate_rows(_ranks(human), _ranks(metric), "pearson"),
        "kendall": correlate_rows(human, metric, "kendall"),
    }


def _ranks(values: FloatArray) -> FloatArray:
    """Along the last axis; drawn values have no ties, so this needs no comparison of all pairs."""
    return values.argsort(axis=-1).argsort(axis=-1).astype(float)


def _summarise(same: FloatArray, other: FloatArray) -> Precision:
    """Of the coefficients by set of systems and survey (sets, surveys), and of other sets (others,)."""
    low, high = np.quantile(same, [0.025, 0.975], axis=1)
    everything = np.quantile(other, [0.025, 0.975])
    return Precision(
        expected=float(np.mean(np.median(same, axis=1))),
        low=float(np.mean(low)),
        high=float(np.mean(high)),
        width=float(np.mean(high - low)),
        width_systems=float(everything[1] - everything[0]),
    )


def estimate_assumptions(ratings: Iterable[Rating], *, correlation: float = 0.7) -> Assumptions:
    """The standard deviations that ratings at hand suggest, by the method of moments.

    Error: the variance within pairs, raters' severity included. Interaction: that of the pairs' means around
    their systems and reader pairs, less the error in it. Systems: that of their means, less both. Raises
    `InputError` where the ratings say too little: under `LEAST_PAIRS` pairs with two ratings, fewer than 3
    systems, or systems that do not differ by more than chance.
    """
    by_pair: dict[RatedPair, list[int]] = defaultdict(list)
    for rating in ratings:
        by_pair[rating.pair].append(rating.rating)
    doubled = [values for values in by_pair.values() if len(values) > 1]
    if len(doubled) < LEAST_PAIRS:
        raise InputError(f"{len(doubled)} pairs have two ratings or more, at least {LEAST_PAIRS} are needed")
    freedom = sum(len(values) - 1 for values in doubled)
    error = sum(float(np.var(values)) * len(values) for values in doubled) / freedom
    table = _pair_means(by_pair)
    if min(table.shape) < 3:
        raise InputError("at least 3 systems rated on the same 3 documents and reader pairs are needed")
    units, systems = table.shape
    residuals = table - table.mean(axis=0) - table.mean(axis=1, keepdims=True) + table.mean()
    each = float(np.mean([1 / len(values) for values in by_pair.values()]))
    rest = float((residuals**2).sum()) / ((units - 1) * (systems - 1))
    between = float(table.mean(axis=0).var(ddof=1)) - rest / units
    if between <= 0:
        raise InputError("the systems of these ratings do not differ by more than chance")
    return Assumptions(
        system_sd=float(np.sqrt(between)),
        interaction_sd=float(np.sqrt(max(0.0, rest - error * each))),
        error_sd=float(np.sqrt(error)),
        correlation=correlation,
    )


def _pair_means(by_pair: dict[RatedPair, list[int]]) -> FloatArray:
    """(document and reader pair, name): mean ratings where every name was rated, gold among them."""
    units: dict[tuple[str, str, str], dict[str, float]] = defaultdict(dict)
    for pair, values in by_pair.items():
        units[pair.doc_id, pair.reader_a, pair.reader_b][pair.system] = float(np.mean(values))
    names = sorted({pair.system for pair in by_pair})
    rows = [[means[name] for name in names] for means in units.values() if len(means) == len(names)]
    return np.array(rows).reshape(len(rows), len(names))
