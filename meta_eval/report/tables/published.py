"""Ours beside published numbers, laid out as papers print them: systems down, measures across."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TypeVar

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import PLAIN, SPREADS, estimate_text
from meta_eval.report.schema import PublishedAgreement, PublishedComparison, PublishedRow, Report, Unmatched
from meta_eval.report.tables.grid import Cell, Column, Grid, Kind, Line
from meta_eval.report.view import COEFFICIENTS, KINDS

SCORES = {**KINDS, "accuracy": "Accuracy", "p_acc": "P-Acc", "p_rouge": "P-ROUGE"}
Row = PublishedRow | PublishedAgreement
Key = tuple[str, ...]
R = TypeVar("R", PublishedRow, PublishedAgreement)

_BESIDE = 5
"""Columns in which both numbers of a cell have room side by side."""


def lay_out_published(report: Report) -> list[Grid]:
    """A grid for each published table of the report.

    Its foot says how alike ours and theirs rank, a line a coefficient. Its remarks say how the table was
    made, where that is known; how alike the two rank, where that is of the whole table; and what stands on
    one side alone. A table that has our numbers by each measure beside a single published one is a grid for
    each measure.
    """
    return [grid for table in report.published for grid in _grids(table)]


def _grids(table: PublishedComparison) -> Iterator[Grid]:
    if table.kind != "stability":
        yield _lay_out(table)
        return
    measures = list(dict.fromkeys(row.measure for row in table.rows)) or [None]
    for measure in measures:
        yield _lay_out(
            replace(
                table,
                title=f"{table.title}{f', by {measure_title(measure)}' if measure else ''}",
                rows=tuple(row for row in table.rows if row.measure == measure),
                agreement=tuple(row for row in table.agreement if row.measure == measure),
                unmatched=table.unmatched if measure == measures[-1] else (),
            )
        )


def _lay_out(table: PublishedComparison) -> Grid:
    form = _form(table)
    keys = list(dict.fromkeys(map(form.column, table.rows)))
    per_column = any(row.system is not None for row in table.rows)
    ranks = _lines(table.agreement, _ranks, form.column, keys, _rank_cell) if per_column else ()
    return Grid(
        name=table.name,
        title=table.title,
        heads=form.heads,
        columns=tuple(Column(title=form.title(key)) for key in keys),
        lines=tuple(_lines(table.rows, form.names, form.column, keys, _cell)),
        foot=tuple(ranks),
        remarks=(
            *table.remarks,
            *(() if per_column else _remarks(table.agreement)),
            *_only(table.unmatched),
        ),
        below=len(keys) > _BESIDE,
    )


class _Scores:
    """Systems down, measures across; each with its score where the table has several."""

    heads: tuple[str, ...] = ("System",)

    def __init__(self, several: bool) -> None:
        self._several = several

    def names(self, row: PublishedRow) -> Key:
        """Our system, and in brackets what the table calls it where that differs."""
        ours, theirs = row.system or "", row.published_system
        return (ours if ours == theirs else f"{ours} ({theirs})",)

    def column(self, row: Row) -> Key:
        return row.score, row.measure or ""

    def title(self, key: Key) -> str:
        score, measure = key
        title = measure_title(measure)
        return f"{SCORES.get(score, score)} by {title}" if self._several else title


class _Stability(_Scores):
    """Systems down; shares of the documents, bias and variance across."""

    def column(self, row: Row) -> Key:
        return (row.score,)

    def title(self, key: Key) -> str:
        return SPREADS.get(key[0], f"{key[0]} %")


class _Coefficients(_Scores):
    """Coefficients, with the surrogate of each if there are any, down; measures across."""

    def __init__(self, surrogates: bool) -> None:
        super().__init__(several=False)
        self.heads = ("Coefficient", "Surrogate") if surrogates else ("Coefficient",)

    def names(self, row: PublishedRow) -> Key:
        names = (COEFFICIENTS.get(row.score, row.score), measure_title(row.surrogate or ""))
        return names[: len(self.heads)]

    def column(self, row: Row) -> Key:
        return "", row.measure or ""


def _form(table: PublishedComparison) -> _Scores:
    if table.kind == "stability":
        return _Stability(several=False)
    if table.kind in ("correlations", "paradox"):
        return _Coefficients(surrogates=table.kind == "correlations")
    return _Scores(several=len({row.score for row in table.rows}) > 1)


def _lines(
    rows: Iterable[R],
    names: Callable[[R], Key],
    column: Callable[[R], Key],
    keys: Sequence[Key],
    cell: Callable[[R], Cell],
) -> Iterator[Line]:
    """Lines of the same first name stand together."""
    lines: dict[Key, dict[Key, Cell]] = {}
    for row in rows:
        lines.setdefault(names(row), {})[column(row)] = cell(row)
    groups = list(dict.fromkeys(heads[0] for heads in lines)) if lines else []
    for heads in sorted(lines, key=lambda heads: groups.index(heads[0])):
        yield Line(heads=heads, cells=tuple(lines[heads].get(key) for key in keys))


def _cell(row: PublishedRow) -> Cell:
    kind: Kind = "spread" if row.score in SPREADS else "score"
    return Cell(kind=kind, value=row.ours, published=row.published, row=row)


def _rank_cell(row: PublishedAgreement) -> Cell:
    return Cell(kind="rank correlation", value=row.estimate, reason=row.reason, n=row.n, row=row)


def _ranks(row: PublishedAgreement) -> Key:
    return (f"Ranks: {COEFFICIENTS[row.coefficient]}",)


def _remarks(agreement: Iterable[PublishedAgreement]) -> Iterator[str]:
    """One sentence for all numbers of a coefficient."""
    groups: dict[str, list[PublishedAgreement]] = {}
    for row in agreement:
        groups.setdefault(row.score, []).append(row)
    for score, rows in groups.items():
        title, n = COEFFICIENTS.get(score, score), rows[0].n
        ranks = "; ".join(f"{COEFFICIENTS[row.coefficient]} {_estimate(row)}" for row in rows)
        yield f"Ranks of ours with theirs over the {n} numbers of {title}: {ranks}."


def _estimate(row: PublishedAgreement) -> str:
    return f"none ({row.reason})" if row.estimate is None else estimate_text(row.estimate, PLAIN)


def _only(unmatched: Iterable[Unmatched]) -> Iterator[str]:
    """What is ours alone, then what is theirs alone."""
    rows = list(unmatched)
    for where, words in (("ours", "Only in ours"), ("published", "Only in the published table")):
        names: dict[str, list[str]] = {}
        for row in rows:
            if row.where == where:
                name = row.name if row.what == "system" else measure_title(row.name)
                names.setdefault(row.what, []).append(name)
        if names:
            named = "; ".join(f"{what} {', '.join(own)}" for what, own in names.items())
            yield f"{words}: {named}."
