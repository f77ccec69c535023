"""Prompt paradoxes of a report: each model and order, by the measure and by the raters side by side."""

from meta_eval.report.schema import PromptOrderRow, Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import View

_NOT_COMPARED = "both styles have no rated pair of readers in common"

_POINTS = 100
_NOTE = (
    "EGISES of the richer prompt less that of the poorer one in points (100 times EGISES), with its 95 % "
    "interval over documents: below 0 the richer one serves readers better; a paradox is where it does not. "
    "Both sides are over the rated pairs of readers that both prompts have. Decided where p by flipped signs "
    "of documents, adjusted by Holm over models and orders, is below 0.05."
)


def lay_out_prompt_orders(report: Report, view: View) -> Grid:
    """Models and orders down; by the measure and the surrogate in view what the richer prompt changes."""
    rows = report.inference.further.prompt_orders if report.inference else ()
    wanted = {"automatic": view.measure, "human": view.surrogate}
    found = {(row.model, row.order, row.side): row for row in rows if wanted[row.side] == row.measure}
    cases = dict.fromkeys((model, order) for model, order, _ in found)
    some = {(row.model, row.order): row for row in found.values()}
    return Grid(
        name="prompt_orders",
        title=f"Prompt paradoxes by {view.measure_title} and by the raters ({view.surrogate_title})",
        note=_NOTE,
        heads=("Model", "Order", "Poorer to richer"),
        columns=(
            Column(title="Automatic", key="automatic"),
            Column(title="Automatic says", key="automatic says"),
            Column(title="Raters", key="human"),
            Column(title="Raters say", key="human says"),
        ),
        lines=tuple(
            Line(
                heads=(model, order, f"{some[model, order].poorer} to {some[model, order].richer}"),
                key=f"{model} {order}",
                cells=tuple(
                    cell
                    for side in ("automatic", "human")
                    for cell in (
                        _change(found.get((model, order, side))),
                        _verdict(found.get((model, order, side))),
                    )
                ),
            )
            for model, order in cases
        ),
    )


def _change(row: PromptOrderRow | None) -> Cell:
    if row is None or row.egises_change is None:
        return Cell(reason=_NOT_COMPARED)
    low, high = (None if end is None else _POINTS * end for end in (row.ci_low, row.ci_high))
    return Cell(value=_POINTS * row.egises_change, low=low, high=high, p_adjusted=row.p_adjusted, row=row)


def _verdict(row: PromptOrderRow | None) -> str:
    if row is None or row.verdict is None:
        return "nothing shared"
    if row.verdict == "not decided":
        return f"not decided at {row.documents} document{'' if row.documents == 1 else 's'}"
    return row.verdict
