"""From ratings to human divergences: sigma of each rated pair that counts (protocol 7)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.errors import InputError, wrong_type
from meta_eval.files.frames import Tabular
from meta_eval.ratings.rating import (
    SIX_POINTS,
    Ends,
    PairRating,
    RatedPair,
    Rating,
    Scale,
    check_ratings,
    check_scale,
    human_divergence,
    pool_ratings,
)
from meta_eval.ratings.table import RatingTable


@dataclass(frozen=True, slots=True, repr=False)
class HumanDivergences(Tabular):
    """sigma of each rated pair that counts, by (document, system, reader pair).

    `full` is the batch's number of ratings per pair, `min_ratings` what a pair needed to count; `below_full`
    pairs counted with fewer than `full`, `too_few` did not count.
    """

    caption: ClassVar[str] = "Human divergences of rated pairs, from 0 (alike) to 1"
    divergences: Mapping[RatedPair, float]
    scale: Scale
    ratings: int
    full: int
    min_ratings: int
    below_full: int
    too_few: int
    ends: Ends = SIX_POINTS

    def records(self) -> list[dict[str, Any]]:
        """One record a pair that counts: `doc_id`, `system`, `reader_a`, `reader_b`, `divergence`."""
        return [{**asdict(pair), "divergence": sigma} for pair, sigma in self.divergences.items()]

    @property
    def systems(self) -> tuple[str, ...]:
        names = sorted({pair.system for pair in self.divergences})
        return tuple(name for name in names if name != GOLD)

    @property
    def documents(self) -> frozenset[str]:
        return frozenset(pair.doc_id for pair in self.divergences)

    def leave_out(self, systems: Collection[str]) -> "HumanDivergences":
        """The same, as if nobody had rated these systems."""
        kept = {pair: sigma for pair, sigma in self.divergences.items() if pair.system not in systems}
        return replace(self, divergences=kept)

    def select_rated(self, corpus: Corpus) -> Corpus:
        """The documents of a corpus of which a pair counts, in order (`Corpus.in_order`)."""
        rated = self.documents
        return Corpus(tuple(document for document in corpus.in_order.documents if document.id in rated))


def human_divergences(
    ratings: Sequence[Rating] | RatingTable,
    *,
    scale: Scale,
    full: int | None = None,
    min_raters: int | None = None,
    ends: Ends | None = None,
) -> HumanDivergences:
    """Human divergences of the pairs with enough ratings.

    Parameters
    ----------
    ratings : sequence of Rating, or RatingTable
        A table from `read_ratings`, or its ratings.
    scale : {"similarity", "dissimilarity"}
        What 6 says of two texts.
    full : int, optional
        How many ratings a system's pair is meant to have; default: the most that any has.
    min_raters : int, optional
        How many a pair needs to count; default: all.
    ends : Ends, optional
        The lowest and the highest rating; default: those of the table, and of ratings alone 1 and 6.

    Returns
    -------
    HumanDivergences
        sigma of each pair that counts, and how many did not.

    Raises
    ------
    InputError
        If no pair counts, `min_raters` is not from 1 to `full`, or a rating is not on the scale.

    References
    ----------
    PerSEval, section 7.1; protocol 7.

    Examples
    --------
    >>> ratings = [Rating("d", "A", "ann", "bob", rater, 4) for rater in ("p", "q")]
    >>> found = human_divergences(ratings, scale="similarity")
    >>> list(found.divergences.values()), found.full
    ([0.4], 2)
    """
    if isinstance(ratings, RatingTable):
        ends = ends or ratings.ends
        ratings = ratings.ratings
    if isinstance(ratings, str) or not isinstance(ratings, Sequence):
        raise wrong_type("ratings", "what read_ratings returns", ratings)
    ends = ends or SIX_POINTS
    check_scale(scale)
    check_ratings(ratings, ends)
    pooled = pool_ratings(ratings)
    if not pooled:
        raise InputError("there are no ratings of pairs of texts; a pair needs two readers of one document")
    full = full or max((pair.ratings for key, pair in pooled.items() if key.system != GOLD), default=1)
    needed = full if min_raters is None else min_raters
    if not 1 <= needed <= full:
        raise InputError(f"min_raters must be from 1 to {full} (the full number of ratings), not {needed}")
    counted = {key: pair for key, pair in pooled.items() if pair.ratings >= needed}
    if not counted:
        s = "" if needed == 1 else "s"
        raise InputError(f"no pair has {needed} rating{s}; collect more, or lower min_raters")
    return HumanDivergences(
        {key: human_divergence(pair.mean, scale, ends) for key, pair in counted.items()},
        scale=scale,
        ratings=len(ratings),
        full=full,
        min_ratings=needed,
        below_full=_count_below(counted.values(), full),
        too_few=len(pooled) - len(counted),
        ends=ends,
    )


def _count_below(pairs: Iterable[PairRating], full: int) -> int:
    return sum(pair.ratings < full for pair in pairs)
