"""The tables of the PDF: text ready to print, rounded as on the page."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from meta_eval.publish.robustness import Robustness, by_coefficient, left_out_lines
from meta_eval.report.answer import measure_title
from meta_eval.report.beside import Beside, number_text, rank_text
from meta_eval.report.certainty import score_text
from meta_eval.report.view import COEFFICIENTS

Report = Mapping[str, Any]
Row = Mapping[str, Any]
Printed = tuple[list[str], list[list[str]]]
"""A header and lines, each with a text for every column."""

LEVELS = ((0.001, "***"), (0.01, "**"), (0.05, "*"))
"""Adjusted p below which an estimate gets the mark."""

_SHARED = "†"
_MOST_COLUMNS = 8
_BESIDE = 5
"""Columns in which both numbers of a cell have room side by side."""


def leaderboards(report: Report, kind: str) -> Iterator[Printed]:
    """Systems down; surrogates and measures across, each score with its rank.

    One table, or one a side where both together are too wide for the page.
    """
    rows = [row for row in report["leaderboard"] if row["score"] in {kind, f"{kind}_hj"}]
    places = list(dict.fromkeys((row["side"], row["measure"]) for row in rows))
    if len(places) <= _MOST_COLUMNS:
        yield _leaderboard(rows, places)
        return
    for side in dict.fromkeys(side for side, _ in places):
        yield _leaderboard(rows, [place for place in places if place[0] == side])


def _leaderboard(rows: Sequence[Row], places: Sequence[tuple[str, str]]) -> Printed:
    cells = {(row["system"], row["side"], row["measure"]): row for row in rows}
    names = {"human": "Raters", "automatic": "Automatic"}
    header = ["System", *(f"{names[side]}:\n{measure_title(measure)}" for side, measure in places)]
    systems = dict.fromkeys(row["system"] for row in rows)
    return header, [
        [system, *(_score(cells.get((system, *place))) for place in places)] for system in systems
    ]


def _score(row: Row | None) -> str:
    if row is None or row["value"] is None:
        return "none"
    return f"{score_text(row['value'])} ({row['rank']})"


def correlations(report: Report, kind: str) -> Iterator[tuple[str, list[str], list[list[str]]]]:
    """A table for each coefficient: measures down, surrogates across, each estimate above its interval."""
    rows = [row for row in report["correlations"] if row["automatic"] == kind]
    sure = {_place(cell): cell for cell in (report.get("inference") or {}).get("cells") or ()}
    for coefficient, title in COEFFICIENTS.items():
        found = [row for row in rows if row["coefficient"] == coefficient]
        if found:
            yield title, *_correlation_table(found, sure)


def _correlation_table(rows: Sequence[Row], sure: Mapping[tuple[str, ...], Row]) -> Printed:
    surrogates = list(dict.fromkeys(row["surrogate"] for row in rows))
    cells = {(row["measure"], row["surrogate"]): row for row in rows}
    lines = [
        [
            measure_title(measure),
            *(_estimate(cells.get((measure, surrogate)), sure) for surrogate in surrogates),
        ]
        for measure in dict.fromkeys(row["measure"] for row in rows)
    ]
    ceilings = {row["surrogate"]: sure.get(_place(row), {}).get("ceiling") for row in rows}
    if any(value is not None for value in ceilings.values()):
        lines.append(["Ceiling", *(_number(ceilings[surrogate]) for surrogate in surrogates)])
    return ["Measure", *map(measure_title, surrogates)], lines


def _estimate(row: Row | None, sure: Mapping[tuple[str, ...], Row]) -> str:
    if row is None or row["estimate"] is None:
        return "none"
    cell = sure.get(_place(row), {})
    p = cell.get("p_adjusted")
    mark = next((mark for level, mark in LEVELS if p is not None and p < level), "")
    text = f"{row['estimate']:.2f}{mark}{_SHARED if row['shared_input'] else ''}"
    return f"{text}\n{_interval(cell)}" if cell.get("ci_low") is not None else text


def correlations_caption(report: Report, kind: str) -> str:
    """What the numbers and marks of the tables of this score mean."""
    rows = [row for row in report["correlations"] if row["automatic"] == kind]
    if not rows:
        return ""
    inference = report.get("inference") or {}
    parts = ["Agreement with the raters, by measure (lines) and surrogate of the human score (columns)."]
    if inference.get("cells"):
        parts.append(f"Below each estimate its {inference['options']['level']:.0%} interval.")
        parts += interval_notes(inference["cells"])
        marks = ", ".join(f"{mark} p < {level}" for level, mark in reversed(LEVELS))
        parts.append(f"{marks}, adjusted over all coefficients of the score.")
    if any(row["shared_input"] for row in rows):
        parts.append(f"{_SHARED} surrogate and measure are the same, so both sides share distances.")
    return " ".join(parts)


def _place(row: Row) -> tuple[str, ...]:
    return tuple(row[name] for name in ("automatic", "surrogate", "measure", "coefficient"))


def robustness(found: Robustness) -> Printed:
    """Families and levels: coefficients down, each with its interval. Systems left out: systems down."""
    table = found.table
    if found.name == "left_out_systems":
        header, lines = left_out_lines(table)
        return header, [[system, *map(_held, cells)] for system, cells in lines]
    counted = (f"{name}\nn = {table.count(number)}" for number, name in enumerate(table.columns))
    return ["Coefficient", "Measure", *counted], [
        [title, row.measure, *map(_held, row.cells)]
        for title, rows in by_coefficient(table).items()
        for row in rows
    ]


def _held(cell: Row | None) -> str:
    if cell is None or cell["estimate"] is None:
        return "none"
    text = f"{cell['estimate']:.2f}{'‡' if cell.get('carries') else ''}"
    return f"{text} ({_interval(cell)})" if cell.get("ci_low") is not None else text


def leaderboard_note(report: Report, kind: str) -> str:
    """Which direction is better, and what stands in the columns."""
    better = next((row["higher_is_better"] for row in report["leaderboard"] if row["score"] == kind), True)
    return (
        f"{'Higher' if better else 'Lower'} is better; in brackets the rank. Raters: from their ratings, "
        "with the named measure (the surrogate) for the distances that nobody rates. Automatic: by the named "
        "measure alone."
    )


def interval_notes(cells: Iterable[Row]) -> Iterator[str]:
    """What a reader must know of these intervals to take them for what they are."""
    if any(cell["ci_method"] == "hierarchical" for cell in cells):
        yield (
            "Intervals are of the coefficient that scores without noise would have; noise pulls an estimate "
            "towards 0, so that one of noisy scores may lie at the lower end of its interval."
        )


RANKING_NOTE = (
    "Mean tau-b: over the surrogates, of PerSEval with PerSEval-HJ. Ceiling: the most that the raters' own "
    "disagreement allows. Beyond chance: with how many surrogates the adjusted p is below 0.05. Group: "
    "measures of one group cannot be told apart from its best."
)
AGREEMENT_NOTE = "1 is full agreement; but for the share in the last line, 0 is what chance alone gives."


def ranking(report: Report) -> Printed:
    """Measures by their mean agreement with the raters."""
    rows = [
        [
            measure_title(row["measure"]),
            _number(row["estimate"]),
            _interval(row),
            _number(row["ceiling"]),
            f"{row['significant']} of {row['surrogates']}",
            str(row["group"]),
        ]
        for row in (report.get("inference") or {}).get("ranking") or ()
    ]
    return ["Measure", "Mean tau-b", "Interval", "Ceiling", "Beyond chance", "Group"], rows


def comparisons(report: Report) -> Printed:
    """Each two measures: how much better the first agrees with the raters."""
    rows = [
        [
            measure_title(row["measure"]),
            measure_title(row["other"]),
            _number(row["difference"]),
            _interval(row),
            _p_value(row["p_value"]),
            _p_value(row["p_adjusted"]),
        ]
        for row in (report.get("inference") or {}).get("comparisons") or ()
    ]
    return ["Measure", "Other", "Difference", "Interval", "p", "p adjusted"], rows


def _interval(row: Row) -> str:
    low, high = row.get("ci_low"), row.get("ci_high")
    return "none" if low is None or high is None else f"{low:.2f} to {high:.2f}"


def _number(value: float | None) -> str:
    return "none" if value is None else f"{value:.2f}"


def _p_value(value: float | None) -> str:
    """To three digits; a small p is small, never 0."""
    if value is None:
        return "none"
    return "< 0.001" if value < 0.001 else f"{value:.3f}"


def agreement(report: Report) -> Printed:
    """Coefficients of the raters' agreement; the column of reasons only where one is missing."""
    found = ((report.get("inference") or {}).get("agreement") or {}).get("coefficients", ())
    rows = [[row["title"], _number(row["estimate"]), _interval(row), row["reason"] or ""] for row in found]
    if any(row[3] for row in rows):
        return ["Coefficient", "Estimate", "Interval", "Why none"], rows
    return ["Coefficient", "Estimate", "Interval"], [row[:3] for row in rows]


