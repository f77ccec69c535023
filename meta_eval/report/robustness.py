"""Does a coefficient hold within families, at other levels, by another interval, without a system?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Report, Row, inference_of
from meta_eval.report.view import COEFFICIENTS, View

LEVELS = {"system": "Systems", "document": "Within documents", "item": "Reader pairs"}

SHARED = "†"
"""Behind a measure that is its own surrogate: both sides share its distances."""


@dataclass(frozen=True)
class NamedRow:
    """One line of a table: its measure and coefficient in words, and the cells of its columns."""

    measure: str
    coefficient: str
    cells: tuple[Row | None, ...]


@dataclass(frozen=True)
class CrossTable:
    """Coefficients down, something else across; `members` are the systems of columns that are families."""

    columns: tuple[str, ...]
    rows: tuple[NamedRow, ...]
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def count(self, column: int) -> str:
        """How many systems, documents or pairs the coefficients of a column are over: "10", "8 to 10"."""
        cells = [row.cells[column] for row in self.rows]
        numbers = sorted({cell["n"] for cell in cells if cell is not None})
        return " to ".join(map(str, dict.fromkeys(numbers[:1] + numbers[-1:])))


def family_table(report: Report, view: View) -> CrossTable:
    """All systems, then each family, with the surrogate in view."""
    rows = _in_view(report, "families", view)
    families = {row["family"]: row["systems"] for row in rows}
    pooled = [{**row, "family": None} for row in _in_view(report, "cells", view)] if rows else []
    table = _cross([*pooled, *rows], "family", [None, *families], ["All systems", *families])
    return replace(table, members=families)


def level_table(report: Report, view: View) -> CrossTable:
    return _cross(_in_view(report, "levels", view), "level", list(LEVELS), list(LEVELS.values()))


def interval_rows(report: Report, view: View) -> list[NamedRow]:
    """The cell itself, and its percentile and BCa interval."""
    cells = {_place(row): row for row in _in_view(report, "cells", view)}
    return [_named(row, cells.get(_place(row)), row) for row in _in_view(report, "interval_methods", view)]


def left_out_table(report: Report, view: View) -> CrossTable:
    """The coefficient with all systems, then without each; with the surrogate in view."""
    rows = _in_view(report, "left_out_systems", view)
    systems = list(dict.fromkeys(one["system"] for row in rows for one in row["systems"]))
    lines = []
    for row in rows:
        without = {one["system"]: one for one in row["systems"]}
        lines.append(_named(row, row, *(without.get(system) for system in systems)))
    return CrossTable(("All", *systems), tuple(lines))


def _cross(rows: Sequence[Row], key: str, values: Sequence[str | None], titles: Sequence[str]) -> CrossTable:
    by_place: dict[tuple[str, str], dict[str | None, Row]] = {}
    for row in rows:
        by_place.setdefault(_place(row), {})[row[key]] = row
    lines = (
        _named(next(iter(found.values())), *(found.get(value) for value in values))
        for found in by_place.values()
    )
    return CrossTable(tuple(titles), tuple(lines))


def _named(row: Row, *cells: Row | None) -> NamedRow:
    mark = SHARED if row["shared_input"] else ""
    return NamedRow(f"{measure_title(row['measure'])}{mark}", COEFFICIENTS[row["coefficient"]], cells)


def _in_view(report: Report, part: str, view: View) -> list[Row]:
    rows: Iterable[Row] = inference_of(report).get(part) or ()
    return [row for row in rows if (row["automatic"], row["surrogate"]) == (view.kind, view.surrogate)]


def _place(row: Row) -> tuple[str, str]:
    return row["measure"], row["coefficient"]
