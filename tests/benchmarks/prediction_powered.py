"""How often the intervals of a mixed survey hold, and how wide they are beside those of people alone.

Each study draws documents anew: people's scores of some, a model's of all. Call it by itself:

    python -m tests.benchmarks.prediction_powered --studies 20000
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.raters.prediction_powered import prediction_powered_mean

MEAN = 0.6
"""The mean of people's scores, which are from 0 to 1 and skewed as DEGRESS is: beta(3, 2)."""
MODELS = ("good", "useless", "biased")
SIZES = ((10, 40), (20, 20), (40, 160), (113, 339))
"""Documents of people, and of the model alone."""


@dataclass(frozen=True)
class Found:
    """Share of the studies whose mixed interval holds the mean, its mean width beside that of people alone,
    the share by people alone, and the mean share of ratings saved."""

    coverage: float
    width: float
    people: float
    saved: float


def model_scores(model: str, truth: FloatArray, rng: np.random.Generator) -> FloatArray:
    """What a model of a kind gives to documents of these human scores."""
    noise = rng.standard_normal(len(truth))
    if model == "useless":
        return 0.2 * noise
    if model == "good":
        return truth + 0.1 * noise
    return 0.35 + 0.3 * truth**2 + 0.05 * noise  # too high, on a part of the scale, and bent


def simulate(model: str, *, people: int, alone: int, studies: int, seed: int) -> Found:
    """`studies` studies with a model of a kind."""
    rng = np.random.default_rng(seed)
    held = held_by_people = 0
    widths, both, saved = 0.0, 0.0, 0.0
    for _ in range(studies):
        truth = rng.beta(3, 2, people + alone)
        seen = model_scores(model, truth, rng)
        found = prediction_powered_mean(truth[:people], seen[:people], seen[people:])
        held += found.mixed.low <= MEAN <= found.mixed.high
        held_by_people += found.people.low <= MEAN <= found.people.high
        widths, both = widths + found.mixed.width, both + found.people.width
        saved += found.saved
    return Found(held / studies, widths / both, held_by_people / studies, saved / studies)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    asked = parser.parse_args()
    write = sys.stdout.write
    write(
        "| model | documents of people | of the model alone | coverage | of people alone | width | saved |\n"
    )
    write("|---|---|---|---|---|---|---|\n")
    for model in MODELS:
        for people, alone in SIZES:
            found = simulate(model, people=people, alone=alone, studies=asked.studies, seed=asked.seed)
            told = f"{found.coverage:.3f} | {found.people:.3f} | {found.width:.3f} | {found.saved:.0%}"
            write(f"| {model} | {people} | {alone} | {told} |\n")


if __name__ == "__main__":
    main()
