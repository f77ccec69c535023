"""Do two measures deviate alike? The deviation of each pair of readers by one, against that by another.

The thesis asks it of word distributions, whose agreement with people nobody has measured, against ROUGE-L, of
which it is known (section 6.1): for authors of a measure who have no survey yet.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from meta_eval.arrays import FloatArray, IntArray, Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.errors import InputError
from meta_eval.scores.degress import ratio_to_document
from meta_eval.stats.reader_pairs.pairs import CoReaders, align_pairs, means_by_pair
from meta_eval.stats.reader_pairs.samples import Sampling, coefficient_records

Form = Literal["means", "ratios"]
FORMS: Mapping[Form, str] = {
    "means": "Mean distances over documents first, then the smaller over the larger",
    "ratios": "The smaller over the larger of each document first, weighted, then their mean",
}
"""In which order a deviation takes its means: the thesis' ROUGE-L-Dev and DINS-Dev differ in it."""

Weight = Literal["ratio", "softmax"]
"""What weighs a document's distance in the form "ratios": its ratio to the document, as the thesis' code
does, or the printed softmax over the other readers, of whom there is one, so that it is 1."""


@dataclass(frozen=True, slots=True)
class PairDeviations:
    """The deviation of each pair of readers by one measure: `values` (S, P) in [0, 1], NaN where missing.

    1: the summaries of two readers lie as far apart as their references; 0: they do not differ, or only they
    do. `pairs` (P, 2) numbers the readers in `readers`.
    """

    systems: tuple[str, ...]
    readers: tuple[str, ...]
    pairs: IntArray
    values: FloatArray


def deviations_by_pair(
    corpus: Corpus,
    source: DistanceSource,
    *,
    form: Form,
    weight: Weight = "ratio",
    co_readers: CoReaders = "all",
) -> PairDeviations:
    """The deviation of each system for each pair of readers, over the documents that both wrote for.

    "means" (ROUGE-L-Dev): min(r_U, r_S) / max(r_U, r_S) of the mean distances between their references and
    between their summaries; without a value where both are 0. "ratios" (DINS-Dev): the mean over documents
    and both orders of min(x, y) / max(x, y), 0 where both are 0, with x = w sigma(u_j, u_k),
    w = sigma(u_j, u_k) / sigma(u_j, d) and y the same of the summaries.

    Parameters
    ----------
    corpus : Corpus
    source : DistanceSource
        Its distances by one measure, with those to the documents where `weight` is "ratio".
    form : {"means", "ratios"}
    weight : {"ratio", "softmax"}
        Of the form "ratios" alone.
    co_readers : {"all", "last"}
        "last" repeats the thesis' notebook: one co-reader a reader and document, and no pair with a
        mean distance of 0.

    Returns
    -------
    PairDeviations

    Raises
    ------
    InputError
        Where "ratios" by ratio lacks the distances to the documents.

    References
    ----------
    Vansh 2023 (thesis), section 6.1.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"copies": references, "fixed": dict.fromkeys(references, "rain and sun")}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, systems),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> found = deviations_by_pair(corpus, table, form="means")
    >>> found.systems, found.values.tolist()
    (('copies', 'fixed'), [[1.0], [0.0]])
    """
    if form == "ratios" and weight == "ratio" and source.normalise != "document":
        raise InputError(
            "deviations as ratios weigh by the distance to the document: ask for normalise=document, or for "
            "weight=softmax"
        )

    def quantities(block: DistanceBlock, row: int) -> list[FloatArray]:
        found = [block.gold, block.systems[row]]
        return found if form == "means" else [*found, deviation_ratios(block, row, weight)]

    gathered = means_by_pair(
        corpus,
        source,
        quantities,
        count=2 if form == "means" else 3,
        ordered=False,
        co_readers=co_readers,
    )
    return _by_pair(source.systems, corpus.readers, gathered, form, drop_zeros=co_readers == "last")


