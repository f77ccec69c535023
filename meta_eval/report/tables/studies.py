"""The other studies of the PerSEval paper, on this corpus; and what stands behind a report."""

from collections.abc import Sequence
from dataclasses import replace

from meta_eval.report.answer import measure_title
from meta_eval.report.schema import AggregationRow, ParadoxRow, Report, StabilityRow
from meta_eval.report.shared import MARK, NOT_SHUFFLED, penalty_shared, shared_note
from meta_eval.report.tables.deviations import lay_out_deviations
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, KINDS, View
from meta_eval.scores.names import SCORES


def lay_out_stability(report: Report, view: View) -> Grid:
    """How like the full ranking rankings by samples of the documents are, by share of the documents."""
    studied = report.inference.stability if report.inference else ()
    rows = [row for row in studied if row.score == SCORES[view.kind].studied]
    shares = [share for row in rows[:1] for share in row.shares if share.coefficient == "kendall"]
    return Grid(
        name="stability",
        title=f"Stability of {KINDS[view.kind]}",
        note="Kendall’s τ-b of the ranking by ten samples of the documents with the full one: mean (lowest "
        f"to highest). {said_of_samples(report)} Delta: the larger of the greatest bias and variance of a "
        "system.",
        heads=("Measure",),
        columns=(
            *(
                Column(title=f"{share.share:.0%} ({share.documents})", key=str(share.share))
                for share in shares
            ),
            Column(title="Delta"),
        ),
        lines=tuple(
            Line(heads=(measure_title(row.measure),), key=row.measure, cells=_stability_cells(row))
            for row in rows
        ),
    )


def draws_with_replacement(report: Report) -> bool:
    """Whether a sample of the study of stability may hold a document twice."""
    return report.inference is not None and report.inference.options.stability_replacement


def said_of_samples(report: Report) -> str:
    """How the samples of the study of stability were drawn, as a sentence."""
    if draws_with_replacement(report):
        return "A sample may hold a document twice (drawn with replacement, as in PerSEval 7.2)."
    return "A sample holds no document twice (drawn without replacement; PerSEval 7.2 says with)."


def _stability_cells(row: StabilityRow) -> tuple[Cell, ...]:
    shares = (
        Cell(value=share.mean, low=share.minimum, high=share.maximum, row=share)
        for share in row.shares
        if share.coefficient == "kendall"
    )
    return *shares, Cell(kind="spread", value=row.delta)


def lay_out_paradox(report: Report) -> Grid:
    """How alike DEGRESS and PerSEval rank the systems by each measure."""
    rows = report.inference.paradox if report.inference else ()
    by_measure: dict[str, dict[str, ParadoxRow]] = {}
    for row in rows:
        by_measure.setdefault(row.measure, {})[row.coefficient] = row
    names = list(dict.fromkeys(row.coefficient for row in rows))
    return Grid(
        name="paradox",
        title="Paradox: DEGRESS against PerSEval",
        note="How alike both rank the systems by a measure; below 1 the penalty for accuracy changes ranks.",
        heads=("Measure",),
        columns=tuple(Column(title=COEFFICIENTS[name], key=name) for name in names),
        lines=tuple(
            Line(
                heads=(measure_title(measure),),
                key=measure,
                cells=tuple(
                    Cell(value=own[name].estimate, reason=own[name].reason, row=own[name]) for name in names
                ),
            )
            for measure, own in by_measure.items()
        ),
    )


def lay_out_aggregation(report: Report, view: View) -> Grid:
    """PerSEval by the measure in view with each accuracy measure, against the surrogate in view."""
    wanted = (view.measure, view.surrogate, "kendall")
    rows = [
        row
        for row in (report.inference.aggregation if report.inference else ())
        if (row.measure, row.surrogate, row.coefficient) == wanted
    ]
    return Grid(
        name="aggregation",
        title=f"Aggregation: PerSEval by {view.measure_title} with an accuracy measure",
        note=f"Kendall’s τ-b with PerSEval-HJ by {view.surrogate_title}: of each alone, and of both together "
        f"(Borda-Kendall).{aggregation_note(rows)}",
        heads=("Accuracy by",),
        columns=tuple(Column(title=title) for title in ("PerSEval alone", "Accuracy alone", "Together")),
        lines=tuple(
            Line(
                heads=(measure_title(row.accuracy),),
                key=row.accuracy,
                cells=tuple(Cell(value=value) for value in (row.metric, row.accuracy_alone, row.combined)),
            )
            for row in rows
        ),
    )


def aggregation_note(rows: Sequence[AggregationRow]) -> str:
    """What these rows share with people whatever raters say, and that nobody shuffled ratings for them."""
    sides = [(f"PerSEval by {measure_title(row.measure)}", row.shared) for row in rows[:1]]
    sides += [(f"accuracy by {measure_title(row.accuracy)}", row.accuracy_shared) for row in rows]
    named = [name for name, parts in sides if "distances" in (parts or "")]
    said = penalty_shared(row.shared for row in rows)
    if named:
        said.append(f"PerSEval-HJ shares its distances with {' and with '.join(named)}.")
    return "".join(f" {sentence}" for sentence in (*said, NOT_SHUFFLED))


def lay_out_ablation(report: Report, view: View) -> Grid:
    """Tau-b by beta for each measure, with the surrogate in view; beta is PerSEval's alone."""
    rows = [
        row
        for row in (report.inference.ablation if report.inference else ())
        if (row.surrogate, row.coefficient) == (view.surrogate, "kendall")
    ]
    measures = list(dict.fromkeys(row.measure for row in rows))
    own = {row.measure for row in rows if row.shared_input}
    return Grid(
        name="ablation",
        note=f"{shared_note(rows)} {NOT_SHUFFLED}".strip(),
        heads=("By",),
        columns=tuple(
            Column(title=f"β = {row.beta}", key=str(row.beta)) for row in rows if row.measure == measures[0]
        ),
        lines=tuple(
            Line(
                heads=(f"{measure_title(measure)}{MARK if measure in own else ''}",),
                key=measure,
                cells=tuple(
                    Cell(value=row.estimate, reason=row.reason, row=row)
                    for row in rows
                    if row.measure == measure
                ),
            )
            for measure in measures
        ),
    )


def lay_out_studies(report: Report, view: View) -> list[Grid]:
    """The studies for print, those that have lines."""
    grids = (
        lay_out_stability(report, replace(view, kind="perseval")),
        lay_out_stability(report, replace(view, kind="degress")),
        lay_out_paradox(report),
        lay_out_aggregation(report, view),
        lay_out_deviations(report, view),
    )
    return [grid for grid in grids if grid.lines]


def lay_out_left_out_counts(report: Report) -> Grid:
    """What was left out or stands apart, and why."""
    return Grid(
        name="left_out",
        title="Left out or set apart",
        heads=("Count", "Measure", "What and why"),
        lines=tuple(
            Line(
                heads=(str(row.count), measure_title(row.measure) if row.measure else "all", row.why),
                cells=(),
            )
            for row in report.left_out
            if row.count
        ),
    )


def lay_out_signatures(report: Report) -> Grid:
    """The start of each signature's digest."""
    return Grid(
        name="signatures",
        title="Signatures of the measures",
        heads=("Side", "Measure", "SHA-256 (first half)"),
        lines=tuple(
            Line(heads=(row.side, row.measure, row.digest[:32]), cells=()) for row in report.signatures
        ),
    )
