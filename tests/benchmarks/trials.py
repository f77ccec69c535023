"""Simulations where the truth is known: the share of intervals that hold it."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.ratings.divergences import human_divergences
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.bootstrap import RESAMPLING, RowCache, bootstrap_correlation
from meta_eval.stats.resampling.closed_form import esscher_interval, fisher_interval
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.drawn_raters import pool_raters, resample_raters
from meta_eval.stats.resampling.intervals import Interval
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.samples import ScoreSample, fixed_score, resample_systems
from meta_eval.stats.significance.comparison import (
    compare_by_bootstrap,
)
from tests.benchmarks.simulation import correlated_normals, simulate_survey

Rng = np.random.Generator
Figures = dict[str, float]
Row = Mapping[str, bool | float | None]
RESAMPLES = 500
RATER_RESAMPLES = 200
"""Fewer, since each scores the survey anew."""
WIDTH = ", width"


def population_value(coefficient: str, rho: float) -> float:
    """The coefficient of a bivariate normal population (Kruskal 1958)."""
    return {
        "pearson": rho,
        "spearman": 6.0 / np.pi * np.arcsin(rho / 2.0),
        "kendall": 2.0 / np.pi * np.arcsin(rho),
    }[coefficient]


def mean_of(rows: Iterator[Row]) -> Figures:
    """Means by name. No interval and no p (None) hold nothing and find nothing; they have no width."""
    found: dict[str, list[float]] = {}
    for row in rows:
        for name, value in row.items():
            if value is not None or not name.endswith(WIDTH):
                found.setdefault(name, []).append(float(value or 0.0))
    return {name: float(np.mean(values)) for name, values in found.items()}


def judge(name: str, interval: Interval, truth: float | None) -> Row:
    """Whether it holds the truth, rounding aside: a rank coefficient is often exactly at an end."""
    if interval.low is None or interval.high is None or truth is None:
        return {name: None, f"{name}{WIDTH}": None}
    held = interval.low - 1e-9 <= truth <= interval.high + 1e-9
    return {name: held, f"{name}{WIDTH}": interval.high - interval.low}


def _coefficient(x: FloatArray, y: FloatArray, coefficient: Coefficient) -> float | None:
    return correlate(list(x), list(y), coefficient).estimate


# Intervals

Population = Literal["normal", "clusters", "outlier", "student"]
"""Of systems: normal, in two clusters, with one that is far from all, or with heavy tails."""


def draw_systems(rng: Rng, systems: int, rho: float, population: Population = "normal") -> FloatArray:
    """(2, S): true human and automatic scores, of variance 1 over the population."""
    scores = correlated_normals(rng, [[1, rho], [rho, 1]], systems)
    if population == "student":
        return scores / np.sqrt(rng.chisquare(3, systems))  # variance 1 with 3 degrees of freedom
    if population == "clusters":
        return (scores + np.where(np.arange(systems) % 2, 3.0, -3.0)) / np.sqrt(10.0)
    if population == "outlier":
        far = np.where(np.arange(systems) == 0, 6.0, 0.0)
        return (scores + far) / np.sqrt(1.0 + far.var())
    return scores


def cover_systems(
    rng: Rng, simulations: int, *, systems: int, rho: float, population: Population = "normal"
) -> Figures:
    """Systems drawn from a population, and resampled. The truth is that of a normal or a Student population
    with this correlation: Kendall's tau is the same in both, and of the others the normal's is taken."""
    coefficients = COEFFICIENTS if population == "normal" else ("kendall",)

    def once() -> Row:
        x, y = draw_systems(rng, systems, rho, population)
        fixed = {"x": fixed_score(x, resamples=RESAMPLES), "y": fixed_score(y, resamples=RESAMPLES)}
        samples = resample_systems(fixed, rng=rng)
        row: dict[str, bool | float | None] = {}
        for coefficient in coefficients:
            truth = population_value(coefficient, rho)
            for method in ("percentile", "bca"):
                found = bootstrap_correlation(samples["x"], samples["y"], coefficient, method=method)
                row |= judge(f"{coefficient} {method}", found.interval, truth)
            estimate = _coefficient(x, y, coefficient)
            fisher = fisher_interval(estimate, n=systems, coefficient=coefficient)
            row |= judge(f"{coefficient} fisher", fisher, truth)
        row |= judge("kendall esscher", esscher_interval(estimate, n=systems), truth)
        return row

    return mean_of(once() for _ in range(simulations))


@dataclass(frozen=True, kw_only=True)
class Documents:
    """Scores of systems in documents: true ones plus noise.

    `apart` is the standard deviation of the systems' true scores in standard errors of their means. The noise
    of a document is shared by its systems in part, and by its human and automatic side with the correlation
    `shared`; `uneven` gives each system a noise of its own size (log-normal, 0.5).
    """

    apart: float
    rho: float
    systems: int = 10
    documents: int = 100
    population: Population = "normal"
    shared: float = 0.0
    uneven: bool = False

    def draw(self, rng: Rng) -> tuple[FloatArray, FloatArray]:
        """True scores (2, S), and those in each document (2, S, D)."""
        truth = draw_systems(rng, self.systems, self.rho, self.population)
        return truth, truth[:, :, None] + self.noise(rng, [[1, self.shared], [self.shared, 1]])

    def noise(self, rng: Rng, matrix: list[list[float]]) -> FloatArray:
        """(variables, S, D): of the mean's standard error 1 / `apart`, what all systems share aside."""
        cells = correlated_normals(rng, matrix, self.systems * self.documents)
        cells = cells.reshape(len(matrix), self.systems, self.documents)
        if self.uneven:
            cells = cells * np.exp(rng.normal(0.0, 0.5, (1, self.systems, 1)))
        common = rng.standard_normal((len(matrix), 1, self.documents))
        return (cells + common) * np.sqrt(self.documents) / self.apart


