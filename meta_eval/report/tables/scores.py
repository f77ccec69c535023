"""Leaderboards: systems down; surrogates of the raters' scores and measures of the automatic ones across."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from meta_eval.report.answer import measure_title
from meta_eval.report.leaderboard import EGISES_OF
from meta_eval.report.numbers import range_text
from meta_eval.report.schema import Report, ScoreRow
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import KINDS

SIDES = {"human": "Raters", "automatic": "Automatic", "judged": "Judge"}
PENALISED = {
    "accuracy": "{}",
    "p_acc": "P-Acc, {}",
    "p_rouge": "P-ROUGE, {}",
    **{score: f"P-ROUGE, {{}}, EGISES by {measure_title(name)}" for name, score in EGISES_OF.items()},
}
"""Accuracy and what was made of it before PerSEval (protocol 5), each with the title of its columns."""

ACCURACY_NOTE = (
    "1 − the mean distance of a summary from its reader's reference, which PerSEval's penalty is made of. "
    "Higher is better; in brackets the rank."
)

JUDGED_NOTE = (
    "Judge: as a language model judged summaries in readers' places, without a reference of the document."
)


def lay_out_leaderboard(report: Report, kind: str) -> Grid:
    """A score of each system, by the raters and automatic, each with its rank."""
    rows = [row for row in report.leaderboard if row.score in {kind, f"{kind}_hj"}]
    better = "Higher" if not rows or rows[-1].higher_is_better else "Lower"
    note = (
        f"{better} is better; in brackets the rank. Raters: from their ratings, "
        "with the named measure (the surrogate) for the distances that nobody rates. Automatic: by the named "
        "measure alone."
    )
    return _lay_out(rows, kind, f"{KINDS[kind]} of each system, with its rank", note)


def lay_out_accuracies(report: Report, scores: Sequence[str] = tuple(PENALISED)) -> Grid:
    """Accuracy by measure, then P-Acc, then P-ROUGE of the ROUGE measures by its own EGISES and by another.

    Or some of these alone.
    """
    rows = [row for score in scores for row in report.leaderboard if row.score == score]
    note = f"{ACCURACY_NOTE} {JUDGED_NOTE}" if any(row.side == "judged" for row in rows) else ACCURACY_NOTE
    return _lay_out(rows, "accuracy", "Accuracy of each system, with its rank", note)


def sort_by_rank(board: Grid, key: str = "") -> Grid:
    """By the rank in the wanted column, else by the mean rank on the first side; without a rank last."""
    columns = board.columns
    wanted = [at for at, column in enumerate(columns) if column.key == key]
    wanted = wanted or [at for at, column in enumerate(columns) if column.group == columns[0].group]
    return replace(board, lines=tuple(sorted(board.lines, key=lambda line: _mean_rank(line, wanted))))


def counts_behind(line: Line, name: str) -> str:
    """How many `documents` or `pairs` entered a system's scores: raters' and automatic as "12 / 24"."""
    counts: dict[str, list[int]] = {}
    for cell in line.cells:
        if isinstance(cell, Cell) and cell.row is not None:
            counts.setdefault(cell.row.side, []).append(getattr(cell.row, name))
    return " / ".join(range_text(own, "–") for own in counts.values())


def _lay_out(rows: Sequence[ScoreRow], name: str, title: str, note: str) -> Grid:
    firsts: dict[str, ScoreRow] = {}
    for row in rows:
        firsts.setdefault(_key(row), row)
    cells = {(row.system, _key(row)): row for row in rows}
    return Grid(
        name=name,
        title=title,
        note=note,
        heads=("System",),
        columns=tuple(_columns(firsts)),
        lines=tuple(
            Line(heads=(system,), key=system, cells=tuple(_cell(cells.get((system, key))) for key in firsts))
            for system in dict.fromkeys(row.system for row in rows)
        ),
    )


def _key(row: ScoreRow) -> str:
    """Side and measure; of the scores made of accuracy the score too."""
    prefix = f"{row.score}:" if row.score in PENALISED and row.score != "accuracy" else ""
    return f"{prefix}{row.side}:{row.measure}"


def _columns(firsts: Mapping[str, ScoreRow]) -> list[Column]:
    known: set[tuple[str, str]] = set()
    columns = []
    for key, row in firsts.items():
        title = PENALISED.get(row.score, "{}").format(measure_title(row.measure))
        first = (row.side, row.score) not in known
        known.add((row.side, row.score))
        columns.append(Column(title=title, key=key, group=SIDES[row.side], first=first))
    return columns


def _cell(row: ScoreRow | None) -> Cell:
    if row is None:
        return Cell(kind="score")
    return Cell(kind="score", value=row.value, rank=row.rank, reason=row.reason, row=row)


def _mean_rank(line: Line, columns: Sequence[int]) -> float:
    cells = [line.cells[at] for at in columns]
    ranks = [cell.rank for cell in cells if isinstance(cell, Cell) and cell.rank is not None]
    return sum(ranks) / len(ranks) if ranks else float("inf")
