"""The tables of a report's page: leaderboards and heat maps; only the templates round."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from meta_eval.publish.figures.rows import NO_SURROGATE
from meta_eval.report.answer import measure_title
from meta_eval.report.cells import Certainties, coefficients_of_score, inference_of
from meta_eval.report.view import COEFFICIENTS
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient

Result = Mapping[str, Any]

HEAT_STEPS = 10
SMALL = 0.005


@dataclass(frozen=True)
class Cell:
    """One number of a table, or the reason why there is none; `note` is the letter of its footnote.

    `first` cells begin a group of columns; `heat` is the step of the colour scale; `certainty` the cell of
    the inference, `significant` after adjustment over the table.
    """

    value: float | None
    rank: int | None = None
    reason: str | None = None
    note: str = ""
    first: bool = False
    heat: int | None = None
    shared: bool = False
    n: int | None = None
    measure: str = ""
    surrogate: str = ""
    certainty: Mapping[str, Any] | None = None
    significant: bool = False


@dataclass(frozen=True)
class Column:
    """One column of scores."""

    key: str
    side: str
    measure: str
    title: str
    first: bool = False


@dataclass(frozen=True)
class SystemRow:
    system: str
    documents: str
    pairs: str
    cells: tuple[Cell, ...]


@dataclass
class Footnotes:
    """Letters for reasons, in the order in which they are met."""

    letters: dict[str, str] = field(default_factory=dict)

    def letter(self, reason: str) -> str:
        return self.letters.setdefault(reason, chr(ord("a") + len(self.letters)))

    @property
    def items(self) -> list[tuple[str, str]]:
        return [(letter, reason) for reason, letter in self.letters.items()]


@dataclass(frozen=True)
class Leaderboard:
    columns: tuple[Column, ...]
    human_columns: int
    automatic_columns: int
    rows: tuple[SystemRow, ...]
    notes: Footnotes

    @property
    def digits(self) -> int:
        return digits_for(cell.value for row in self.rows for cell in row.cells)


def digits_for(values: Iterable[float | None]) -> int:
    """Decimals of a table of scores: three, or four where three would leave little of a small one."""
    return 4 if any(value is not None and 0 < abs(value) < SMALL for value in values) else 3


@dataclass(frozen=True)
class HeatRow:
    measure: str
    title: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class HeatTable:
    coefficient: str
    title: str
    surrogates: tuple[str, ...]
    rows: tuple[HeatRow, ...]


def build_leaderboard(result: Result, kind: str, *, sort: str = "") -> Leaderboard:
    """One row per system: human scores by surrogate, then automatic ones by measure, each with its rank."""
    scores = {"human": f"{kind}_hj", "automatic": kind}
    rows = [row for row in result["leaderboard"] if row["score"] == scores.get(row["side"])]
    return _leaderboard(rows, sort)


PENALISED = {"accuracy": "{}", "p_acc": "P-Acc, {}", "p_rouge": "P-ROUGE, {}"}
"""Accuracy and what was made of it before PerSEval (protocol 5), each a column of the accuracy table."""


def build_accuracies(result: Result) -> Leaderboard:
    """Accuracy by measure, then P-Acc, then P-ROUGE of the ROUGE measures."""
    scores = list(PENALISED)
    rows = sorted(
        (row for row in result["leaderboard"] if row["score"] in PENALISED),
        key=lambda row: scores.index(row["score"]),
    )
    return _leaderboard(rows, "")


def _leaderboard(rows: Sequence[Mapping[str, Any]], sort: str) -> Leaderboard:
    columns = _columns(rows)
    by_place = {(row["system"], _column_key(row)): row for row in rows}
    systems = list(dict.fromkeys(row["system"] for row in rows))
    notes = Footnotes()
    table = [_system_row(system, columns, by_place, notes) for system in systems]
    return Leaderboard(
        columns=columns,
        human_columns=sum(column.side == "human" for column in columns),
        automatic_columns=sum(column.side == "automatic" for column in columns),
        rows=tuple(_sorted_rows(table, columns, sort)),
        notes=notes,
    )


def _column_key(row: Mapping[str, Any]) -> str:
    """Side and measure; of the scores made of accuracy the score too."""
    prefix = f"{row['score']}:" if row["score"] in ("p_acc", "p_rouge") else ""
    return f"{prefix}{row['side']}:{row['measure']}"


def _columns(rows: Sequence[Mapping[str, Any]]) -> tuple[Column, ...]:
    first_rows = {_column_key(row): row for row in reversed(rows)}
    keys = list(dict.fromkeys(_column_key(row) for row in rows))
    groups: dict[tuple[str, str], str] = {}
    for key in keys:
        groups.setdefault((first_rows[key]["side"], first_rows[key]["score"]), key)
    return tuple(_column(key, first_rows[key], groups) for key in keys)


def _column(key: str, row: Mapping[str, Any], groups: Mapping[tuple[str, str], str]) -> Column:
    title = PENALISED.get(row["score"], "{}").format(measure_title(row["measure"]))
    first = groups[row["side"], row["score"]] == key
    return Column(key, row["side"], row["measure"], title, first)


def _system_row(
    system: str,
    columns: Sequence[Column],
    by_place: Mapping[tuple[str, str], Mapping[str, Any]],
    notes: Footnotes,
) -> SystemRow:
    rows = [by_place[system, column.key] for column in columns]
    cells = tuple(
        Cell(
            row["value"],
            rank=row["rank"],
            reason=row["reason"],
            note=notes.letter(row["reason"]) if row["value"] is None else "",
            first=column.first,
        )
        for row, column in zip(rows, columns, strict=True)
    )
    return SystemRow(system, _range(rows, "documents"), _range(rows, "pairs"), cells)


def _range(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Human and automatic counts as "12 / 24"; a range where measures differ."""
    parts = []
    for side in dict.fromkeys(row["side"] for row in rows):
        counts = {row[name] for row in rows if row["side"] == side}
        parts.append(str(min(counts)) if len(counts) == 1 else f"{min(counts)}–{max(counts)}")
    return " / ".join(parts)


