"""Human scores: DEGRESS-HJ, EGISES-HJ and PerSEval-HJ^X from ratings and a surrogate X (protocol 7 and 8)."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, Progress
from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.corpus.tables import as_corpus
from meta_eval.distances.computing import DistanceBlock, DistanceTable, Normalise, compute_distances
from meta_eval.distances.coverage import (
    Coverage,
    UnseenTextsError,
    describe_seen,
    look_at,
    unseen_systems,
)
from meta_eval.errors import InputError, wrong_type
from meta_eval.files.frames import Tabular
from meta_eval.measures.base import Measure
from meta_eval.measures.registry import as_measure
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.scores.contributions import Contributions, ScoreOptions, require_scores, score_contributions

if TYPE_CHECKING:
    from pandas import DataFrame

    from meta_eval.distances.store.distance_store import DistanceStore
    from meta_eval.files.reading import Source


@dataclass(frozen=True, slots=True, repr=False)
class HumanScores(Tabular):
    """Human scores of all rated systems with one surrogate, and what they came from.

    `surrogate` holds the surrogate's own distances, `table` the same with human divergences between
    summaries. `missing_distances` counts what the surrogate lacks of the distances that the scores need:
    those of rated readers and, where the penalty compares all readers of the document, all of their accuracy
    distances.
    """

    caption: ClassVar[str] = "Human scores"
    shown: ClassVar[Sequence[str]] = (
        "system",
        "surrogate",
        "degress_hj",
        "egises_hj",
        "perseval_hj",
        "documents",
        "pairs",
    )
    contributions: Contributions
    divergences: HumanDivergences
    surrogate: DistanceTable
    table: DistanceTable
    options: ScoreOptions
    missing_distances: int
    coverage: Coverage | None = None

    def leave_out(self, systems: Collection[str]) -> "HumanScores":
        """The same, as if there were no such systems; what is counted of texts and distances stays."""
        return replace(
            self,
            contributions=self.contributions.leave_out(systems),
            divergences=self.divergences.leave_out(systems),
            surrogate=self.surrogate.leave_out(systems),
            table=self.table.leave_out(systems),
        )

    def records(self) -> list[dict[str, Any]]:
        """One record per system: surrogate, human scores, counts, the scale and the surrogate's signature.

        `texts` counts those that the surrogate read, each as often as it stands; `left_out` has its
        `empty_texts` and `missing_distances`.
        """
        left_out = {"empty_texts": self.surrogate.counts.empty, "missing_distances": self.missing_distances}
        return [
            {
                "system": system,
                "surrogate": self.surrogate.signature.measure,
                "normalise": self.surrogate.normalise,
                "degress_hj": score.degress,
                "egises_hj": score.egises,
                "perseval_hj": score.perseval,
                "documents": score.documents,
                "pairs": score.pairs,
                **describe_seen(self.coverage, system),
                **self.options.record,
                "edp_readers": self.options.edp_readers,
                **self._head(),
                "texts": self.surrogate.counts.texts,
                "left_out": left_out,
                "signature": self.surrogate.signature.as_dict(),
            }
            for system, score in self.contributions.system_scores().items()
        ]

    def _head(self) -> dict[str, Any]:
        divergences = self.divergences
        return {
            "scale": divergences.scale,
            **divergences.ends.record,
            "ratings": divergences.ratings,
            "raters_per_pair": divergences.full,
            "min_raters": divergences.min_ratings,
            "pairs_below_full": divergences.below_full,
            "pairs_too_few": divergences.too_few,
        }


def score_humans(
    corpus: "Corpus | Source | DataFrame",
    divergences: HumanDivergences,
    surrogate: Measure | str,
    *,
    normalise: Normalise = "document",
    options: ScoreOptions | None = None,
    progress: Progress | None = None,
    store: "DistanceStore | None" = None,
) -> HumanScores:
    """DEGRESS-HJ, EGISES-HJ and PerSEval-HJ^X over the rated documents.

    Human divergences stand for the distances between summaries; the distances to the document and the
    accuracy distances of the penalty come from the surrogate. Only rated pairs enter the softmax and the
    mean; the penalty's least and mean run over the readers that `options.edp_readers`
    names, or without a choice the surrogate's mode (`ScoreOptions.of_mode`).

    Parameters
    ----------
    corpus : Corpus
        From `read_corpus`, or what it takes: a path or a data frame.
    divergences : HumanDivergences
        From `human_divergences`.
    surrogate : Measure or str
        X, from `make_measure`, or as one word: "rouge-l".
    normalise : {"document", "none"}
    options : ScoreOptions, optional
    progress : callable, optional
        Called with how many documents are done, and of how many.
    store : DistanceStore, optional
        Keeps the surrogate's distances.

    Returns
    -------
    HumanScores
        `records()` gives one record per system, `contributions` the scores per document.

    Raises
    ------
    InputError
        If nothing can be scored.
    UnseenTextsError
        If the surrogate drops most letters of the texts, or does not cut them into words.
    TypeError
        For an argument of another kind; it names the parameter.

    References
    ----------
    PerSEval, section 7; protocol 7 and 8.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.ratings.rating import Rating
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, {"A": references}),))
    >>> ratings = [Rating("d", name, "ann", "bob", "p", 2) for name in ("user", "A")]
    >>> divergences = human_divergences(ratings, scale="similarity")
    >>> scores = score_humans(corpus, divergences, make_measure("rouge-l"))
    >>> [(record["system"], record["degress_hj"]) for record in scores.records()]
    [('A', 1.0)]
    """
    corpus, surrogate = as_corpus(corpus), as_measure(surrogate, "surrogate")
    if not isinstance(divergences, HumanDivergences):
        raise wrong_type("divergences", "what human_divergences returns", divergences)
    systems = divergences.systems
    if not systems:
        raise InputError("no system's pair has enough ratings; only gold pairs do")
    surrogate = surrogate.settle(corpus)
    options = (options or ScoreOptions()).of_mode(surrogate.signature.mode)
    rated = divergences.select_rated(corpus)
    coverage = look_at(rated, surrogate, systems, with_documents=normalise == "document")
    if len(unseen := unseen_systems(coverage)) == len(systems):
        raise UnseenTextsError(next(iter(unseen.values())))
    surrogates = compute_distances(
        rated, surrogate, systems=systems, normalise=normalise, progress=progress, store=store
    )
    table = replace_by_ratings(surrogates, rated, divergences)
    scored = require_scores(score_contributions(table, options).without(unseen))
    missing = _count_missing(surrogates, table, rated, options)
    return HumanScores(scored, divergences, surrogates, table, options, missing, coverage)


def replace_by_ratings(
    surrogates: DistanceTable, corpus: Corpus, divergences: HumanDivergences
) -> DistanceTable:
    """The surrogate's table with human divergences between summaries, NaN where nobody rated.

    Its accuracy distances stay those of all readers; which of them the penalty takes, the scores choose.

    Parameters
    ----------
    surrogates : DistanceTable
        Distances of the documents of `corpus`.
    corpus : Corpus
        Says which readers the rows of the table are.
    divergences : HumanDivergences

    Returns
    -------
    DistanceTable

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.ratings.rating import Rating
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, {"A": references}),))
    >>> ratings = [Rating("d", name, "ann", "bob", "p", 5) for name in ("user", "A")]
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> replace_by_ratings(table, corpus, human_divergences(ratings, scale="similarity")).blocks[0].gold
    array([[[nan, 0.2],
            [0.2, nan]]])
    """
    rated = _rated_pairs(divergences)
    blocks = tuple(_rated_block(block, surrogates.systems, corpus, rated) for block in surrogates.blocks)
    return replace(surrogates, blocks=blocks)


def _count_missing(
    surrogates: DistanceTable, table: DistanceTable, corpus: Corpus, options: ScoreOptions
) -> int:
    blocks = zip(surrogates.blocks, table.blocks, strict=True)
    return sum(_count_lost(own, rated, surrogates.systems, corpus, options) for own, rated in blocks)


def _count_lost(
    surrogate: DistanceBlock,
    rated: DistanceBlock,
    systems: Sequence[str],
    corpus: Corpus,
    options: ScoreOptions,
) -> int:
    """Distances of rated readers to documents that are missing, and accuracy distances of whom EDP counts."""
    readers = (np.isfinite(rated.gold) & np.isfinite(rated.systems)).any(axis=-1)  # (S, B, n)
    counted = readers
    if options.edp_readers == "document":
        counted = readers.any(axis=-1, keepdims=True) & _written(surrogate, systems, corpus)
    lost = [counted & np.isnan(surrogate.systems_gold)]
    if surrogate.systems_document is not None and surrogate.gold_document is not None:
        lost.append(readers & np.isnan(surrogate.systems_document))
        lost.append(readers.any(axis=0) & np.isnan(surrogate.gold_document))
    return sum(int(missing.sum()) for missing in lost)


def _written(block: DistanceBlock, systems: Sequence[str], corpus: Corpus) -> BoolArray:
    """(S, B, n): where a system wrote for a reader."""
    documents = [corpus.documents[index] for index in block.documents.tolist()]
    return np.array(
        [
            [[reader in one.summaries.get(system, {}) for reader in one.references] for one in documents]
            for system in systems
        ]
    )


_RatedPairs = Mapping[tuple[str, str], Sequence[tuple[str, str, float]]]
"""Two readers and their sigma, for each rated pair of a document and system."""


def _rated_pairs(divergences: HumanDivergences) -> _RatedPairs:
    pairs: dict[tuple[str, str], list[tuple[str, str, float]]] = defaultdict(list)
    for pair, sigma in divergences.divergences.items():
        pairs[pair.doc_id, pair.system].append((pair.reader_a, pair.reader_b, sigma))
    return pairs


def _rated_block(
    block: DistanceBlock, systems: Sequence[str], corpus: Corpus, rated: _RatedPairs
) -> DistanceBlock:
    gold = _divergence_matrices(block, GOLD, corpus, rated)
    by_system = np.stack([_divergence_matrices(block, system, corpus, rated) for system in systems])
    return replace(block, gold=gold, systems=by_system)


def _divergence_matrices(block: DistanceBlock, system: str, corpus: Corpus, rated: _RatedPairs) -> FloatArray:
    """(B, n, n): human sigma, the same in both directions."""
    matrices = np.full(block.gold.shape, np.nan)
    for row, index in enumerate(block.documents.tolist()):
        document = corpus.documents[index]
        index_of = {reader: number for number, reader in enumerate(document.references)}
        for first, second, sigma in rated.get((document.id, system), ()):
            if first in index_of and second in index_of:
                j, k = index_of[first], index_of[second]
                matrices[row, j, k] = matrices[row, k, j] = sigma
    return matrices
