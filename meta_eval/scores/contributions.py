"""Scores per document first, per system from them: every aggregate is a weighting of one matrix."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.errors import InputError
from meta_eval.files.frames import Brief
from meta_eval.scores.degress import degress_by_reader, deviation, masked_mean
from meta_eval.scores.egises import egises_of
from meta_eval.scores.names import ScoreName
from meta_eval.scores.penalties import P_ACC, AccuracyPenalty
from meta_eval.scores.perseval import (
    EDP_READERS_BEFORE,
    EdpReaders,
    PenaltyOptions,
    check_edp_readers,
    choose_edp_readers,
    effective_penalty,
)

_CELLS = 1 << 18
"""How many distances of systems are worked on at a time: bounds memory, changes no result."""

IncludeSelf = bool | Literal["softmax"]
"""Where k = j counts: nowhere, in softmax and mean (True), or in the softmax's denominator alone."""


@dataclass(frozen=True, slots=True)
class ScoreOptions:
    """`include_self` counts k = j too, as PerSEval's printed sum does (protocol 3: not the default), or in
    the softmax alone, as the code of the EGISES thesis does.

    `edp_readers` says over whose accuracy distances the penalty's least and mean run where some pairs alone
    were rated (protocol 8); None: as the mode of the measure has it (`of_mode`). It changes neither DEGRESS
    nor scores of a whole corpus, where all readers count.
    `p_acc` shapes P-Acc, which automatic scores have beside PerSEval (protocol 5).
    """

    penalty: PenaltyOptions = field(default_factory=PenaltyOptions)
    include_self: IncludeSelf = False
    edp_readers: EdpReaders | None = None
    p_acc: AccuracyPenalty = field(default_factory=AccuracyPenalty)

    def __post_init__(self) -> None:
        if self.edp_readers is not None:
            check_edp_readers(self.edp_readers)

    def of_mode(self, mode: str) -> "ScoreOptions":
        """The same for human scores by measures in this mode, the readers of the penalty chosen."""
        return replace(self, edp_readers=choose_edp_readers(self.edp_readers, mode))

    @property
    def record(self) -> dict[str, Any]:
        """What each record of a score says of them.

        Human scores name `edp_readers`, too, and automatic ones alpha and beta of P-Acc.
        """
        return {**asdict(self.penalty), "include_self": self.include_self}


OPTIONS_BEFORE: Mapping[str, Any] = {
    "edp_readers": EDP_READERS_BEFORE,
    "alpha": PenaltyOptions().alpha,
    "gamma": PenaltyOptions().gamma,
    "p_acc_alpha": P_ACC.alpha,
    "p_acc_beta": P_ACC.beta,
    "tokeniser": None,
}
"""What a report was made with that was kept before these could be chosen, so does not name them."""


SCORE_ARRAYS = ("degress", "perseval", "accuracy", "penalty")
"""Names of the arrays of contributions that hold numbers; `pairs` holds counts."""


