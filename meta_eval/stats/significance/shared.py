"""p of several measures adjusted for each other by max-T over permutations of the systems that they share.

In every permutation the human scores change places between the systems, the same places for all measures.
Measures that go together are then extreme together, so that adjusting for them costs little; Holm, who knows
nothing of that, charges for each of them in full.
"""

import math
from itertools import permutations as orderings

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows, has_unit_rows, unit_rows
from meta_eval.stats.significance.permutation import DEFAULT_PERMUTATIONS
from meta_eval.stats.significance.shuffle_null import max_t_p_values

EXACT_SHARED = 8
"""All permutations of so many systems are taken; of more, some are drawn."""


def shared_permutation_p_values(
    human: FloatArray,
    automatic: FloatArray,
    coefficient: Coefficient,
    *,
    rng: np.random.Generator,
    permutations: int = DEFAULT_PERMUTATIONS,
) -> tuple[float | None, ...]:
    """Two-sided p of M measures against one human score, each adjusted for all by step-down max-T.

    The hypothesis of a measure is that its scores have nothing to do with the human ones; the chance to
    reject any true one is held, whatever the measures have to do with each other. Exact over all
    permutations of up to `EXACT_SHARED` systems, sampled with +1 above.

    Parameters
    ----------
    human : array of shape (S,)
        A score of each system, NaN where one has none.
    automatic : array of shape (M, S)
        The scores of the same systems by each measure, NaN where one has none.
    coefficient : one of `ALL_COEFFICIENTS`
    rng : for what is sampled; what is exact draws nothing
    permutations : how many are sampled where not all are taken

    Returns
    -------
    tuple of M numbers
        In (0, 1], None where the coefficient is undefined; never below the p of a measure by itself over the
        same permutations.

    Raises
    ------
    InputError
        If the two sides are not of the same systems.

    References
    ----------
    Westfall and Young 1993, algorithm 2.8 (step-down max-T).

    Examples
    --------
    >>> human = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    >>> automatic = np.array([[1.0, 2.0, 3.0, 4.0, 5.0], [2.0, 1.0, 3.0, 4.0, 5.0]])
    >>> rng = np.random.default_rng(0)
    >>> found = shared_permutation_p_values(human, automatic, "kendall", rng=rng)
    >>> [round(p, 4) for p in found]
    [0.0333, 0.0833]
    """
    if automatic.ndim != 2 or automatic.shape[1:] != human.shape:
        raise InputError(f"human scores {human.shape} and automatic scores {automatic.shape} do not match")
    known = np.isfinite(human)
    human, automatic = human[known], automatic[:, known]
    # tau-c is a multiple of tau-b under every permutation, so both have one p
    statistic: Coefficient = "kendall" if REGISTRY[coefficient].times_tau else coefficient
    permuted = _permuted(human, permutations, rng)
    null = _coefficients(permuted, automatic, statistic)
    observed = _coefficients(human[None], automatic, statistic)[0]
    centre = _centre(null, statistic)
    exact = len(human) <= EXACT_SHARED
    return max_t_p_values(np.abs(null - centre), np.abs(observed - centre), exact=exact)


def _permuted(values: FloatArray, count: int, rng: np.random.Generator) -> FloatArray:
    """(R, S): the values in every order, or in some drawn ones."""
    if len(values) > EXACT_SHARED:
        return rng.permuted(np.tile(values, (count, 1)), axis=1)
    index = np.array(list(orderings(range(len(values)))), dtype=np.int64)
    return values[index.reshape(math.factorial(len(values)), len(values))]


def _coefficients(rows: FloatArray, automatic: FloatArray, coefficient: Coefficient) -> FloatArray:
    """(R, S) and (M, S) to (R, M); a row's features are made once where no measure misses a system."""
    if has_unit_rows(coefficient) and np.isfinite(automatic).all():
        found: FloatArray = unit_rows(rows, coefficient) @ unit_rows(automatic, coefficient).T
        return found
    return np.stack([correlate_rows(rows, scores, coefficient) for scores in automatic], axis=1)


def _centre(null: FloatArray, coefficient: Coefficient) -> FloatArray:
    """Where a two-sided p is centred: at 0, or at the null's mean where ties move what chance gives."""
    if REGISTRY[coefficient].chance == 0.0:
        return np.zeros(null.shape[1])
    defined = np.isfinite(null)
    total = np.where(defined, null, 0.0).sum(axis=0)
    centre: FloatArray = total / np.maximum(defined.sum(axis=0), 1)
    return centre
