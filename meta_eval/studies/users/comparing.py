"""Approaches as a whole, and beside each other: means over users, intervals, and p by flipped signs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.resampling.weights import batch_sizes, draw_weights, weighted_scores
from meta_eval.stats.significance.adjustment import adjust_p_values
from meta_eval.stats.significance.flips import Flips, draw_flips, pair_p_values
from meta_eval.studies.users.metrics import Quality, mean_known, within_limit

RESAMPLES = 2_000
FLIPS = 10_000
LEAST_USERS = 2
"""With one user there is nothing to resample."""
FEW_USERS = 20
"""With fewer users a percentile interval holds less often than it says."""
_BATCH = 2_000_000
"""Numbers in memory at a time."""

Value = Callable[[Quality], float | None]
MEASURES: Mapping[str, str] = {
    "qm": "QM, share of good summaries",
    "ifm": "IFM, share within the limit of words",
    "idm": "IDM, accuracy a word",
    "accuracy": "Accuracy, share of tasks answered right",
}
"""What an approach is measured by, and what it is."""


@dataclass(frozen=True, slots=True)
class Resampling:
    """How many resamples of users an interval rests on, and how many flips of signs a p; and their seed."""

    resamples: int = RESAMPLES
    flips: int = FLIPS
    seed: int = 0

    def rng(self) -> np.random.Generator:
        """A generator that starts anew: every number is resampled with the same users."""
        return np.random.default_rng(self.seed)


class _Draws:
    """What one call resamples with, drawn once for each number of users: drawing takes most of the time.

    Kept in few bytes, and made numbers of some resamples at a time, so that thousands of users fit in memory.
    """

    def __init__(self, resampling: Resampling) -> None:
        self._resampling = resampling
        self._weights: dict[int, list[NDArray[np.uint16]]] = {}
        self._flips: dict[int, Flips] = {}

    def replicates(self, row: FloatArray) -> FloatArray:
        """(R,): means of one row (U,) over resampled users."""
        users = len(row)
        if users not in self._weights:
            self._weights.clear()
            self._weights[users] = list(self._draw(users))
        parts = (weighted_scores(one.astype(np.float64), row[None, :]) for one in self._weights[users])
        return np.concatenate([part[:, 0] for part in parts])

    def _draw(self, users: int) -> Iterator[NDArray[np.uint16]]:
        """How often each of the users is drawn, some resamples at a time."""
        rng = self._resampling.rng()
        for size in batch_sizes(self._resampling.resamples, max(1, _BATCH // users)):
            yield draw_weights(units=users, resamples=size, rng=rng).astype(np.uint16)

    def flips(self, users: int) -> Flips:
        """(F, U): signs of users."""
        if users not in self._flips:
            chosen = self._resampling
            self._flips.clear()
            self._flips = {users: draw_flips(users, permutations=chosen.flips, rng=chosen.rng())}
        return self._flips[users]


def measured(limit: int) -> dict[str, Value]:
    """The value of each of `MEASURES` for one summary; `limit` is in words."""
    return {
        "qm": lambda one: _number(one.good),
        "ifm": lambda one: within_limit(one.words, limit),
        "idm": lambda one: one.density,
        "accuracy": lambda one: one.accuracy,
    }


def score_approaches(
    qualities: Sequence[Quality],
    *,
    limit: int,
    left_out: Mapping[str, Mapping[str, int]] | None = None,
    resampling: Resampling | None = None,
) -> list[dict[str, Any]]:
    """One record an approach: its measures with intervals, both controls, chance, and what was left out.

    Parameters
    ----------
    qualities : sequence of Quality
        One a user and approach.
    limit : int
        The most words of a summary, for IFM.
    left_out : mapping, optional
        By approach, users who have no part in it, by reason.
    resampling : Resampling, optional
        Of the intervals (95 %, percentiles over users) and p.

    Returns
    -------
    list of dict
        `qm`, `ifm`, `idm`, `accuracy` (None with a reason in `reasons`), `intervals` of each, `chance`,
        `controls` (QM and accuracy from nothing and from another user's summary), `over_other` (accuracy
        less that from another user's summary, with interval, p by flipped signs and p after Holm over
        approaches), `summaries`, `tasks`, `answered`, `words`, `left_out`.
    """
    by_approach = _by_approach(qualities)
    draws = _Draws(resampling or Resampling())
    records = [_score(name, own, limit, left_out or {}, draws) for name, own in by_approach.items()]
    adjusted = adjust_p_values([record["over_other"]["p"] for record in records])
    for record, p_value in zip(records, adjusted, strict=True):
        record["over_other"]["p_adjusted"] = p_value
    return records


def compare_approaches(
    qualities: Sequence[Quality], *, limit: int, resampling: Resampling | None = None
) -> list[dict[str, Any]]:
    """Every two approaches on the users whom both summarise, for each measure.

    Parameters
    ----------
    qualities : sequence of Quality
    limit : int
        The most words of a summary, for IFM.
    resampling : Resampling, optional

    Returns
    -------
    list of dict
        `measure`, `first`, `second`, `users`, the mean of either over these, `difference` (first less second)
        with `ci_low` and `ci_high` (95 %, users resampled together), `p` (two-sided, signs of users flipped)
        and `p_adjusted` (Holm over the pairs of the measure); None with a `reason` where users are too few.

    Raises
    ------
    InputError
        For fewer than two approaches.

    Examples
    --------
    >>> from meta_eval.studies.users.metrics import Quality
    >>> known = {"words": 9, "tasks": 2, "answered": 2, "chance": 0.5, "good": True}
    >>> scores = {"ours": 1.0, "theirs": 0.5}
    >>> qualities = [
    ...     Quality(user=user, approach=name, accuracy=one, **known)
    ...     for name, one in scores.items()
    ...     for user in ("ann", "bob")
    ... ]
    >>> compare_approaches(qualities, limit=50)[0]["users"]
    2
    """
    by_approach = _by_approach(qualities)
    if len(by_approach) < 2:
        raise InputError(f"there is one approach, {next(iter(by_approach))!r}: nothing to compare it with")
    draws, records = _Draws(resampling or Resampling()), []
    for measure, value in measured(limit).items():
        of_measure = [
            {
                "measure": measure,
                "first": first,
                "second": second,
                **_paired(_values(by_approach[first], value), _values(by_approach[second], value), draws),
            }
            for first, second in combinations(by_approach, 2)
        ]
        adjusted = adjust_p_values([record["p"] for record in of_measure])
        records += [{**one, "p_adjusted": p} for one, p in zip(of_measure, adjusted, strict=True)]
    return records


def _score(
    approach: str,
    own: Sequence[Quality],
    limit: int,
    left_out: Mapping[str, Mapping[str, int]],
    draws: _Draws,
) -> dict[str, Any]:
    values = {name: [value(one) for one in own] for name, value in measured(limit).items()}
    means = {name: mean_known(found) for name, found in values.items()}
    other = _paired(
        {one.user: one.accuracy for one in own}, {one.user: one.accuracy_other for one in own}, draws
    )
    empty = sum(not one.words for one in own)
    unknown = sum(one.good is None for one in own)
    counts = {"summaries without a Q": unknown, "empty summaries without an IDM": empty}
    return {
        "approach": approach,
        **means,
        "chance": mean_known(one.chance for one in own),
        "intervals": {name: _interval(found, draws) for name, found in values.items()},
        "reasons": {name: _REASONS[name] for name, mean in means.items() if mean is None},
        "controls": {
            "none": {
                "qm": mean_known(_number(one.good_none) for one in own),
                "accuracy": mean_known(one.accuracy_none for one in own),
            },
            "other": {
                "qm": mean_known(_number(one.good_other) for one in own),
                "accuracy": mean_known(one.accuracy_other for one in own),
            },
        },
        "over_other": {name: value for name, value in other.items() if not name.startswith("mean_")},
        "summaries": len(own),
        "tasks": sum(one.tasks for one in own),
        "answered": sum(one.answered for one in own),
        "words": mean_known(float(one.words) for one in own),
        "empty": empty,
        "left_out": {
            **left_out.get(approach, {}),
            **{reason: count for reason, count in counts.items() if count},
        },
    }


_NOT_ANSWERED = "no summary has answers to half of its tasks"
_REASONS = {
    "qm": _NOT_ANSWERED,
    "ifm": "there is no summary",
    "idm": "every summary is empty, or lacks answers to half of its tasks",
    "accuracy": _NOT_ANSWERED,
}


def _interval(values: Sequence[float | None], draws: _Draws) -> dict[str, float | None]:
    """95 % of the mean over users, resampled."""
    row = _row(values)
    if np.isfinite(row).sum() < LEAST_USERS:
        return {"low": None, "high": None}
    found = percentile_interval(draws.replicates(row))
    return {"low": found.low, "high": found.high}


def _paired(
    first: Mapping[str, float | None], second: Mapping[str, float | None], draws: _Draws
) -> dict[str, Any]:
    """Both means over the users of whom both sides are known, their difference, its interval and p."""
    users = [user for user in first if first[user] is not None and second.get(user) is not None]
    sides = np.stack([_row([side[user] for user in users]) for side in (first, second)])
    means = sides.mean(axis=1).tolist() if users else []
    found = {
        "users": len(users),
        "mean_first": means[0] if means else None,
        "mean_second": means[1] if means else None,
        "difference": means[0] - means[1] if means else None,
        "ci_low": None,
        "ci_high": None,
        "p": None,
        "reason": None,
    }
    if len(users) < LEAST_USERS:
        reason = f"{len(users)} users are known on both sides, at least {LEAST_USERS} are needed"
        return {**found, "reason": reason}
    interval = percentile_interval(draws.replicates(sides[0] - sides[1]))
    (p_value,) = pair_p_values(sides, draws.flips(len(users))).tolist()
    return {**found, "ci_low": interval.low, "ci_high": interval.high, "p": p_value}


def _row(values: Sequence[float | None]) -> FloatArray:
    return np.array([np.nan if one is None else one for one in values], dtype=np.float64)


def _values(own: Sequence[Quality], value: Value) -> dict[str, float | None]:
    return {one.user: value(one) for one in own}


def _by_approach(qualities: Sequence[Quality]) -> dict[str, list[Quality]]:
    found: dict[str, list[Quality]] = {}
    for one in qualities:
        found.setdefault(one.approach, []).append(one)
    if not found:
        raise InputError("there is no summary to score")
    return found


def _number(value: bool | None) -> float | None:
    return None if value is None else float(value)
