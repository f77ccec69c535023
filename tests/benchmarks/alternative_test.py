"""How often the alternative annotator test lets a model win that is just another rater.

    python -m tests.benchmarks.alternative_test --surveys 1000

Raters give the points of a scale of 1 to 6 with errors of their own; the model is one more of them, so that
with an epsilon of 0 it should win against a rater in 5 % of the tests at most. With `--documents` half the
variance of each rater's errors is shared within so many documents, while the test takes pairs as independent.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.raters.alternative import FALSE_DISCOVERIES, alternative_annotator_test


@dataclass(frozen=True)
class Found:
    """The share of tests that the model wins before they are adjusted, and of surveys that it passes."""

    wins: float
    passes: float


def draw_ratings(rng: np.random.Generator, truth: FloatArray, documents: int | None) -> dict[int, float]:
    """What one rater gives the pairs; half the variance of the errors is shared within each document."""
    own = rng.standard_normal(truth.size)
    if documents is not None:
        of_document = rng.standard_normal(documents)[np.arange(truth.size) % documents]
        own = (own + of_document) / np.sqrt(2.0)
    return dict(enumerate(np.clip(np.rint(truth + own), 1, 6).tolist()))


def simulate(
    *, surveys: int, seed: int, raters: int = 4, pairs: int = 60, documents: int | None = None
) -> Found:
    """So many surveys, each with raters and a model that are drawn alike."""
    rng = np.random.default_rng(seed)
    wins: list[bool] = []
    passes = 0
    for _ in range(surveys):
        truth = rng.integers(1, 7, pairs).astype(np.float64)
        people = {f"p{number}": draw_ratings(rng, truth, documents) for number in range(raters)}
        found = alternative_annotator_test(people, draw_ratings(rng, truth, documents), epsilon=0.0)
        wins += [rater.p_value <= FALSE_DISCOVERIES for rater in found.raters]
        passes += bool(found.passes)
    return Found(float(np.mean(wins)), passes / surveys)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--surveys", type=int, default=1_000)
    parser.add_argument("--raters", type=int, default=4)
    parser.add_argument("--pairs", type=int, default=60)
    parser.add_argument("--documents", type=int, help="share errors within so many documents")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    found = simulate(**vars(asked))
    sys.stdout.write(f"wins against a rater {found.wins:.3f}, passes {found.passes:.3f}\n")


if __name__ == "__main__":
    main()