@dataclass(frozen=True, slots=True, repr=False)
class Contributions(Brief):
    """Each document's share in each system's scores: arrays (systems, documents), NaN where there is none.

    `degress` and `perseval` in [0, 1], higher is better; `accuracy` is 1 - the mean of sigma(s_j, u_j);
    `penalty` the mean of EDP_j over the readers that enter DEGRESS: 1 lowers nothing, 0 all of it;
    `pairs` the reader pairs (unordered) that entered.
    """

    systems: tuple[str, ...]
    documents: tuple[str, ...]
    degress: FloatArray
    perseval: FloatArray
    accuracy: FloatArray
    penalty: FloatArray
    pairs: IntArray

    def brief(self) -> tuple[str, str]:
        return f"{len(self.systems)} systems, {len(self.documents):,} documents", ", ".join(self.systems)

    def matrix(self, score: ScoreName) -> FloatArray:
        """(S, D): each document's share in one of the scores."""
        return choose_score(score, self.degress, self.perseval)

    @property
    def in_order(self) -> "Contributions":
        """The same with its documents by id, so that what is drawn of them depends on no file's order."""
        order = sorted(range(len(self.documents)), key=self.documents.__getitem__)
        arrays = {name: getattr(self, name)[:, order] for name in (*SCORE_ARRAYS, "pairs")}
        return replace(self, documents=tuple(self.documents[at] for at in order), **arrays)

    def without(self, systems: Collection[str]) -> "Contributions":
        """The same, with nothing for some systems."""
        gone = np.array([name in systems for name in self.systems])[:, None]
        return replace(
            self,
            degress=np.where(gone, np.nan, self.degress),
            perseval=np.where(gone, np.nan, self.perseval),
            accuracy=np.where(gone, np.nan, self.accuracy),
            penalty=np.where(gone, np.nan, self.penalty),
            pairs=np.where(gone, 0, self.pairs),
        )

    def leave_out(self, systems: Collection[str]) -> "Contributions":
        """The same, as if there were no such systems."""
        kept = [row for row, name in enumerate(self.systems) if name not in systems]
        return Contributions(
            tuple(self.systems[row] for row in kept),
            self.documents,
            self.degress[kept],
            self.perseval[kept],
            self.accuracy[kept],
            self.penalty[kept],
            self.pairs[kept],
        )

    def system_scores(self) -> dict[str, "SystemScore"]:
        """Scores by system: the means over the documents that have them."""
        scored = np.isfinite(self.degress)
        accuracy = np.where(scored, self.accuracy, np.nan)
        return {
            name: SystemScore(
                documents=int(scored[row].sum()),
                pairs=int(self.pairs[row].sum()),
                degress=mean_or_none(self.degress[row]),
                perseval=mean_or_none(self.perseval[row]),
                accuracy=mean_or_none(accuracy[row]),
            )
            for row, name in enumerate(self.systems)
        }


@dataclass(frozen=True, slots=True)
class SystemScore:
    """One system under one measure; None where no document has the score."""

    documents: int
    pairs: int
    degress: float | None
    perseval: float | None
    accuracy: float | None

    @property
    def egises(self) -> float | None:
        return None if self.degress is None else egises_of(self.degress)

    def as_dict(self) -> Mapping[str, Any]:
        return {
            "documents": self.documents,
            "pairs": self.pairs,
            "accuracy": self.accuracy,
            "degress": self.degress,
            "egises": self.egises,
            "perseval": self.perseval,
        }


def choose_score(score: ScoreName, degress: FloatArray, perseval: FloatArray) -> FloatArray:
    """One of the scores, of which EGISES follows from DEGRESS."""
    if score == "perseval":
        return perseval
    return egises_of(degress) if score == "egises" else degress


def mean_or_none(values: FloatArray) -> float | None:
    """The mean of what is there, None if nothing is."""
    present = values[np.isfinite(values)]
    return float(present.mean()) if present.size else None


def require_scores(scores: Contributions) -> Contributions:
    """The same, if any document of any system has a score; raises `InputError` otherwise."""
    if np.isfinite(scores.degress).any():
        return scores
    raise InputError(
        f"nothing can be scored: none of {len(scores.documents)} documents has two readers whose references, "
        "and whose summaries by one system, have distances to compare"
    )


def score_contributions(source: DistanceSource, options: ScoreOptions | None = None) -> Contributions:
    """DEGRESS, PerSEval, accuracy and penalty of every document and system.

    Parameters
    ----------
    source : DistanceSource
        A table of distances, or a stream: blocks are read one after another and not kept.
    options : ScoreOptions, optional
        The penalty of PerSEval, and whether a reader counts with itself.

    Returns
    -------
    Contributions
        Arrays of shape (systems, documents), NaN where there is no score.

    References
    ----------
    PerSEval, eq. 1 to 7; protocol 3 and 4.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": references, "C": dict.fromkeys(references, "sun")}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, systems),))
    >>> scores = score_contributions(compute_distances(corpus, make_measure("rouge-l")))
    >>> scores.systems, scores.degress.round(2).tolist()
    (('A', 'C'), [[1.0], [0.0]])
    """
    return score_blocks(source.blocks, source.systems, source.documents, options or ScoreOptions())


