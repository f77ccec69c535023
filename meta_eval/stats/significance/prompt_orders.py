"""Whether a richer prompt does better, worse, or cannot be told apart: EGISES on the cases both cover.

Models and styles lose different answers, so that their means are over different documents and readers.
Here both styles of an order are scored on the pairs of readers whose texts both have; what is resampled and
what changes signs are documents.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.distances.blocks import DistanceBlock
from meta_eval.distances.computing import DistanceSource, DistanceTable
from meta_eval.scores.contributions import ScoreOptions, score_contributions
from meta_eval.scores.egises import egises_of
from meta_eval.scores.prompt_styles import PAIRS, Pairs, split_system
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.resampling.weights import draw_weights, weighted_scores
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.flips import draw_flips, pair_p_values

Verdict = Literal["paradox", "no paradox", "not decided"]
ALPHA = 0.05
RESAMPLES, PERMUTATIONS = 2000, 5000
LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class OrderTest:
    """A poorer and a richer prompt on what both cover.

    `poorer` and `richer` are EGISES (0 to 1, lower is better) over `documents` that both have, `difference`
    richer - poorer with its interval, `p` two-sided, `p_adjusted` by Holm over the tests made together. None
    where no document is shared.
    """

    documents: int
    poorer: float | None
    richer: float | None
    difference: float | None
    low: float | None
    high: float | None
    p: float | None
    p_adjusted: float | None

    @property
    def verdict(self) -> Verdict | None:
        """Whether the richer prompt does worse, better, or neither can be said; None without shared cases."""
        if self.difference is None or self.p_adjusted is None:
            return None
        if self.p_adjusted >= ALPHA:
            return "not decided"
        return "paradox" if self.difference > 0 else "no paradox"


def shared_egises(source: DistanceSource, first: str, second: str) -> FloatArray:
    """EGISES of two systems by document, over the pairs of readers that both have texts, or ratings, for.

    Parameters
    ----------
    source : DistanceSource
        Distances between texts, or with people's ratings in their place (`replace_by_ratings`).
    first, second : str
        Two of its systems.

    Returns
    -------
    (2, D) array
        In [0, 1], lower is better; NaN in both rows for a document without a pair that both have.

    References
    ----------
    PerSEval, eq. 1 and 2; protocol 3.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": references, "B": {"ann": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", references, systems),))
    >>> shared_egises(compute_distances(corpus, make_measure("rouge-l")), "A", "B").tolist()
    [[nan], [nan]]
    """
    rows = [source.systems.index(name) for name in (first, second)]
    blocks = tuple(_shared_block(block, rows) for block in source.blocks)
    table = DistanceTable(
        source.documents, (first, second), source.normalise, source.signature, blocks, source.counts
    )
    return egises_of(score_contributions(table, ScoreOptions()).degress)


def _shared_block(block: DistanceBlock, rows: Sequence[int]) -> DistanceBlock:
    """Two systems of a block, NaN where either has no distance between two readers."""
    systems = block.systems[rows]  # (2, B, n, n)
    accuracy: BoolArray = np.all(np.isfinite(block.systems_gold[rows]), axis=0)  # (B, n)
    there: BoolArray = np.all(np.isfinite(systems), axis=0) & accuracy[:, :, None] & accuracy[:, None, :]
    documents = None if block.systems_document is None else block.systems_document[rows]
    if documents is not None:
        both: BoolArray = np.all(np.isfinite(documents), axis=0)
        there = there & both[:, :, None] & both[:, None, :]
    return replace(
        block,
        systems=np.where(there, systems, np.nan),
        systems_document=documents,
        systems_gold=block.systems_gold[rows],
        spread=None,
    )


def compare_orders(
    source: DistanceSource,
    orders: Sequence[tuple[str, str]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
    permutations: int = PERMUTATIONS,
) -> list[OrderTest]:
    """Each pair of systems, the poorer prompt first, on what both cover; p adjusted over all of them.

    Parameters
    ----------
    source : DistanceSource
    orders : sequence of (poorer, richer)
        Names of systems.
    seed : int
        Of resamples and signs; each order draws the same.
    resamples, permutations : int
        Draws of documents for the interval, and of signs for p.

    Returns
    -------
    list of OrderTest
        One for each order.

    References
    ----------
    Thompson et al. (2024) for the paired permutation of documents; Holm (1979).

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"m: poor": {"ann": "rain", "bob": "rain"}, "m: rich": references}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", references, systems),))
    >>> source = compute_distances(corpus, make_measure("rouge-l"))
    >>> (found,) = compare_orders(source, [("m: poor", "m: rich")], resamples=50)
    >>> found.poorer, found.richer, found.verdict
    (0.999980000399992, 0.0, 'not decided')
    """
    found = [
        compare_egises(
            shared_egises(source, poorer, richer), seed=seed, resamples=resamples, permutations=permutations
        )
        for poorer, richer in orders
    ]
    adjusted = adjust_p_values([one.p for one in found])
    return [replace(one, p_adjusted=p) for one, p in zip(found, adjusted, strict=True)]


Compared = Mapping[tuple[str, str], OrderTest]
"""By model, and the order's or the style's name."""


def compare_styles(source: DistanceSource, *, pairs: Pairs = "table", **draws: int) -> Compared:
    """Each order of each model of which both styles are systems, named MODEL: STYLE.

    Parameters
    ----------
    source : DistanceSource
    pairs : {"table", "section-3", "all"}
    draws : int
        `seed`, `resamples`, `permutations` of `compare_orders`.

    Returns
    -------
    mapping of (model, order) to OrderTest
        p adjusted over models and orders together.

    References
    ----------
    Patel et al., iCOPERNICUS, EMNLP 2024, section 3 and Table 4, for the orders.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> references = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> corpus = Corpus((Document("d", "", "Rain and sun.", references, {"m: 0-shot": references}),))
    >>> compare_styles(compute_distances(corpus, make_measure("rouge-l")), pairs="table")
    {}
    """
    named = {split: name for name in source.systems if (split := split_system(name))}
    there = {
        (model, order): (named[model, poorer], named[model, richer])
        for model in dict.fromkeys(model for model, _ in named)
        for order, (poorer, richer) in PAIRS[pairs].items()
        if (model, poorer) in named and (model, richer) in named
    }
    return dict(zip(there, compare_orders(source, list(there.values()), **draws), strict=True))


def compare_egises(
    egises: FloatArray, *, seed: int = 0, resamples: int = RESAMPLES, permutations: int = PERMUTATIONS
) -> OrderTest:
    """The test of (2, D) EGISES by document, the poorer prompt first; p is not adjusted yet."""
    both = egises[:, np.isfinite(egises).all(axis=0)]
    documents = both.shape[1]
    if not documents:
        return OrderTest(0, None, None, None, None, None, None, None)
    poorer, richer = both.mean(axis=1).tolist()
    weights = draw_weights(units=documents, resamples=resamples, rng=np.random.default_rng([seed, documents]))
    drawn = weighted_scores(weights, both)  # (R, 2)
    interval = percentile_interval(drawn[:, 1] - drawn[:, 0], level=LEVEL)
    flips = draw_flips(documents, permutations=permutations, rng=np.random.default_rng([seed, documents, 1]))
    (p,) = pair_p_values(both, flips).tolist()
    return OrderTest(documents, poorer, richer, richer - poorer, interval.low, interval.high, p, None)
