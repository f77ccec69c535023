"""Does a coefficient hold within families, at other levels, by another interval, without a system?"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from meta_eval.report.answer import measure_title
from survey_site.reports.presentation import View
from survey_site.reports.tables import COEFFICIENTS, Result

Row = Mapping[str, Any]

LEVELS = {"system": "Systems", "document": "Within documents", "item": "Reader pairs"}


@dataclass(frozen=True)
class NamedRow:
    """One line of a table: its measure and coefficient in words, and the cells of its columns."""

    measure: str
    coefficient: str
    cells: tuple[Row | None, ...]


@dataclass(frozen=True)
class CrossTable:
    """Coefficients down, something else across."""

    columns: tuple[str, ...]
    rows: tuple[NamedRow, ...]


def family_table(result: Result, view: View) -> CrossTable:
    """All systems, then each family, with the surrogate in view."""
    rows = _in_view(result, "families", view)
    families = {row["family"]: row["systems"] for row in rows}
    columns = [f"{family} ({', '.join(systems)})" for family, systems in families.items()]
    pooled = [{**row, "family": None} for row in _in_view(result, "cells", view)] if rows else []
    return _cross([*pooled, *rows], "family", [None, *families], ["All systems", *columns])


def level_table(result: Result, view: View) -> CrossTable:
    return _cross(_in_view(result, "levels", view), "level", list(LEVELS), list(LEVELS.values()))


def interval_rows(result: Result, view: View) -> list[NamedRow]:
    """The cell itself, and its percentile and BCa interval."""
    cells = {_place(row): row for row in _in_view(result, "cells", view)}
    return [_named(row, cells.get(_place(row)), row) for row in _in_view(result, "interval_methods", view)]


def left_out_table(result: Result, view: View) -> CrossTable:
    """The coefficient with all systems, then without each; with the surrogate in view."""
    rows = _in_view(result, "left_out_systems", view)
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
    mark = "†" if row["shared_input"] else ""
    return NamedRow(f"{measure_title(row['measure'])}{mark}", COEFFICIENTS[row["coefficient"]], cells)


def _in_view(result: Result, part: str, view: View) -> list[Row]:
    rows: Iterable[Row] = (result.get("inference") or {}).get(part) or ()
    return [row for row in rows if (row["automatic"], row["surrogate"]) == (view.kind, view.surrogate)]


def _place(row: Row) -> tuple[str, str]:
    return row["measure"], row["coefficient"]
