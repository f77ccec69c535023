"""How well a judge agrees with the persons it stands in for: pooled, by person, and how sure that is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.resampling.weights import draw_indices

LEAST_CASES = 3
"""A person's own coefficient needs so many pairs of scores, and both sides of them to vary."""


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """A `person`'s score (`truth`) and the judge's (`score`, None where missing), from 1 to 10.

    `usual` is the mean of the person's own past scores, None where there are none.
    """

    person: str
    truth: float
    score: float | None
    usual: float | None


class PersonDraws:
    """Persons drawn with replacement, the same for every judge, so that judges can be set side by side.

    Parameters
    ----------
    persons : sequence of str
        The person of each case.
    resamples, seed : int
    """

    def __init__(self, persons: Sequence[str], *, resamples: int, seed: int) -> None:
        self._resamples, self._seed = resamples, seed
        names, numbers = np.unique(np.array(persons), return_inverse=True)
        self.cases_of = [np.flatnonzero(numbers == number) for number in range(len(names))]
        self.drawn: IntArray = (
            draw_indices(units=len(names), resamples=resamples, rng=np.random.default_rng(seed))
            if resamples
            else np.empty((0, len(names)), dtype=np.int64)
        )

    def of(self, persons: Sequence[str]) -> "PersonDraws":
        """The persons of other cases, drawn as often and by the same seed."""
        return PersonDraws(persons, resamples=self._resamples, seed=self._seed)

    def over(self, value: Callable[[IntArray], float | None]) -> FloatArray:
        """(R,): a number of the cases of each draw, NaN where it is undefined."""
        found = (value(np.concatenate([self.cases_of[one] for one in row])) for row in self.drawn)
        return np.array([np.nan if one is None else one for one in found], dtype=np.float64)

    def means(self, by_person: Sequence[float | None]) -> FloatArray:
        """(R,): the mean of persons' own numbers over each draw, those without a number left out."""
        values = np.array([np.nan if one is None else one for one in by_person], dtype=np.float64)
        return np.array([mean_of(values[row]) for row in self.drawn], dtype=np.float64)


def score_agreement(cases: Sequence[ScoredCase], draws: PersonDraws) -> dict[str, Any]:
    """How a judge's scores agree with persons', each coefficient with an interval over persons.

    Parameters
    ----------
    cases : sequence of ScoredCase
        As many as the draws are of, in the same order.
    draws : PersonDraws

    Returns
    -------
    dict
        `pooled`: Pearson, Spearman and Kendall's tau-b over all pairs of scores, as the paper has them.
        `by_person`: the mean of each person's own coefficients, over `persons` with three pairs or more and
        both sides varying (ours: the pooled one mixes who is generous with what they like).
        `beyond_usual`: the coefficients after the mean of the person's past scores is taken from both sides
        (ours; that mean stands on both sides, so a judge that knows nothing lies above 0 here).
        Each with `estimate` and `n` (None with a `reason`), `ci_low`, `ci_high` (95 %, persons resampled).
        `scored` and `missing` count the cases.

    Examples
    --------
    >>> cases = [ScoredCase("ann", truth, truth, 5.0) for truth in (2.0, 6.0, 9.0)]
    >>> found = score_agreement(cases, PersonDraws(["ann"] * 3, resamples=0, seed=0))
    >>> found["pooled"]["kendall"]["estimate"], found["by_person"]["kendall"]["persons"]
    (1.0, 1)
    """
    x, y, usual = (
        np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        for values in (
            [one.score for one in cases],
            [one.truth for one in cases],
            [one.usual for one in cases],
        )
    )
    found: dict[str, Any] = {
        "cases": len(cases),
        "scored": int(np.isfinite(x).sum()),
        "missing": int(np.isnan(x).sum()),
        "pooled": {},
        "by_person": {},
        "beyond_usual": {},
    }
    for coefficient in COEFFICIENTS[:3]:
        found["pooled"][coefficient] = _pooled(x, y, coefficient, draws)
        found["by_person"][coefficient] = _by_person(x, y, coefficient, draws)
        found["beyond_usual"][coefficient] = _pooled(x - usual, y - usual, coefficient, draws)
    return found


def _pooled(x: FloatArray, y: FloatArray, coefficient: Coefficient, draws: PersonDraws) -> dict[str, Any]:
    whole = correlate(x, y, coefficient)  # type: ignore[arg-type]  # arrays are sequences of numbers
    return {
        "estimate": whole.estimate,
        "n": whole.n,
        "reason": whole.reason
        and whole.reason.replace("systems have", "cases have").replace("system", "case"),
        **interval_of(draws.over(lambda at: correlate(x[at], y[at], coefficient).estimate)),  # type: ignore[arg-type]
    }


def _by_person(x: FloatArray, y: FloatArray, coefficient: Coefficient, draws: PersonDraws) -> dict[str, Any]:
    own = [_of_one(x[at], y[at], coefficient) for at in draws.cases_of]
    defined = [one for one in own if one is not None]
    reason = None if defined else f"nobody has {LEAST_CASES} cases in which both sides vary"
    return {
        "estimate": float(np.mean(defined)) if defined else None,
        "persons": len(defined),
        "reason": reason,
        **interval_of(draws.means(own)),
    }


def _of_one(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> float | None:
    found = correlate(x, y, coefficient)  # type: ignore[arg-type]
    return found.estimate if found.n >= LEAST_CASES else None


def gain_over(
    cases: Sequence[ScoredCase], others: Sequence[ScoredCase], draws: PersonDraws
) -> dict[str, dict[str, Any]]:
    """How much better one judge agrees than another, over the same cases: pooled coefficients, one by one.

    Returns
    -------
    dict
        For Pearson, Spearman and Kendall: `estimate` (the first less the second, over the cases that both
        have), `n`, `ci_low`, `ci_high` over persons, drawn together for both.
    """
    x, other, y = (
        np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        for values in (
            [one.score for one in cases],
            [one.score for one in others],
            [one.truth for one in cases],
        )
    )
    both = np.isfinite(x) & np.isfinite(other)
    x, other = np.where(both, x, np.nan), np.where(both, other, np.nan)

    def gain(at: IntArray, coefficient: Coefficient) -> float | None:
        first, second = (correlate(side[at], y[at], coefficient).estimate for side in (x, other))  # type: ignore[arg-type]
        return None if first is None or second is None else first - second

    every = np.arange(len(cases))
    return {
        coefficient: {
            "estimate": gain(every, coefficient),
            "n": int(both.sum()),
            **interval_of(draws.over(lambda at, name=coefficient: gain(at, name))),  # type: ignore[misc]
        }
        for coefficient in COEFFICIENTS[:3]
    }


def mean_of(values: FloatArray) -> float:
    """The mean of what is there; NaN of nothing."""
    present = values[np.isfinite(values)]
    return float(present.mean()) if present.size else float("nan")


def interval_of(replicates: FloatArray) -> dict[str, float | None]:
    """The middle 95 %; nothing without resamples, or where they leave the number undefined."""
    if not replicates.size:
        return {"ci_low": None, "ci_high": None}
    found = percentile_interval(replicates)
    return {"ci_low": found.low, "ci_high": found.high}
