"""The declared primary coefficient: each measure with p by itself and adjusted in three ways."""

from meta_eval.report.answer import measure_title
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.scores.names import SCORES

_NOTE = (
    "p: by permuting the systems. p max-T: adjusted over these measures by the greatest of them in each of "
    "the permutations, which they share (Westfall and Young 1993). p adjusted: over all coefficients of the "
    "score, as everywhere else. p of raters: how often shuffled ratings reach the estimate, adjusted over "
    "these measures."
)
_COLUMNS = ("Estimate", "Interval", "p", "p max-T", "p adjusted", "p of raters")


def lay_out_primary(report: Report) -> Grid:
    """The family of tests that was declared, best first; no lines where none was, or it has no numbers."""
    primary = report.inference.primary if report.inference else None
    rows = [row for row in report.correlations if primary is not None and primary.covers(row)]
    rows.sort(key=lambda row: -2.0 if row.estimate is None else -row.estimate)
    ranked = {
        row.measure: row
        for row in (report.inference.ranking if report.inference else ())
        if primary is not None and row.score == primary.score
    }
    return Grid(
        name="primary",
        title="The declared primary coefficient",
        note=_NOTE,
        heads=(f"{SCORES[primary.score].title} by" if primary else "Measure",),
        columns=tuple(Column(title=title) for title in _COLUMNS),
        lines=tuple(
            Line(
                heads=(measure_title(row.measure),),
                key=row.measure,
                cells=(
                    Cell(value=row.estimate, reason=row.reason, shared=row.shared_input, row=row),
                    Cell(kind="interval", low=row.ci_low, high=row.ci_high, reason=row.ci_reason),
                    Cell(kind="p", value=row.p_value),
                    Cell(kind="p", value=row.p_max_t),
                    Cell(kind="p", value=row.p_adjusted),
                    Cell(
                        kind="p",
                        value=ranked[row.measure].p_raters_adjusted if row.measure in ranked else None,
                        reason=row.null_reason,
                    ),
                ),
            )
            for row in rows
        ),
    )
