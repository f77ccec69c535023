"""What commands that resample share: how it is asked for, and both sides with all that can be drawn again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.rating import Rating
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores
from meta_eval.stats.table.schemes import RaterDraws


class CoefficientName(StrEnum):
    pearson = "pearson"
    spearman = "spearman"
    kendall = "kendall"
    kendall_c = "kendall-c"
    pairwise_accuracy = "pairwise-accuracy"


class AdjustmentName(StrEnum):
    holm = "holm"
    benjamini_hochberg = "benjamini-hochberg"


class ResampledName(StrEnum):
    systems = "systems"
    documents = "documents"
    documents_and_systems = "documents and systems"
    raters = "raters"
    raters_within_documents = "raters within documents"


AdjustOption = Annotated[AdjustmentName, typer.Option(help="How p-values are adjusted for their number.")]
ResampledOption = Annotated[
    ResampledName,
    typer.Option(help="What intervals are about. All but systems need --corpus and --ratings."),
]
RatingsOption = Annotated[
    Path | None,
    typer.Option(metavar="RATINGS.csv", help="Ratings that HUMAN.json was made from, to resample them."),
]


@dataclass(frozen=True, slots=True)
class RatedSides:
    """Scores of every document, with the ratings and texts they come from."""

    automatic: Mapping[str, Contributions]
    human: Mapping[str, HumanScores]
    corpus: Corpus
    ratings: Sequence[Rating]

    def raters(self, seed: int, resamples: int) -> RaterDraws:
        rated = next(iter(self.human.values())).divergences.select_rated(self.corpus)
        return RaterDraws(self.ratings, rated, seed=(seed, 1), resamples=resamples)
