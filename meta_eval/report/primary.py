"""The primary coefficient: the one family of tests that was chosen before its numbers could be known.

What is declared is a coefficient, a score and the surrogate of its human side. One test for each measure is
left then, and no choice: with another coefficient, score or surrogate open, whoever reads a report could take
the one that came out best. Only measures stay open, because which of them agrees is what is asked.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, Protocol, get_args

import msgspec

from meta_eval.errors import InputError
from meta_eval.measures.plugins import name_fault
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient

PrimaryScore = Literal["degress", "perseval"]
"""EGISES is 1 less DEGRESS on both sides, so it is none of its own."""


class _Row(Protocol):
    @property
    def automatic(self) -> str: ...
    @property
    def surrogate(self) -> str | None: ...
    @property
    def coefficient(self) -> str: ...


@dataclass(frozen=True, kw_only=True, slots=True)
class Declaration:
    """What was declared, and when.

    `surrogate` is the id of a measure. Whether there is such a measure is asked where one is declared: a
    plug-in or distances from outside may be gone later. `declared_at` is an ISO 8601 time, `ratings` how many
    of the `planned` ratings had been given then; None where nobody recorded it.
    """

    coefficient: Coefficient
    surrogate: str
    score: PrimaryScore = "degress"
    declared_at: str | None = None
    ratings: int | None = None
    planned: int | None = None

    def __post_init__(self) -> None:
        if self.coefficient not in REGISTRY:
            raise InputError(f"there is no coefficient {self.coefficient!r}: take {', '.join(REGISTRY)}")
        if self.score not in get_args(PrimaryScore):
            raise InputError(
                f"the score of the primary is {' or '.join(get_args(PrimaryScore))}, not {self.score!r}"
            )
        if fault := name_fault(self.surrogate):
            raise InputError(fault)

    def same_as(self, other: "Declaration") -> bool:
        """Whether both name the same family of tests, whenever they were made."""
        return (self.coefficient, self.score, self.surrogate) == (
            other.coefficient,
            other.score,
            other.surrogate,
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Primary(Declaration):
    """The declaration that holds; `replaced` are those in whose place it came, oldest first."""

    replaced: tuple[Declaration, ...] = ()

    @classmethod
    def from_record(cls, record: "Primary | Mapping[str, Any] | None") -> "Primary | None":
        """From the `options` of a report, where it stands as plain values.

        Examples
        --------
        >>> Primary.from_record({"coefficient": "kendall", "surrogate": "rouge-l"}).score
        'degress'
        """
        return record if record is None or isinstance(record, Primary) else msgspec.convert(record, cls)

    def covers(self, row: _Row) -> bool:
        """Whether a coefficient is one of the family."""
        declared = (self.score, self.surrogate, self.coefficient)
        return (row.automatic, row.surrogate, row.coefficient) == declared
