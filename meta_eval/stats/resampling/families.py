"""True scores of systems that are no one population, drawn family by family, and how that shows.

The hierarchical model takes all systems for one normal population with noise of one size. Of two families
that lie apart it takes the agreement between them for that within them, and systems that write one text for
every reader, which tie without noise, it spreads as if they were noisy. Here each family has a mean, a spread
and a noise of its own, whether it was given or is found in the scores.
"""

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.stats.coefficients.ties import constant_rows, tie_tolerance
from meta_eval.stats.resampling.hierarchical import LEAST_SYSTEMS, draw_true_scores

LEAST_GAP = 3.0
"""Systems fall into two groups where the largest gap between neighbours is more than so many standard
deviations of the systems about the mean of their group."""
QUIET = 0.2
"""A system is without noise of its own where its noise is less than this share of that of all systems."""


NOISY_SHARE = 1.0 / 3.0
"""Of the variance of scores within families: with more noise than this the model by family is too sure, since
it takes the agreement within one family for no sign of that within another."""

_QUIET, _NOISY, _ABOVE, _BELOW = "without noise", "noisy", "above the gap", "below the gap"
GROUPS_BY: Mapping[str, str] = {
    **dict.fromkeys((_QUIET, _NOISY), "some systems show no noise"),
    **dict.fromkeys((_ABOVE, _BELOW), "systems lie apart by a wide gap"),
}
"""What parts the groups that are found, by their names."""


def draw_by_family(
    x: FloatArray, y: FloatArray, noisy: tuple[FloatArray, FloatArray], families: Sequence[str]
) -> FloatArray:
    """(2, R, k): draws of the true scores of k systems as `draw_true_scores` makes them, family by family.

    The mean of a family is the observed one with the noise that the resamples show of it. Within a family of
    fewer than `LEAST_SYSTEMS` systems, or with a constant side, nothing can be told of a population: its true
    scores are the observed ones less the noise of the resamples, so that a side without noise stays as it is.
    """
    observed, resampled = np.stack([x, y]), np.stack(noisy)
    errors = resampled - resampled.mean(axis=1, keepdims=True)
    true: FloatArray = observed[:, None, :] - errors
    names = np.array(list(families))
    for number, family in enumerate(dict.fromkeys(names.tolist()), start=1):
        own = names == family
        scores, around = observed[:, own], errors[:, :, own]
        if own.sum() < LEAST_SYSTEMS or constant_rows(scores).any():
            continue
        drawn = draw_true_scores(scores[0], scores[1], (around[0], around[1]), stream=number)
        means = scores.mean(axis=1)[:, None, None] - around.mean(axis=2, keepdims=True)
        true[:, :, own] = means + drawn - drawn.mean(axis=2, keepdims=True)
    return true


def is_noisy_within(observed: FloatArray, resampled: FloatArray, families: Sequence[str]) -> bool:
    """Whether scores (k,) lie hardly farther apart within families than the noise of their resamples (R, k).

    By the share of noise in their variance about the means of their families, over `NOISY_SHARE`.
    """
    whole = resampled[np.isfinite(resampled).all(axis=1)]
    names, noise, scatter = np.array(list(families)), 0.0, 0.0
    for family in dict.fromkeys(names.tolist()):
        own = names == family
        errors = whole[:, own] - whole[:, own].mean(axis=0)
        errors -= errors.mean(axis=1, keepdims=True)
        noise += float((errors**2).sum()) / max(len(whole), 1)
        scatter += float(((observed[own] - observed[own].mean()) ** 2).sum())
    return noise > NOISY_SHARE * scatter


def find_groups(sides: Sequence[tuple[FloatArray, FloatArray]]) -> tuple[str, ...]:
    """The group of each of k systems where scores show that they are no one population; () where none do.

    Systems without noise among noisy ones are a group on the first side that has any; otherwise a gap wider
    than `LEAST_GAP` parts them, on the side where it is wider. Where a score is missing, none are found.

    Parameters
    ----------
    sides : for each score (observed, resampled), (k,) and (R, k); constant ones are passed over

    Returns
    -------
    tuple of k names of groups, all of `GROUPS_BY`, or ()

    References
    ----------
    The rule is this project's own; `tests/benchmarks/coverage.py` simulates what intervals hold with it.

    Examples
    --------
    >>> observed = np.array([0.1, 0.12, 0.9, 0.92])
    >>> noise = np.random.default_rng(0).normal(scale=0.01, size=(200, 4))
    >>> find_groups([(observed, observed + noise)])
    ('below the gap', 'below the gap', 'above the gap', 'above the gap')
    """
    if not all(np.isfinite(observed).all() for observed, _ in sides):
        return ()
    varying = [side for side in sides if not constant_rows(side[0])]
    for _, resampled in varying:
        quiet = quiet_systems(resampled)
        if quiet.any() and not quiet.all():
            return tuple(np.where(quiet, _QUIET, _NOISY).tolist())
    gaps = [widest_gap(observed) for observed, _ in varying]
    gap, above = max(gaps, key=lambda found: found[0], default=(0.0, None))
    if above is None or gap <= LEAST_GAP:
        return ()
    return tuple(np.where(above, _ABOVE, _BELOW).tolist())


def widest_gap(observed: FloatArray) -> tuple[float, BoolArray]:
    """The largest gap between neighbours, in standard deviations within the groups on either side of it, and
    which scores (k,) lie above it. 0 for fewer than four systems; infinite where either group is constant.

    Examples
    --------
    >>> gap, above = widest_gap(np.array([1.0, 7.0, 2.0, 9.0, 8.0, 3.0]))
    >>> round(gap, 2), above.tolist()
    (4.0, [False, True, False, True, True, False])
    """
    ordered = np.sort(observed)
    gaps = np.diff(ordered)
    if len(observed) <= LEAST_SYSTEMS:
        return 0.0, np.zeros(len(observed), dtype=bool)
    at = int(gaps.argmax())
    above: BoolArray = observed > ordered[at]
    groups = observed[above], observed[~above]
    squares = sum(float(((group - group.mean()) ** 2).sum()) for group in groups)
    within = np.sqrt(squares / (len(observed) - 2))
    return (float(gaps[at] / within) if within > tie_tolerance(observed)[0] else np.inf), above


def quiet_systems(resampled: FloatArray) -> BoolArray:
    """(k,): which systems' scores (R, k) hardly move under resampling, where those of others do.

    Systems that have the same score in every resample count as such: they move together or not at all.
    """
    whole = resampled[np.isfinite(resampled).all(axis=1)]
    if not len(whole):
        return np.zeros(resampled.shape[1], dtype=bool)
    noise = whole.std(axis=0)
    quiet: BoolArray = noise < QUIET * float(np.sqrt((noise**2).mean()))
    tolerance = tie_tolerance(whole).max()
    for one, other in combinations(range(len(noise)), 2):
        if abs(whole[0, one] - whole[0, other]) <= tolerance:  # most pairs differ here already
            quiet[[one, other]] |= bool((np.abs(whole[:, one] - whole[:, other]) <= tolerance).all())
    return quiet
