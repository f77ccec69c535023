"""The library's errors: each says what is wrong, where, and so what to do."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong with an input file; `line` counts from 1, None when the whole file is meant."""

    file: str
    line: int | None
    message: str

    def __str__(self) -> str:
        where = self.file if self.line is None else f"{self.file}:{self.line}"
        return f"{where}: {self.message}"


class MetaEvalError(Exception):
    """Base of every error that a caller of the library may want to show to its user."""


class InputError(MetaEvalError):
    """An input that cannot be used; `faults` lists everything found, not the first only."""

    def __init__(self, faults: Iterable[Fault] | str, *, more: int = 0) -> None:
        self.faults = (Fault("input", None, faults),) if isinstance(faults, str) else tuple(faults)
        self.more = more
        super().__init__(self._summary(faults))

    def _summary(self, faults: Iterable[Fault] | str) -> str:
        if isinstance(faults, str):
            return faults
        lines = [str(fault) for fault in self.faults]
        if self.more:
            lines.append(f"... and {self.more} more")
        return "\n".join(lines)


def wrong_type(parameter: str, wanted: str, given: object) -> TypeError:
    """What is raised for an argument of a kind that its parameter does not take.

    Examples
    --------
    >>> str(wrong_type("measure", "an id or a Measure", 3))
    'measure must be an id or a Measure, not int'
    """
    return TypeError(f"{parameter} must be {wanted}, not {type(given).__name__}")


class MissingTextError(InputError):
    """A score was asked for that needs texts the corpus does not have."""


class MeasureError(MetaEvalError):
    """A measure that does not exist, has no such option, or cannot run here."""
