"""May a model stand in for a rater? The alternative annotator test (Calderon, Reichart and Dror, ACL 2025).

Each rater is left out in turn, and it is asked who is closer to the others, item by item: the model or the
rater left out. The model wins against a rater if its advantage is significant once it is granted `epsilon`,
what a rater's cost is worth; it passes if it wins against half of them or more.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError

Variant = Literal["leave one out", "single expert"]
"""Whether each rater is set against all others, or against one expert alone (the paper's variant for one)."""
Alignment = Literal["rmse", "accuracy"]
"""How near a rating is to others': by the root of their mean squared difference, or by the equal ones."""

Ratings = Mapping[Any, float]
"""By item, which is anything that can be a key."""

LEAST_ITEMS, LEAST_RATERS = 30, 3
FALSE_DISCOVERIES = 0.05
EPSILON = 0.1
"""What a rater's cost is worth unless it is said: the paper's value for crowd workers."""
PASSES = 0.5


@dataclass(frozen=True, slots=True)
class AgainstRater:
    """The model against one rater over `items`: how often each is at least as close to the others.

    `p_value` of the hypothesis that the model is no better by less than epsilon, `p_adjusted` for the number
    of raters (Benjamini and Yekutieli); `wins` where that is at most 5 %.
    """

    rater: str
    items: int
    model_advantage: float
    rater_advantage: float
    p_value: float
    p_adjusted: float
    wins: bool


@dataclass(frozen=True, slots=True)
class AlternativeTest:
    """`winning_rate` omega: the share of raters the model wins against; `advantage` rho: its mean advantage.

    Both, and `passes`, are None with a `reason` where there are too few raters with enough items. `too_few`
    counts raters left out for that; `items` those with two raters or more and the model. With a single
    `expert` raters and model are compared by how close each is to that one.
    """

    epsilon: float
    alignment: Alignment
    winning_rate: float | None
    advantage: float | None
    passes: bool | None
    reason: str | None
    raters: tuple[AgainstRater, ...]
    too_few: int
    items: int
    variant: Variant = "leave one out"
    expert: str | None = None


def alternative_annotator_test(
    people: Mapping[str, Ratings],
    model: Ratings,
    *,
    epsilon: float = EPSILON,
    alignment: Alignment = "rmse",
    least_items: int = LEAST_ITEMS,
    expert: str | None = None,
) -> AlternativeTest:
    """Whether a model's ratings may stand for those of one of these raters.

    Parameters
    ----------
    people : mapping of rater to ratings by item
    model : ratings by item
        Items that it has not rated are left out.
    epsilon : float
        What a rater's cost is worth, from 0 to 1. The paper's guidance: 0.2 for experts, 0.15 for skilled
        raters, 0.1 for crowd workers; less where raters agree little.
    alignment : {"rmse", "accuracy"}
        The first for ratings, the second for categories.
    least_items : int
        Raters with fewer items that somebody else rated too are left out.
    expert : str, optional
        The one rater whose ratings count as right: the single-expert variant, in which model and other raters
        are compared by how close they are to the expert, not to each other.

    Returns
    -------
    AlternativeTest

    Raises
    ------
    InputError
        For an epsilon outside 0 to 1, for another alignment, and for an expert who is no rater.

    References
    ----------
    Calderon, Reichart and Dror (2025), The Alternative Annotator Test for LLM-as-a-Judge, section 3, and of
    the single expert the appendix.

    Examples
    --------
    >>> people = {name: {item: (item + shift) % 4 for item in range(40)} for shift, name in enumerate("abc")}
    >>> found = alternative_annotator_test(people, {item: (item + 1) % 4 for item in range(40)})
    >>> found.winning_rate, found.passes
    (1.0, True)
    """
    _check(epsilon, alignment)
    if expert is not None and expert not in people:
        raise InputError(
            f"the expert {expert!r} is none of the raters: {', '.join(people) or 'there are none'}"
        )
    counts = Counter(item for ratings in people.values() for item in ratings)
    rated = people[expert] if expert is not None else counts
    items = [item for item in rated if counts[item] > 1 and item in model]
    table = np.array(
        [[ratings.get(item, np.nan) for item in items] for ratings in people.values()], dtype=np.float64
    ).reshape(len(people), len(items))  # (raters, items), NaN where one did not rate
    ours = np.array([model[item] for item in items], dtype=np.float64)
    names = list(people)
    right = None if expert is None else table[names.index(expert)][None]
    compared = {
        rater: _indicators(
            np.delete(table, row, axis=0) if right is None else right, table[row], ours, alignment
        )
        for row, rater in enumerate(names)
        if rater != expert and np.isfinite(table[row]).sum() >= max(least_items, 1)
    }
    raters = _against(compared, epsilon)
    asked = len(people) - (expert is not None)
    reason = None
    if len(raters) < LEAST_RATERS:
        beside = "another one" if expert is None else "the expert"
        reason = (
            f"{len(raters)} of {asked} raters have {least_items} items or more that {beside} rated "
            f"too; the test needs {LEAST_RATERS}"
        )
    rate = None if reason else sum(one.wins for one in raters) / len(raters)
    return AlternativeTest(
        epsilon=epsilon,
        alignment=alignment,
        winning_rate=rate,
        advantage=None if reason else float(np.mean([one.model_advantage for one in raters])),
        passes=None if rate is None else rate >= PASSES,
        reason=reason,
        raters=raters,
        too_few=asked - len(raters),
        items=len(items),
        variant="leave one out" if expert is None else "single expert",
        expert=expert,
    )


def _check(epsilon: float, alignment: str) -> None:
    if not 0 <= epsilon <= 1:
        raise InputError(f"epsilon is a number from 0 to 1, not {epsilon}")
    if alignment not in get_args(Alignment):
        raise InputError(f"alignment is {' or '.join(get_args(Alignment))}, not {alignment!r}")


def _indicators(others: FloatArray, rater: FloatArray, model: FloatArray, alignment: Alignment) -> FloatArray:
    """(2, items) of one rater: whether the model, and whether the rater, is at least as close to the others.

    `others` are (raters, items), NaN where one did not rate. Of two ratings that with the smaller mean
    squared difference is the closer by its root, too.
    """
    rated = np.isfinite(rater)
    kept = others[:, rated]
    apart = [
        kept != ratings if alignment == "accuracy" else (kept - ratings) ** 2
        for ratings in (model[rated], rater[rated])
    ]
    ours, theirs = (np.where(np.isnan(kept), 0.0, one).sum(axis=0) for one in apart)
    return np.stack([ours <= theirs, theirs <= ours]).astype(np.float64)


def _against(compared: Mapping[str, FloatArray], epsilon: float) -> tuple[AgainstRater, ...]:
    if not compared:
        return ()
    p_values = [_p_value(rater - model, epsilon) for model, rater in compared.values()]
    adjusted: Sequence[float] = scipy.stats.false_discovery_control(p_values, method="by").tolist()
    return tuple(
        AgainstRater(
            rater=name,
            items=indicators.shape[1],
            model_advantage=float(indicators[0].mean()),
            rater_advantage=float(indicators[1].mean()),
            p_value=p,
            p_adjusted=q,
            wins=q <= FALSE_DISCOVERIES,
        )
        for (name, indicators), p, q in zip(compared.items(), p_values, adjusted, strict=True)
    )


def _p_value(differences: FloatArray, epsilon: float) -> float:
    """Of the hypothesis that the mean difference is epsilon or more: one-sided t-test."""
    if np.ptp(differences) == 0:  # no spread at all: the mean is what it is
        return 0.0 if differences[0] < epsilon else 1.0
    return float(scipy.stats.ttest_1samp(differences, epsilon, alternative="less").pvalue)
