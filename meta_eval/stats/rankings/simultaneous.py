"""Which ranks each system may have, all at once, and which systems form groups that can be told apart.

Ranks of estimates say too much: two systems a hair apart have different ranks. Here every statement "this one
is better than that one" holds together with all others at the level.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from meta_eval.arrays import BoolArray, FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.ties import TIE


@dataclass(frozen=True, slots=True)
class RankInterval:
    """A system's `rank` by its estimate (1 is best, ties share the mean), and the ranks it may have."""

    rank: float | None
    low: int | None
    high: int | None
    group: int | None


@dataclass(frozen=True, slots=True)
class SimultaneousRanks:
    """The ranks of all systems at once, and `better` (S, S): whether the row's system is better for sure."""

    level: float
    systems: tuple[RankInterval, ...]
    better: BoolArray


def simultaneous_ranks(
    scores: Sequence[float | None],
    resampled: FloatArray,
    *,
    level: float = 0.95,
    documents: int | None = None,
) -> SimultaneousRanks:
    """Ranks that hold for all systems together, from scores and their resamples.

    One system is better than another where their difference, over its standard error, is larger than the
    `level` quantile of the largest such difference, about its estimate, over all pairs that are not settled
    yet; that is repeated until no further pair is settled (step-down). A system's best rank is 1 more than
    the number of systems that are better for sure; its worst leaves below it those that are worse for sure. A
    group ends where every system above is better for sure than every one below.

    Parameters
    ----------
    scores : n scores, higher for better, None or NaN where a system has none
    resampled : (R, n) the same scores in resamples of documents
    level : how often all of the ranks hold
    documents : how many were resampled; with few, standard errors are uncertain themselves, so the quantile
        is carried over to Student's t. None takes them for certain

    Returns
    -------
    SimultaneousRanks

    Raises
    ------
    InputError : for resamples of other systems, or a level that is not between 0 and 1

    References
    ----------
    Mogstad, Romano, Shaikh and Wilhelm (2024), "Inference for Ranks with Applications to Mobility across
    Neighbourhoods and Academic Achievement across Countries"; Romano and Wolf (2005) for the step-down.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> drawn = np.array([3.0, 1.1, 1.0]) + 0.2 * rng.normal(size=(1000, 3))
    >>> found = simultaneous_ranks([3.0, 1.1, 1.0], drawn)
    >>> [(one.low, one.high, one.group) for one in found.systems]
    [(1, 1, 1), (2, 3, 2), (2, 3, 2)]
    """
    if not 0.0 < level < 1.0:
        raise InputError(f"level must be between 0 and 1, not {level}")
    values = np.array(scores, dtype=np.float64)
    if resampled.ndim != 2 or resampled.shape[1] != len(values):
        raise InputError(f"resamples of shape {resampled.shape} cannot be those of {len(values)} systems")
    kept = np.flatnonzero(np.isfinite(values))
    better = np.zeros((len(values), len(values)), dtype=bool)
    better[np.ix_(kept, kept)] = _settle(values[kept], resampled[:, kept], level, documents)
    groups = _groups(values, kept, better)
    rows = []
    for at, value in enumerate(values):
        if at not in groups:
            rows.append(RankInterval(None, None, None, None))
            continue
        tied = np.abs(values[kept] - value) <= TIE
        rank = 1.0 + float((values[kept] > value)[~tied].sum()) + (float(tied.sum()) - 1.0) / 2.0
        low, high = 1 + int(better[:, at].sum()), len(kept) - int(better[at].sum())
        rows.append(RankInterval(rank, low, high, groups[at]))
    return SimultaneousRanks(level, tuple(rows), better)


def _settle(scores: FloatArray, resampled: FloatArray, level: float, documents: int | None) -> BoolArray:
    """(S, S): which differences are above 0 for sure."""
    complete = resampled[np.isfinite(resampled).all(axis=1)]
    first, second = np.nonzero(~np.eye(len(scores), dtype=bool))
    lead = scores[first] - scores[second]
    better = np.zeros((len(scores), len(scores)), dtype=bool)
    if len(complete) < 2 or not lead.size:
        return better
    about = complete[:, first] - complete[:, second] - lead
    spread = about.std(axis=0)
    moving = spread > TIE
    sure = np.where(np.abs(lead) > TIE, np.copysign(np.inf, lead), 0.0)
    t = np.divide(lead, spread, out=sure, where=moving)
    about = np.divide(about, spread, out=np.zeros_like(about), where=moving)
    open_, settled = np.ones(len(lead), dtype=bool), np.zeros(len(lead), dtype=bool)
    while open_.any():
        critical = float(np.quantile(about[:, open_].max(axis=1), level))
        now = open_ & (t > max(_for_few(critical, documents), 0.0))
        if not now.any():
            break
        settled |= now
        open_ &= ~now
    better[first, second] = settled
    return better


def _for_few(critical: float, documents: int | None) -> float:
    """The quantile of Student's t with the same tail, and the bootstrap's standard error made unbiased."""
    if documents is None:
        return critical
    if documents < 2:
        return math.inf
    freedom = documents - 1
    quantile = float(scipy.stats.t.isf(scipy.stats.norm.sf(critical), freedom))
    return quantile * math.sqrt(documents / freedom)


def _groups(values: FloatArray, kept: IntArray, better: BoolArray) -> dict[int, int]:
    """Each system's group: a new one begins where all above are better for sure than all below."""
    order = sorted(kept.tolist(), key=lambda at: -values[at])
    groups, group = {}, 1
    for rank, at in enumerate(order):
        if rank and better[np.ix_(order[:rank], order[rank:])].all():
            group += 1
        groups[at] = group
    return groups
