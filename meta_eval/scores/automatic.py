"""Automatic scores: one record per system and measure, as the command line and the site show it."""

from collections.abc import Iterable, MutableMapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.tables import as_corpus
from meta_eval.distances.computing import DistanceSource, DistanceStream, Normalise
from meta_eval.distances.coverage import (
    Coverage,
    UnseenTextsError,
    describe_seen,
    look_at,
    unseen_systems,
)
from meta_eval.distances.store.pairs import Span
from meta_eval.files.frames import Tabular
from meta_eval.measures.base import Measure
from meta_eval.measures.registry import as_measure
from meta_eval.scores.contributions import (
    Contributions,
    ScoreOptions,
    SystemScore,
    require_scores,
)
from meta_eval.scores.penalties import penalised_accuracy
from meta_eval.scores.shard_scores import ShardScores, join_shards

if TYPE_CHECKING:
    from pandas import DataFrame

    from meta_eval.distances.store.distance_store import DistanceStore
    from meta_eval.files.reading import Source


@dataclass(frozen=True, slots=True, repr=False)
class AutomaticScores(Tabular):
    """The scores of all systems under one measure, with what they came from."""

    caption: ClassVar[str] = "Automatic scores"
    shown: ClassVar[Sequence[str]] = (
        "system",
        "measure",
        "accuracy",
        "degress",
        "egises",
        "perseval",
        "p_acc",
        "documents",
        "pairs",
    )

    contributions: Contributions
    distances: DistanceSource
    options: ScoreOptions
    coverage: Coverage | None = None

    def records(self) -> list[dict[str, Any]]:
        """One record per system: system, measure, normalise, counts, scores and the measure's signature.

        `texts` counts what was compared, each text as often as it stands, and `left_out` its `empty_texts`.
        Of a measure over words `coverage` says how much it sees of the texts, and `reason` why there is no
        score where it sees too little.
        """
        source = self.distances
        head = {"measure": source.signature.measure, "normalise": source.normalise}
        tail = {
            **self.options.record,
            "p_acc_alpha": self.options.p_acc.alpha,
            "p_acc_beta": self.options.p_acc.beta,
            "texts": source.counts.texts,
            "left_out": {
                "documents_with_one_reader": len(source.documents) - source.counts.documents,
                "empty_texts": source.counts.empty,
                "missing_distances": source.counts.missing,
            },
            "signature": source.signature.as_dict(),
        }
        return [
            {
                "system": system,
                **head,
                **score.as_dict(),
                "p_acc": self._p_acc(score),
                **describe_seen(self.coverage, system),
                **tail,
            }
            for system, score in self.contributions.system_scores().items()
        ]

    def _p_acc(self, score: SystemScore) -> float | None:
        """With mode kdm that of the mean distance, as PerSEval's Table 8 was made (protocol 5)."""
        accuracy = score.accuracy
        if accuracy is not None and self.distances.signature.mode == "kdm":
            accuracy = 1.0 - accuracy
        return penalised_accuracy(accuracy, score.egises, **asdict(self.options.p_acc))


class UnscoredError(UnseenTextsError):
    """No system has a score, because the measure does not see the texts; `scores` say so one by one."""

    def __init__(self, reason: str, scores: AutomaticScores) -> None:
        super().__init__(reason)
        self.scores = scores


def score_systems(
    corpus: "Corpus | Source | DataFrame",
    measure: Measure | str,
    *,
    systems: Iterable[str] | None = None,
    normalise: Normalise = "document",
    options: ScoreOptions | None = None,
    progress: Progress | None = None,
    store: "DistanceStore | None" = None,
) -> AutomaticScores:
    """Score systems under one measure: accuracy, DEGRESS, EGISES and PerSEval.

    Distances are held for one shard of documents at a time, and kept in the `store` if there is one.

    Parameters
    ----------
    corpus : Corpus
        From `read_corpus`, or what it takes: a path or a data frame.
    measure : Measure or str
        From `make_measure`, or as one word: "rouge-l", "bleu:n=2".
    systems : iterable of str, optional
        Default: all.
    normalise : {"document", "none"}
        Whether distances between texts are weighed by those to the document.
    options : ScoreOptions, optional
        Their `edp_readers` is of human scores: here all readers count.
    progress : callable, optional
        Called with how many documents are done, and of how many.
    store : DistanceStore, optional

    Returns
    -------
    AutomaticScores
        `records()` gives one record per system, `contributions` the scores per document.

    Raises
    ------
    InputError
        If nothing can be scored, or the corpus lacks a system.
    MissingTextError
        For "document" where a document has no text.
    UnseenTextsError
        If the measure drops most letters of the texts, or does not cut them into words.
    TypeError
        For an argument of another kind; it names the parameter.

    References
    ----------
    PerSEval, eq. 1 to 7; protocol 3 and 4.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": references, "C": dict.fromkeys(references, "sun")}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, systems),))
    >>> scores = score_systems(corpus, make_measure("rouge-l"))
    >>> [(record["system"], round(record["egises"], 2)) for record in scores.records()]
    [('A', 0.0), ('C', 1.0)]
    """
    corpus, measure = as_corpus(corpus), as_measure(measure)
    stream = DistanceStream(
        corpus, measure, systems=systems, normalise=normalise, progress=progress, store=store
    )
    return score_stream(corpus, measure, stream, options or ScoreOptions())


def score_stream(
    corpus: Corpus,
    measure: Measure,
    stream: DistanceStream,
    options: ScoreOptions,
    kept: MutableMapping[Span, ShardScores] | None = None,
) -> AutomaticScores:
    """As `score_systems`, of the corpus and measure of a stream; scores of shards may be `kept` already."""
    options, measure = automatic_options(options), measure.settle(corpus)
    contributions = join_shards(stream, options, kept).in_order
    coverage = look_at(corpus, measure, stream.systems, with_documents=stream.normalise == "document")
    unseen = unseen_systems(coverage)
    scores = AutomaticScores(contributions.without(unseen), stream, options, coverage)
    if len(unseen) == len(stream.systems):
        raise UnscoredError(next(iter(unseen.values())), scores)
    require_scores(scores.contributions)
    return scores


def automatic_options(options: ScoreOptions) -> ScoreOptions:
    """The same for automatic scores, where all readers of a document enter the penalty."""
    return replace(options, edp_readers="document")
