"""Simulations where nothing is to be found: how often a test finds something all the same."""

import numpy as np

from meta_eval.stats.coefficients.registry import COEFFICIENTS
from meta_eval.stats.resampling.bootstrap import bootstrap_correlation
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.intervals import (
    bootstrap_p_value,
)
from meta_eval.stats.resampling.samples import fixed_score, resample_systems
from meta_eval.stats.significance.comparison import compare_by_bootstrap, compare_by_permutation
from meta_eval.stats.significance.permutation import correlation_p_value
from meta_eval.stats.significance.williams import compare_by_williams
from tests.benchmarks import trials
from tests.benchmarks.simulation import correlated_normals
from tests.benchmarks.trials import Figures, Rng, mean_of


def reject_correlation(rng: Rng, simulations: int, *, systems: int, skewed: bool = False) -> Figures:
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
            {
                "x": fixed_score(x, resamples=trials.RESAMPLES),
                "y": fixed_score(y, resamples=trials.RESAMPLES),
            },
            rng=rng,
        )
        for coefficient in COEFFICIENTS:
            found = bootstrap_correlation(samples["x"], samples["y"], coefficient)
            rows[f"{coefficient} bootstrap over systems"] = (
                bootstrap_p_value(found.replicates) or 1.0
            ) <= 0.05
        return rows

    return mean_of(once() for _ in range(simulations))


def reject_williams(rng: Rng, simulations: int, *, systems: int, rho: float, between: float) -> Figures:
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

    return mean_of(once() for _ in range(simulations))


def tell_equal_metrics_apart(
    rng: Rng, simulations: int, *, rho: float, between: float, noise: float, documents: int = 60
) -> Figures:
    """Two metrics that agree equally well with people in the population (rho), over ten systems.

    How often p of their difference is at most 0.05, by each test of a report and by the stricter.
    """
    matrix = [[1, between, rho], [between, 1, rho], [rho, rho, 1]]

    def once() -> dict[str, bool]:
        truth = correlated_normals(rng, matrix, 10)
        cells = truth[:, :, None] + noise * rng.standard_normal((3, 10, documents))
        drawn = resample_documents(dict(zip("xyz", cells, strict=True)), resamples=trials.RESAMPLES, rng=rng)
        found = {}
        for coefficient in COEFFICIENTS:
            resampled = compare_by_bootstrap(*drawn.values(), coefficient, method="hierarchical").p_value
            human = drawn["z"].observed
            swapped = compare_by_permutation(cells[0], cells[1], human, coefficient, rng=rng).p_value
            both = {"resamples": resampled, "systems swapped": swapped}
            both["the stricter"] = max(value or 1.0 for value in both.values())
            found |= {f"{coefficient}, {test}": (p or 1.0) <= 0.05 for test, p in both.items()}
        return found

    return mean_of(once() for _ in range(simulations))


def reject_equal_metrics(rng: Rng, simulations: int, *, level: float, documents: int = 50) -> Figures:
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
        samples = resample_documents(scores, resamples=trials.RESAMPLES, rng=rng)
        both = resample_systems(samples, rng=rng)
        for name, drawn in (("documents", samples), ("documents and systems", both)):
            found = compare_by_bootstrap(drawn["x"], drawn["y"], drawn["z"], "pearson")
            rows[f"bootstrap over {name}"] = (found.p_value or 1.0) <= 0.05
        return rows

    return mean_of(once() for _ in range(simulations))
