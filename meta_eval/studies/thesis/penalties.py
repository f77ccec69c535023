"""ROUGE against P-ROUGE over pairs of readers (the thesis' section 6.2), and why the agreement shows nothing.

P-ROUGE is ROUGE times ROUGE_Unit, which lies in [1 - alpha, 1 - alpha / 2] whatever the summaries are. Where
EGISES is several times ROUGE, as on real data, it hardly moves, so the two correlate near 1 by construction.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceBlock, DistanceSource
from meta_eval.errors import InputError
from meta_eval.scores.penalties import AccuracyPenalty, rouge_unit
from meta_eval.stats.coefficients.partial import correlate_given
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.reader_pairs.deviation import Weight, deviation_ratios
from meta_eval.stats.reader_pairs.pairs import CoReaders, align_pairs, means_by_pair
from meta_eval.stats.reader_pairs.samples import Sampling, coefficient_records


@dataclass(frozen=True, slots=True)
class PairPenalties:
    """ROUGE, EGISES and P-ROUGE of each ordered pair of readers: arrays (S, 2, P), NaN where missing.

    `pairs` (P, 2) numbers the readers j < k in `readers`; the second axis is the order: j with k, k with j.
    """

    systems: tuple[str, ...]
    readers: tuple[str, ...]
    pairs: IntArray
    rouge: FloatArray
    egises: FloatArray
    penalised: FloatArray


def penalties_by_pair(
    corpus: Corpus,
    accuracy: DistanceSource,
    egises: DistanceSource,
    penalty: AccuracyPenalty | None = None,
    *,
    weight: Weight = "ratio",
    co_readers: CoReaders = "all",
) -> PairPenalties:
    """ROUGE and P-ROUGE of each pair of readers, from the accuracy by one measure and EGISES by another.

    R_j is the mean over the documents that j and k both wrote for of 1 - sigma(s_j, u_j), E_j is 1 - the mean
    of min(x, y) / max(x, y) as of `deviations_by_pair`, and P_j = R_j ROUGE_Unit(R_j, E_j), 0 where R_j is.

    Parameters
    ----------
    corpus : Corpus
    accuracy, egises : DistanceSource
        Its distances by the measure of accuracy (ROUGE-L in the thesis) and by that of EGISES, for the same
        systems; the second with the distances to the documents where `weight` is "ratio".
    penalty : AccuracyPenalty, optional
        alpha and beta.
    weight, co_readers
        As of `deviations_by_pair`.

    Returns
    -------
    PairPenalties

    Raises
    ------
    InputError
        Where the distances to the documents are needed and missing.

    References
    ----------
    Vansh 2023 (thesis), section 6.2.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "Weather", "Rain and sun.", references, {"A": references}),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> penalties_by_pair(corpus, table, table).penalised.tolist()
    [[[0.75], [0.75]]]
    """
    if weight == "ratio" and egises.normalise != "document":
        raise InputError(
            "EGISES over pairs of readers weighs by the distance to the document: ask for "
            "normalise=document, or for weight=softmax"
        )
    shape = penalty or AccuracyPenalty()
    keys, rouge = _ordered_means(corpus, accuracy, _accuracy, co_readers)
    others, similarity = _ordered_means(
        corpus, egises, lambda block, row: deviation_ratios(block, row, weight), co_readers
    )
    common, mine, theirs = np.intersect1d(keys, others, return_indices=True)
    order = [egises.systems.index(system) for system in accuracy.systems]
    found, insensitivity = rouge[:, mine], 1.0 - similarity[order][:, theirs]
    with np.errstate(divide="ignore", invalid="ignore"):
        penalised = found * rouge_unit(found, insensitivity, alpha=shape.alpha, beta=shape.beta)
    penalised = np.where(found == 0.0, 0.0, penalised)
    pairs, places = _both_orders(common, len(corpus.readers))
    taken = (_take(values, places) for values in (found, insensitivity, penalised))
    return PairPenalties(accuracy.systems, tuple(corpus.readers), pairs, *taken)


def _accuracy(block: DistanceBlock, row: int) -> FloatArray:
    """(B, n, n): 1 - sigma(s_j, u_j) at each place of reader j."""
    return np.broadcast_to(1.0 - block.systems_gold[row][..., :, None], block.gold.shape)


def _ordered_means(
    corpus: Corpus, source: DistanceSource, quantity: Any, co_readers: CoReaders
) -> tuple[IntArray, FloatArray]:
    """The ordered pairs of readers (K,) that any system has, and the mean of a quantity for each, (S, K)."""
    found = means_by_pair(
        corpus,
        source,
        lambda block, row: [quantity(block, row)],
        count=1,
        ordered=True,
        co_readers=co_readers,
    )
    return align_pairs([(keys, means[0]) for keys, means in found])


def _both_orders(keys: IntArray, readers: int) -> tuple[IntArray, IntArray]:
    """The pairs j < k (P, 2), and where in `keys` each of their orders is, (2, P); -1 where it is not."""
    first, second = np.divmod(keys, max(readers, 1))
    low, high = np.minimum(first, second), np.maximum(first, second)
    pairs = np.unique(low * readers + high)
    orders = np.stack([pairs, pairs % max(readers, 1) * readers + pairs // max(readers, 1)])
    places = np.searchsorted(keys, orders)
    there = keys[np.minimum(places, max(len(keys) - 1, 0))] == orders if len(keys) else orders < 0
    return np.stack(np.divmod(pairs, max(readers, 1)), axis=-1), np.where(there, places, -1)


def _take(values: FloatArray, places: IntArray) -> FloatArray:
    """(S, K) at places (2, P): (S, 2, P), NaN where there is none."""
    taken: FloatArray = np.where(places < 0, np.nan, np.pad(values, ((0, 0), (0, 1)))[:, places])
    return taken


def study_penalties(found: PairPenalties, sampling: Sampling) -> list[dict[str, Any]]:
    """How alike ROUGE and P-ROUGE rank pairs of readers, with what tells whether that could be otherwise.

    A pair's value is the mean of its two orders, on either side.

    Parameters
    ----------
    found : PairPenalties
    sampling : Sampling

    Returns
    -------
    list of dict
        One a system, coefficient and share: `system`; `rouge`, `egises` and `p_rouge`, the means over ordered
        pairs of readers; `unit_low` and `unit_high`, the range of ROUGE_Unit; those of `coefficient_records`;
        `partial`, the coefficient of P-ROUGE and EGISES given ROUGE, below 0 where the penalty adds something
        to ROUGE; and `left_out`, the pairs without a value.

    References
    ----------
    Vansh 2023 (thesis), section 6.2, whose headline numbers are sums over the readers and not means.

    Examples
    --------
    >>> pairs, rouge = np.array([[0, 1], [0, 2]]), np.array([[[0.2, 0.4], [0.2, 0.4]]])
    >>> found = PairPenalties(("A",), ("ann", "bob", "cy"), pairs, rouge, rouge * 0 + 0.9, rouge * 0.51)
    >>> sampling = Sampling(shares=(1.0,), samples=1, resamples=0, coefficients=("kendall",))
    >>> record = study_penalties(found, sampling)[0]
    >>> record["value"], round(record["p_rouge"], 3), round(record["unit_high"], 3)
    (1.0, 0.153, 0.51)
    """
    records = []
    for row, system in enumerate(found.systems):
        rouge, egises, penalised = (side[row] for side in (found.rouge, found.egises, found.penalised))
        there = np.isfinite(rouge) & np.isfinite(egises)
        complete = there.any(axis=0)
        sides = [_mean_of_orders(side[:, complete]) for side in (rouge, penalised, egises)]
        head = {
            "system": system,
            "rouge": _mean(rouge[there]),
            "egises": _mean(egises[there]),
            "p_rouge": _mean(penalised[there]),
            **_unit_range(rouge[there], penalised[there]),
            "left_out": int((~complete).sum()),
        }
        records += [
            {**head, **record, "partial": _partial(sides, record["coefficient"])}
            for record in coefficient_records(sides[0], sides[1], found.pairs[complete], sampling)
        ]
    return records


def _mean_of_orders(values: FloatArray) -> FloatArray:
    """(2, P) to (P,): of both orders, or of the one that is there."""
    mean: FloatArray = np.nanmean(values, axis=0) if values.size else values.sum(axis=0)
    return mean


def _mean(values: FloatArray) -> float | None:
    return float(values.mean()) if values.size else None


def _unit_range(rouge: FloatArray, penalised: FloatArray) -> dict[str, float | None]:
    """The range of ROUGE_Unit, over the readers with a ROUGE above 0."""
    units = penalised[rouge > 0.0] / rouge[rouge > 0.0]
    return {
        "unit_low": float(units.min()) if units.size else None,
        "unit_high": float(units.max()) if units.size else None,
    }


def _partial(sides: list[FloatArray], coefficient: Coefficient) -> float | None:
    """The coefficient of P-ROUGE and EGISES given ROUGE; None where it is undefined."""
    rouge, penalised, egises = (side.tolist() for side in sides)
    return correlate_given(penalised, egises, rouge, coefficient).estimate