def cover_documents(rng: Rng, simulations: int, design: Documents, *, systems_too: bool = False) -> Figures:
    """Documents resampled. The truth is the coefficient of these systems' true scores, or with `systems_too`
    that of the population they come from."""

    def once() -> Row:
        truth, (x, y) = design.draw(rng)
        samples = resample_documents({"x": x, "y": y}, resamples=RESAMPLES, rng=rng)
        if systems_too:
            samples = resample_systems(samples, rng=rng)
        row: dict[str, bool | float | None] = {}
        cache = RowCache()
        for coefficient in COEFFICIENTS:
            value = (
                population_value(coefficient, design.rho)
                if systems_too
                else _coefficient(*truth, coefficient)
            )
            for method in ("percentile", "bca") if systems_too else RESAMPLING:
                sides = samples["x"], samples["y"]
                found = bootstrap_correlation(*sides, coefficient, method=method, cache=cache)
                row |= judge(f"{coefficient} {method}", found.interval, value)
            if systems_too:
                estimate = found.correlation.estimate
                fisher = fisher_interval(estimate, n=design.systems, coefficient=coefficient)
                row |= judge(f"{coefficient} fisher", fisher, value)
        return row

    return mean_of(once() for _ in range(simulations))


def cover_differences(
    rng: Rng, simulations: int, *, apart: float, rho: float, between: float, over: str = "documents"
) -> Figures:
    """Two metrics, `between` each other and both `rho` with people: their difference, and how often p <= 0.05
    does not agree with whether the interval holds 0.

    The truth is the difference of these systems' true coefficients over documents, 0 over systems.
    """
    design = Documents(apart=apart, rho=rho)
    matrix = [[1, between, rho], [between, 1, rho], [rho, rho, 1]]

    def once() -> Row:
        truth = correlated_normals(rng, matrix, design.systems)
        if over == "systems":
            drawn = resample_systems(
                {
                    name: fixed_score(side, resamples=RESAMPLES)
                    for name, side in zip("xyz", truth, strict=True)
                },
                rng=rng,
            )
        else:
            seen = truth[:, :, None] + design.noise(rng, np.eye(3).tolist())
            drawn = resample_documents(dict(zip("xyz", seen, strict=True)), resamples=RESAMPLES, rng=rng)
        row: dict[str, bool | float | None] = {}
        for coefficient in COEFFICIENTS:
            first, second = (_coefficient(side, truth[2], coefficient) for side in truth[:2])
            value = 0.0 if over == "systems" else (first or 0.0) - (second or 0.0)
            for method in ("percentile", "bca") if over == "systems" else ("percentile", "hierarchical"):
                sides = drawn["x"], drawn["y"], drawn["z"]
                found = compare_by_bootstrap(*sides, coefficient, method=method)
                row |= judge(f"{coefficient} {method}", found.interval, value)
                says = (found.p_value or 1.0) <= 0.05
                row[f"{coefficient} {method}, p says otherwise"] = says == found.interval.contains_zero
        return row

    return mean_of(once() for _ in range(simulations))


