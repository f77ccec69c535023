"""Does a coefficient hold within families, at other levels, by another interval, without a system?

Grids of the score and the surrogate in view: coefficients down, something else across.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import range_text
from meta_eval.report.options import ITEM_RESAMPLES
from meta_eval.report.schema import CoefficientRow, CorrelationRow, IntervalsRow, LeftOutRow, LevelRow, Report
from meta_eval.report.shared import MARK, NOT_SHUFFLED, shared_note
from meta_eval.report.tables.coefficients import (
    NULL_NOTE,
    NULL_TITLES,
    RATERS_NOTE,
    lay_out_raters,
    null_cells,
)
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, View
from meta_eval.stats.coefficients.families import name_families

R = TypeVar("R", bound="Row")
Row = CoefficientRow | LevelRow | LeftOutRow | IntervalsRow
Crossed = CoefficientRow | LevelRow
Key = tuple[str, str]
"""Measure and coefficient."""

LEVELS = {
    "system": "Systems",
    "document": "Within documents",
    "within-system": "Within systems",
    "item": "Reader pairs",
}

HEADS = ("Coefficient", "Measure")


def lay_out_robustness(report: Report, view: View, kind: str) -> Iterator[Grid]:
    """The tables of a score for print, those that have lines."""
    seen = replace(view, kind=kind)
    grids = (
        in_print(lay_out_raters(report, seen)),
        in_print(lay_out_within(report, seen)),
        in_print(lay_out_families(report, seen)),
        in_print(lay_out_levels(report, seen)),
        systems_down(lay_out_left_out(report, seen)),
    )
    return (grid for grid in grids if grid.lines)


def lay_out_families(report: Report, view: View) -> Grid:
    """All systems, then each family."""
    rows = _in_view(report.inference.families, view) if report.inference else []
    members = {row.family: row.systems for row in rows}
    pooled = _in_view(report.correlations, view) if rows else []
    grid = _cross(
        {"": pooled, **{name: [row for row in rows if row.family == name] for name in members}},
        {"": "All systems", **{name: name for name in members}},
    )
    named = "; ".join(f"{name} ({', '.join(systems)})" for name, systems in members.items())
    tested = any(row.p_raters is not None for row in (*pooled, *rows))
    note = (
        f"Each coefficient over all systems and over those of one family alone, {_against(view)}. High over "
        "all and low within the families: the measure tells the families apart, not their systems."
        f"{_interval_note(report)}{f' Last, {RATERS_NOTE}' if tested else ''}{_shared_note(rows)} "
        f"Families: {named}."
    )
    columns = tuple(replace(column, members=members.get(column.key, ())) for column in grid.columns)
    title = f"{view.title} within families of systems"
    return replace(grid, name="families", title=title, note=note, columns=columns, below=tested)


WITHIN_NOTE = (
    "Families alone: the mean coefficient of systems that change places within their family, so what the "
    "distance between the families gives. p within: of the coefficient among these; adjusted: for all "
    "coefficients with the same human score. Pooled within: the coefficient of all families together, their "
    "distance taken out. May be the families: p over all systems is at most 0.05, but p within is not, or "
    "the coefficient is no farther from chance than the families alone."
)


def lay_out_within(report: Report, view: View) -> Grid:
    """Each coefficient against what the families of systems give by themselves."""
    rows = _in_view(report.correlations, view) if report.inference else []
    known = [row for row in rows if _is_tested_within(row)]
    tested = any(row.p_raters is not None for row in known)
    titles = (
        "All systems",
        "p",
        *(NULL_TITLES[1:] if tested else ()),
        "Families alone",
        "p within",
        "Adjusted",
        "Pooled within",
        "May be the families",
    )
    return Grid(
        name="within_families",
        title=f"{view.title}: is it more than the distance between families of systems?",
        note=f"{f'{NULL_NOTE} ' if tested else ''}{WITHIN_NOTE}{_families_note(report)}",
        heads=HEADS,
        columns=tuple(Column(title=title) for title in titles),
        lines=tuple(
            Line(
                heads=_heads(row),
                key=row.coefficient,
                cells=(
                    Cell(value=row.estimate, reason=row.reason, n=row.n, row=row),
                    Cell(kind="p", value=row.p_value),
                    *(null_cells(row)[1:] if tested else ()),
                    Cell(value=row.families_mean, reason=row.within_reason),
                    Cell(kind="p", value=row.p_within, reason=row.within_reason),
                    Cell(kind="p", value=row.p_within_adjusted, reason=row.within_reason),
                    Cell(value=row.within, reason=row.within_reason),
                    {True: "yes", False: "no", None: ""}[row.families_explain],
                ),
            )
            for row in known
        ),
    )


def _families_note(report: Report) -> str:
    """Which families these are; nobody named those that were found."""
    if report.inference is None or not report.inference.known_families:
        return ""
    named = "; ".join(name_families(report.inference.known_families))
    found = report.inference.found_families
    return f" Families, found since {found.how}: {named}." if found else f" Families: {named}."


def _is_tested_within(row: CorrelationRow) -> bool:
    """Whether the report knows of families, whatever they say of the row."""
    return row.within is not None or row.within_reason is not None


def lay_out_levels(report: Report, view: View) -> Grid:
    """One agreement over systems, within documents, within systems, and over reader pairs."""
    rows = _in_view(report.inference.levels, view) if report.inference else []
    grid = _cross({name: [row for row in rows if row.level == name] for name in LEVELS}, LEVELS)
    note = (
        f"One agreement at four levels, {_against(view)}, over rated documents and pairs: of the systems' "
        "mean scores; of the systems of each document, averaged; of the documents of each system, averaged; "
        "of all pairs of readers and systems at once. Intervals: documents resampled with all their pairs, "
        f"at most {ITEM_RESAMPLES:,} times within systems and over reader pairs."
        f"{_interval_note(report)}{_shared_note(rows)} {NOT_SHUFFLED}"
    )
    title = f"{view.title} over systems, within documents, within systems and over reader pairs"
    return replace(grid, name="levels", title=title, note=note)


def lay_out_interval_methods(report: Report, view: View) -> Grid:
    """The interval that the report uses beside the percentile and the BCa interval."""
    used = {_key(row): row for row in _in_view(report.correlations, view)}
    rows = _in_view(report.inference.interval_methods, view) if report.inference else []
    return Grid(
        name="interval_methods",
        note=_shared_note(rows).strip(),
        heads=HEADS,
        columns=tuple(Column(title=title) for title in ("Estimate", "Used above", "Percentile", "BCa")),
        lines=tuple(
            Line(
                heads=_heads(row),
                cells=(
                    Cell(value=row.estimate, row=row),
                    interval_cell(used.get(_key(row))),
                    interval_cell(row, "percentile"),
                    interval_cell(row, "bca"),
                ),
            )
            for row in rows
        ),
    )


def interval_cell(row: Row | None, kind: str = "ci") -> Cell:
    """An interval alone, or why there is none."""
    if row is None:
        return Cell(kind="interval")
    low, high, reason = (getattr(row, f"{kind}_{name}") for name in ("low", "high", "reason"))
    return Cell(kind="interval", low=low, high=high, reason=reason, row=row)


def lay_out_left_out(report: Report, view: View) -> Grid:
    """Each coefficient with all systems, then without each."""
    rows = _in_view(report.inference.left_out_systems, view) if report.inference else []
    systems = list(dict.fromkeys(one.system for row in rows for one in row.systems))
    return Grid(
        name="left_out_systems",
        title=f"{view.title} with one system left out",
        note=(
            f"{COEFFICIENTS['kendall']} {_against(view)}, with all systems and without each. ‡: without this "
            "system it changes by 0.25 or more, or turns around, so it hangs on this system."
            f"{_shared_note(rows)} {NOT_SHUFFLED}"
        ),
        heads=HEADS,
        columns=(Column(title="All"), *(Column(title=system, key=system) for system in systems)),
        lines=tuple(
            Line(heads=_heads(row), key=row.coefficient, cells=_without(row, systems)) for row in rows
        ),
    )


def systems_down(left_out: Grid) -> Grid:
    """Kendall's tau-b alone, turned: the system left out down, first none, and measures across."""
    taus = [line for line in left_out.lines if line.key == "kendall"]
    heads = ["none", *(column.title for column in left_out.columns[1:])]
    lines = [
        Line(heads=(head,), cells=tuple(line.cells[at] for line in taus)) for at, head in enumerate(heads)
    ]
    return replace(
        left_out,
        heads=("Left out",),
        columns=tuple(Column(title=line.heads[1]) for line in taus),
        lines=tuple(lines) if taus else (),
    )