def _sorted_rows(rows: Sequence[SystemRow], columns: Sequence[Column], sort: str) -> list[SystemRow]:
    """By the rank in the wanted column, else by the mean rank on the first side; without a rank last."""
    wanted = [i for i, column in enumerate(columns) if column.key == sort]
    wanted = wanted or [i for i, column in enumerate(columns) if column.side == columns[0].side]
    return sorted(rows, key=lambda row: _mean_rank([row.cells[i].rank for i in wanted]))


def _mean_rank(ranks: Sequence[int | None]) -> float:
    present = [rank for rank in ranks if rank is not None]
    return sum(present) / len(present) if present else float("inf")


def build_heat_tables(result: Result, kind: str) -> tuple[list[HeatTable], Footnotes]:
    """One table per coefficient: measures down, surrogates across, last the ratings without a surrogate."""
    rows = coefficients_of_score(result, kind)
    notes = Footnotes()
    known = Certainties(inference_of(result))
    tables = [
        _heat_table(coefficient, [row for row in rows if row["coefficient"] == coefficient], notes, known)
        for coefficient in COEFFICIENTS
    ]
    return ([table for table in tables if table.rows], notes)


def _heat_table(
    coefficient: str, rows: Sequence[Mapping[str, Any]], notes: Footnotes, known: Certainties
) -> HeatTable:
    surrogates = tuple(dict.fromkeys(row["surrogate"] for row in rows))
    by_place = {(row["measure"], row["surrogate"]): row for row in rows}
    return HeatTable(
        coefficient,
        COEFFICIENTS[coefficient],
        tuple(measure_title(surrogate) if surrogate else NO_SURROGATE for surrogate in surrogates),
        tuple(
            HeatRow(
                measure,
                measure_title(measure),
                tuple(_heat_cell(by_place[measure, surrogate], notes, known) for surrogate in surrogates),
            )
            for measure in dict.fromkeys(row["measure"] for row in rows)
        ),
    )


def _heat_cell(row: Mapping[str, Any], notes: Footnotes, known: Certainties) -> Cell:
    estimate = row["estimate"]
    return Cell(
        estimate,
        reason=row["reason"],
        note=notes.letter(row["reason"]) if estimate is None else "",
        heat=None if estimate is None else heat_step(estimate, row["coefficient"]),
        shared=row["shared_input"],
        n=row["n"],
        measure=row["measure"],
        surrogate=row["surrogate"],
        certainty=known.of(row),
        significant=known.is_significant(row),
    )


def heat_step(estimate: float, coefficient: Coefficient = "kendall") -> int:
    """0 for -1, 5 for 0, 10 for 1; of the pairwise accuracy 5 for 0.5, which chance gives too."""
    return round(REGISTRY[coefficient].share_of_range(estimate) * HEAT_STEPS)