@dataclass(frozen=True, kw_only=True)
class Raters:
    """A survey of so many `documents` by two raters each, of their own or of a pool of `people`.

    The systems' personalisation is drawn anew each time. With `gold` (D,) the documents stay the same and
    only the raters are new.
    """

    documents: int = 30
    systems: int = 8
    people: int | None = None
    gold: FloatArray | None = None

    def scorer(self, rng: Rng, personalisation: FloatArray, *, large: int = 1) -> PanelScorer:
        """That of one survey, or of `large` of them as one."""
        survey = simulate_survey(
            rng,
            personalisation=personalisation,
            documents=self.documents * large,
            people=None if large > 1 else self.people,
            gold=None if self.gold is None else np.tile(self.gold, large),
        )
        panel = build_panel(survey.ratings, human_divergences(survey.ratings, scale="similarity"))
        return PanelScorer(panel, corpus=survey.corpus, surrogates=survey.surrogates)

    def expectation(self, rng: Rng) -> Callable[[FloatArray], FloatArray]:
        """DEGRESS-HJ of very many surveys of this design, by personalisation: a polynomial through a grid."""
        grid = np.linspace(0.05, 1.05, 25)
        scorer = self.scorer(rng, grid, large=4_000 // self.documents)
        return np.polynomial.Polynomial.fit(grid, _degress_hj(scorer).mean(axis=1), 5)


def _degress_hj(scorer: PanelScorer) -> FloatArray:
    """(S, D) as observed."""
    everyone = np.ones((1, len(scorer.panel.strata)))
    values: FloatArray = scorer.score(scorer.panel.by_unit(everyone))["degress_hj"][0]
    return values


def cover_raters(rng: Rng, simulations: int, design: Raters) -> Figures:
    """DEGRESS-HJ of a survey against fixed automatic scores, whose raters and (without `gold`) documents are
    new each time. The truth is the coefficient with the scores that very many such surveys would give."""
    expect = design.expectation(rng)

    def once() -> Row:
        personalisation = rng.uniform(0.1, 1.0, design.systems)
        automatic = personalisation + rng.normal(0.0, 0.2, design.systems)
        truth = expect(personalisation)
        row: dict[str, bool | float | None] = {}
        for name, pair in _rater_samples(rng, design.scorer(rng, personalisation), automatic).items():
            for coefficient in COEFFICIENTS:
                value = _coefficient(truth, automatic, coefficient)
                for method in RESAMPLING:
                    found = bootstrap_correlation(*pair, coefficient, method=method)
                    row |= judge(f"{name}: {coefficient} {method}", found.interval, value)
        return row

    return mean_of(once() for _ in range(simulations))


def _rater_samples(
    rng: Rng, scorer: PanelScorer, automatic: FloatArray
) -> dict[str, tuple[ScoreSample, ScoreSample]]:
    """Human and automatic side by what is drawn."""
    documents = len(scorer.documents)
    given = {"human": _degress_hj(scorer), "auto": np.repeat(automatic[:, None], documents, axis=1)}
    pool = pool_raters(scorer, documents=scorer.documents, rng=rng)["degress_hj"]
    plain = resample_documents(given, resamples=RATER_RESAMPLES, rng=rng)
    staged = resample_documents(given, resamples=RATER_RESAMPLES, rng=rng, pools={"human": pool})
    units = (len(scorer.panel.rater_names),)
    return {
        "documents": (plain["human"], plain["auto"]),
        "raters within documents": (staged["human"], staged["auto"]),
        "raters": (
            resample_raters(scorer, resamples=RATER_RESAMPLES, rng=rng)["degress_hj"],
            fixed_score(automatic, resamples=RATER_RESAMPLES, units=units),
        ),
    }
