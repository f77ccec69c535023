"""The EGISES thesis' Table 5.4: EGISES beside the ROUGE measures, in percent."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from meta_eval.report.answer import measure_title
from meta_eval.report.certainty import join
from meta_eval.report.schema import Report, ScoreRow
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.papers.layout import (
    MEASURED,
    NEW_REPORT,
    family_remarks,
    in_families,
    made_of,
    remarks,
)
from meta_eval.report.view import View

_JSD = ("jsd-oov", "jsd")
"""The thesis' measure, or else the one that comes closest."""
_ROUGE = {"rouge-1": "rouge1", "rouge-2": "rouge2", "rouge-l": "rougeL"}
"""The thesis' measures of accuracy, and their columns in the released table."""


def lay_out_table_5_4(report: Report, _view: View) -> Grid:
    """EGISES by Jensen-Shannon and ROUGE-L of each system, the most personalised first."""
    egises = {(row.measure, row.system): row for row in report.leaderboard if row.score == "egises"}
    jsd = next((name for name in _JSD if any(measure == name for measure, _ in egises)), None)
    grid = Grid(
        name="thesis-table-5.4",
        title=f"EGISES by {measure_title(jsd) if jsd else 'Jensen-Shannon'} and ROUGE-L of each system",
        heads=("System",),
    )
    if jsd is None:
        missing = f"This report has no EGISES by jsd-oov or jsd: {NEW_REPORT} with one of these measures."
        return replace(grid, missing=missing)
    rouge = _rouge_rows(report)
    places = {system: row.value for (measure, system), row in egises.items() if measure == jsd}
    return replace(
        grid,
        note=f"EGISES: lower is better; ROUGE in percent, higher is better. {made_of(report, MEASURED)}",
        columns=(
            Column(title=f"EGISES by {measure_title(jsd)}", key=_column(jsd)),
            *(Column(title=measure_title(name), key=_ROUGE[name]) for name in rouge),
        ),
        lines=tuple(
            Line(
                heads=(system,),
                key=system,
                rule=rule,
                cells=(_egises(egises[jsd, system]), *(_rouge(rows.get(system)) for rows in rouge.values())),
            )
            for system, rule in in_families(report, places)
        ),
        remarks=(*family_remarks(report), *_what_differs(jsd, rouge), *remarks(report, "thesis")),
    )


def _rouge_rows(report: Report) -> dict[str, dict[str, ScoreRow]]:
    """The accuracies by each ROUGE measure that the report has, by system, in the thesis' order."""
    rows: dict[str, dict[str, ScoreRow]] = {name: {} for name in _ROUGE}
    for row in report.leaderboard:
        if (row.score, row.side) == ("accuracy", "automatic") and row.measure in rows:
            rows[row.measure][row.system] = row
    return {name: found for name, found in rows.items() if found}


def _column(jsd: str) -> str:
    """The released table's column is of the thesis' measure alone."""
    return "egises_jsd" if jsd.partition(":")[0] == "jsd-oov" else f"egises_by_{jsd}"


def _egises(row: ScoreRow) -> Cell:
    return Cell(kind="score", value=row.value, reason=row.reason, digits=5, row=row)


def _rouge(row: ScoreRow | None) -> Cell:
    """In percent, as the thesis has it."""
    if row is None or row.value is None:
        return Cell(kind="score", reason=row.reason if row else None, row=row)
    return Cell(kind="score", value=100 * row.value, digits=2, row=row)


def _what_differs(jsd: str, rouge: Mapping[str, object]) -> Iterator[str]:
    """What the thesis' table has and ours has not."""
    if jsd != "jsd-oov":
        yield "The thesis' measure is jsd-oov:preset=thesis, which this report has not."
    if lacking := [name for name in _ROUGE if name not in rouge]:
        titles, measures = join(list(map(measure_title, lacking))), join(lacking)
        yield f"This report has no {titles}: {NEW_REPORT} with {measures} among its measures."
