"""The ratings of a survey as a matrix: what each pair's human divergence is under weights of raters."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import GOLD
from meta_eval.errors import InputError
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.ratings.rating import (
    SIX_POINTS,
    Ends,
    RatedPair,
    Rating,
    Scale,
    check_ratings,
    human_divergence,
)
from meta_eval.ratings.rows import sort_ratings

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, slots=True)
class RaterPanel:
    """The ratings that count, ready to be averaged under weights of raters.

    For N ratings: `raters` (N,) into `rater_names`; `units` (N,), one for each rater of each questionnaire;
    `items` (N,) into `pairs`; `values` (N,) within `ends`. `strata` (units,) numbers the questionnaires: the
    pairs of one document that the same raters rated.
    """

    rater_names: tuple[str, ...]
    pairs: tuple[RatedPair, ...]
    raters: IntArray
    units: IntArray
    strata: IntArray
    items: IntArray
    values: FloatArray
    scale: Scale
    ends: Ends = SIX_POINTS

    def by_rater(self, weights: FloatArray) -> FloatArray:
        """sigma (R, pairs) under weights of raters (R, raters); NaN where a pair has no weight."""
        return human_divergence(self._means(weights, self.raters), self.scale, self.ends)

    def by_unit(self, weights: FloatArray, *, stretch: bool = False) -> FloatArray:
        """sigma (R, pairs) under weights of raters within questionnaires (R, units).

        Means of m ratings drawn out of m spread by (m - 1) / m less than the means of new ratings would:
        `stretch` makes up for that.
        """
        means = self._means(weights, self.units)
        return human_divergence(self._stretch(means) if stretch else means, self.scale, self.ends)

    @property
    def ratings_per_item(self) -> IntArray:
        return np.bincount(self.items, minlength=len(self.pairs))

    def _means(self, weights: FloatArray, owners: IntArray) -> FloatArray:
        shape = (weights.shape[1], len(self.pairs))
        counts = np.asarray(
            weights @ scipy.sparse.csr_array((np.ones(len(owners)), (owners, self.items)), shape=shape)
        )
        totals = np.asarray(
            weights @ scipy.sparse.csr_array((self.values, (owners, self.items)), shape=shape)
        )
        means: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
        return means

    def _stretch(self, means: FloatArray) -> FloatArray:
        given = self.ratings_per_item
        centre = np.bincount(self.items, weights=self.values, minlength=len(self.pairs)) / given
        factor = np.sqrt(given / np.maximum(given - 1, 1))
        stretched: FloatArray = np.clip(
            centre + (means - centre) * factor, self.ends.lowest, self.ends.highest
        )
        return stretched


def build_panel(ratings: Sequence[Rating], divergences: HumanDivergences) -> RaterPanel:
    """The panel of the ratings of those pairs that count in `divergences`.

    Parameters
    ----------
    ratings : all that were given
    divergences : of the pairs that count

    Returns
    -------
    RaterPanel : the same whatever order the ratings come in

    Raises
    ------
    InputError : where none of the ratings is of such a pair, or one of them is not on the scale

    Examples
    --------
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> ratings = [Rating("d", "A", "ann", "bob", rater, value) for rater, value in [("p", 1), ("q", 6)]]
    >>> panel = build_panel(ratings, human_divergences(ratings, scale="similarity"))
    >>> panel.by_rater(np.array([[1.0, 1.0], [2.0, 0.0]])).tolist()
    [[0.5], [1.0]]
    """
    counted = sort_ratings(rating for rating in ratings if rating.pair in divergences.divergences)
    if not counted:
        raise InputError("none of these ratings is of a pair that counts")
    check_ratings(counted, divergences.ends)
    raters, rater_at = _number(rating.rater for rating in counted)
    units, unit_at = _number(_units_of(counted))
    pairs, item_at = _number(rating.pair for rating in counted)
    _, stratum_at = _number(stratum for stratum, _ in units)
    return RaterPanel(
        rater_names=tuple(raters),
        pairs=tuple(pairs),
        raters=rater_at,
        units=unit_at,
        strata=stratum_at,
        items=item_at,
        values=np.array([rating.rating for rating in counted], dtype=np.float64),
        scale=divergences.scale,
        ends=divergences.ends,
    )


def _number(keys: Iterable[_Key]) -> tuple[list[_Key], IntArray]:
    numbers: dict[_Key, int] = {}
    at = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
    return list(numbers), at


_Questionnaire = tuple[str, frozenset[str]]
"""A document and the raters who rated the same of its pairs: files of ratings name no questionnaire."""


def _units_of(ratings: Sequence[Rating]) -> list[tuple[_Questionnaire, str]]:
    """For each rating its questionnaire and rater; gold ratings go to the rater's questionnaires in turn."""
    raters: dict[RatedPair, set[str]] = defaultdict(set)
    for rating in ratings:
        raters[rating.pair].add(rating.rater)
    filled: dict[tuple[str, str], dict[_Questionnaire, None]] = defaultdict(dict)
    for rating in ratings:
        if rating.system != GOLD:
            questionnaire = (rating.doc_id, frozenset(raters[rating.pair]))
            filled[rating.doc_id, rating.rater][questionnaire] = None
    turns: dict[tuple[RatedPair, str], int] = defaultdict(int)
    units = []
    for rating in ratings:
        questionnaire = (rating.doc_id, frozenset(raters[rating.pair]))
        own = list(filled[rating.doc_id, rating.rater])
        if rating.system == GOLD and own:
            questionnaire = own[turns[rating.pair, rating.rater] % len(own)]
            turns[rating.pair, rating.rater] += 1
        units.append((questionnaire, rating.rater))
    return units
