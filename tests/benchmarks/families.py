"""Intervals of systems that fall into families: the share of those that hold the truth, where it is known."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy.special import ndtr

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.resampling.bootstrap import RowCache, bootstrap_correlation, groups_of, make_interval
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.samples import ScoreSample
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.significance.within import Matchings
from tests.benchmarks.simulation import correlated_normals
from tests.benchmarks.trials import Figures, Rng, judge, mean_of

RESAMPLES = 500
HALVES = ("first",) * 5 + ("second",) * 5


@dataclass(frozen=True, kw_only=True)
class Families:
    """Two families of five systems, in each of which the true scores of both sides correlate `within`.

    gap : how far apart the means of the families lie on both sides, in standard deviations within a family.
    apart : that standard deviation, in standard errors of a system's mean score.
    baselines : of the first family: "noisy" as all others, "precise" with a fifth of the noise, or "tied",
        systems that write one text for all readers, whose scores are one number in every document.
    ratings : the human scores are means of ratings of 1 to 6, of which the truth is the expectation.
    """

    gap: float
    within: float
    apart: float
    baselines: Literal["noisy", "precise", "tied"] = "noisy"
    ratings: bool = False
    documents: int = 100

    def draw(self, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """True scores (2, S), and those in each document (2, S, D)."""
        n = len(HALVES)
        truth = correlated_normals(rng, [[1, self.within], [self.within, 1]], n)
        first = np.array([name == HALVES[0] for name in HALVES])
        size = np.ones(n)
        if self.baselines == "tied":
            truth[:, first] = 0.0
        size[first] = {"noisy": 1.0, "precise": 0.2, "tied": 0.0}[self.baselines]
        truth = truth + self.gap * ~first
        scale = np.sqrt(self.documents) / self.apart
        cells = rng.standard_normal((2, n, self.documents)) + rng.standard_normal((2, 1, self.documents))
        cells *= scale * size[:, None]
        if not self.ratings:
            return truth, truth[:, :, None] + cells
        return self._rate(truth, cells, scale * np.sqrt(2.0))

    def _rate(self, truth: FloatArray, cells: FloatArray, noise: float) -> tuple[FloatArray, FloatArray]:
        """The human side as ratings of 1 to 6: one rating's noise is a deviation of 1.2 around the middle."""
        unit = noise / 1.2
        middle = 3.5 + (truth[0] - truth[0].mean()) / unit
        rated = np.clip(np.rint(middle[:, None] + cells[0] / unit), 1, 6)
        steps = np.arange(1.5, 6.0)  # where a rating rounds up
        expected = 1.0 + ndtr((middle[:, None] - steps) / 1.2).sum(axis=1)
        return np.stack([expected, truth[1]]), np.stack([rated, truth[1][:, None] + cells[1]])


def cover_families(rng: Rng, simulations: int, design: Families) -> Figures:
    """Documents resampled; the truth is the coefficient of these systems' true scores. The interval of a
    report where families were given, the one where none were, and the two that it is made of."""

    def once() -> dict[str, bool | float | None]:
        truth, seen = design.draw(rng)
        samples = resample_documents(dict(zip("xy", seen, strict=True)), resamples=RESAMPLES, rng=rng)
        return _judge_all((samples["x"], samples["y"]), truth, HALVES)

    return mean_of(once() for _ in range(simulations))


PENS = {
    "human": [0.3155, 0.3645, 0.3268, 0.3173, 0.33, 0.3509, 0.4519, 0.416, 0.4283, 0.4115],
    "infolm": [0.0508, 0.0453, 0.0133, 0.0287, 0.0127, 0.1945, 0.1543, 0.1351, 0.1795, 0.1242],
}
"""PerSEval-HJ and PerSEval-InfoLM of ten systems, five of PENS first, as PerSEval's authors released them."""


@dataclass(frozen=True, kw_only=True)
class Published:
    """The released scores as truth: of people on so many of 1,000 documents, of a measure on all of them.

    A document's score is drawn from a Beta distribution about the system's, so wide as scores in [0, 1] are:
    a deviation of about .3 for people and of .1 for the measure. `systems` are the rows that take part.
    """

    documents: int
    systems: range = range(10)

    def draw(self, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """True scores (2, S), and those in each document (2, S, D), NaN where nobody rated."""
        truth = np.array([PENS["human"], PENS["infolm"]])[:, list(self.systems)]
        shape = truth.shape[1], 1_000
        seen = np.stack(
            [
                rng.beta(mean[:, None] * size, (1.0 - mean[:, None]) * size, shape)
                for mean, size in zip(truth, (1.5, 8.0), strict=True)
            ]
        )
        seen[0, :, self.documents :] = np.nan
        return truth, seen


def cover_published(rng: Rng, simulations: int, design: Published) -> Figures:
    """As `cover_families`, of the released scores."""
    strata = (np.arange(1_000) >= design.documents).astype(np.int64)
    names = [HALVES[row] for row in design.systems]

    def once() -> dict[str, bool | float | None]:
        truth, seen = design.draw(rng)
        sides = dict(zip("xy", seen, strict=True))
        samples = resample_documents(sides, resamples=RESAMPLES, rng=rng, strata=strata)
        return _judge_all((samples["x"], samples["y"]), truth, names if len({*names}) > 1 else ())

    return mean_of(once() for _ in range(simulations))


def _judge_all(
    pair: tuple[ScoreSample, ScoreSample], truth: FloatArray, families: Sequence[str]
) -> dict[str, bool | float | None]:
    """Whether each interval holds the truth: with families given and without, and where groups were found."""
    row: dict[str, bool | float | None] = {"groups found": bool(groups_of(*pair, "kendall"))}
    given = [replace(side, families=tuple(families)) for side in pair]
    plain, named = RowCache(), RowCache()
    for coefficient in COEFFICIENTS:
        value = correlate(list(truth[0]), list(truth[1]), coefficient).estimate
        without = bootstrap_correlation(*pair, coefficient, method="hierarchical", cache=plain)
        alone = make_interval(
            without.replicates, estimate=without.correlation.estimate, left_out=[], method="hierarchical"
        )
        percentile = bootstrap_correlation(*pair, coefficient, method="percentile", cache=plain)
        row |= judge(f"{coefficient}, one population", alone, value)
        row |= judge(f"{coefficient}, none given", without.interval, value)
        row |= judge(f"{coefficient}, percentile", percentile.interval, value)
        if families:
            found = bootstrap_correlation(given[0], given[1], coefficient, method="hierarchical", cache=named)
            row |= judge(f"{coefficient}, given", found.interval, value)
    return row


def reject_within(rng: Rng, simulations: int, *, gap: float) -> Figures:
    """Unrelated within two families of five: how often p <= 0.05, over all systems and within families."""
    matchings = Matchings(HALVES, rng=rng)

    def once() -> Mapping[str, bool]:
        x, y = (side.tolist() for side in rng.standard_normal((2, 10)) + np.repeat([0.0, gap], 5))
        row = {}
        for coefficient in COEFFICIENTS:
            all_systems = correlation_p_value(x, y, coefficient, rng=rng).p
            within = matchings.test(x, y, coefficient).p
            row[f"{coefficient} over all systems"] = all_systems is not None and all_systems <= 0.05
            row[f"{coefficient} within families"] = within is not None and within <= 0.05
        return row

    return mean_of(once() for _ in range(simulations))
