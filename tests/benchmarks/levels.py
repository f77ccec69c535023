"""How often the intervals of agreement within documents, within systems and over items hold.

The systems are given and the documents drawn, as an interval about other documents means it.
"""

from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.report.inference.levels import rows_of_levels
from meta_eval.report.inference.sides import DocumentDraws, ItemSides, MatchedSides
from meta_eval.scores.names import SCORES
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.levels import correlate_level
from meta_eval.stats.coefficients.registry import COEFFICIENTS
from tests.benchmarks.simulation import correlated_normals
from tests.benchmarks.trials import WIDTH, Figures, Rng, mean_of

RESAMPLES = 500
MANY = 3_000
"""Documents of which the truth is taken."""


@dataclass(frozen=True)
class Levels:
    """Ten systems so many deviations of a cell `apart`; both sides correlate `rho` over systems and in cells.

    `documents` add a deviation of their own, which both sides feel.
    """

    documents: int
    apart: float
    rho: float
    systems: int = 10


def cover_levels(rng: Rng, simulations: int, design: Levels) -> Figures:
    """The share of intervals that hold the truth, by level and coefficient."""
    return mean_of(row for _ in range(simulations) for row in _once(rng, design))


def _once(rng: Rng, design: Levels) -> list[dict[str, bool | float | None]]:
    means = design.apart * _normals(rng, design.rho, design.systems)
    x, y = _draw(rng, design, means, design.documents)
    truth_x, truth_y = _draw(rng, design, means, MANY)
    kind = SCORES["degress"]
    scores = {ScoreId(kind.human, "one"): x, ScoreId(kind.automatic, "one"): y}
    names = [tuple(map(str, range(count))) for count in x.shape]
    sides = MatchedSides(("one",), ("one",), *names, scores, "document")
    items = ItemSides(sides, scores, np.arange(design.documents))
    draws = DocumentDraws.make(design.documents, resamples=RESAMPLES, rng=rng, level=0.95)
    rows = []
    for row in rows_of_levels(kind, items, draws, COEFFICIENTS, {}):
        if row.level == "system":
            continue  # covered as the intervals over documents are
        truth = correlate_level(truth_x, truth_y, row.coefficient, level=row.level).estimate
        name = f"{row.level}, {row.coefficient}"
        holds = None if row.ci_low is None else row.ci_low <= truth <= row.ci_high
        width = None if row.ci_low is None else row.ci_high - row.ci_low
        rows.append({name: holds, name + WIDTH: width})
    return rows


def _draw(rng: Rng, design: Levels, means: FloatArray, documents: int) -> FloatArray:
    """(2, S, D): the systems' means, a deviation of each document, and one of each cell."""
    cells = _normals(rng, design.rho, design.systems * documents).reshape(2, design.systems, documents)
    return means[:, :, None] + 0.5 * rng.standard_normal(documents) + cells


def _normals(rng: Rng, rho: float, n: int) -> FloatArray:
    return correlated_normals(rng, [[1.0, rho], [rho, 1.0]], n)
