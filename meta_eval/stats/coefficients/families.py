"""Families of systems, such as personalised or not: who belongs where, and the coefficient within each.

A pooled coefficient may be the distance between two families alone, or hide that within them it is the other
way round.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import Coefficient

LEAST_SYSTEMS = 3
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

    Systems that no text names are `OTHERS`. No texts give no families. Raises `InputError` for a text without
    "=", a system that is not there, and one that stands in two families.

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


def members_of(families: Families, systems: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Where the systems of each family stand, in the order in which the families first appear.

    Raises `InputError` if a system has no family while others do.
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
    """The coefficient within each family, undefined where fewer than `LEAST_SYSTEMS` have both scores.

    Raises `InputError` if a system has no family while others do.
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
    if found.n >= LEAST_SYSTEMS:
        return found
    return Correlation(found.coefficient, found.n, None, too_few(found.n))


def too_few(n: int) -> str:
    """Why `n` systems give no coefficient within a family."""
    return f"{n} system{'' if n == 1 else 's'} of this family, at least {LEAST_SYSTEMS} are needed"