def in_print(grid: Grid) -> Grid:
    """The lines of each coefficient together, in the order in which readers see coefficients."""
    order = list(COEFFICIENTS.values())
    return replace(grid, lines=tuple(sorted(grid.lines, key=lambda line: order.index(line.heads[0]))))


def _cross(rows: Mapping[str, Sequence[Crossed]], titles: Mapping[str, str]) -> Grid:
    """A column for each of `rows`, with its cells in the lines of their measure and coefficient."""
    by_key: dict[Key, dict[str, Crossed]] = {}
    for name, own in rows.items():
        for row in own:
            by_key.setdefault(_key(row), {})[name] = row
    counts = {name: range_text(row.n for row in own) for name, own in rows.items()}
    return Grid(
        name="",
        heads=HEADS,
        columns=tuple(
            Column(title=title, key=name, note=f"n = {counts[name]}") for name, title in titles.items()
        ),
        lines=tuple(
            Line(
                heads=_heads(next(iter(own.values()))),
                cells=tuple(_cell(own.get(name)) for name in titles),
            )
            for own in by_key.values()
        ),
    )


def _cell(row: Crossed | None) -> Cell:
    if row is None:
        return Cell()
    return Cell(
        value=row.estimate,
        reason=row.reason,
        low=row.ci_low,
        high=row.ci_high,
        p_raters=getattr(row, "p_raters", None),
        n=row.n,
        row=row,
    )


def _without(row: LeftOutRow, systems: Iterable[str]) -> tuple[Cell, ...]:
    without = {one.system: one for one in row.systems}
    cells = [Cell(value=row.estimate, row=row)]
    for one in map(without.get, systems):
        if one is None:
            cells.append(Cell())
        else:
            cells.append(Cell(value=one.estimate, reason=one.reason, carries=one.carries, row=one))
    return tuple(cells)


def _key(row: Row) -> Key:
    return row.measure, row.coefficient


def _heads(row: Row) -> tuple[str, str]:
    return COEFFICIENTS[row.coefficient], f"{measure_title(row.measure)}{MARK if row.shared_input else ''}"


def _in_view(rows: Iterable[R], view: View) -> list[R]:
    return [row for row in rows if (row.automatic, row.surrogate) == (view.kind, view.surrogate)]


def _against(view: View) -> str:
    return f"against {view.title}-HJ by {view.surrogate_title}"


def _interval_note(report: Report) -> str:
    return f" In brackets the {report.inference.options.level if report.inference else 0:.0%} interval."


def _shared_note(rows: Iterable[Row]) -> str:
    said = shared_note(rows)
    return f" {said}" if said else ""