def score_blocks(
    blocks: Iterable[DistanceBlock],
    systems: tuple[str, ...],
    documents: tuple[str, ...],
    options: ScoreOptions,
    at: Sequence[int] | None = None,
) -> Contributions:
    """The same of some blocks. `at`: the numbers by which they know `documents`, ascending."""
    shape = (len(systems), len(documents))
    degress, perseval, accuracy, penalty = (np.full(shape, np.nan) for _ in range(4))
    pairs = np.zeros(shape, dtype=np.int64)
    for block in blocks:
        columns = block.documents if at is None else np.searchsorted(at, block.documents)
        for rows in _rows_at_once(block):
            scores = _score_block(block, rows, options)
            cells = (rows, columns)
            degress[cells], perseval[cells], accuracy[cells], penalty[cells], pairs[cells] = scores
    return Contributions(systems, documents, degress, perseval, accuracy, penalty, pairs)


def _rows_at_once(block: DistanceBlock) -> Iterator[slice]:
    """The systems, so many at a time that what is made of them stays small; one at least."""
    step = max(1, _CELLS // max(1, block.gold.size))
    return (slice(start, start + step) for start in range(0, len(block.systems), step))


def _score_block(
    block: DistanceBlock, row: int | slice, options: ScoreOptions
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray, IntArray]:
    """(B,) each: DEGRESS, PerSEval, accuracy and penalty of one system, and the reader pairs that entered.

    (S, B) each for the systems of a slice.
    """
    present = present_pairs(block, row)
    gold, system, pairs = block.gold, block.systems[row], present
    if options.include_self:
        gold, system, pairs = with_self(gold, system, present)
    x = deviation(gold, block.gold_document, pairs)
    y = deviation(system, None if block.systems_document is None else block.systems_document[row], pairs)
    by_reader = degress_by_reader(x, y, present if options.include_self == "softmax" else pairs)
    distances = block.systems_gold[row]
    penalty = reader_penalty(block, row, options)
    effective = by_reader * penalty
    return (
        masked_mean(by_reader, np.isfinite(by_reader)),
        masked_mean(effective, np.isfinite(effective)),
        1.0 - masked_mean(distances, np.isfinite(distances)),
        masked_mean(penalty, np.isfinite(effective)),
        (present | present.swapaxes(-1, -2)).sum(axis=(-2, -1)) // 2,
    )


def present_pairs(block: DistanceBlock, row: int | slice) -> BoolArray:
    """(B, n, n), for several systems (S, B, n, n): the pairs (j, k) that enter, the same on both sides.

    A reader j without an accuracy distance is left out of DEGRESS too, so that PerSEval <= DEGRESS holds.
    """
    present: BoolArray = np.isfinite(block.gold) & np.isfinite(block.systems[row])
    present = present & np.isfinite(block.systems_gold[row])[..., :, None]
    if block.gold_document is not None and block.systems_document is not None:
        rows = np.isfinite(block.gold_document) & np.isfinite(block.systems_document[row])
        present = present & rows[..., :, None]
    return present


def reader_penalty(block: DistanceBlock, row: int | slice, options: ScoreOptions) -> FloatArray:
    """(B, n), for several systems (S, B, n): EDP_j, NaN for a reader who is out of the penalty.

    With `edp_readers` "document", or none chosen, every accuracy distance of the document counts, whoever was
    rated; else those of the readers who have a pair ("rated"), or who come first in one ("first").
    """
    distances = block.systems_gold[row]
    if options.edp_readers in (None, "document"):
        spread = None if block.spread is None else block.spread[row]
        return effective_penalty(distances, options.penalty, spread)
    pairs = np.isfinite(block.gold) & np.isfinite(block.systems[row])
    counted = (pairs if options.edp_readers == "rated" else np.triu(pairs)).any(axis=-1)
    return effective_penalty(np.where(counted, distances, np.nan), options.penalty)


def with_self(
    gold: FloatArray, system: FloatArray, pairs: BoolArray
) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Adds k = j at distance 0 for every reader that has a pair."""
    diagonal = np.eye(gold.shape[-1], dtype=bool) & pairs.any(axis=-1, keepdims=True)
    return np.where(diagonal, 0.0, gold), np.where(diagonal, 0.0, system), pairs | diagonal
