"""Does the planner promise what surveys then give, when it learns from a pilot?

    python -m tests.benchmarks.planning --sets 40 --surveys 200

simulates sets of ten systems and a measure. Of each set a pilot is rated, the planner learns from it and
predicts the width of each coefficient in a survey of another size; then that survey is made again and again.
Printed for each setting: the predicted width, the obtained one (the central 95 % of the coefficients of
DEGRESS-HJ, averaged over sets), and their ratio.
"""

import argparse
import sys
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.scores.degress import degress_by_pair
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.raters.precision import estimate_assumptions, simulate_precision

SYSTEMS, RATERS = 10, 2


@dataclass(frozen=True)
class Setting:
    """Systems of mean rating 4 with this standard deviation; a gold pair of `gold`."""

    system_sd: float
    gold: float
    pilot: int = 60
    documents: int = 100
    correlation: float = 0.7


SETTINGS = (
    Setting(0.25, 2.0),
    Setting(0.25, 2.0, pilot=200),
    Setting(0.25, 2.6),
    Setting(0.5, 2.6),
    Setting(0.5, 2.6, pilot=30),
    Setting(0.5, 2.6, documents=30),
)


def rate(rng: np.random.Generator, quality: FloatArray, setting: Setting, documents: int) -> IntArray:
    """(1 + S, D, R): each document's pairs, gold first; what a document adds has the standard deviation 0.8,
    an error 1."""
    level = np.concatenate([[setting.gold], quality])[:, None]
    level = level + rng.normal(0, 0.8, (len(level), documents))
    return np.clip(np.rint(level[..., None] + rng.normal(0, 1, (*level.shape, RATERS))), 1, 6).astype(int)


def as_ratings(values: IntArray) -> list[Rating]:
    names = (GOLD, *(f"s{number}" for number in range(SYSTEMS)))
    return [
        Rating(f"d{d}", names[row], "r1", "r2", f"{d}/{rater}", int(values[row, d, rater]))
        for row, d, rater in np.ndindex(values.shape)
    ]


def degress_hj(values: IntArray) -> FloatArray:
    """(S,): with one reader pair a document its weight is 1, whatever the surrogate says."""
    sigma = (6 - values.mean(axis=-1)) / 5
    return degress_by_pair(sigma[0], sigma[1:]).mean(axis=-1)


def widths(
    rng: np.random.Generator, setting: Setting, surveys: int
) -> tuple[dict[Coefficient, float], dict[Coefficient, float]] | None:
    """Predicted and obtained, of one set of systems; None where the pilot says too little."""
    rho = setting.correlation
    true = rng.standard_normal(SYSTEMS)
    measure = rho * true + np.sqrt(1 - rho**2) * rng.standard_normal(SYSTEMS)
    quality = 4 + setting.system_sd * true
    try:
        learned = estimate_assumptions(
            as_ratings(rate(rng, quality, setting, setting.pilot)), correlation=rho
        )
    except InputError:
        return None
    promised = simulate_precision(
        learned, systems=SYSTEMS, documents=setting.documents, reader_pairs=1, raters=RATERS, others=10
    )
    human = np.array([degress_hj(rate(rng, quality, setting, setting.documents)) for _ in range(surveys)])
    found = {name: correlate_rows(human, measure, name) for name in COEFFICIENTS}
    ends = {name: np.quantile(values, [0.025, 0.975]) for name, values in found.items()}
    return (
        {name: promised[name].width for name in COEFFICIENTS},
        {name: float(high - low) for name, (low, high) in ends.items()},
    )


def main() -> None:
    """Print each setting's widths; sets whose pilot says too little are counted."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", type=int, default=40)
    parser.add_argument("--surveys", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([options.seed, number])
        made = [widths(rng, setting, options.surveys) for _ in range(options.sets)]
        pairs = [one for one in made if one is not None]
        sys.stdout.write(f"{setting} ({len(made) - len(pairs)} pilots say too little)\n")
        for name in COEFFICIENTS:
            predicted, obtained = (float(np.mean([pair[side][name] for pair in pairs])) for side in (0, 1))
            ratio = predicted / obtained
            sys.stdout.write(
                f"  {name:<10} predicted {predicted:.3f} obtained {obtained:.3f} ratio {ratio:.2f}\n"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
