"""Whether where an item stood on the page, or which text stood first, moved its rating.

Ratings are freed of what the page (its rater and document) and the item's name (its system, or gold) add;
then positions are shuffled within pages. If position does not matter, every order of a page is equally
likely, and the observed one is among them, so p is never 0. What is compared is set against how far raters
differ in it, so that raters who drift each in a direction of their own, and not together, are no effect.
Shuffled pages have no such drift, though: with `LEAST_RATERS` or more each rater's shifts as a whole also
change their sign, which a drift of their own may as well have had, and the larger p of the two stands.
"""

import math
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.resampling.weights import batch_sizes

LEAST_PAGES = 10
"""Fewer pages than this say nothing about positions."""

LEAST_RATERS = 8
"""Fewer have too few signs for a p of 0.05 that two or three of them could not make."""

DEFAULT_PERMUTATIONS = 1_999
LEVEL = 0.95
"""Of the intervals of the positions' shifts."""
_CELLS = 2_000_000
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class PlacedRating:
    """One rating: its page (one rater's questionnaire), whose pair it is, where the pair stood, from 1.

    `rater`: None takes each page for a rater's only one.
    """

    page: Hashable
    name: str
    position: int
    flipped: bool
    rating: int
    rater: Hashable = None


@dataclass(frozen=True, slots=True)
class PositionShift:
    """Ratings in one position: how many, and by how many scale points they are higher than expected.

    low, high: the 95 % interval of `shift`, by how far raters differ in it (t, raters less one); each page
    counts as a rater where nobody said whose it is.
    """

    position: int
    ratings: int
    shift: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class PositionEffects:
    """`p_positions` tests that any position differs, `p_trend` a drift of `trend` scale points a position,
    `p_sides` that `side_shift`, swapped minus unswapped, differs from 0.

    None, with a `reason`, if undefined; `side_shift` alone is None where no texts were swapped or always the
    same ones. `raters` is how many gave the ratings; each page counts as one where nobody said whose it is.
    """

    pages: int
    shifts: tuple[PositionShift, ...] = ()
    p_positions: float | None = None
    trend: float | None = None
    p_trend: float | None = None
    side_shift: float | None = None
    p_sides: float | None = None
    reason: str | None = None
    raters: int = 0

    @property
    def too_few_raters(self) -> bool:
        """Whether raters are too few to tell a drift of their own from an effect (`LEAST_RATERS`)."""
        return self.raters < LEAST_RATERS


def measure_position_effects(
    ratings: Iterable[PlacedRating],
    *,
    rng: np.random.Generator,
    permutations: int = DEFAULT_PERMUTATIONS,
    least_pages: int = LEAST_PAGES,
) -> PositionEffects:
    """The effects of position and side over pages with two ratings or more (protocol 6).

    Under `least_pages` of them nothing is estimated.

    Parameters
    ----------
    ratings : where each stood on its page
    rng : draws the shuffles and the signs
    permutations : how many
    least_pages : how many pages with two ratings or more an estimate needs

    Returns
    -------
    PositionEffects : shifts and trend in scale points; without them, and with a `reason`, where they are
        undefined

    Raises
    ------
    InputError : where a page has a position twice

    References
    ----------
    Good, P. (2005). Permutation, parametric and bootstrap tests of hypotheses. Springer, chapter 5 (blocks);
    protocol 6.

    Examples
    --------
    Whatever comes second is rated one point higher, by twelve raters of one page each:

    >>> order = [("A", "B"), ("B", "A")] * 6
    >>> ratings = [
    ...     PlacedRating(page, name, place + 1, flipped=False, rating=3 + place)
    ...     for page, names in enumerate(order)
    ...     for place, name in enumerate(names)
    ... ]
    >>> found = measure_position_effects(ratings, rng=np.random.default_rng(0), permutations=199)
    >>> [(one.position, round(one.shift, 6)) for one in found.shifts], found.p_positions
    ([(1, -0.5), (2, 0.5)], 0.005)
    """
    by_page: dict[Hashable, list[PlacedRating]] = defaultdict(list)
    for rating in ratings:
        by_page[rating.page].append(rating)
    pages = [sorted(page, key=lambda one: one.position) for page in by_page.values() if len(page) > 1]
    if any(len({one.position for one in page}) < len(page) for page in pages):
        raise InputError("a page has two ratings in one position")
    if len(pages) < least_pages:
        reason = f"{len(pages)} completed questionnaires, at least {least_pages} are needed"
        return PositionEffects(len(pages), reason=reason)
    table = _Table(pages)
    if not np.abs(table.residuals).max() > _ROUNDING:
        return PositionEffects(len(pages), reason="the ratings of a page do not vary")
    if not table.moves:
        return PositionEffects(len(pages), reason=FIXED_ORDER)
    if len({page[0].rater for page in pages}) == 1 and pages[0][0].rater is not None:
        return PositionEffects(len(pages), reason=ONE_RATER)
    return table.effects(rng, permutations)


ONE_RATER = (
    "undefined: one rater completed all questionnaires, and the drift of one rater cannot be told from an "
    "effect of the position"
)
FIXED_ORDER = "undefined: every item stood in the same position on each page, so the two cannot be told apart"


