"""Two reports side by side: what was asked differently, and which numbers may be held against each other."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import hypot
from typing import Any

from meta_eval.publish.long_form import without_paths
from meta_eval.report.answer import measure_title
from meta_eval.report.published import name_tables
from meta_eval.report.view import COEFFICIENTS

Result = Mapping[str, Any]
Interval = tuple[float, float]

_SECTIONS = ("subject", "scale", "options", "plan", "ratings", "versions")
_HASH = re.compile("[0-9a-f]{64}")
_TITLES = {"human": "Raters", "automatic": "Automatic", **COEFFICIENTS}


@dataclass(frozen=True)
class Difference:
    """One thing that the reports do not share; None where a report does not have it."""

    section: str
    name: str
    a: Any
    b: Any


@dataclass(frozen=True)
class Pair:
    """One number in both reports, with its intervals where there are any.

    `why` says why the two cannot be compared, None where they can.
    """

    labels: tuple[str, ...]
    a: float | None
    b: float | None
    why: str | None
    a_interval: Interval | None = None
    b_interval: Interval | None = None

    @property
    def titles(self) -> list[str]:
        """The labels in words."""
        return [_TITLES.get(label) or measure_title(label) for label in self.labels]

    @property
    def difference(self) -> float | None:
        """b less a; None where either is missing or they are not comparable."""
        if self.a is None or self.b is None or self.why:
            return None
        return self.b - self.a

    @property
    def difference_interval(self) -> Interval | None:
        """From both intervals, as if the reports were independent (Zou 2007, Psychological Methods 12)."""
        if self.difference is None or self.a_interval is None or self.b_interval is None:
            return None
        assert self.a is not None  # noqa: S101 - there is a difference
        assert self.b is not None  # noqa: S101
        (a_low, a_high), (b_low, b_high) = self.a_interval, self.b_interval
        below, above = hypot(self.b - b_low, a_high - self.a), hypot(b_high - self.b, self.a - a_low)
        return self.difference - below, self.difference + above


@dataclass(frozen=True)
class Alone:
    """What only one of the reports has: `of` is a or b."""

    what: str
    of: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class ReportComparison:
    """What differs between two reports, and every number of one kind that both have.

    `ranking` holds the mean agreement of each measure with the raters, whatever the kind.
    """

    differences: tuple[Difference, ...]
    alone: tuple[Alone, ...]
    ranking: tuple[Pair, ...]
    scores: tuple[Pair, ...]
    coefficients: tuple[Pair, ...]

    @property
    def moved(self) -> list[Pair]:
        """The scores that are not the same number in both reports."""
        return [pair for pair in self.scores if pair.why or pair.difference]

    @property
    def unmoved(self) -> int:
        """How many scores of both reports are the same number."""
        return len(self.scores) - len(self.moved)

    @property
    def incomparable(self) -> int:
        """How many pairs of numbers stand beside each other only."""
        return sum(pair.why is not None for pair in (*self.ranking, *self.scores, *self.coefficients))


def compare_results(a: Result, b: Result, kind: str) -> ReportComparison:
    """Results of two finished reports; `kind` is perseval, degress or egises."""
    first, second = (_readable_options(without_paths(result)) for result in (a, b))
    return ReportComparison(
        tuple(_differences(first, second)),
        tuple(_alone(first, second)),
        tuple(_ranking(first, second)),
        tuple(_scores(first, second, kind)),
        tuple(_coefficients(first, second, kind)),
    )


def _differences(a: Result, b: Result) -> Iterator[Difference]:
    for section in _SECTIONS:
        for name in dict.fromkeys([*a[section], *b[section]]):
            one, other = a[section].get(name), b[section].get(name)
            if one != other:
                yield Difference(section, name.replace("_", " "), _readable(one), _readable(other))

    yield from _left_out(a, b)
    for note in dict.fromkeys([*a["notes"], *b["notes"]]):
        if (note in a["notes"]) != (note in b["notes"]):
            yield Difference(
                "notes", note, *("yes" if note in result["notes"] else "no" for result in (a, b))
            )


def _left_out(a: Result, b: Result) -> Iterator[Difference]:
    """Counts that differ, each named by what it counts."""
    counts = [
        {(row["what"], row["measure"]): row["count"] for row in result["left_out"]} for result in (a, b)
    ]
    for what, measure in dict.fromkeys([*counts[0], *counts[1]]):
        one, other = (found.get((what, measure)) for found in counts)
        if one != other:
            name = what.replace("_", " ") + (f", {measure_title(measure)}" if measure else "")
            yield Difference("left out", name, one, other)


def _alone(a: Result, b: Result) -> Iterator[Alone]:
    for what, names_of in (("measures", _measures), ("surrogates", _surrogates), ("systems", _systems)):
        first, second = names_of(a), names_of(b)
        for of, mine, other in (("a", first, second), ("b", second, first)):
            if names := tuple(name for name in mine if name not in other):
                yield Alone(what, of, names)


def _measures(result: Result) -> list[str]:
    return _titles(result, "automatic")


def _surrogates(result: Result) -> list[str]:
    return _titles(result, "human")


def _titles(result: Result, side: str) -> list[str]:
    found = dict.fromkeys(row["measure"] for row in result["leaderboard"] if row["side"] == side)
    return [measure_title(name) for name in found]


def _systems(result: Result) -> list[str]:
    return list(dict.fromkeys(row["system"] for row in result["leaderboard"]))


def _ranking(a: Result, b: Result) -> Iterator[Pair]:
    """Means over surrogates; comparable where both rest on the same surrogates, made alike."""
    tables = [
        {row["measure"]: row for row in (result.get("inference") or {}).get("ranking") or ()}
        for result in (a, b)
    ]
    surrogates = [[("human", row["measure"]) for row in _human_signatures(result)] for result in (a, b)]
    for name in (name for name in tables[0] if name in tables[1]):
        same = sorted(surrogates[0]) == sorted(surrogates[1])
        why = (
            _why_not(a, b, "perseval", [("automatic", name), *surrogates[0]]) if same else "other surrogates"
        )
        one, other = (table[name] for table in tables)
        yield Pair((name,), one["estimate"], other["estimate"], why, _interval(one), _interval(other))


def _human_signatures(result: Result) -> list[Mapping[str, Any]]:
    return [row for row in result["signatures"] if row["side"] == "human"]


def _readable_options(result: Result) -> Result:
    return {**result, "options": name_tables(result["options"])}


def _readable(value: Any) -> Any:
    """Lists as one text, the start of a hash for the whole."""
    if isinstance(value, str) and _HASH.fullmatch(value):
        return f"{value[:12]} …"
    return ", ".join(map(str, value)) if isinstance(value, list) else value


def _scores(a: Result, b: Result, kind: str) -> Iterator[Pair]:
    names = {kind, f"{kind}_hj"}
    tables = [
        {
            (row["side"], row["measure"], row["system"]): row["value"]
            for row in result["leaderboard"]
            if row["score"] in names
        }
        for result in (a, b)
    ]
    for key in (key for key in tables[0] if key in tables[1]):
        yield Pair(key, tables[0][key], tables[1][key], _why_not(a, b, kind, [key[:2]]))


def _coefficients(a: Result, b: Result, kind: str) -> Iterator[Pair]:
    tables = [
        {_coefficient(row): row["estimate"] for row in result["correlations"] if row["automatic"] == kind}
        for result in (a, b)
    ]
    cells = [
        {_coefficient(row): row for row in _cells(result) if row["automatic"] == kind} for result in (a, b)
    ]
    for key in (key for key in tables[0] if key in tables[1]):
        why = _why_not(a, b, kind, [("automatic", key[1]), ("human", key[2])])
        first, second = (_interval(found.get(key)) for found in cells)
        yield Pair(key, tables[0][key], tables[1][key], why, first, second)


def _coefficient(row: Mapping[str, Any]) -> tuple[str, str, str]:
    return row["coefficient"], row["measure"], row["surrogate"]


def _cells(result: Result) -> list[Mapping[str, Any]]:
    return (result.get("inference") or {}).get("cells") or []


def _interval(row: Mapping[str, Any] | None) -> Interval | None:
    if row is None or row["ci_low"] is None or row["ci_high"] is None:
        return None
    return row["ci_low"], row["ci_high"]


def _why_not(a: Result, b: Result, kind: str, parts: list[tuple[str, str]]) -> str | None:
    """Numbers of other distances, weighing or penalty are other numbers under the same name."""
    for part in parts:
        if _digest(a, part) != _digest(b, part):
            return f"the signatures of {part[1]} differ"
    if a["options"]["normalise"] != b["options"]["normalise"]:
        return "distances are weighed differently"
    if kind == "perseval" and a["options"].get("beta") != b["options"].get("beta"):
        return "beta differs"
    return None


def _digest(result: Result, part: tuple[str, str]) -> str | None:
    found = (row["digest"] for row in result["signatures"] if (row["side"], row["measure"]) == part)
    return next(found, None)
