"""Coefficients over pairs of readers: over all of them, over random shares, and with readers resampled."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import check_coefficients, correlate
from meta_eval.stats.coefficients.items import ItemTable
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.repeated_kendall import kendall_of_repeats
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.resampling.weights import count_draws

USUAL: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")
_ALL_AT_ONCE: tuple[Coefficient, ...] = ("pearson", "spearman")
"""Coefficients that are computed from sums under all weights together."""
MOST_CELLS = 20_000_000
"""Weights of pairs in memory at a time."""


@dataclass(frozen=True, slots=True)
class Sampling:
    """How pairs of readers are drawn: `samples` random ones without replacement for each of the `shares`.

    `resamples` draws readers with replacement for the interval of the value over all pairs (0: none).
    Raises `InputError` for a share outside of (0, 1], no sample, or an unknown coefficient.
    """

    shares: tuple[float, ...]
    samples: int = 10
    resamples: int = 1000
    seed: int = 0
    coefficients: tuple[Coefficient, ...] = USUAL

    def __post_init__(self) -> None:
        for share in self.shares:
            if not 0.0 < share <= 1.0:
                raise InputError(f"a share of the reader pairs is above 0 and at most 1, not {share}")
        if self.samples < 1:
            raise InputError(f"samples must be 1 or more, not {self.samples}")
        if self.resamples < 0:
            raise InputError(f"resamples must be 0 or more, not {self.resamples}")
        check_coefficients(self.coefficients)


def coefficient_records(
    x: FloatArray, y: FloatArray, pairs: IntArray, sampling: Sampling
) -> Iterator[dict[str, Any]]:
    """Each coefficient over all pairs with an interval, and over samples of each share of them.

    Parameters
    ----------
    x, y : array of shape (P,)
        What the two sides say of each pair of readers, without NaN.
    pairs : array of shape (P, 2)
        The two readers of each pair, by number.
    sampling : Sampling

    Yields
    ------
    dict
        `coefficient`, `pairs`, `value`, `reason`, `ci_low`, `ci_high` (95 %, readers resampled: pairs share
        readers, so an interval over pairs would be too narrow), `share`, `share_pairs`, `samples`, and `low`,
        `q1`, `median`, `q3`, `high` of the samples (None where no sample has a value).

    Raises
    ------
    InputError
        For x and y of different length.

    References
    ----------
    Vansh 2023 (thesis), section 6.1.

    Examples
    --------
    >>> x, pairs = np.array([0.5, 0.2, 0.1]), np.array([[0, 1], [0, 2], [1, 2]])
    >>> sampling = Sampling(shares=(1.0,), samples=2, resamples=0, coefficients=("kendall",))
    >>> found = next(coefficient_records(x, -x, pairs, sampling))
    >>> found["value"], found["median"], found["samples"]
    (-1.0, -1.0, 2)
    """
    drawn = {share: draw_share(len(x), share, sampling) for share in sampling.shares}
    present, places = np.unique(pairs, return_inverse=True)
    places, readers = places.reshape(pairs.shape), draw_readers(len(present), sampling)
    for coefficient in sampling.coefficients:
        whole = correlate(x, y, coefficient)  # type: ignore[arg-type]  # arrays are sequences of numbers
        resampled = bool(len(pairs)) and bool(sampling.resamples)
        interval = percentile_interval(_resampled(x, y, readers, places, coefficient)) if resampled else None
        for share, samples in drawn.items():
            found = under_weights(x, y, samples, coefficient)
            yield {
                "coefficient": coefficient,
                "pairs": whole.n,
                "value": whole.estimate,
                "reason": whole.reason and whole.reason.replace("system", "reader pair"),
                "ci_low": interval and interval.low,
                "ci_high": interval and interval.high,
                "share": share,
                "share_pairs": int(samples[0].sum()),
                "samples": int(np.isfinite(found).sum()),
                **quartiles(found),
            }


def _resampled(
    x: FloatArray, y: FloatArray, readers: FloatArray, pairs: IntArray, coefficient: Coefficient
) -> FloatArray:
    """(R,): the coefficient with readers drawn as `readers` (R, n) says; memory does not grow with R."""
    step = max(1, MOST_CELLS // len(pairs))
    some = (weigh_pairs(readers[start : start + step], pairs) for start in range(0, len(readers), step))
    return np.concatenate([under_weights(x, y, weights, coefficient) for weights in some])


def draw_share(count: int, share: float, sampling: Sampling) -> FloatArray:
    """(samples, count) of 0 and 1: who is in each sample of a share, whatever other shares are asked for."""
    generator = np.random.default_rng([sampling.seed, round(share * 1_000_000)])
    chosen = np.zeros((sampling.samples, count))
    for row in chosen:
        row[generator.permutation(count)[: round(share * count)]] = 1.0
    return chosen


def draw_readers(count: int, sampling: Sampling) -> FloatArray:
    """(resamples, count): how often each reader is drawn with replacement."""
    generator = np.random.default_rng([sampling.seed, 0])
    return count_draws(generator.integers(max(count, 1), size=(sampling.resamples, count)), count)


def weigh_pairs(readers: FloatArray, pairs: IntArray) -> FloatArray:
    """(R, P): each pair as often as its readers (R, n) were drawn together; a reader twice is no pair."""
    weights: FloatArray = readers[:, pairs[:, 0]] * readers[:, pairs[:, 1]]
    return weights


def under_weights(x: FloatArray, y: FloatArray, weights: FloatArray, coefficient: Coefficient) -> FloatArray:
    """(R,): the coefficient of x and y (P,) with each pair repeated as often as a row of weights (R, P) says.

    NaN where it is undefined.
    """
    if not len(x):
        return np.full(len(weights), np.nan)
    if coefficient == "kendall":
        return kendall_of_repeats(x, y, weights)
    if coefficient in _ALL_AT_ONCE:
        table = ItemTable(x[None], y[None], np.arange(len(x)), documents=len(x))
        return table.under(weights, coefficient)[:, 0, 0]
    repeats = (np.repeat(np.arange(len(x)), row.astype(np.int64)) for row in weights)
    found = (correlate(x[at], y[at], coefficient).estimate for at in repeats)  # type: ignore[arg-type]
    return np.array([np.nan if value is None else value for value in found])


def quartiles(found: FloatArray) -> Mapping[str, float | None]:
    """Five numbers of those that are defined; None each where none is."""
    names = ("low", "q1", "median", "q3", "high")
    defined = found[np.isfinite(found)]
    if not defined.size:
        return dict.fromkeys(names)
    return dict(zip(names, map(float, np.quantile(defined, (0.0, 0.25, 0.5, 0.75, 1.0))), strict=True))
