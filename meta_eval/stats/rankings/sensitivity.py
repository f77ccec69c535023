"""What a coefficient hangs on: each system left out in turn, and each family of systems by itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.families import FamilyCorrelation, correlate_within_families
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.intervals import Interval

LARGE_CHANGE = 0.25
"""A coefficient that moves by this much when one of its systems is left out is that system's work."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """The coefficient without `system`, and its change against all systems (None where undefined)."""

    system: str
    correlation: Correlation
    change: float | None


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Leave-one-system-out and within-family tables, and the warnings they give rise to."""

    overall: Correlation
    left_out: tuple[LeftOut, ...]
    families: tuple[FamilyCorrelation, ...]
    carried_by: tuple[str, ...]
    interval_contains_zero: bool | None
    warnings: tuple[str, ...]


def check_sensitivity(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    systems: Sequence[str],
    families: Mapping[str, str] | None = None,
    interval: Interval | None = None,
    large_change: float = LARGE_CHANGE,
) -> Sensitivity:
    """Leave out each system, correlate within each family, and warn.

    A system carries the result if the coefficient changes sign, becomes undefined, or moves by `large_change`
    or more without it.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    systems : the names of the n systems
    families : family by system, such as personalised or not
    interval : of the coefficient; one that holds 0 is warned of
    large_change : of the coefficient, from which on a system carries it

    Returns
    -------
    Sensitivity

    Raises
    ------
    InputError : for sides of different length, and if a system has no family while others do

    References
    ----------
    Mathur, Baldwin and Cohn (2020). Tangled up in BLEU: reevaluating the evaluation of automatic machine
    translation evaluation metrics. ACL (what single systems do to a coefficient).

    Examples
    --------
    >>> found = check_sensitivity([1, 2, 3, 9], [2, 1, 3, 9], "pearson", systems="ABCD")
    >>> found.carried_by
    ('D',)
    """
    overall = correlate(x, y, coefficient)
    left_out = leave_one_system_out(x, y, coefficient, systems=systems)
    carried = tuple(one.system for one in left_out if _carries(one, overall, large_change))
    within = correlate_within_families(x, y, coefficient, systems=systems, families=families or {})
    contains_zero = None if interval is None else interval.contains_zero
    return Sensitivity(
        overall, left_out, within, carried, contains_zero, _warnings(overall, left_out, carried, interval)
    )


def leave_one_system_out(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    systems: Sequence[str],
) -> tuple[LeftOut, ...]:
    """One row for each system that both sides have: the coefficient of the others.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    systems : the names of the n systems

    Returns
    -------
    tuple of LeftOut

    Raises
    ------
    InputError : for sides of different length

    References
    ----------
    Mathur, Baldwin and Cohn (2020), as in `check_sensitivity`.

    Examples
    --------
    >>> found = leave_one_system_out([1, 2, 3], [1, 3, 2], "kendall", systems="ABC")
    >>> [(one.system, one.correlation.estimate) for one in found]
    [('A', -1.0), ('B', 1.0), ('C', 1.0)]
    """
    if not len(x) == len(y) == len(systems):
        raise InputError(f"{len(systems)} systems, but {len(x)} and {len(y)} scores")
    overall = correlate(x, y, coefficient)
    found = [
        (system, correlate([*x[:index], *x[index + 1 :]], [*y[:index], *y[index + 1 :]], coefficient))
        for index, system in enumerate(systems)
    ]
    return tuple(
        LeftOut(system, without, _change(without, overall))
        for system, without in found
        if without.n < overall.n
    )


def _change(without: Correlation, overall: Correlation) -> float | None:
    if without.estimate is None or overall.estimate is None:
        return None
    return without.estimate - overall.estimate


def _carries(one: LeftOut, overall: Correlation, large_change: float) -> bool:
    if overall.estimate is None:
        return False
    if one.correlation.estimate is None or one.change is None:
        return True
    turned = one.correlation.estimate * overall.estimate < 0.0
    return turned or abs(one.change) >= large_change


def _warnings(
    overall: Correlation, left_out: Sequence[LeftOut], carried: Sequence[str], interval: Interval | None
) -> tuple[str, ...]:
    warnings = []
    if interval is not None and interval.contains_zero:
        warnings.append(
            f"the {interval.level:.0%} interval holds 0: no agreement and its opposite are both possible"
        )
    return (*warnings, *(_change_in_words(one, overall) for one in left_out if one.system in carried))


def _change_in_words(one: LeftOut, overall: Correlation) -> str:
    without = one.correlation.estimate
    if without is None or overall.estimate is None:
        return f"without {one.system} the coefficient is undefined: {one.correlation.reason}"
    return f"without {one.system} the coefficient is {without:.2f} instead of {overall.estimate:.2f}"
