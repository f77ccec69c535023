"""What a rater's answers say of the rater: gold and control pairs as checks, pages rated all alike, and pairs
that they cannot judge.

A check flags and never decides. `Page` is one completed questionnaire: the rating of the gold pair first,
then those of the systems' pairs, in any order.
"""

from collections import Counter
from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

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

LEAST_MARKS = 3
"""Fewer pairs that somebody cannot judge are easily meant."""

MOST_MARKED = 1 / 2
"""Whoever cannot judge this share of all pairs they met is looked at, whatever others say of them."""

MANY_MARKED = 1 / 5
"""From this share on, of pairs that others could rate, it is asked whether others mark as many. In 200
simulated surveys (60 raters of 30 pairs each, three a pair, 2 % of pairs broken, raters who mark 1 % of the
others on average, and unequally) this flags 1 careful rater in 680, 92 % of those who mark three pairs in ten
at random, and all who mark everything; without a least share, 1 careful rater in 220."""

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
    from scipy import stats  # half a second to import, which reading ratings does not need

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


def find_heavy_markers(met: Mapping[str, Mapping[Hashable, bool]]) -> frozenset[str]:
    """Raters who say of far more pairs than the others, or of half of all pairs, that they cannot judge them.

    A pair that nobody can judge is the pair's fault: raters are compared on pairs that somebody else rated.
    Far more is at least `LEAST_MARKS` of these, at least the share `MANY_MARKED`, and so many that raters who
    all mark alike would come to it in fewer than `SURE` of all cases (Fisher's exact test, one-sided).

    Parameters
    ----------
    met : mapping of str to mapping of pairs to bool
        By rater, each pair that they rated or marked; true where they marked it.

    Returns
    -------
    frozenset of str

    Examples
    --------
    >>> met = {rater: dict.fromkeys(range(12), False) for rater in ("p", "q", "r")}
    >>> met["all"] = dict.fromkeys(range(12), True)
    >>> find_heavy_markers(met)
    frozenset({'all'})
    """
    rated = Counter(pair for own in met.values() for pair, is_marked in own.items() if not is_marked)
    compared = {
        rater: [is_marked for pair, is_marked in own.items() if rated[pair] > (not is_marked)]
        for rater, own in met.items()
    }
    pairs, marks = (sum(measure(own) for own in compared.values()) for measure in (len, sum))
    return frozenset(
        rater
        for rater, own in met.items()
        if _is_most(own.values()) or _is_far_more(compared[rater], pairs=pairs, marks=marks)
    )


def _is_most(marked: Collection[bool]) -> bool:
    return sum(marked) >= max(LEAST_MARKS, MOST_MARKED * len(marked))


def _is_far_more(marked: Sequence[bool], *, pairs: int, marks: int) -> bool:
    """pairs, marks: of all raters together, this one among them."""
    from scipy import stats

    own = sum(marked)
    if own < max(LEAST_MARKS, MANY_MARKED * len(marked)):
        return False
    return bool(stats.hypergeom.sf(own - 1, pairs, marks, len(marked)) < SURE)


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
