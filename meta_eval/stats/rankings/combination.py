"""Measures joined into one score: does the best combination order systems that it was not made on?

A combination that is chosen on the systems it is judged by always wins. Here each pair of systems is left out
in turn and the combination is made on the others. Leaving out one system alone is not enough to judge an
order: the systems it is then compared with were fitted to people, and of measures without any relation to
people a chosen combination orders .57 to .60 of the pairs alike.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal, get_args

import numpy as np
import scipy

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.coefficients.ties import TIE, constant_rows

Method = Literal["best single", "best two", "equal weights", "fitted weights"]
METHODS: tuple[Method, ...] = get_args(Method)
"""The measure that agrees best on the other systems; the two whose mean does; the mean of all; and weights of
at least 0 that fit people's scores by least squares. Measures are standardised over the other systems."""

LEAST_TO_COMBINE = 5
"""With fewer, a combination is made on two systems."""
_CHOSEN_BY: tuple[Coefficient, Coefficient] = ("kendall", "pearson")


@dataclass(frozen=True, slots=True)
class Combination:
    """How often a combination orders two left-out systems as people do, over `pairs`.

    `one_left_out` is the share where it is made without one system, each in turn, and orders that one among
    the others; `fitted` where it is made on all systems and judged by them. Both flatter it. `weights` are
    those that it has when it is made on all, by measure.
    """

    method: Method
    held_out: float
    one_left_out: float
    fitted: float
    pairs: int
    weights: Mapping[str, float]


def combine_measures(
    human: Sequence[float | None], metrics: Mapping[str, Sequence[float | None]]
) -> tuple[Combination, ...]:
    """Each method of joining measures, judged on systems that it was not made on.

    A tie of the combination is wrong; pairs that people tie are left out. Only systems that people and every
    measure score are used, and measures that differ over them. Beside it stands what leaving out one system
    alone gives, which is usual.

    Parameters
    ----------
    human : n scores of people, None or NaN where there is none
    metrics : by measure, n scores that point the same way

    Returns
    -------
    tuple of Combination : one for each of `METHODS`

    Raises
    ------
    InputError : for fewer than two measures that differ over the systems, fewer than `LEAST_TO_COMBINE`
        systems, or people who tie them all

    References
    ----------
    Anugraha et al. (2024), "MetaMetrics-MT: Tuning Meta-Metrics for Machine Translation via Human Preference
    Calibration", for combinations that are fitted to people. Leaving out the pair that is judged is ours.

    Examples
    --------
    >>> human = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0]
    >>> metrics = {"one": [1, 3, 2, 4, 6, 5], "other": [2, 1, 4, 3, 5, 6]}
    >>> for found in combine_measures(human, metrics):
    ...     shares = found.held_out, found.one_left_out, found.fitted
    ...     print(found.method, *(round(share, 2) for share in shares))
    best single 0.87 0.8 0.87
    best two 0.93 0.97 0.93
    equal weights 0.93 0.97 0.93
    fitted weights 0.93 0.93 0.93
    """
    people, scores, names = _complete(human, metrics)
    return tuple(_judge(method, people, scores, names) for method in METHODS)


def _complete(
    human: Sequence[float | None], metrics: Mapping[str, Sequence[float | None]]
) -> tuple[FloatArray, FloatArray, list[str]]:
    """(n,), (M, n) and the measures' names, over the systems that have all scores."""
    sides = np.array([human, *metrics.values()], dtype=np.float64)
    sides = sides[:, np.isfinite(sides).all(axis=0)]
    if sides.shape[1] < LEAST_TO_COMBINE:
        raise InputError(f"{sides.shape[1]} systems have all scores, at least {LEAST_TO_COMBINE} are needed")
    kept = [at for at, name in enumerate(metrics, start=1) if not constant_rows(sides[at])]
    if len(kept) < 2:
        raise InputError(f"{len(kept)} measures differ over the systems, at least two are needed to combine")
    if constant_rows(sides[0]):
        raise InputError("people's scores are the same for every system")
    return sides[0], sides[kept], [list(metrics)[at - 1] for at in kept]


def _judge(method: Method, people: FloatArray, scores: FloatArray, names: Sequence[str]) -> Combination:
    everyone = np.ones(len(people), dtype=bool)
    weights, standard = _make(method, people, scores, everyone)
    together = weights @ standard
    without = [_make_without(method, people, scores, [system]) for system in range(len(people))]
    fitted, held_out, one_left_out = [], [], []
    for first, second in combinations(range(len(people)), 2):
        wanted = people[first] - people[second]
        if abs(wanted) <= TIE:
            continue
        made = _make_without(method, people, scores, [first, second])
        fitted.append(_is_ordered(together, first, second, wanted))
        held_out.append(_is_ordered(made, first, second, wanted))
        one_left_out += [_is_ordered(without[one], first, second, wanted) for one in (first, second)]
    return Combination(
        method,
        held_out=float(np.mean(held_out)),
        one_left_out=float(np.mean(one_left_out)),
        fitted=float(np.mean(fitted)),
        pairs=len(held_out),
        weights=dict(zip(names, weights.tolist(), strict=True)),
    )


def _make_without(
    method: Method, people: FloatArray, scores: FloatArray, left_out: Sequence[int]
) -> FloatArray:
    """(n,) what the combination gives all systems where it was made without some."""
    others = np.ones(len(people), dtype=bool)
    others[list(left_out)] = False
    weights, standard = _make(method, people, scores, others)
    return np.asarray(weights @ standard)


def _make(
    method: Method, people: FloatArray, scores: FloatArray, on: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """(M,) weights that were found `on` some systems, and (M, n) scores of all standardised over these."""
    middle, spread = scores[:, on].mean(axis=1), scores[:, on].std(axis=1)
    flat = spread <= TIE * np.maximum(1.0, np.abs(middle))
    standard = np.where(flat[:, None], 0.0, (scores - middle[:, None]) / np.where(flat, 1.0, spread)[:, None])
    return _WEIGHTS[method](people[on], standard[:, on]), standard


def _is_ordered(combined: FloatArray, first: int, second: int, wanted: float) -> bool:
    lead = float(combined[first] - combined[second])
    return abs(lead) > TIE * max(1.0, float(np.abs(combined).max())) and (lead > 0) == (wanted > 0)


def _best_of(size: int) -> Callable[[FloatArray, FloatArray], FloatArray]:
    """Equal weights of so many measures, those whose mean has the highest tau-b, then the highest r."""

    def weights(people: FloatArray, standard: FloatArray) -> FloatArray:
        subsets = np.array(list(combinations(range(len(standard)), size)))
        means = standard[subsets].mean(axis=1)  # (C, size, n) -> (C, n)
        taus, r = (np.nan_to_num(correlate_rows(means, people, name), nan=-1.0) for name in _CHOSEN_BY)
        chosen = np.zeros(len(standard))
        chosen[subsets[np.lexsort((-r, -np.round(taus, 12)))[0]]] = 1.0 / size
        return chosen

    return weights


def _equal(people: FloatArray, standard: FloatArray) -> FloatArray:  # noqa: ARG001
    return np.full(len(standard), 1.0 / len(standard))


def _fitted(people: FloatArray, standard: FloatArray) -> FloatArray:
    """Weights of at least 0 that sum to 1; equal ones where none is above 0."""
    weights = scipy.optimize.nnls(standard.T, people - people.mean())[0]
    total = float(weights.sum())
    return weights / total if total > TIE else _equal(people, standard)


_WEIGHTS: Mapping[Method, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "best single": _best_of(1),
    "best two": _best_of(2),
    "equal weights": _equal,
    "fitted weights": _fitted,
}
