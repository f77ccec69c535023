"""Do 95 % intervals hold the truth 95 % of the time, and are 5 % tests wrong 5 % of the time?

    python -m tests.benchmarks.coverage --simulations 1000 --seed 1

prints one line for each setting: the share of simulations, and the range in which 95 % of such shares lie if
the nominal value is right. `tests/meta_eval/stats/test_coverage.py` runs a few of the settings, smaller.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy import stats

from meta_eval.human import human_divergences
from meta_eval.measures.base import FloatArray
from meta_eval.stats.comparison import compare_by_bootstrap, compare_by_permutation, compare_by_williams
from meta_eval.stats.correlation import COEFFICIENTS, correlate
from meta_eval.stats.intervals import Interval, bootstrap_p_value, esscher_interval, fisher_interval
from meta_eval.stats.permutation import correlation_p_value
from meta_eval.stats.raters import build_panel
from meta_eval.stats.resampling import (
    RESAMPLING,
    bootstrap_correlation,
    fixed_score,
    resample_documents,
    resample_systems,
)
from meta_eval.stats.rescoring import PanelScorer, pool_raters, resample_raters
from tests.benchmarks.simulation import correlated_normals, simulate_survey

Rng = np.random.Generator
Shares = dict[str, float]
RESAMPLES = 1_000


def population_value(coefficient: str, rho: float) -> float:
    """The coefficient of a bivariate normal population (Kruskal 1958)."""
    return {
        "pearson": rho,
        "spearman": 6.0 / np.pi * np.arcsin(rho / 2.0),
        "kendall": 2.0 / np.pi * np.arcsin(rho),
    }[coefficient]


def _mean_of(rows: Iterator[Mapping[str, bool | None]]) -> Shares:
    """The share of True by name; None (no interval, no p) counts as not held."""
    found: dict[str, list[bool]] = {}
    for row in rows:
        for name, value in row.items():
            found.setdefault(name, []).append(bool(value))
    return {name: float(np.mean(values)) for name, values in found.items()}


def _holds(interval: Interval, truth: float) -> bool:
    """Rounding aside: a rank coefficient is often exactly at an end of its interval."""
    return interval.low is not None and interval.low - 1e-9 <= truth <= interval.high + 1e-9


# Intervals


def cover_systems(rng: Rng, simulations: int, *, systems: int, rho: float) -> Shares:
    """Systems drawn from a bivariate normal population, and resampled."""

    def once() -> dict[str, bool]:
        x, y = correlated_normals(rng, [[1, rho], [rho, 1]], systems)
        fixed = {"x": fixed_score(x, resamples=RESAMPLES), "y": fixed_score(y, resamples=RESAMPLES)}
        samples = resample_systems(fixed, rng=rng)
        held = {}
        for coefficient in COEFFICIENTS:
            truth = population_value(coefficient, rho)
            for method in ("percentile", "bca"):
                found = bootstrap_correlation(samples["x"], samples["y"], coefficient, method=method)
                held[f"{coefficient} {method}"] = _holds(found.interval, truth)
            estimate = correlate(list(x), list(y), coefficient).estimate
            fisher = fisher_interval(estimate, n=systems, coefficient=coefficient)
            held[f"{coefficient} fisher"] = _holds(fisher, truth)
        held["kendall esscher"] = _holds(esscher_interval(estimate, n=systems), truth)
        return held

    return _mean_of(once() for _ in range(simulations))


def cover_documents(
    rng: Rng,
    simulations: int,
    *,
    documents: int,
    signal: float,
    rho: float = 0.7,
    resample: str = "documents",
) -> Shares:
    """Ten systems and their documents' scores. The truth is the coefficient of these systems' true scores,
    or (`both`) that of the population they come from.

    `signal` is the standard deviation of the systems' true scores over the standard error of their means,
    `rho` the correlation of the population.
    """

    def once() -> dict[str, bool]:
        truth = correlated_normals(rng, [[1, rho], [rho, 1]], 10)
        noise = rng.standard_normal((2, 10, documents)) + rng.standard_normal((2, 1, documents))
        x, y = truth[:, :, None] + noise * np.sqrt(documents) / signal
        samples = resample_documents({"x": x, "y": y}, resamples=RESAMPLES, rng=rng)
        if resample == "both":
            samples = resample_systems(samples, rng=rng)
        held = {}
        for coefficient in COEFFICIENTS:
            value = (
                correlate(list(truth[0]), list(truth[1]), coefficient).estimate
                if resample == "documents"
                else population_value(coefficient, rho)
            )
            for method in RESAMPLING if resample == "documents" else ("percentile", "bca"):
                found = bootstrap_correlation(samples["x"], samples["y"], coefficient, method=method)
                held[f"{coefficient} {method}"] = _holds(found.interval, value)
            if resample == "both":
                fisher = fisher_interval(found.correlation.estimate, n=10, coefficient=coefficient)
                held[f"{coefficient} fisher"] = _holds(fisher, value)
        return held

    return _mean_of(once() for _ in range(simulations))


PERSONALISATION = np.linspace(0.1, 1.0, 8)


def cover_raters(rng: Rng, simulations: int, *, people: int | None, documents: int = 60) -> Shares:
    """DEGRESS-HJ of a survey against fixed automatic scores: its documents and raters drawn anew each time.

    The truth is the coefficient with the scores of a survey of very many documents by the same design.
    """
    automatic = np.random.default_rng(11).permutation(PERSONALISATION) + 1.5 * PERSONALISATION
    large = _degress_hj(rng, documents=4_000, people=None)[1]
    truth = {one: correlate(list(automatic), list(large), one).estimate for one in COEFFICIENTS}

    def once() -> dict[str, bool]:
        scorer, _ = _degress_hj(rng, documents=documents, people=people)
        panel = scorer.panel
        values = scorer.score(panel.by_unit(np.ones((1, len(panel.strata)))))["degress_hj"][0]
        pools = pool_raters(scorer, documents=scorer.documents, rng=rng)
        fixed = np.repeat(automatic[:, None], documents, axis=1)
        plain = resample_documents({"human": values, "auto": fixed}, resamples=RESAMPLES, rng=rng)
        staged = resample_documents(
            {"human": values, "auto": fixed},
            resamples=RESAMPLES,
            rng=rng,
            pools={"human": pools["degress_hj"]},
        )
        raters = resample_raters(scorer, resamples=RESAMPLES, rng=rng)["degress_hj"]
        sides = {
            "documents": (plain["human"], plain["auto"]),
            "two-stage": (staged["human"], staged["auto"]),
            "raters": (
                raters,
                fixed_score(automatic, resamples=RESAMPLES, units=(len(panel.rater_names),)),
            ),
        }
        return {
            f"{coefficient} {name} {method}": _holds(
                bootstrap_correlation(*pair, coefficient, method=method).interval, truth[coefficient]
            )
            for coefficient in ("pearson", "kendall")
            for name, pair in sides.items()
            for method in ("percentile", "bca")
        }

    return _mean_of(once() for _ in range(simulations))


def _degress_hj(rng: Rng, *, documents: int, people: int | None) -> tuple[PanelScorer, FloatArray]:
    survey = simulate_survey(rng, personalisation=PERSONALISATION, documents=documents, people=people)
    divergences = human_divergences(survey.ratings, scale="similarity")
    panel = build_panel(survey.ratings, divergences)
    scorer = PanelScorer(panel, corpus=survey.corpus, surrogates=survey.surrogates)
    observed = scorer.system_scores(panel.by_unit(np.ones((1, len(panel.strata)))))["degress_hj"][0]
    return scorer, observed


# Tests


def reject_correlation(rng: Rng, simulations: int, *, systems: int, skewed: bool = False) -> Shares:
    """Unrelated scores: how often p <= 0.05."""

    def once() -> dict[str, bool]:
        x, y = rng.standard_normal((2, systems))
        if skewed:
            x, y = np.exp(2 * x), np.exp(2 * y)
        rows = {
            f"{coefficient} {found.method}": found.p <= 0.05
            for coefficient in COEFFICIENTS
            for found in [correlation_p_value(list(x), list(y), coefficient, rng=rng, permutations=999)]
        }
        samples = resample_systems(
            {"x": fixed_score(x, resamples=RESAMPLES), "y": fixed_score(y, resamples=RESAMPLES)}, rng=rng
        )
        for coefficient in COEFFICIENTS:
            found = bootstrap_correlation(samples["x"], samples["y"], coefficient)
            rows[f"{coefficient} bootstrap over systems"] = (
                bootstrap_p_value(found.replicates) or 1.0
            ) <= 0.05
        return rows

    return _mean_of(once() for _ in range(simulations))


def reject_williams(rng: Rng, simulations: int, *, systems: int, rho: float, between: float) -> Shares:
    """Two metrics equally correlated with people (rho) and `between` each other."""
    matrix = [[1, between, rho], [between, 1, rho], [rho, rho, 1]]

    def once() -> dict[str, bool]:
        x, y, z = (list(side) for side in correlated_normals(rng, matrix, systems))
        return {
            f"{coefficient} {alternative}": (
                compare_by_williams(x, y, z, coefficient, alternative=alternative).p_value or 1.0
            )
            <= 0.05
            for coefficient in ("pearson", "spearman", "kendall")
            for alternative in ("two-sided", "greater")
        }

    return _mean_of(once() for _ in range(simulations))


def reject_equal_metrics(rng: Rng, simulations: int, *, level: float, documents: int = 50) -> Shares:
    """Two metrics that are the truth, plus (`level`) what each adds to a system, plus noise of each cell."""

    def once() -> dict[str, bool]:
        human = rng.standard_normal(10)
        own = rng.standard_normal((2, 10, 1)) * level
        x, y = human[:, None] + own + rng.standard_normal((2, 10, documents)) * 3.0
        rows = {
            f"permutation of {swap}": (
                compare_by_permutation(x, y, human, "pearson", rng=rng, swap=swap, permutations=499).p_value
                or 1.0
            )
            <= 0.05
            for swap in ("both", "systems", "documents", "cells")
        }
        # the human scores are one value a system: the same in every document
        scores = {"x": x, "y": y, "z": np.repeat(human[:, None], documents, axis=1)}
        samples = resample_documents(scores, resamples=RESAMPLES, rng=rng)
        both = resample_systems(samples, rng=rng)
        for name, drawn in (("documents", samples), ("documents and systems", both)):
            found = compare_by_bootstrap(drawn["x"], drawn["y"], drawn["z"], "pearson")
            rows[f"bootstrap over {name}"] = (found.p_value or 1.0) <= 0.05
        return rows

    return _mean_of(once() for _ in range(simulations))


SETTINGS: dict[str, tuple[float, Callable[[Rng, int], Shares]]] = {
    "systems n=10 rho=0": (0.95, lambda rng, n: cover_systems(rng, n, systems=10, rho=0.0)),
    "systems n=10 rho=0.6": (0.95, lambda rng, n: cover_systems(rng, n, systems=10, rho=0.6)),
    "systems n=10 rho=0.9": (0.95, lambda rng, n: cover_systems(rng, n, systems=10, rho=0.9)),
    "systems n=30 rho=0.6": (0.95, lambda rng, n: cover_systems(rng, n, systems=30, rho=0.6)),
    "documents D=100 signal=10": (0.95, lambda rng, n: cover_documents(rng, n, documents=100, signal=10.0)),
    "documents D=100 signal=3": (0.95, lambda rng, n: cover_documents(rng, n, documents=100, signal=3.0)),
    "documents D=100 signal=10 rho=0.9": (
        0.95,
        lambda rng, n: cover_documents(rng, n, documents=100, signal=10.0, rho=0.9),
    ),
    "documents D=100 signal=3 rho=0.9": (
        0.95,
        lambda rng, n: cover_documents(rng, n, documents=100, signal=3.0, rho=0.9),
    ),
    "documents and systems D=100 signal=10": (
        0.95,
        lambda rng, n: cover_documents(rng, n, documents=100, signal=10.0, resample="both"),
    ),
    "survey, own raters": (0.95, lambda rng, n: cover_raters(rng, n, people=None)),
    "survey, 12 raters": (0.95, lambda rng, n: cover_raters(rng, n, people=12)),
    "no correlation n=10": (0.05, lambda rng, n: reject_correlation(rng, n, systems=10)),
    "no correlation n=10, skewed": (
        0.05,
        lambda rng, n: reject_correlation(rng, n, systems=10, skewed=True),
    ),
    "no correlation n=15": (0.05, lambda rng, n: reject_correlation(rng, n, systems=15)),
    "Williams n=10 rho=0.5": (
        0.05,
        lambda rng, n: reject_williams(rng, n, systems=10, rho=0.5, between=0.5),
    ),
    "Williams n=10 rho=-0.5": (
        0.05,
        lambda rng, n: reject_williams(rng, n, systems=10, rho=-0.5, between=0.5),
    ),
    "Williams n=30 rho=0.7": (
        0.05,
        lambda rng, n: reject_williams(rng, n, systems=30, rho=0.7, between=0.8),
    ),
    "equal metrics, noise of cells": (0.05, lambda rng, n: reject_equal_metrics(rng, n, level=0.0)),
    "equal metrics, levels of systems": (0.05, lambda rng, n: reject_equal_metrics(rng, n, level=0.7)),
}
"""By name: the nominal share, and the simulation."""


def main() -> None:
    """Run every setting, or those whose name starts with the given words."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--simulations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="settings whose name starts so")
    options = parser.parse_args()
    for number, (name, (nominal, simulate)) in enumerate(SETTINGS.items()):
        if not name.startswith(options.only):
            continue
        start = time.perf_counter()
        shares = simulate(np.random.default_rng([options.seed, number]), options.simulations)
        low, high = stats.binom.interval(0.95, options.simulations, nominal) / np.float64(options.simulations)
        took = time.perf_counter() - start
        sys.stdout.write(f"{name} (nominal {nominal:.2f}, {low:.3f} to {high:.3f} by chance, {took:.0f} s)\n")
        for case, share in shares.items():
            sys.stdout.write(f"  {case:<34} {share:.3f}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
