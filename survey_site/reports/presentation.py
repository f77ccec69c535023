"""The coefficients of a report's scatter plot, and its signatures, for the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from meta_eval.report.view import COEFFICIENTS, View
from survey_site.reports.tables import Result


def coefficients_of(result: Result, view: View) -> list[tuple[str, Mapping[str, Any]]]:
    """The three coefficients of the plotted pair of scores, by title."""
    place = (view.kind, view.measure, view.surrogate)
    found = {
        row["coefficient"]: row
        for row in result["correlations"]
        if (row["automatic"], row["measure"], row["surrogate"]) == place
    }
    return [(title, found[name]) for name, title in COEFFICIENTS.items() if name in found]


@dataclass(frozen=True)
class SignatureEntry:
    """One signature, and whether it is that of a measure, a surrogate or both."""

    measure: str
    digest: str
    sides: tuple[str, ...]
    fields: tuple[tuple[str, str], ...]


def list_signatures(result: Result) -> list[SignatureEntry]:
    """Each signature once."""
    by_digest: dict[str, list[Mapping[str, Any]]] = {}
    for entry in result["signatures"]:
        by_digest.setdefault(entry["digest"], []).append(entry)
    return [
        SignatureEntry(
            entries[0]["measure"],
            digest,
            tuple(entry["side"] for entry in entries),
            tuple((name, _readable(value)) for name, value in entries[0]["signature"].items()),
        )
        for digest, entries in by_digest.items()
    ]


def _readable(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} = {inner}" for name, inner in value.items())
    return str(value)
