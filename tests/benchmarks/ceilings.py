"""Are ceilings what perfect agreement would reach? Surveys of which the truth is known.

    python -m tests.benchmarks.ceilings --surveys 100

Ten systems in two questionnaires of five and the gold pair, on 60 documents by two raters each (PerSEval's
plan). The truth in the matched scope is the mean correlation of the observed DEGRESS-HJ with that of very
many raters of the same documents; in the paper's scope with that of very many documents and raters. Printed
for each setting and coefficient: the mean ceiling shown, and the truth, in either scope.
"""

import argparse
import sys
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy import stats

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.table.ceiling import corpus_ceilings, split_half_ceilings
from tests.benchmarks.simulation import READERS, corpus_of, surrogates_of

SYSTEMS = 10
SYSTEM_NAMES = tuple(f"s{number}" for number in range(SYSTEMS))
_MANY = 4_000


@dataclass(frozen=True)
class Setting:
    """True mean ratings of systems around 4 with this standard deviation, of the gold pair 2; what a document
    adds to a pair has the standard deviation 0.8, a rating's error 1, a rater's page `severity`."""

    system_sd: float
    severity: float = 0.0
    raters: int = 2
    documents: int = 60

    def levels(self, rng: np.random.Generator, quality: FloatArray, documents: int) -> FloatArray:
        """(1 + S, D): what raters would say on average of each pair, if the scale had no ends."""
        mean = np.concatenate([[2.0], 4.0 + self.system_sd * quality])
        return mean[:, None] + rng.normal(0.0, 0.8, (len(mean), documents))

    def rate(self, rng: np.random.Generator, levels: FloatArray) -> list[Rating]:
        """A survey of these documents by new raters: `raters` for either half of the systems."""
        documents, half = levels.shape[1], SYSTEMS // 2
        ratings = []
        for d, page in product(range(documents), range(2)):
            rows = [0, *range(1 + page * half, 1 + (page + 1) * half)]
            for rater in range(self.raters):
                given = levels[rows, d] + rng.normal(0, self.severity) + rng.normal(0, 1, len(rows))
                for row, value in zip(rows, np.clip(np.rint(given), 1, 6).astype(int).tolist(), strict=True):
                    name = SYSTEM_NAMES[row - 1] if row else GOLD
                    ratings.append(Rating(f"d{d}", name, *READERS, f"{d}/{page}/{rater}", value))
        return ratings


SETTINGS = (
    Setting(0.8),
    Setting(0.5),
    Setting(0.25),
    Setting(0.5, severity=0.8),
    Setting(0.5, raters=3),
)


def scorer_of(ratings: list[Rating], documents: int) -> PanelScorer:
    """With one reader pair a document a surrogate changes nothing of DEGRESS-HJ."""
    names = list(SYSTEM_NAMES)
    return PanelScorer(
        build_panel(ratings, human_divergences(ratings, scale="similarity")),
        corpus=corpus_of(documents, names),
        surrogates=surrogates_of(np.random.default_rng(0), documents, names),
    )


def degress_hj(scorer: PanelScorer) -> FloatArray:
    """(S,) of all raters."""
    everyone = np.ones((1, len(scorer.panel.strata)))
    scores: FloatArray = scorer.system_scores(scorer.panel.by_unit(everyone))["degress_hj"][0]
    return scores


def expected_rating(levels: FloatArray, spread: float) -> FloatArray:
    """The mean of a rating of 1 to 6 around each level."""
    cuts = np.arange(1.5, 6.0)
    above: FloatArray = stats.norm.sf((cuts - levels[..., None]) / spread)
    return 1.0 + above.sum(axis=-1)


def many_raters(setting: Setting, levels: FloatArray) -> FloatArray:
    """(S,): bare DEGRESS of the divergences on which very many raters would agree, one pair a document."""
    sigma = (6.0 - expected_rating(levels, float(np.hypot(1.0, setting.severity)))) / 5.0
    gold, systems = sigma[0], sigma[1:]
    return (np.minimum(gold, systems) / np.maximum(gold, systems)).mean(axis=1)


def compare_with_truth(
    rng: np.random.Generator, setting: Setting, *, surveys: int, splits: int = 50
) -> dict[tuple[Coefficient, str], tuple[float, float]]:
    """By coefficient and scope: the mean ceiling shown and the truth, over systems drawn anew each time."""
    shown: dict[tuple[Coefficient, str], list[float]] = {}
    truth: dict[tuple[Coefficient, str], list[float]] = {}
    for _ in range(surveys):
        quality = rng.standard_normal(SYSTEMS)
        levels = setting.levels(rng, quality, setting.documents)
        scorer = scorer_of(setting.rate(rng, levels), setting.documents)
        observed = degress_hj(scorer)[None]
        perfect = {
            "matched": many_raters(setting, levels),
            "corpus": many_raters(setting, setting.levels(rng, quality, _MANY)),
        }
        for (name, scope), value in shown_ceilings(scorer, rng, splits).items():
            found = correlate_rows(observed, perfect[scope], name)[0]
            truth.setdefault((name, scope), []).append(float(found))
            if value is not None:
                shown.setdefault((name, scope), []).append(value)
    return {key: (float(np.mean(shown[key])), float(np.mean(truth[key]))) for key in truth}


def shown_ceilings(
    scorer: PanelScorer, rng: np.random.Generator, splits: int
) -> dict[tuple[Coefficient, str], float | None]:
    """What a report shows by coefficient and scope, of a corpus much larger than the survey."""
    matched = split_half_ceilings(scorer, COEFFICIENTS, rng=rng, splits=splits)
    corpus = corpus_ceilings(scorer, matched, rng=rng, splits=splits, documents=1_000_000)
    return {
        (name, scope): part[name]["degress_hj"].ceiling
        for name in COEFFICIENTS
        for scope, part in (("matched", matched), ("corpus", corpus))
    }


def main() -> None:
    """Print each setting."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--surveys", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    for number, setting in enumerate(SETTINGS):
        rng = np.random.default_rng([options.seed, number])
        sys.stdout.write(f"{setting}\n")
        found = compare_with_truth(rng, setting, surveys=options.surveys)
        for (name, scope), (shown, truth) in found.items():
            sys.stdout.write(
                f"  {name:<10} {scope:<8} shown {shown:.3f} truth {truth:.3f} {shown - truth:+.3f}\n"
            )
        sys.stdout.flush()


if __name__ == "__main__":
    main()
