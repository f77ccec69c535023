"""Scores and distances by a measure: a bar on stderr while they are made, a warning where texts are empty."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from meta_eval.cli.inputs import progress_bar, warn_of_texts
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, Normalise, compute_distances
from meta_eval.distances.coverage import look_at
from meta_eval.measures import Measure
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.scores.automatic import AutomaticScores, UnscoredError, score_systems
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.human import HumanScores, score_humans

if TYPE_CHECKING:
    from meta_eval.distances.store.distance_store import DistanceStore


def score_measure(
    corpus: Corpus,
    measure: Measure,
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise,
    options: ScoreOptions | None = None,
    store: "DistanceStore | None",
) -> AutomaticScores:
    """Automatic scores under a measure."""
    with progress_bar(f"Scoring with {measure.id}") as progress:
        scores = score_systems(
            corpus,
            measure,
            systems=systems,
            normalise=normalise,
            options=options,
            progress=progress,
            store=store,
        )
    warn_of_texts(f"measure {measure.id}", scores.distances, scores.coverage)
    return scores


def score_all(
    corpus: Corpus,
    measures: Iterable[Measure],
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise,
    options: ScoreOptions,
    store: "DistanceStore | None",
) -> tuple[list[dict[str, Any]], bool]:
    """Records of scores under each measure, and whether every measure saw the texts.

    One that did not takes nothing with it: its records hold no score, and the reason.
    """
    records: list[dict[str, Any]] = []
    complete = True
    for measure in measures:
        try:
            scores = score_measure(
                corpus, measure, systems=systems, normalise=normalise, options=options, store=store
            )
        except UnscoredError as error:
            sys.stderr.write(f"not scored: measure {measure.id}: {error}\n")
            scores, complete = error.scores, False
        records += scores.records()
    return records, complete


def score_surrogate(
    corpus: Corpus,
    divergences: HumanDivergences,
    surrogate: Measure,
    *,
    normalise: Normalise,
    options: ScoreOptions,
    store: "DistanceStore | None",
) -> HumanScores:
    """Human scores under a surrogate."""
    with progress_bar(f"Surrogate {surrogate.id}") as progress:
        scores = score_humans(
            corpus,
            divergences,
            surrogate,
            normalise=normalise,
            options=options,
            progress=progress,
            store=store,
        )
    warn_of_texts(f"surrogate {surrogate.id}", scores.surrogate, scores.coverage)
    return scores


def measure_distances(
    corpus: Corpus,
    measure: Measure,
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise,
    store: "DistanceStore | None",
) -> DistanceTable:
    """Distances by a measure."""
    measure = measure.settle(corpus)
    with progress_bar(f"Distances by {measure.id}") as progress:
        table = compute_distances(
            corpus, measure, systems=systems, normalise=normalise, progress=progress, store=store
        )
    coverage = look_at(corpus, measure, table.systems, with_documents=normalise == "document")
    warn_of_texts(f"measure {measure.id}", table, coverage)
    return table
