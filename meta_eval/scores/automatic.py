"""Automatic scores: one record per system and measure, as the command line and the site show it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceSource, DistanceStream, Normalise
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.measures.base import Measure
from meta_eval.scores.contributions import Contributions, ScoreOptions, require_scores, score_contributions


@dataclass(frozen=True, slots=True)
class AutomaticScores:
    """The scores of all systems under one measure, with what they came from."""

    contributions: Contributions
    distances: DistanceSource
    options: ScoreOptions

    def records(self) -> list[dict[str, Any]]:
        """One record per system: system, measure, normalise, counts, scores and the measure's signature.

        `texts` counts what was compared, each text as often as it stands, and `left_out` its `empty_texts`.
        """
        source = self.distances
        head = {"measure": source.signature.measure, "normalise": source.normalise}
        tail = {
            **self.options.record,
            "texts": source.counts.texts,
            "left_out": self.left_out,
            "signature": source.signature.as_dict(),
        }
        return [
            {"system": system, **head, **score.as_dict(), **tail}
            for system, score in self.contributions.system_scores().items()
        ]

    @property
    def left_out(self) -> dict[str, int]:
        """What did not enter, by reason."""
        counts = self.distances.counts
        return {
            "documents_with_one_reader": len(self.distances.documents) - counts.documents,
            "empty_texts": counts.empty,
            "missing_distances": counts.missing,
        }


def score_systems(
    corpus: Corpus,
    measure: Measure,
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise = "document",
    options: ScoreOptions | None = None,
    progress: Progress | None = None,
    store: DistanceStore | None = None,
) -> AutomaticScores:
    """Score systems under one measure (protocol 3 and 4). Raises `InputError` if nothing can be scored.

    Distances are held for one shard of documents at a time, and kept in the `store` if there is one.
    """
    options = options or ScoreOptions()
    source = DistanceStream(
        corpus, measure, systems=systems, normalise=normalise, progress=progress, store=store
    )
    return AutomaticScores(require_scores(score_contributions(source, options)), source, options)
