"""Families of systems, such as personalised or not: who belongs where, and the coefficient within each.

A pooled coefficient may be the distance between two families alone, or hide that within them it is the other
way round.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient, Features
from meta_eval.stats.coefficients.ties import constant_rows, snap_ties

LEAST_IN_A_FAMILY = 3
"""Two systems agree or do not: a coefficient of them is 1 or -1 and says nothing."""

OTHERS = "other systems"
"""The family of the systems that were put in none."""

Families = Mapping[str, str]
"""System to family."""


@dataclass(frozen=True, slots=True)
class FamilyCorrelation:
    """The coefficient within one family of systems."""

    family: str
    systems: tuple[str, ...]
    correlation: Correlation


def parse_families(texts: Iterable[str], systems: Sequence[str]) -> dict[str, str]:
    """The family of each of `systems`, from texts such as "personalised=A, B".

    Systems that no text names are `OTHERS`. No texts give no families.

    Parameters
    ----------
    texts : each "FAMILY = SYSTEM, SYSTEM"
    systems : the names of all systems

    Returns
    -------
    dict of family by system, in the order of `systems`

    Raises
    ------
    InputError : for a text without "=", a system that is not there, and one that stands in two families

    Examples
    --------
    >>> parse_families(["personalised = A, B"], ["A", "B", "C"])
    {'A': 'personalised', 'B': 'personalised', 'C': 'other systems'}
    """
    found: dict[str, str] = {}
    for family, members in map(_parse, texts):
        for system in members:
            _check(system, family, found, systems)
            found[system] = family
    return {system: found.get(system, OTHERS) for system in systems} if found else {}


def _parse(text: str) -> tuple[str, list[str]]:
    name, equals, rest = (part.strip() for part in text.partition("="))
    members = [system for system in (part.strip() for part in rest.split(",")) if system]
    if not (name and equals and members):
        raise InputError(f"a family is written NAME=SYSTEM,SYSTEM, not {text!r}")
    return name, members


def _check(system: str, family: str, found: Families, systems: Sequence[str]) -> None:
    if system not in systems:
        raise InputError(f"family {family!r} names {system!r}, but there are {', '.join(systems)}")
    if found.get(system, family) != family:
        raise InputError(f"{system!r} stands in the families {found[system]!r} and {family!r}")


def name_families(families: Families) -> list[str]:
    """Each family with its systems, as it is asked for.

    Parameters
    ----------
    families : family by system

    Returns
    -------
    list of texts, one for each family, that `parse_families` reads

    Examples
    --------
    >>> name_families({"A": "personalised", "B": "others", "C": "personalised"})
    ['personalised = A, C', 'others = B']
    """
    return [
        f"{family} = {', '.join(system for system, of in families.items() if of == family)}"
        for family in dict.fromkeys(families.values())
    ]


def members_of(families: Families, systems: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Where the systems of each family stand, in the order in which the families first appear.

    Parameters
    ----------
    families : family by system; none at all give no members
    systems : the names of the n systems

    Returns
    -------
    dict of the places, from 0 to n - 1, of each family

    Raises
    ------
    InputError : if a system has no family while others do

    Examples
    --------
    >>> members_of({"A": "old", "B": "new", "C": "old"}, ["A", "B", "C"])
    {'old': (0, 2), 'new': (1,)}
    """
    homeless = [system for system in systems if families and system not in families]
    if homeless:
        raise InputError(f"no family is given for {', '.join(homeless)}")
    members: dict[str, tuple[int, ...]] = {}
    for index, system in enumerate(systems):
        if families:
            members[families[system]] = (*members.get(families[system], ()), index)
    return members


def correlate_within_families(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    systems: Sequence[str],
    families: Families,
) -> tuple[FamilyCorrelation, ...]:
    """The coefficient within each family, undefined where fewer than `LEAST_IN_A_FAMILY` have both scores.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    systems : the names of the n systems
    families : family by system

    Returns
    -------
    tuple of FamilyCorrelation, one for each family

    Raises
    ------
    InputError : if a system has no family while others do

    References
    ----------
    Kendall (1945) and Stuart (1953), as in `correlate`.

    Examples
    --------
    >>> families = dict(zip("ABCDE", ["old", "old", "old", "new", "new"]))
    >>> found = correlate_within_families(
    ...     [1, 2, 3, 4, 5], [3, 2, 1, 5, 4], "kendall", systems="ABCDE", families=families
    ... )
    >>> [(one.family, one.correlation.estimate) for one in found]
    [('old', -1.0), ('new', None)]
    """
    return tuple(
        FamilyCorrelation(
            family,
            tuple(systems[i] for i in rows),
            _require_systems(correlate([x[i] for i in rows], [y[i] for i in rows], coefficient)),
        )
        for family, rows in members_of(families, systems).items()
    )