class _Table:
    """Pages x slots of residuals, padded with 0 where a page is shorter than the longest."""

    def __init__(self, pages: Sequence[Sequence[PlacedRating]]) -> None:
        self.pages = len(pages)
        self.lengths = np.array([len(page) for page in pages])
        width = int(self.lengths.max())
        self.present = np.arange(width) < self.lengths[:, None]
        flat = [one for page in pages for one in page]
        name, page = _numbers(one.name for one in flat), np.repeat(np.arange(len(pages)), self.lengths)

        def freed(values: Iterable[float]) -> FloatArray:
            return self._spread(_residuals(np.array(list(values), dtype=np.float64), name, page))

        self.residuals = freed(one.rating for one in flat)
        raters = _numbers(each[0].page if each[0].rater is None else each[0].rater for each in pages)
        self._raters = np.eye(raters.max() + 1)[raters]  # (pages, raters)
        self._labels = np.array(sorted({one.position for one in flat}))
        self._columns = self._spread(np.searchsorted(self._labels, [one.position for one in flat]))
        self._drift = freed(one.position for one in flat)
        self._side = freed(one.flipped for one in flat)
        self.moves = bool(np.abs(self._drift).max() > _ROUNDING)

    def _spread(self, values: Sequence[float] | FloatArray | IntArray) -> FloatArray:
        table = np.zeros(self.present.shape)
        table[self.present] = values
        return table

    def effects(self, rng: np.random.Generator, permutations: int) -> PositionEffects:
        observed = self._statistics(self.residuals[None])
        drawn = [
            self._statistics(self._shuffle(rng, size))
            for size in batch_sizes(permutations, max(1, _CELLS // self.residuals.size))
        ]
        p = _share_as_large(np.concatenate(drawn), observed)
        if self._raters.shape[1] >= LEAST_RATERS:
            p = np.maximum(p, _share_as_large(self._with_other_signs(rng, permutations), observed))
        varied = bool(np.abs(self._side).max() > _ROUNDING)
        return PositionEffects(
            pages=self.pages,
            shifts=tuple(self._shifts()),
            p_positions=float(p[0]),
            trend=self._slope(self._drift),
            p_trend=float(p[1]),
            side_shift=self._slope(self._side) if varied else None,
            p_sides=float(p[2]) if varied else None,
            raters=self._raters.shape[1],
        )

    def _shifts(self) -> Iterator[PositionShift]:
        """Each position's, with the interval of a ratio of two sums over raters who are drawn at random."""
        raters = self._raters.shape[1]
        reach = float(scipy.stats.t.ppf((1 + LEVEL) / 2, raters - 1)) * math.sqrt(raters / (raters - 1))
        for column, label in enumerate(self._labels):
            here = self.present & (self._columns == column)
            count = here.sum()
            totals = (self.residuals * here).sum(axis=1) @ self._raters
            shift = float(totals.sum() / count)
            strays = totals - shift * (here.sum(axis=1) @ self._raters)
            half = reach * math.sqrt(float((strays**2).sum())) / count
            yield PositionShift(int(label), int(count), shift, float(shift - half), float(shift + half))

    def _shuffle(self, rng: np.random.Generator, size: int) -> FloatArray:
        """Residuals (size, pages, slots), each page's shuffled among its own slots."""
        keys = np.where(self.present, rng.random((size, *self.present.shape)), 2.0)
        shuffled: FloatArray = np.take_along_axis(
            np.broadcast_to(self.residuals, keys.shape), keys.argsort(axis=2), axis=2
        )
        return shuffled

    def _statistics(self, tables: FloatArray) -> FloatArray:
        """(R, 3): of the positions, the drift and the sides, each against how far raters differ in it."""
        return _gather([_against_raters(of_raters) for of_raters in self._totals(tables)])

    def _with_other_signs(self, rng: np.random.Generator, draws: int) -> FloatArray:
        """(R, 3): the statistics where each rater's totals are multiplied by 1 or -1."""
        signs = rng.choice([-1.0, 1.0], size=(draws, self._raters.shape[1]))
        return _gather(
            [_against_raters(signs * of_raters) for of_raters in self._totals(self.residuals[None])]
        )

    def _totals(self, tables: FloatArray) -> Iterator[FloatArray]:
        """(R, raters) for each position, the drift and the sides: what a rater's residuals add up to."""
        for axis in (*(self._columns == k for k in range(len(self._labels))), self._drift, self._side):
            yield (tables * axis).sum(axis=2) @ self._raters

    def _slope(self, axis: FloatArray) -> float:
        return float((self.residuals * axis).sum() / (axis**2).sum())


def _against_raters(of_raters: FloatArray) -> FloatArray:
    """(R, raters) to (R,): the square of the total, over the sum of the squares of the raters' totals."""
    squares = (of_raters**2).sum(axis=1)
    total = of_raters.sum(axis=1) ** 2
    found: FloatArray = np.divide(total, squares, out=np.zeros_like(total), where=squares > _ROUNDING)
    return found


def _gather(found: Sequence[FloatArray]) -> FloatArray:
    """Statistics of each position, of the drift and of the sides (R,) to (R, 3): positions are added up."""
    *places, drift, side = found
    return np.stack([np.sum(places, axis=0), drift, side], axis=1)


def _share_as_large(null: FloatArray, observed: FloatArray) -> FloatArray:
    """p: how many of the null and the observed are as large as that."""
    found: FloatArray = (1 + (null >= observed - _ROUNDING).sum(axis=0)) / (len(null) + 1)
    return found


def _numbers(keys: Iterable[Hashable]) -> IntArray:
    codes: dict[Hashable, int] = {}
    return np.array([codes.setdefault(key, len(codes)) for key in keys])


def _residuals(values: FloatArray, name: IntArray, page: IntArray) -> FloatArray:
    """Values (N,) less the effects of page and name, by least squares on both together."""
    for _ in range(200):  # alternating projections; balanced tables are done after the first round
        before = values
        for groups in (name, page):
            values = values - (np.bincount(groups, values) / np.bincount(groups))[groups]
        if np.abs(values - before).max() < _ROUNDING / 10:
            break
    return values
