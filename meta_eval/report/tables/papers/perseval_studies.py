"""PerSEval's further studies: Tables 3 to 6 and figure 3."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from meta_eval.report.schema import AggregationRow, Report, StabilityRow
from meta_eval.report.shared import NOT_SHUFFLED, penalty_shared, shared_note
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.papers.layout import (
    coefficient_title,
    family_remarks,
    in_families,
    in_paper_order,
    kept,
    made_of,
    measure_columns,
    remarks,
    why_missing,
)
from meta_eval.report.tables.studies import said_of_samples
from meta_eval.report.view import View
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient

RANKS: tuple[Coefficient, ...] = ("spearman", "kendall")
_TOO_OLD = "the report was made before it was kept: make a new one"


def lay_out_table_3(report: Report, _view: View) -> Grid:
    """How alike DEGRESS and PerSEval rank the systems: two coefficients down, measures across."""
    rows = report.inference.paradox if report.inference else ()
    grid = Grid(
        name="perseval-table-3",
        title="Paradox: the ranking by EGISES against that by PerSEval",
        heads=("Coefficient",),
    )
    if not rows:
        return replace(grid, missing=why_missing(report, "paradox", "paradox"))
    measures = in_paper_order(row.measure for row in rows)
    found = {(row.coefficient, row.measure): row for row in rows}
    names = kept(RANKS, (row.coefficient for row in rows))
    return replace(
        grid,
        note="EGISES from the lowest, which is DEGRESS from the highest; below 1 the penalty for accuracy "
        f"changes ranks. {made_of(report)}",
        columns=measure_columns(measures),
        lines=_by_coefficient(names, measures, found),
        remarks=remarks(report, "paradox"),
    )


def _by_coefficient(
    names: Iterable[Coefficient], across: Sequence[Any], found: Mapping[tuple[str, Any], Any]
) -> tuple[Line, ...]:
    """A line for each coefficient; `found` has the row of a coefficient and of what stands across."""
    return tuple(
        Line(
            heads=(coefficient_title(name),),
            ids=(name,),
            cells=tuple(
                Cell() if row is None else Cell(value=row.estimate, reason=row.reason, row=row)
                for row in (found.get((name, one)) for one in across)
            ),
        )
        for name in names
    )


def lay_out_table_4(report: Report, view: View) -> Grid:
    """PerSEval of each system by the measure in view from fewer and fewer documents, bias and variance."""
    row = _stability(report).get(view.measure)
    grid = Grid(
        name="perseval-table-4",
        title=f"Stability: PerSEval by {view.measure_title} of each system from fewer documents",
        heads=("System",),
    )
    if row is None:
        return replace(grid, missing=why_missing(report, "stability", _of_measure("run of stability", view)))
    samples = {share.samples for share in row.shares}
    shares = {round(100 * share.share): share.documents for share in row.shares}
    counts = ", ".join(f"{percent} %: {documents}" for percent, documents in shares.items())
    systems = {system.system: system for system in row.systems}
    places = {name: None if own.means[0] is None else -own.means[0] for name, own in systems.items()}
    return replace(
        grid,
        note=f"Mean over {' or '.join(map(str, sorted(samples)))} samples of so many percent of the "
        f"documents ({counts}), in the first column the score itself; bias: the standard deviation of the "
        f"means, and their variance, both of the population. {said_of_samples(report)} {made_of(report)}",
        columns=(
            *(Column(title=f"{percent} %", key=str(percent)) for percent in (100, *shares)),
            Column(title="Bias", key="bias"),
            Column(title="Variance", key="variance"),
        ),
        lines=tuple(
            Line(
                heads=(name,),
                key=name,
                rule=rule,
                cells=(
                    *(
                        Cell(kind="score", value=mean, digits=4, row=systems[name])
                        for mean in systems[name].means
                    ),
                    Cell(kind="spread", value=systems[name].bias, row=systems[name]),
                    Cell(kind="spread", value=systems[name].variance, row=systems[name]),
                ),
            )
            for name, rule in in_families(report, places)
        ),
        remarks=(*family_remarks(report), *remarks(report, "stability")),
    )


def lay_out_table_5(report: Report, view: View) -> Grid:
    """PerSEval by the measure in view, accuracy, and both together: Spearman and Kendall down.

    A column is of a measure that gave accuracy and, as surrogate, human scores; without one, of an accuracy
    measure, against the surrogate in view.
    """
    rows = [
        row
        for row in (report.inference.aggregation if report.inference else ())
        if row.measure == view.measure
    ]
    grid = Grid(
        name="perseval-table-5",
        title=f"Aggregation: PerSEval by {view.measure_title} with accuracy, against PerSEval-HJ",
        heads=("Coefficient", "Ranking"),
    )
    if not rows:
        return replace(grid, missing=why_missing(report, "aggregation", _of_measure("aggregation", view)))
    surrogates = {row.surrogate for row in rows}
    measures = in_paper_order(row.accuracy for row in rows)
    both = [name for name in measures if name in surrogates]
    columns = {name: name for name in both} or dict.fromkeys(measures, view.surrogate)
    found = {(row.coefficient, row.surrogate, row.accuracy): row for row in rows}
    people = "with the same measure as surrogate" if both else f"by {view.surrogate_title}"
    return replace(
        grid,
        note=f"Columns: accuracy by the measure; PerSEval-HJ {people}. "
        "Together: by the sum of both ranks (Borda-Kendall), ties averaged; every other pairing is in the "
        f"report's table aggregation. {made_of(report)} {_shared_in_columns(columns, found)} {NOT_SHUFFLED}",
        columns=measure_columns(columns),
        lines=tuple(_aggregation_lines(view, columns, found)),
        remarks=remarks(report, "aggregation", people=True),
    )


_SIDES = {"perseval": "metric", "accuracy": "accuracy_alone", "both": "combined"}
"""The rankings of Table 5, and where a row has the agreement of each."""


def _aggregation_lines(
    view: View, columns: Mapping[str, str], found: Mapping[tuple[str, str, str], AggregationRow]
) -> Iterator[Line]:
    titles = {
        "perseval": f"PerSEval by {view.measure_title}",
        "accuracy": "Accuracy",
        "both": "Both together",
    }
    for number, name in enumerate(kept(RANKS, (coefficient for coefficient, _, _ in found))):
        for side, field in _SIDES.items():
            rows = (found.get((name, surrogate, accuracy)) for accuracy, surrogate in columns.items())
            yield Line(
                heads=(coefficient_title(name), titles[side]),
                ids=(name, side),
                cells=tuple(Cell(value=getattr(row, field, None), row=row) for row in rows),
                rule=bool(number) and side == "perseval",
            )


def _shared_in_columns(
    columns: Mapping[str, str], found: Mapping[tuple[str, str, str], AggregationRow]
) -> str:
    """What people's side shares with each of these rankings, in words."""
    shown = [row for row in found.values() if columns.get(row.accuracy) == row.surrogate]
    said = penalty_shared(row.shared for row in shown)
    if any("distances" in (row.accuracy_shared or "") for row in shown):
        said.append("Accuracy shares the distances of PerSEval-HJ where surrogate and measure are the same.")
    if any("distances" in (row.shared or "") for row in shown):
        said.append("PerSEval does, too, in the column of its own measure.")
    return " ".join(said)


