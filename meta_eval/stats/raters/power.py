"""How likely a planned survey finds what is there: its power, by simulation (Card et al. 2020).

Surveys are drawn from the assumptions of `meta_eval.stats.raters.precision`, each with systems of its own,
and tested as a report and `compare` test them: a coefficient by permuting the systems, the difference between
two measures by swapping them for whole systems. A finding is a p of at most alpha in the right direction,
before any adjustment for other hypotheses.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import BoolArray, FloatArray
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.coefficients.ties import TIE
from meta_eval.stats.raters.precision import Assumptions, SurveySize, check_systems
from meta_eval.stats.raters.untied import Untied, slices
from meta_eval.stats.significance.permutation import EXACT_SYSTEMS, correlation_p_value

RANK_NULL = 9_999
"""Orders that all surveys share as the null of Spearman's rho where it is not enumerated."""
_ROUNDING = 10 * TIE


@dataclass(frozen=True, slots=True)
class Power:
    """Chances: `coefficient`, that the measure's coefficient is found above 0; `difference`, that the measure
    is found to agree better than the second one (worse, where it does)."""

    coefficient: float
    difference: float


def simulate_power(
    assumptions: Assumptions,
    *,
    systems: int,
    documents: int,
    reader_pairs: int,
    raters: int,
    alpha: float = 0.05,
    seed: int = 0,
    surveys: int = 250,
    permutations: int = 199,
) -> dict[Coefficient, Power]:
    """The power of a survey of this size, by coefficient; every coefficient sees the same surveys.

    Parameters
    ----------
    assumptions : what is assumed of systems, raters and both measures
    systems, documents, reader_pairs, raters : the size of the survey
    alpha : a p of at most this much is a finding
    seed : the same seed gives the same result
    surveys : how many are simulated; the standard error of a chance p is sqrt(p (1 - p) / surveys)
    permutations : of systems, and swaps of the two measures, that each p rests on

    Returns
    -------
    dict of `Power` by coefficient

    Raises
    ------
    InputError : for fewer than 3 systems, or a size below 1

    References
    ----------
    Card, D., Henderson, P., Khandelwal, U., Jia, R., Mahowald, K., & Jurafsky, D. (2020). With little power
    comes great responsibility. EMNLP.

    Examples
    --------
    >>> strong = Assumptions(correlation=0.95, other=0.0)
    >>> found = simulate_power(strong, systems=10, documents=200, reader_pairs=1, raters=2)
    >>> found["pearson"].coefficient > 0.95
    True
    """
    return simulate_power_by_size(
        assumptions,
        [SurveySize(documents, reader_pairs, raters)],
        systems=systems,
        alpha=alpha,
        seed=seed,
        surveys=surveys,
        permutations=permutations,
    )[0]


def simulate_power_by_size(
    assumptions: Assumptions,
    sizes: Sequence[SurveySize],
    *,
    systems: int,
    alpha: float = 0.05,
    seed: int = 0,
    surveys: int = 250,
    permutations: int = 199,
) -> list[dict[Coefficient, Power]]:
    """`simulate_power` for several sizes: all see the same systems and measures.

    What concerns the measures alone, most of the work, is done once for all sizes.

    Parameters
    ----------
    assumptions, systems, alpha, seed, surveys, permutations : as in `simulate_power`
    sizes : of the surveys

    Returns
    -------
    list of dicts of `Power` by coefficient, in the order of `sizes`, each as `simulate_power` gives it

    Raises
    ------
    InputError : for fewer than 3 systems

    References
    ----------
    Card et al. (2020), as in `simulate_power`.

    Examples
    --------
    >>> sizes = [SurveySize(documents=count, reader_pairs=1, raters=2) for count in (5, 200)]
    >>> few, many = simulate_power_by_size(Assumptions(), sizes, systems=10)
    >>> few["kendall"].coefficient < many["kendall"].coefficient
    True
    """
    check_systems(systems)
    if not sizes:
        return []
    rng = np.random.default_rng(seed)
    mixing = np.linalg.cholesky(assumptions.matrix)
    true, first, second = np.einsum("ij,jrn->irn", mixing, rng.standard_normal((3, surveys, systems)))
    noise = rng.standard_normal((surveys, systems))
    human = np.stack([assumptions.system_sd * true + assumptions.noise_sd(size) * noise for size in sizes])
    signs = np.where(rng.random((permutations, systems)) < 0.5, -1.0, 1.0)
    related = coefficient_p_values(first, human, rng=rng, permutations=permutations)
    apart = difference_p_values(first, second, human, signs)
    better = 1.0 if assumptions.correlation >= assumptions.other else -1.0
    found = {
        name: (_share_found(*related[name], 1.0, alpha), _share_found(*apart[name], better, alpha))
        for name in COEFFICIENTS
    }
    return [
        {name: Power(float(alone[at]), float(apart[at])) for name, (alone, apart) in found.items()}
        for at in range(len(sizes))
    ]


