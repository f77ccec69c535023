"""PerSEval's tables of scores and of their agreement with people: Tables 1, 2, 7 and 8."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import LEVELS
from meta_eval.report.schema import CorrelationRow, Report, ScoreRow
from meta_eval.report.shared import MARK, SAME_MEASURE
from meta_eval.report.tables.coefficients import UNSUPPORTED_NOTE, coefficient_cell, penalty_note
from meta_eval.report.tables.grid import Cell, Grid, Line
from meta_eval.report.tables.papers.layout import (
    MEASURED,
    PENALISED,
    coefficient_title,
    family_remarks,
    in_families,
    in_paper_order,
    kept,
    made_of,
    measure_columns,
    no_scores,
    remarks,
)
from meta_eval.report.view import View
from meta_eval.stats.coefficients.registry import COEFFICIENTS


def lay_out_table_1(report: Report, _view: View) -> Grid:
    """PerSEval: systems in blocks of their family down, measures across."""
    return _scores(report, "perseval-table-1", "perseval", "PerSEval", PENALISED)


def lay_out_table_7(report: Report, _view: View) -> Grid:
    """EGISES, laid out as PerSEval."""
    return _scores(report, "perseval-table-7", "egises", "EGISES", MEASURED)


def lay_out_table_8(report: Report, _view: View) -> Grid:
    """P-Acc, laid out as PerSEval."""
    own = {"p_acc_alpha": "alpha", "p_acc_beta": "beta"}
    return _scores(report, "perseval-table-8", "p_acc", "P-Acc", {**MEASURED, **own})


def _scores(report: Report, name: str, score: str, title: str, options: Mapping[str, str]) -> Grid:
    """Families one below the other; in each the best by the first measure is first."""
    rows = [row for row in report.leaderboard if (row.side, row.score) == ("automatic", score)]
    measures = in_paper_order(row.measure for row in rows if row.value is not None)
    grid = Grid(name=name, title=f"{title} of each system by measure", heads=("System",))
    if not measures:
        return replace(grid, missing=no_scores(report, f"{title} of any system"))
    cells = {(row.system, row.measure): row for row in rows}
    ranks = {row.system: row.rank for row in rows if row.measure == measures[0]}
    return replace(
        grid,
        note=f"{'Higher' if rows[0].higher_is_better else 'Lower'} is better. {made_of(report, options)}",
        columns=measure_columns(measures),
        lines=tuple(_score_lines(report, ranks, measures, cells)),
        remarks=(*family_remarks(report), *remarks(report, score)),
    )


def _score_lines(
    report: Report,
    ranks: Mapping[str, int | None],
    measures: list[str],
    cells: Mapping[tuple[str, str], ScoreRow],
) -> Iterator[Line]:
    for system, rule in in_families(report, ranks):
        row = (cells.get((system, measure)) for measure in measures)
        yield Line(heads=(system,), key=system, cells=tuple(map(_score_cell, row)), rule=rule)


def _score_cell(row: ScoreRow | None) -> Cell:
    if row is None:
        return Cell(kind="score")
    return Cell(kind="score", value=row.value, reason=row.reason, row=row)


def lay_out_table_2(report: Report, _view: View) -> Grid:
    """PerSEval against PerSEval-HJ: for each surrogate a block of three coefficients, measures across."""
    rows = [row for row in report.correlations if row.automatic == "perseval"]
    grid = Grid(
        name="perseval-table-2",
        title="Agreement of PerSEval with PerSEval-HJ, by surrogate and measure",
        heads=("Surrogate", "Coefficient"),
    )
    if all(row.estimate is None for row in rows):
        return replace(grid, missing=no_scores(report, "agreement of PerSEval with people"))
    measures = in_paper_order(row.measure for row in rows)
    return replace(
        grid,
        note=_agreement_note(report, rows),
        columns=measure_columns(measures),
        lines=tuple(_agreement_lines(report, rows, measures)),
        remarks=remarks(report, "correlations", people=True),
    )


def _agreement_lines(report: Report, rows: list[CorrelationRow], measures: list[str]) -> Iterator[Line]:
    found = {(row.surrogate, row.coefficient, row.measure): row for row in rows}
    names = kept(COEFFICIENTS, (row.coefficient for row in rows))
    for number, surrogate in enumerate(in_paper_order(row.surrogate for row in rows)):
        for name in names:
            cells = (coefficient_cell(report, found.get((surrogate, name, measure))) for measure in measures)
            yield Line(
                heads=(measure_title(surrogate), coefficient_title(name)),
                ids=(surrogate, name),
                cells=tuple(replace(cell, low=None, high=None, heat=None) for cell in cells),
                rule=bool(number) and name == names[0],
            )


def _agreement_note(report: Report, rows: list[CorrelationRow]) -> str:
    counts = sorted({row.n for row in rows})
    parts = [
        f"Over {' to '.join(map(str, dict.fromkeys((counts[0], counts[-1]))))} systems. {made_of(report)}"
    ]
    if "edp_readers" in report.options:
        parts.append(f"Readers of the penalty of human scores: {report.options['edp_readers']}.")
    tested = next((row for row in rows if row.p_adjusted is not None), None)
    if tested:
        marks = ", ".join(f"{mark} p < {level}" for level, mark in reversed(LEVELS))
        method = str(tested.p_adjustment).capitalize()
        parts.append(
            f"{marks}, adjusted over all coefficients of the score ({method}); the paper marks p < 0.01."
        )
    else:
        parts.append("Whether the numbers are beyond chance was not tested, so none is marked.")
    if any(row.shared_input for row in rows):
        parts.append(f"{MARK} {SAME_MEASURE}")
    if report.inference and not all(row.may_be_supported(report.inference.options.alpha) for row in rows):
        parts.append(f"° {UNSUPPORTED_NOTE}")
    return " ".join(filter(None, (*parts, penalty_note(rows))))
