"""Several metrics against the same people, pair by pair: which agrees better, and is it more than chance."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.names import ScoreName
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.bootstrap import RowCache
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES, ScoreSample, fixed_score, resample_systems
from meta_eval.stats.resampling.weights import mean_scores
from meta_eval.stats.significance.adjustment import Adjustment, adjust_p_values
from meta_eval.stats.significance.comparison import (
    MetricDifference,
    Swap,
    compare_by_bootstrap,
    compare_by_permutation,
)
from meta_eval.stats.significance.williams import compare_by_williams
from meta_eval.stats.table.joint import align_contributions
from meta_eval.stats.table.resampled import INTERVALS, Resampled
from meta_eval.stats.table.schemes import DIFFERENCE_OVER_SYSTEMS

Test = Literal["permutation", "williams", "bootstrap"]
DEFAULT_TESTS: tuple[Test, ...] = ("permutation", "williams")

Scores = Mapping[str, float | None]
"""A score by system."""


@dataclass(frozen=True, slots=True)
class PairComparison:
    """Two measures by the same coefficient with the human scores of a surrogate, by one test.

    `p_adjusted` over all that this test was asked: every pair and surrogate.
    """

    surrogate: str
    first: str
    second: str
    test: Test
    found: MetricDifference
    ci_over: Resampled | None = None
    p_adjusted: float | None = None

    def as_dict(self) -> dict[str, Any]:
        """One flat record, ready for JSON or a row of a CSV."""
        interval = self.found.interval
        return {
            "surrogate": self.surrogate,
            "first": self.first,
            "second": self.second,
            "coefficient": self.found.coefficient,
            "n": self.found.n,
            "difference": self.found.difference,
            "p_value": self.found.p_value,
            "p_method": self.found.method,
            "p_adjusted": self.p_adjusted,
            "statistic": self.found.statistic,
            "ci_low": interval.low if interval else None,
            "ci_high": interval.high if interval else None,
            "ci_method": interval.method if interval else None,
            "ci_over": self.ci_over,
            "reason": self.found.reason,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareOptions:
    """`tests` to make; what the permutation test swaps, and how often where not every way is enumerated.

    The bootstrap draws `resamples` times, with the stream of `seed`.
    """

    tests: Sequence[Test] = DEFAULT_TESTS
    swap: Swap = "systems"
    adjustment: Adjustment = "holm"
    permutations: int = 9_999
    resamples: int = DEFAULT_RESAMPLES
    seed: int = 0

    def __post_init__(self) -> None:
        if unknown := [test for test in self.tests if test not in get_args(Test)]:
            raise InputError(f"a test is {', '.join(get_args(Test))}, not {', '.join(unknown)}")
        if not self.tests:
            raise InputError("there is no test to make")


@dataclass(frozen=True, slots=True)
class PairedSamples:
    """Scores of measures and surrogates, by name, resampled together, and what was drawn."""

    automatic: Mapping[str, ScoreSample]
    human: Mapping[str, ScoreSample]
    over: Resampled


def compare_measures(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, Scores],
    *,
    score: ScoreName,
    coefficient: Coefficient,
    options: CompareOptions | None = None,
    samples: PairedSamples | None = None,
) -> tuple[PairComparison, ...]:
    """Each pair of measures against each surrogate by the tests asked for, p adjusted within each test.

    Both sides point the same way, so a positive difference means that the first measure agrees better. The
    bootstrap takes `samples`; without them it draws systems.

    Parameters
    ----------
    automatic : contributions by measure, of two measures or more
    human : by surrogate one score by system, of the kind that `score` is set against
    score : "degress", "egises" or "perseval"
    coefficient : one of `ALL_COEFFICIENTS`
    options : the tests, and how often what is drawn; the same seed gives the same result
    samples : resampled scores for the bootstrap

    Returns
    -------
    tuple of PairComparison, by test, surrogate and pair

    Raises
    ------
    InputError : for fewer than two measures or no common system

    References
    ----------
    Williams (1959); Deutsch, Dror and Roth (2021); Holm (1979).

    Examples
    --------
    >>> level, gone = np.arange(1.0, 6.0)[:, None], np.zeros((5, 1))
    >>> near, far = (
    ...     Contributions(tuple("ABCDE"), ("d",), x / 6, x / 6, x / 6, gone, gone.astype(int))
    ...     for x in (level, np.roll(level, 2, axis=0))
    ... )
    >>> people = {"rouge-l": dict(zip("ABCDE", (1.0, 2.0, 3.0, 4.0, 5.0)))}
    >>> options = CompareOptions(tests=["permutation"])
    >>> (found,) = compare_measures(
    ...     {"near": near, "far": far}, people, score="perseval", coefficient="kendall", options=options
    ... )
    >>> found.first, found.second, round(found.found.difference, 2), found.p_adjusted
    ('near', 'far', 1.2, 0.125)
    """
    if len(automatic) < 2:
        raise InputError("a comparison needs at least two measures")
    options = options or CompareOptions()
    found = [
        row
        for surrogate, scores in human.items()
        for row in _Contest.open(automatic, scores, score, coefficient, options).rows(surrogate, samples)
    ]
    return tuple(_adjusted(found, options.adjustment))


def _adjusted(rows: Sequence[PairComparison], adjustment: Adjustment) -> Iterator[PairComparison]:
    """In their order, each with p adjusted over the rows of its test."""
    by_test = {
        test: iter(
            adjust_p_values([row.found.p_value for row in rows if row.test == test], method=adjustment)
        )
        for test in {row.test for row in rows}
    }
    return (replace(row, p_adjusted=next(by_test[row.test])) for row in rows)


@dataclass(frozen=True, slots=True)
class _Contest:
    """All measures against the same human scores (S,): `values` (S, D) by measure, on the same systems."""

    values: Mapping[str, FloatArray]
    people: FloatArray
    coefficient: Coefficient
    options: CompareOptions

    @classmethod
    def open(
        cls,
        automatic: Mapping[str, Contributions],
        human: Scores,
        score: ScoreName,
        coefficient: Coefficient,
        options: CompareOptions,
    ) -> "_Contest":
        systems = _common_systems(automatic, human)
        people = np.array([human[system] for system in systems], dtype=np.float64)
        return cls(_aligned(automatic, score, systems), people, coefficient, options)

    def rows(self, surrogate: str, samples: PairedSamples | None) -> Iterator[PairComparison]:
        pairs = list(combinations(self.values, 2))
        streams = np.random.default_rng(self.options.seed).spawn(len(pairs) + 1)
        drawn = samples or self._draw_systems(surrogate, streams[-1])
        cache = RowCache()
        for (first, second), rng in zip(pairs, streams[:-1], strict=True):
            for test in self.options.tests:
                over = drawn.over if test == "bootstrap" else None
                if test == "permutation":
                    found = self._permute(first, second, rng)
                elif test == "williams":
                    found = self._williams(first, second)
                else:
                    found = self._bootstrap(first, second, drawn, surrogate, cache)
                yield PairComparison(surrogate, first, second, test, found, over)

    def _permute(self, first: str, second: str, rng: np.random.Generator) -> MetricDifference:
        return compare_by_permutation(
            self.values[first],
            self.values[second],
            self.people,
            self.coefficient,
            rng=rng,
            swap=self.options.swap,
            permutations=self.options.permutations,
        )

    def _williams(self, first: str, second: str) -> MetricDifference:
        x, y = (mean_scores(self.values[name]).tolist() for name in (first, second))
        return compare_by_williams(x, y, self.people.tolist(), self.coefficient)

    def _bootstrap(
        self, first: str, second: str, drawn: PairedSamples, surrogate: str, cache: RowCache
    ) -> MetricDifference:
        return compare_by_bootstrap(
            drawn.automatic[first],
            drawn.automatic[second],
            drawn.human[surrogate],
            self.coefficient,
            method=DIFFERENCE_OVER_SYSTEMS
            if "systems" in drawn.over
            else INTERVALS[drawn.over][self.coefficient],
            cache=cache,
        )

    def _draw_systems(self, surrogate: str, rng: np.random.Generator) -> PairedSamples:
        resamples = self.options.resamples if "bootstrap" in self.options.tests else 1
        fixed = {
            name: fixed_score(mean_scores(values), resamples=resamples)
            for name, values in self.values.items()
        }
        drawn = resample_systems({**fixed, "": fixed_score(self.people, resamples=resamples)}, rng=rng)
        return PairedSamples(drawn, {surrogate: drawn[""]}, "systems")


def _common_systems(automatic: Mapping[str, Contributions], human: Scores) -> tuple[str, ...]:
    scored = set.intersection(*(set(found.systems) for found in automatic.values()))
    systems = sorted(name for name, value in human.items() if value is not None and name in scored)
    if not systems:
        raise InputError("no system has both a human score and every measure's")
    return tuple(systems)


def _aligned(
    automatic: Mapping[str, Contributions], score: ScoreName, systems: Sequence[str]
) -> dict[str, FloatArray]:
    """(S, D) by measure, all on the same systems and documents."""
    documents = tuple(dict.fromkeys(name for found in automatic.values() for name in found.documents))
    return {
        name: align_contributions(
            found.matrix(score),
            systems=found.systems,
            documents=found.documents,
            to_systems=systems,
            to_documents=documents,
        )
        for name, found in automatic.items()
    }