def deviation_ratios(block: DistanceBlock, row: int, weight: Weight) -> FloatArray:
    """(B, n, n): min(x, y) / max(x, y) of one system for each ordered pair of readers; 0 where both are 0."""
    x, y = block.gold, block.systems[row]
    if weight == "ratio" and block.gold_document is not None and block.systems_document is not None:
        x = ratio_to_document(x, block.gold_document) * x
        y = ratio_to_document(y, block.systems_document[row]) * y
    return _smaller_over_larger(x, y, of_zeros=0.0)


def _smaller_over_larger(x: FloatArray, y: FloatArray, *, of_zeros: float) -> FloatArray:
    """min(x, y) / max(x, y); `of_zeros` where both are 0, NaN where one is missing."""
    low, high = np.minimum(x, y), np.maximum(x, y)
    rest = np.where(np.isfinite(high), of_zeros, np.nan)
    ratio: FloatArray = np.divide(low, high, out=rest, where=high > 0.0)
    return ratio


def _by_pair(
    systems: tuple[str, ...],
    readers: tuple[str, ...],
    gathered: list[tuple[IntArray, FloatArray]],
    form: Form,
    *,
    drop_zeros: bool,
) -> PairDeviations:
    """All systems over the same pairs: those that any of them has."""
    found = []
    for keys, means in gathered:
        deviations = means[-1]
        if form == "means":
            deviations = _smaller_over_larger(means[0], means[1], of_zeros=np.nan)
        if drop_zeros:
            deviations = np.where((means[0] > 0.0) & (means[1] > 0.0), deviations, np.nan)
        found.append((keys, deviations))
    every, values = align_pairs(found)
    pairs = np.stack(np.divmod(every, max(len(readers), 1)), axis=-1)
    return PairDeviations(systems, tuple(readers), pairs, values)


def study_deviations(
    first: PairDeviations,
    second: PairDeviations,
    sampling: Sampling,
    *,
    progress: Progress | None = None,
) -> list[dict[str, Any]]:
    """How alike two measures' deviations are over pairs of readers, by system, coefficient and share.

    Parameters
    ----------
    first, second : PairDeviations
        Of the same corpus and systems.
    sampling : Sampling
    progress : function, optional
        Called with how many records there are, and how many there will be.

    Returns
    -------
    list of dict
        `system`, what `coefficient_records` gives, and `left_out`: the pairs of readers with a document in
        common of which a side has no deviation.

    References
    ----------
    Vansh 2023 (thesis), section 6.1: its figures are box plots of these samples.

    Examples
    --------
    >>> pairs = np.array([[0, 1], [0, 2], [1, 2]])
    >>> one = PairDeviations(("A",), ("ann", "bob", "cy"), pairs, np.array([[0.5, 0.2, 0.1]]))
    >>> sampling = Sampling(shares=(1.0,), samples=1, resamples=0, coefficients=("pearson",))
    >>> found = study_deviations(one, one, sampling)[0]
    >>> found["system"], round(found["value"], 9), found["pairs"]
    ('A', 1.0, 3)
    """
    records: list[dict[str, Any]] = []
    total = len(first.systems) * len(sampling.coefficients) * len(sampling.shares)
    common, mine, theirs = common_pairs(first, second)
    for row, system in enumerate(first.systems):
        x, y = first.values[row, mine], second.values[second.systems.index(system), theirs]
        both = np.isfinite(x) & np.isfinite(y)
        head = {"system": system, "left_out": int((~both).sum())}
        for record in coefficient_records(x[both], y[both], common[both], sampling):
            records.append({**head, **record})
            if progress:
                progress(len(records), total)
    return records


def common_pairs(first: PairDeviations, second: PairDeviations) -> tuple[IntArray, IntArray, IntArray]:
    """The pairs that both sides know, (P, 2), and where each has them."""
    width = len(first.readers)
    one, other = (side.pairs[:, 0] * width + side.pairs[:, 1] for side in (first, second))
    _, mine, theirs = np.intersect1d(one, other, return_indices=True)
    return first.pairs[mine], mine, theirs