def _share_found(values: FloatArray, p_values: FloatArray, direction: float, alpha: float) -> FloatArray:
    """(..., R) to (...): of the surveys of each size."""
    found: BoolArray = (p_values <= alpha) & (direction * values > 0.0)
    share: FloatArray = found.mean(axis=-1)
    return share


Tested = dict[Coefficient, tuple[FloatArray, FloatArray]]
"""By coefficient: values (..., R) and their two-sided p (..., R)."""


def coefficient_p_values(
    measure: FloatArray, human: FloatArray, *, rng: np.random.Generator, permutations: int
) -> Tested:
    """The coefficient of surveys, the measure's (R, n) with people's (..., R, n), and p by permuting systems
    (for Pearson so often).

    p of a rank coefficient without ties depends on its value alone, and so is found once for each.
    """
    systems = measure.shape[-1]
    metric, people = Untied(measure), Untied(human)
    observed = people.correlate(metric)
    orders = rng.permuted(np.tile(np.arange(systems), (RANK_NULL, 1)), axis=1)
    permuted = metric.unit[:, orders[:permutations]]
    nulls = {"pearson": np.einsum("rpn,...rn->...rp", permuted, people.unit)}
    if systems > EXACT_SYSTEMS:
        drawn = orders.astype(float)
        nulls["spearman"] = correlate_rows(drawn, np.arange(systems, dtype=float), "pearson")
    sides = np.broadcast_to(measure, human.shape).reshape(-1, systems), human.reshape(-1, systems)
    return {
        name: (
            values,
            _p_values(values, nulls[name])
            if name in nulls
            else _exact_p_values(values.ravel(), *sides, name, rng).reshape(values.shape),
        )
        for name, values in observed.items()
    }


def _exact_p_values(
    observed: FloatArray, measure: FloatArray, human: FloatArray, name: Coefficient, rng: np.random.Generator
) -> FloatArray:
    """(R,): p of each value, by the first survey that has it."""
    _, rows, which = np.unique(observed.round(9), return_index=True, return_inverse=True)
    sides = ((measure[row].tolist(), human[row].tolist()) for row in rows)
    found = [correlation_p_value(*both, name, rng=rng).p for both in sides]
    return np.array([1.0 if p is None else p for p in found])[which]


def difference_p_values(
    first: FloatArray, second: FloatArray, human: FloatArray, signs: FloatArray
) -> Tested:
    """How two measures' coefficients (R, n) with people's (..., R, n) differ, and p by swapping the measures,
    each standardised, for the systems where `signs` (P, n) is -1: PERM-SYSTEMS (Deutsch et al. 2021)."""
    first, second = (_standardise(side) for side in (first, second))
    middle, half = (first + second) / 2, (first - second) / 2
    observed = _differences(middle, half, Untied(human))
    nulls = [
        _differences(middle[some, None], half[some, None] * signs, Untied(human[..., some, None, :]))
        for some in slices(len(half), each=len(signs) * (human.size // half.size), systems=half.shape[-1])
    ]
    return {
        name: (values, _p_values(values, np.concatenate([part[name] for part in nulls], axis=-2)))
        for name, values in observed.items()
    }


def _differences(middle: FloatArray, half: FloatArray, human: Untied) -> dict[Coefficient, FloatArray]:
    better, worse = (human.correlate(Untied(side)) for side in (middle + half, middle - half))
    return {name: better[name] - worse[name] for name in COEFFICIENTS}


def _standardise(values: FloatArray) -> FloatArray:
    standard: FloatArray = (values - values.mean(axis=1, keepdims=True)) / values.std(axis=1, keepdims=True)
    return standard


def _p_values(observed: FloatArray, null: FloatArray) -> FloatArray:
    """Of values (..., R) among null values of each (..., R, P) or of all (P,); the observed counts too."""
    extreme = np.abs(null) >= np.abs(observed)[..., None] - _ROUNDING
    p_values: FloatArray = (extreme.sum(axis=-1) + 1) / (extreme.shape[-1] + 1)
    return p_values