def _require_systems(found: Correlation) -> Correlation:
    """The correlation, or why so few systems give none."""
    if found.n >= LEAST_IN_A_FAMILY:
        return found
    return Correlation(found.coefficient, found.n, None, too_few(found.n))


def too_few(n: int) -> str:
    """Why `n` systems give no coefficient within a family."""
    return f"{n} system{'' if n == 1 else 's'} of this family, at least {LEAST_IN_A_FAMILY} are needed"


def pool_within_families(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    families: Sequence[str],
) -> Correlation:
    """One coefficient of all families together, to which the distance between them adds nothing.

    Each system is compared with those of its own family alone: Pearson's r of the values about the mean of
    their family, which is their partial correlation given the family; Spearman's rho of the ranks within
    each family about their mean (Taylor 1987); Kendall's tau-b and the pairwise accuracy over the pairs of
    systems of one family (Korn 1984); tau-c as the mean of the families' own, weighted by their pairs of
    systems.

    Parameters
    ----------
    x, y : sequences of n numbers, None or NaN where a system has no score
    coefficient : one of `ALL_COEFFICIENTS`
    families : the family of each of the n systems

    Returns
    -------
    Correlation : over the `n` systems that have both scores and stand beside another of their family

    Raises
    ------
    InputError : for sides of different length, or another number of families

    References
    ----------
    Korn, E. L. (1984). Kendall's tau with a blocking variable. Biometrics 40, 209-214.
    Taylor, J. M. G. (1987). Kendall's and Spearman's correlation coefficients in the presence of a blocking
    variable. Biometrics 43, 409-416.

    Examples
    --------
    Two families far apart, in each of which the sides run against each other:

    >>> x, y = [1, 2, 3, 11, 12, 13], [3, 2, 1, 13, 12, 11]
    >>> round(correlate(x, y, "pearson").estimate, 2)
    0.95
    >>> round(pool_within_families(x, y, "pearson", families="aaabbb").estimate, 2)
    -1.0
    """
    first, second = np.array(x, dtype=np.float64), np.array(y, dtype=np.float64)
    if not len(first) == len(second) == len(families):
        raise InputError(
            f"{len(first)} values, {len(second)} values and {len(families)} families do not belong together"
        )
    scored = np.isfinite(first) & np.isfinite(second)
    pairs = [
        (snap_ties(first[rows]), snap_ties(second[rows]))
        for family in dict.fromkeys(families)
        if (rows := scored & np.array([name == family for name in families])).sum() > 1
    ]
    n = sum(len(one) for one, _ in pairs)
    if not pairs:
        return Correlation(coefficient, 0, None, "no family has two systems with both scores")
    info = REGISTRY[coefficient]
    constant = any(all(constant_rows(pair[side]) for pair in pairs) for side in (0, 1))
    if constant and not info.of_constant:
        return Correlation(coefficient, n, None, "one side has one score for all systems of a family")
    estimate = _pooled_cosine(pairs, info.features) if info.features else _weighted_mean(pairs, coefficient)
    return Correlation(coefficient, n, estimate)


_Pairs = Sequence[tuple[FloatArray, FloatArray]]
"""Both sides of each family."""


def _pooled_cosine(pairs: _Pairs, make: Features) -> float:
    """The cosine of what a coefficient is made of, family by family."""
    one, other = (np.concatenate([make(pair[side]) for pair in pairs]) for side in (0, 1))
    return float(np.clip(one @ other / np.sqrt((one @ one) * (other @ other)), -1.0, 1.0))


def _weighted_mean(pairs: _Pairs, coefficient: Coefficient) -> float:
    """Of the families' own coefficients, by their pairs of systems; a constant side shows no agreement."""
    sizes = [len(one) * (len(one) - 1) / 2 for one, _ in pairs]
    found = [correlate(one.tolist(), other.tolist(), coefficient).estimate for one, other in pairs]
    chance = REGISTRY[coefficient].chance
    values = [chance if value is None else value for value in found]
    return float(np.average(values, weights=sizes))
