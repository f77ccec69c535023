"""How much a ranking depends on which documents were scored (PerSEval 7.2, Table 4; protocol 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.weights import mean_scores, weighted_scores

SHARES = (0.8, 0.6, 0.4, 0.2)
SAMPLES = 10


@dataclass(frozen=True, slots=True)
class ShareStability:
    """Samples of one share of the documents: their rank correlation epsilon with the full ranking.

    None where no sample has one; `undefined` samples have none. `means` are the systems' mean scores.
    """

    share: float
    documents: int
    samples: int
    coefficient: Coefficient
    minimum: float | None
    mean: float | None
    maximum: float | None
    undefined: int
    means: tuple[float | None, ...]


@dataclass(frozen=True, slots=True)
class SystemSpread:
    """One system's mean scores, all documents first, their standard deviation (bias) and variance."""

    system: str
    means: tuple[float | None, ...]
    bias: float | None
    variance: float | None


@dataclass(frozen=True, slots=True)
class Stability:
    """`delta` is the larger of the greatest bias and the greatest variance of any system.

    `epsilons` have, by coefficient, the greatest rank correlation of any sample of any share with the full
    ranking: the one epsilon of PerSEval's definition 7.1.
    """

    shares: tuple[ShareStability, ...]
    systems: tuple[SystemSpread, ...]
    delta: float | None

    @property
    def epsilons(self) -> dict[Coefficient, float | None]:
        names = dict.fromkeys(share.coefficient for share in self.shares)
        return {
            name: max(
                (one.maximum for one in self.shares if one.coefficient == name and one.maximum is not None),
                default=None,
            )
            for name in names
        }


def measure_stability(
    contributions: FloatArray,
    *,
    systems: Sequence[str],
    rng: np.random.Generator,
    shares: Sequence[float] = SHARES,
    samples: int = SAMPLES,
    coefficients: Sequence[Coefficient] = COEFFICIENTS[1:],
    replace: bool = False,
) -> Stability:
    """Sample shares of the documents, and compare scores and rankings with the full ones.

    Parameters
    ----------
    contributions : (S, D) array, NaN where a document has none; documents without any are not sampled
    systems : the names of the S systems
    rng : draws the samples
    shares : of the documents, each above 0 and at most 1
    samples : how many for each share
    coefficients : of `ALL_COEFFICIENTS`, of the samples' scores with the full ones
    replace : whether a sample may hold a document twice, as PerSEval 7.2 draws; else it is a part of them

    Returns
    -------
    Stability

    Raises
    ------
    InputError : where the names are not those of the rows, nothing is there, or a share lies outside of (0,
        1]

    References
    ----------
    PerSEval, section 7.2 and Table 4; protocol 9.

    Examples
    --------
    >>> contributions = np.arange(30.0).reshape(3, 10) / 30
    >>> found = measure_stability(contributions, systems=["A", "B", "C"], rng=np.random.default_rng(0))
    >>> {round(share.mean, 6) for share in found.shares}
    {1.0}
    """
    scored = contributions[:, np.isfinite(contributions).any(axis=0)]
    if len(systems) != len(scored) or not scored.size:
        raise InputError(f"{len(systems)} systems cannot be those of contributions {contributions.shape}")
    full = mean_scores(scored)
    draw = _draw_weights if replace else _sample_weights
    sampled = [weighted_scores(draw(scored.shape[1], share, samples, rng), scored) for share in shares]
    return gather_stability(
        full,
        dict(zip(shares, sampled, strict=True)),
        systems=systems,
        documents={share: max(1, round(share * scored.shape[1])) for share in shares},
        coefficients=coefficients,
    )


def gather_stability(
    full: FloatArray,
    sampled: Mapping[float, FloatArray],
    *,
    systems: Sequence[str],
    documents: Mapping[float, int],
    coefficients: Sequence[Coefficient],
) -> Stability:
    """From the full scores (S,) and by share those of its samples, (samples, S), of so many documents."""
    found = tuple(
        _share_stability(scores, full, share, documents[share], coefficient)
        for share, scores in sampled.items()
        for coefficient in coefficients
    )
    means = np.stack([full, *(mean_scores(scores.T) for scores in sampled.values())], axis=1)
    by_system = tuple(
        system_stability(system, _values(row)) for system, row in zip(systems, means, strict=True)
    )
    return Stability(found, by_system, largest_spread(by_system))


def system_stability(system: str, means: Sequence[float | None]) -> SystemSpread:
    """Bias and variance of a system's means (both of the population: divided by their number)."""
    values = np.array(means, dtype=np.float64)
    if not np.isfinite(values).all():
        return SystemSpread(system, tuple(means), None, None)
    return SystemSpread(system, tuple(means), float(values.std()), float(values.var()))


def largest_spread(systems: Sequence[SystemSpread]) -> float | None:
    """delta: the larger of the two maxima, None where no system has them."""
    biases = [one.bias for one in systems if one.bias is not None]
    variances = [one.variance for one in systems if one.variance is not None]
    return max([*biases, *variances], default=None)


def _sample_weights(documents: int, share: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """(samples, documents) of 0 and 1: a share of the documents, at least one."""
    ranks = rng.random((samples, documents)).argsort(axis=1).argsort(axis=1)
    return (ranks < _size(documents, share)).astype(np.float64)


def _draw_weights(documents: int, share: float, samples: int, rng: np.random.Generator) -> FloatArray:
    """(samples, documents): how often each document is drawn, one after the other and put back."""
    drawn = rng.multinomial(_size(documents, share), np.full(documents, 1.0 / documents), size=samples)
    return drawn.astype(np.float64)


def _size(documents: int, share: float) -> int:
    """A share of the documents, at least one."""
    if not 0.0 < share <= 1.0:
        raise InputError(f"a share of the documents is above 0 and at most 1, not {share}")
    return max(1, round(share * documents))


def _share_stability(
    scores: FloatArray, full: FloatArray, share: float, documents: int, coefficient: Coefficient
) -> ShareStability:
    epsilon = correlate_rows(scores, full, coefficient)
    defined = epsilon[np.isfinite(epsilon)]
    low, mean, high = (
        (float(defined.min()), float(defined.mean()), float(defined.max())) if defined.size else (None,) * 3
    )
    return ShareStability(
        share=share,
        documents=documents,
        samples=len(scores),
        coefficient=coefficient,
        minimum=low,
        mean=mean,
        maximum=high,
        undefined=len(epsilon) - defined.size,
        means=_values(mean_scores(scores.T)),
    )


def _values(row: FloatArray) -> tuple[float | None, ...]:
    return tuple(float(value) if np.isfinite(value) else None for value in row)
