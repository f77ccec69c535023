"""Coefficients over pairs of readers: over all of them, over random shares, and with readers resampled."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import check_coefficients, correlate
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.intervals import percentile_interval

USUAL: tuple[Coefficient, ...] = ("pearson", "spearman", "kendall")


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
    """
    draws = {share: _draw(len(x), share, sampling) for share in sampling.shares}
    readers = list(_resampled_pairs(pairs, sampling))
    for coefficient in sampling.coefficients:
        whole = correlate(x, y, coefficient)  # type: ignore[arg-type]  # arrays are sequences of numbers
        interval = percentile_interval(_values(x, y, readers, coefficient)) if readers else None
        for share, samples in draws.items():
            found = _values(x, y, samples, coefficient)
            yield {
                "coefficient": coefficient,
                "pairs": whole.n,
                "value": whole.estimate,
                "reason": whole.reason and whole.reason.replace("system", "reader pair"),
                "ci_low": interval and interval.low,
                "ci_high": interval and interval.high,
                "share": share,
                "share_pairs": len(samples[0]) if samples else 0,
                "samples": len(samples),
                **_quartiles(found),
            }


def _draw(count: int, share: float, sampling: Sampling) -> list[IntArray]:
    """The pairs of each sample of a share, the same whatever other shares are asked for."""
    generator = np.random.default_rng([sampling.seed, round(share * 1_000_000)])
    size = round(share * count)
    return [generator.permutation(count)[:size] for _ in range(sampling.samples)]


def _resampled_pairs(pairs: IntArray, sampling: Sampling) -> Iterator[IntArray]:
    """The pairs of readers drawn with replacement, each as often as both its readers were drawn together.

    A reader drawn twice is no pair with itself.
    """
    if not len(pairs):
        return
    generator = np.random.default_rng([sampling.seed, 0])
    present, places = np.unique(pairs, return_inverse=True)
    places = places.reshape(pairs.shape)
    for _ in range(sampling.resamples):
        drawn = np.bincount(generator.integers(len(present), size=len(present)), minlength=len(present))
        yield np.repeat(np.arange(len(pairs)), drawn[places[:, 0]] * drawn[places[:, 1]])


def _values(
    x: FloatArray, y: FloatArray, samples: Sequence[IntArray], coefficient: Coefficient
) -> FloatArray:
    """The coefficient over each sample of pairs, NaN where it is undefined."""
    found = (correlate(x[at], y[at], coefficient).estimate for at in samples)  # type: ignore[arg-type]
    return np.array([np.nan if value is None else value for value in found])


def _quartiles(found: FloatArray) -> Mapping[str, float | None]:
    names = ("low", "q1", "median", "q3", "high")
    defined = found[np.isfinite(found)]
    if not defined.size:
        return dict.fromkeys(names)
    return dict(zip(names, map(float, np.quantile(defined, (0.0, 0.25, 0.5, 0.75, 1.0))), strict=True))