def lay_out_table_6(report: Report, _view: View) -> Grid:
    """Bias, variance, delta and both epsilons of PerSEval down, measures across."""
    found = _stability(report)
    grid = Grid(
        name="perseval-table-6",
        title="Stability: bias, variance, delta and epsilon of PerSEval by measure",
        heads=("Statistic",),
    )
    if not found:
        return replace(grid, missing=why_missing(report, "stability", "run of stability"))
    measures = in_paper_order(found)
    studied = [found[measure] for measure in measures]
    spreads = {
        "bias": ("Bias", [_greatest(row, "bias") for row in studied]),
        "variance": ("Variance", [_greatest(row, "variance") for row in studied]),
        "delta": ("Delta", [row.delta for row in studied]),
    }
    lines = [
        Line(heads=(title,), ids=(name,), cells=tuple(Cell(kind="spread", value=value) for value in values))
        for name, (title, values) in spreads.items()
    ]
    lines += [
        Line(
            heads=(f"Epsilon, {coefficient_title(name)}",),
            ids=(f"epsilon_{name}",),
            cells=tuple(_epsilon(row, name) for row in studied),
        )
        for name in RANKS
    ]
    return replace(
        grid,
        note="Bias and variance: the greatest of any system; delta: the larger of both; epsilon: the "
        "greatest rank correlation of any sample with the full ranking (definition 7.1). "
        f"{said_of_samples(report)} {made_of(report)}",
        columns=measure_columns(measures),
        lines=tuple(lines),
        remarks=remarks(report, "stability"),
    )


def _stability(report: Report) -> dict[str, StabilityRow]:
    """The stability of PerSEval by measure."""
    rows = report.inference.stability if report.inference else ()
    return {row.measure: row for row in rows if row.score == "perseval"}


def _greatest(row: StabilityRow, name: str) -> float | None:
    values = (getattr(system, name) for system in row.systems)
    return max((value for value in values if value is not None), default=None)


def _epsilon(row: StabilityRow, coefficient: str) -> Cell:
    share = next((share for share in row.shares if share.coefficient == coefficient), None)
    value = share.epsilon_overall if share else None
    return Cell(value=value, reason=_TOO_OLD if value is None else None, row=share)


def lay_out_figure_3(report: Report, view: View) -> Grid:
    """The agreement by beta, a line for each of the three coefficients."""
    rows = [
        row
        for row in (report.inference.ablation if report.inference else ())
        if (row.measure, row.surrogate) == (view.measure, view.surrogate)
    ]
    grid = Grid(
        name="perseval-figure-3",
        title=f"Ablation of beta: PerSEval by {view.measure_title} against PerSEval-HJ by "
        f"{view.surrogate_title}",
        heads=("Coefficient",),
    )
    if not rows:
        return replace(grid, missing=why_missing(report, "ablation", _of_measure("ablation", view)))
    found = {(row.coefficient, row.beta): row for row in rows}
    betas = sorted({row.beta for row in rows})
    return replace(
        grid,
        note="Beta changes on both sides; over rated documents and pairs (the command ablate gives it over "
        f"the corpus). {made_of(report, _WITHOUT_BETA)} {shared_note(rows, marked=False)} {NOT_SHUFFLED}",
        columns=tuple(Column(title=f"{beta:.1f}", key=str(beta)) for beta in betas),
        lines=_by_coefficient(kept(COEFFICIENTS, (row.coefficient for row in rows)), betas, found),
        remarks=remarks(report, "ablation", people=True),
    )


_WITHOUT_BETA = {"mode": "mode", "normalise": "normalise", "alpha": "alpha", "gamma": "gamma"}


def _of_measure(what: str, view: View) -> str:
    return f"{what} by {view.measure_title}" if view.measure else what
