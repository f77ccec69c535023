"""The stored report against the recomputed one, value by value, each named by where it stands."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose
from typing import Any

from meta_eval.publish.bundle.verification import Difference

LEXICAL_TOLERANCE = 1e-9
NEURAL_TOLERANCE = 1e-5
_ZERO = 1e-12

_IDENTIFYING = (
    "side",
    "human",
    "surrogate",
    "automatic",
    "measure",
    "sentinel",
    "score",
    "coefficient",
    "family",
    "level",
    "scope",
    "system",
    "what",
)
"""Fields by which a row of the report is named, so that order does not matter."""

Row = Mapping[str, Any]
MISSING = "nothing"


@dataclass
class BundleComparison:
    """What was found; `why_open` tells for a path and its row why a value cannot be checked, else None.

    `passed_over` are the places that nothing can check.
    """

    why_open: Callable[[str, Row], str | None]
    tolerance: Callable[[Row], float]
    passed_over: Collection[str] = ()
    differences: list[Difference] = field(default_factory=list)
    open: Counter[tuple[str, str]] = field(default_factory=Counter)
    verified: int = 0

    def compare(self, stored: Any, recomputed: Any, path: str, row: Row) -> None:
        """Compare values and all below them; `row` is the innermost row that they belong to."""
        if path in self.passed_over:
            return
        if isinstance(stored, Mapping) and isinstance(recomputed, Mapping):
            row = {**row, **_identity(stored)}
            for name in dict.fromkeys([*stored, *recomputed]):
                self.compare(stored.get(name, MISSING), recomputed.get(name, MISSING), _join(path, name), row)
        elif _are_lists(stored, recomputed):
            mine, other = _by_name(stored), _by_name(recomputed)
            for name in dict.fromkeys([*mine, *other]):
                self.compare(mine.get(name, MISSING), other.get(name, MISSING), f"{path}[{name}]", row)
            if mine.keys() == other.keys() and list(mine) != list(other):
                self.differences.append(Difference(f"{path} (order)", list(mine), list(other)))
        else:
            self._compare_values(stored, recomputed, path, row)

    def _compare_values(self, stored: Any, recomputed: Any, path: str, row: Row) -> None:
        row = {**row, **_identity(stored)} if isinstance(stored, Mapping) else row
        if (why := self.why_open(path, row)) is not None:
            self.open[path, why] += count_numbers(stored)
            return
        tolerance = self.tolerance(row)
        numbers = _is_number(stored) and _is_number(recomputed)
        if numbers and isclose(stored, recomputed, rel_tol=tolerance, abs_tol=_ZERO):
            self.verified += 1
        elif numbers or stored != recomputed or isinstance(stored, bool) != isinstance(recomputed, bool):
            self.differences.append(Difference(path, stored, recomputed, tolerance if numbers else None))


def count_numbers(value: Any) -> int:
    """How many numbers a value holds; truth values are none."""
    if isinstance(value, Mapping):
        return sum(count_numbers(inner) for inner in value.values())
    if isinstance(value, list | tuple):
        return sum(count_numbers(inner) for inner in value)
    return int(_is_number(value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_lists(stored: Any, recomputed: Any) -> bool:
    return isinstance(stored, list | tuple) and isinstance(recomputed, list | tuple)


def _identity(row: Row) -> Row:
    return {name: row[name] for name in _IDENTIFYING if isinstance(row.get(name), str)}


def _by_name(values: Sequence[Any]) -> dict[str, Any]:
    """Rows by what identifies them where that is unique, else by their number."""
    names = [_name(value) for value in values]
    if None in names or len(set(names)) < len(names):
        return {str(number): value for number, value in enumerate(values)}
    return dict(zip((str(name) for name in names), values, strict=True))


def _name(value: Any) -> str | None:
    if not isinstance(value, Mapping):
        return None
    return ", ".join(_identity(value).values()) or None


def _join(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def gather_open(found: Counter[tuple[str, str]]) -> Iterator[tuple[str, str, int]]:
    """Open values by row (or section) and reason, with the number of numbers in each."""
    merged: Counter[tuple[str, str]] = Counter()
    for (path, why), count in found.items():
        merged[path.rpartition(".")[0] or path, why] += count
    return ((path, why, count) for (path, why), count in merged.items())
