"""What a rater's answers say of the rater: gold and control pairs as checks, and pages rated all alike.

A check flags and never decides. `Page` is one completed questionnaire: the rating of the gold pair first,
then those of the systems' pairs, in any order.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy import stats

from meta_eval.arrays import FloatArray
from meta_eval.design.plan import IDENTICAL, ControlKind
from meta_eval.ratings.rating import HIGHEST, LOWEST, Scale

Page = Sequence[int]
DEFAULT_PERMUTATIONS = 9_999
SURE = 0.01
"""p under which the raters together see a difference between gold and the systems."""

CONTRARY = 0.05
"""p under which one rater sees the opposite of what the others see."""

LEAST_ITEMS = 4
"""A page with fewer pairs is easily rated all alike in earnest."""

LEAST_IDENTICAL = 5
"""A text and itself rated less similar than this (6 is most) fail the check. One point is left to people who
never give the last one."""

MOST_UNRELATED = 3
"""Texts on two documents rated more similar than this fail: they stand in the upper half of the scale."""

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class GoldSeparation:
    """Where the gold pair stands among the pairs of its page, over `pages`.

    `rank` in [0, 1] is the mean over pages of the share of the systems' pairs that were rated below gold, a
    tie counting half: 0.5 says that gold is like any system. `p_above` and `p_below`: how often chance alone
    puts it as high, or as low. None where no page holds a system's pair.
    """

    pages: int
    rank: float | None = None
    p_above: float | None = None
    p_below: float | None = None


@dataclass(frozen=True, slots=True)
class _Drawn:
    """Sums over pages of gold's shares, and of those of pairs drawn in its place (permutations,)."""

    pages: int
    observed: float
    null: FloatArray

    def less(self, part: "_Drawn") -> "_Drawn":
        return _Drawn(self.pages - part.pages, self.observed - part.observed, self.null - part.null)

    def separation(self) -> GoldSeparation:
        if not self.pages:
            return GoldSeparation(0)
        draws = len(self.null) + 1
        return GoldSeparation(
            pages=self.pages,
            rank=self.observed / self.pages,
            p_above=float((1 + (self.null >= self.observed - _ROUNDING).sum()) / draws),
            p_below=float((1 + (self.null <= self.observed + _ROUNDING).sum()) / draws),
        )


def separate_gold_by_rater(
    pages: Mapping[str, Sequence[Page]], *, rng: np.random.Generator, permutations: int = DEFAULT_PERMUTATIONS
) -> tuple[dict[str, GoldSeparation], frozenset[str]]:
    """Where each rater puts the gold pair, and which raters put it opposite to all others.

    A permutation test: without a difference any pair of a page may be the gold one; p is never 0. Opposite
    are such as people who read the scale the wrong way round. Where the others together see no difference (p
    above `SURE`), nobody can be.

    Parameters
    ----------
    pages : mapping of str to sequence of pages
        By rater; a page is the rating of the gold pair, then those of the systems' pairs.
    rng : numpy.random.Generator
    permutations : int

    Returns
    -------
    separations : dict of str to GoldSeparation
    contrary : frozenset of str

    Examples
    --------
    >>> import numpy as np
    >>> pages = {rater: [[1, 4, 5, 6]] * 4 for rater in ("p", "q", "r")}
    >>> pages["turned"] = [[6, 3, 2, 1]] * 4
    >>> separations, contrary = separate_gold_by_rater(pages, rng=np.random.default_rng(0))
    >>> separations["turned"].rank, contrary
    (1.0, frozenset({'turned'}))
    """
    drawn = {rater: _draw(own, rng, permutations) for rater, own in pages.items()}
    total = _Drawn(
        sum(sums.pages for sums in drawn.values()),
        sum(sums.observed for sums in drawn.values()),
        np.sum([sums.null for sums in drawn.values()], axis=0) if drawn else np.zeros(permutations),
    )
    separations = {rater: sums.separation() for rater, sums in drawn.items()}
    contrary = (
        rater for rater, sums in drawn.items() if _opposite(separations[rater], total.less(sums).separation())
    )
    return separations, frozenset(contrary)


def _draw(pages: Sequence[Page], rng: np.random.Generator, permutations: int) -> _Drawn:
    shares = [_shares_below(page) for page in pages if len(page) > 1]
    null = np.zeros(permutations)
    for page in shares:
        null += page[rng.integers(len(page), size=permutations)]
    return _Drawn(len(shares), sum(float(page[0]) for page in shares), null)


def _shares_below(page: Page) -> FloatArray:
    """For each rating the share of the others that are lower, ties counting half."""
    shares: FloatArray = (stats.rankdata(page) - 1) / (len(page) - 1)
    return shares


def _opposite(own: GoldSeparation, others: GoldSeparation) -> bool:
    if own.p_above is None or own.p_below is None or others.p_above is None or others.p_below is None:
        return False
    return (others.p_above <= SURE and own.p_below <= CONTRARY) or (
        others.p_below <= SURE and own.p_above <= CONTRARY
    )


def is_straight(page: Page) -> bool:
    """Whether all pairs of a page of at least `LEAST_ITEMS` got the same rating."""
    return len(page) >= LEAST_ITEMS and len(set(page)) == 1


def fails_control(kind: ControlKind, rating: int, scale: Scale) -> bool:
    """Whether no careful rater rates a control pair so: 1 to 6, in the direction of `scale`."""
    similar = rating if scale == "similarity" else LOWEST + HIGHEST - rating
    return similar < LEAST_IDENTICAL if kind == IDENTICAL else similar > MOST_UNRELATED


ATTENTION = "Attention checks"
"""How the note of a report on its control pairs begins."""


def describe_failure(kind: ControlKind, scale: Scale) -> str:
    """Which ratings fail, in the numbers that raters see: "below 5", "above 3"."""
    limit = LEAST_IDENTICAL if kind == IDENTICAL else MOST_UNRELATED
    shown = limit if scale == "similarity" else LOWEST + HIGHEST - limit
    return f"{'below' if (kind == IDENTICAL) == (scale == 'similarity') else 'above'} {shown}"