def left_out(report: Report) -> Printed:
    """What was left out or stands apart, and why."""
    rows = [
        [str(row["count"]), measure_title(row["measure"]) if row["measure"] else "all", row["why"]]
        for row in report["left_out"]
        if row["count"]
    ]
    return ["Count", "Measure", "What and why"], rows


def signatures(report: Report) -> Printed:
    """The start of each signature's digest."""
    rows = [[entry["side"], entry["measure"], entry["digest"][:32]] for entry in report["signatures"]]
    return ["Side", "Measure", "SHA-256 (first half)"], rows


def published(table: Beside) -> Printed:
    """Ours beside the numbers of one published table, theirs in brackets; last how alike both rank.

    Where there are many columns, theirs stand below ours.
    """
    gap = "\n" if len(table.columns) > _BESIDE else " "
    lines = [
        [*line.names, *("" if cell is None else _beside(cell, gap) for cell in line.cells)]
        for line in table.lines
    ]
    ranks = [
        [*line.names, *("" if cell is None else rank_text(cell) for cell in line.cells)]
        for line in table.ranks
    ]
    return [*table.naming, *table.columns], [*lines, *ranks]


def _beside(row: Row, gap: str) -> str:
    return f"{number_text(row, row['ours'])}{gap}({number_text(row, row['published'])})"
