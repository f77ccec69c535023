"""Stability as the authors' released code has it: pairs of readers are drawn, not documents (protocol 10).

A sample loses readers, so the least and the mean accuracy distance of a document change with its size, and
PerSEval drifts: `stability` draws documents. Kept to reproduce the published numbers.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.errors import InputError
from meta_eval.scores.contributions import ScoreOptions
from meta_eval.scores.degress import masked_mean
from meta_eval.scores.egises import egises_of
from meta_eval.scores.names import ScoreName
from meta_eval.scores.pairs import ordered_pairs
from meta_eval.scores.perseval import PenaltyOptions, effective_penalty
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.rankings.stability import SAMPLES, SHARES, Stability, gather_stability
from meta_eval.stats.resampling.weights import mean_scores


@dataclass(frozen=True, slots=True)
class PairedReaders:
    """Ordered reader pairs of one system: P pairs of N readers (places in documents) in D documents.

    `degress` (P,) of each pair and `reader` (P,) its first reader, a place in the (D, readers) array
    `accuracy` of distances to the own reference, NaN where no reader stands.
    """

    degress: FloatArray
    reader: IntArray
    accuracy: FloatArray

    @property
    def documents(self) -> int:
        """How many documents have a pair."""
        return len(np.unique(self.reader // self.accuracy.shape[1]))

    def score(self, drawn: BoolArray, score: ScoreName, penalty: PenaltyOptions) -> float:
        """The system's score from the pairs that were drawn (P,); NaN if none was.

        DEGRESS of a document is the mean over its pairs, PerSEval that over the readers who have one left.
        """
        shape, reader, degress = self.accuracy.shape, self.reader[drawn], self.degress[drawn]
        counts = np.bincount(reader, minlength=self.accuracy.size).reshape(shape)
        sums = np.bincount(reader, degress, minlength=self.accuracy.size).reshape(shape)
        if score != "perseval":
            total, pairs = sums.sum(axis=1), counts.sum(axis=1)
            by_document = np.divide(total, pairs, out=np.full(len(total), np.nan), where=pairs > 0)
            mean = float(mean_scores(by_document))
            return egises_of(mean) if score == "egises" else mean
        left = counts > 0
        by_reader = np.divide(sums, counts, out=np.full(shape, np.nan), where=left)
        effective = by_reader * effective_penalty(np.where(left, self.accuracy, np.nan), penalty)
        return float(mean_scores(masked_mean(effective, left)))


def measure_pair_stability(
    source: DistanceSource,
    score: ScoreName,
    *,
    rng: np.random.Generator,
    options: ScoreOptions | None = None,
    shares: Sequence[float] = SHARES,
    samples: int = SAMPLES,
    coefficients: Sequence[Coefficient] = COEFFICIENTS[1:],
) -> Stability:
    """As `measure_stability`, with each system's own draws of a share of its ordered reader pairs.

    What a pair has, it has from all readers of its document: the draw comes after the softmax.

    Parameters
    ----------
    source : distances of a corpus by one measure
    score : "degress", "egises" or "perseval"
    rng : draws the pairs
    options : how the systems are scored; by default as the protocol does
    shares : of the pairs, each above 0 and at most 1
    samples : how many for each share
    coefficients : of `ALL_COEFFICIENTS`, of the samples' scores with the full ones

    Returns
    -------
    Stability

    Raises
    ------
    InputError : where a system has no pair of readers

    References
    ----------
    PerSEval, section 7.2; protocol 9.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "sun in the sun"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> source = compute_distances(corpus, make_measure("rouge-l"))
    >>> found = measure_pair_stability(source, "degress", rng=np.random.default_rng(0), shares=(1.0,))
    >>> [round(share.mean, 6) for share in found.shares]
    [1.0, 1.0]
    """
    options = options or ScoreOptions()
    found = gather_pairs(source, options)
    if not found or not all(len(one.degress) for one in found):
        raise InputError("a system has no pair of readers, so none can be drawn")

    def sample(share: float) -> FloatArray:
        return np.array(
            [
                [one.score(_draw(len(one.degress), share, rng), score, options.penalty) for one in found]
                for _ in range(samples)
            ]
        )

    full = np.array(
        [one.score(np.ones(len(one.degress), dtype=bool), score, options.penalty) for one in found]
    )
    return gather_stability(
        full,
        {share: sample(share) for share in shares},
        systems=source.systems,
        documents=dict.fromkeys(shares, max(one.documents for one in found)),
        coefficients=coefficients,
    )


def _draw(pairs: int, share: float, rng: np.random.Generator) -> BoolArray:
    drawn = np.zeros(pairs, dtype=bool)
    drawn[rng.permutation(pairs)[: max(1, round(share * pairs))]] = True
    return drawn


def gather_pairs(source: DistanceSource, options: ScoreOptions) -> list[PairedReaders]:
    """The pairs of each system, in the order of the source's systems."""
    blocks = [list(_of_block(block, len(source.systems), options)) for block in source.blocks]
    return [_joined([block[row] for block in blocks]) for row in range(len(source.systems)) if blocks]


def _of_block(
    block: DistanceBlock, systems: int, options: ScoreOptions
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """DEGRESS (B, n, n) of each ordered pair and accuracy distances (B, n), system after system."""
    for row in range(systems):
        yield ordered_pairs(block, row, options), block.systems_gold[row]


def _joined(blocks: Sequence[tuple[FloatArray, FloatArray]]) -> PairedReaders:
    """Documents of all blocks below each other, their readers in as many places as the most have."""
    width = max(accuracy.shape[1] for _, accuracy in blocks)
    degress, reader, rows, start = [], [], [], 0
    for pairs, accuracy in blocks:
        document, first, second = np.nonzero(np.isfinite(pairs))
        degress.append(pairs[document, first, second])
        reader.append((start + document) * width + first)
        rows.append(np.pad(accuracy, ((0, 0), (0, width - accuracy.shape[1])), constant_values=np.nan))
        start += len(accuracy)
    return PairedReaders(np.concatenate(degress), np.concatenate(reader), np.concatenate(rows))
