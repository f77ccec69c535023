"""Whether coefficients hold, as tables of the printed forms: within families, by level, without a system."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from meta_eval.report.cells import Report, Row, inference_of
from meta_eval.report.robustness import (
    SHARED,
    CrossTable,
    NamedRow,
    family_table,
    left_out_table,
    level_table,
)
from meta_eval.report.view import COEFFICIENTS, View


@dataclass(frozen=True, slots=True)
class Robustness:
    """One table: its name as a file of the report, its title, what it shows, and its numbers."""

    name: str
    title: str
    note: str
    table: CrossTable


def robustness_tables(report: Report, view: View, kind: str) -> Iterator[Robustness]:
    """The tables of a score with the surrogate in view, those that have rows."""
    seen = replace(view, kind=kind)
    against = f"against {seen.title}-HJ by {seen.surrogate_title}"
    interval = f" In brackets the {inference_of(report).get('options', {}).get('level', 0):.0%} interval."
    made = (
        Robustness(
            "families",
            f"{seen.title} within families of systems",
            f"Each coefficient over all systems and over those of one family alone, {against}. High over all "
            "and low within the families: the measure tells the families apart, not their systems."
            f"{interval}",
            family_table(report, seen),
        ),
        Robustness(
            "levels",
            f"{seen.title} by system, document and reader pair",
            f"One agreement at three levels, {against}, over rated documents and pairs: of the systems' mean "
            "scores; of the systems of each document, averaged; of all pairs of readers and systems at once."
            f"{interval}",
            level_table(report, seen),
        ),
        Robustness(
            "left_out_systems",
            f"{seen.title} with one system left out",
            f"{COEFFICIENTS['kendall']} {against}, with all systems and without each. ‡: without this system "
            "it changes by 0.25 or more, or turns around, so it hangs on this system.",
            _of_tau(left_out_table(report, seen)),
        ),
    )
    return (replace(one, note=f"{one.note}{_shared_note(one.table)}") for one in made if one.table.rows)


def _shared_note(table: CrossTable) -> str:
    if not any(row.measure.endswith(SHARED) for row in table.rows):
        return ""
    return f" {SHARED}: surrogate and measure are the same, so both sides share distances."


def by_coefficient(table: CrossTable) -> dict[str, list[NamedRow]]:
    """The rows of each coefficient by its title, in the order of `COEFFICIENTS`."""
    found = {
        title: [row for row in table.rows if row.coefficient == title] for title in COEFFICIENTS.values()
    }
    return {title: rows for title, rows in found.items() if rows}


def _of_tau(table: CrossTable) -> CrossTable:
    rows = tuple(row for row in table.rows if row.coefficient == COEFFICIENTS["kendall"])
    return replace(table, rows=rows)


def left_out_lines(table: CrossTable) -> tuple[list[str], list[tuple[str, list[Row | None]]]]:
    """A header, and for each system left out, first for none, the coefficient by each measure."""
    systems = ["none", *table.columns[1:]]
    lines = [(name, [row.cells[number] for row in table.rows]) for number, name in enumerate(systems)]
    return ["Left out", *(row.measure for row in table.rows)], lines


def members_in_words(table: CrossTable) -> str:
    """Which systems each family has, or nothing."""
    named = "; ".join(f"{family} ({', '.join(systems)})" for family, systems in table.members.items())
    return f"Families: {named}." if named else ""
