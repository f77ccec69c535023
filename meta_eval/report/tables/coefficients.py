"""Coefficients of agreement with the raters: a grid for each, measures down and surrogates across."""

from collections.abc import Iterator, Sequence
from typing import cast

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import PAGE, estimate_text, percent_text
from meta_eval.report.schema import CoefficientRow, LimitedRow, Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, View
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient

NO_SURROGATE = "no surrogate"
HEAT_STEPS = 10
UNSUPPORTED_NOTE = (
    "ratings shuffled within questionnaires reach it in more than 5 of 100 tries, so the raters do not "
    "support it."
)


RATERS_NOTE = (
    "in brackets p of raters: how often ratings shuffled within questionnaires reach the coefficient."
)
NOTHING_LEFT = "the penalty alone tells one side completely, so nothing is left to correlate"


def penalty_note(rows: Sequence[CoefficientRow]) -> str:
    """How much of PerSEval-HJ is the penalty, in which no rating has a part, by surrogate."""
    shares = {row.surrogate: row.penalty_share for row in rows if row.surrogate}
    named = [
        f"{percent_text(round(share, 3))} with {measure_title(surrogate)}"
        for surrogate, share in shares.items()
        if share is not None
    ]
    return (
        "Both sides of PerSEval hold a penalty in which no rating has a part; alone it explains so much of "
        f"the variance of PerSEval-HJ over the systems: {', '.join(named)}."
        if named
        else ""
    )


def given_note(rows: Sequence[CoefficientRow]) -> str:
    """What is left of PerSEval's coefficients once the penalty that both sides share is held fixed."""
    parts = []
    known = [row for row in rows if row.estimate is not None]
    for name, title in COEFFICIENTS.items():
        both = [
            (row.estimate, row.given_penalty)
            for row in known
            if row.coefficient == name and row.given_penalty is not None
        ]
        if both:
            whole, given = (sum(side) / len(both) for side in zip(*both, strict=True))
            parts.append(f"{title} {estimate_text(given, PAGE)} in place of {estimate_text(whole, PAGE)}")
    said = (
        "Given that penalty (the partial coefficient), agreement over measures and surrogates is on average: "
        f"{'; '.join(parts)}."
        if parts
        else ""
    )
    return " ".join(filter(None, (said, _nothing_left(known))))


def _nothing_left(rows: Sequence[CoefficientRow]) -> str:
    """How many coefficients have no partial one, so that a mean of the others flatters the measures."""
    without = [row for row in rows if _is_told_by_penalty(row)]
    if not without:
        return ""
    names = dict.fromkeys(measure_title(row.surrogate) for row in without if row.surrogate)
    have = "coefficient has" if len(without) == 1 else "coefficients have"
    return f"{len(without)} {have} none (with {', '.join(names)}): {NOTHING_LEFT}."


def given_cell(row: CoefficientRow) -> Cell:
    """The coefficient given the penalty, or why there is none."""
    return Cell(value=row.given_penalty, reason=NOTHING_LEFT if _is_told_by_penalty(row) else None)


def _is_told_by_penalty(row: CoefficientRow) -> bool:
    """Has a penalty, and no coefficient given it; only a correlation of two vectors has such a form."""
    return (
        row.coefficient in ("pearson", "spearman", "kendall")
        and row.penalty_share is not None
        and row.given_penalty is None
    )


def lay_out_raters(report: Report, view: View) -> Grid:
    """Coefficients of the surrogate in view beside what shuffled ratings give and what the penalty leaves."""
    in_view = (view.kind, view.surrogate)
    rows = [row for row in report.correlations if (row.automatic, row.surrogate) == in_view]
    tested = [row for row in rows if row.p_raters is not None or row.null_reason is not None]
    known = tested if report.inference else []
    given = any(row.given_penalty is not None for row in known)
    titles = ["Estimate", "p", *NULL_TITLES, *(["Given the penalty"] if given else [])]
    penalty = (
        " Given the penalty: the partial coefficient, with the penalty that both sides share held fixed; "
        f"without a number, {NOTHING_LEFT}."
    )
    return Grid(
        name="raters",
        title=f"{view.title}: what the raters add",
        note=(
            f"Against {view.title}-HJ by {view.surrogate_title}. {NULL_NOTE} p: by permuting systems."
            f"{penalty if given else ''}"
        ),
        heads=("Coefficient", "Measure"),
        columns=tuple(Column(title=title) for title in titles),
        lines=tuple(
            Line(
                heads=(COEFFICIENTS[row.coefficient], measure_title(row.measure)),
                key=row.coefficient,
                cells=(
                    Cell(value=row.estimate, reason=row.reason, n=row.n, row=row),
                    Cell(kind="p", value=row.p_value),
                    *null_cells(row),
                    *([given_cell(row)] if given else []),
                ),
            )
            for row in known
        ),
    )


NULL_TITLES = ("Shuffled: mean", "Shuffled: 95 %", "p of raters")
NULL_NOTE = (
    "Shuffled: what the coefficient comes to where ratings change places within their questionnaire, on "
    "average and in 95 of 100 tries at most; p of raters: how often they reach the estimate."
)


def null_cells(row: CoefficientRow) -> tuple[Cell, Cell, Cell]:
    """What shuffled ratings give, in the columns of `NULL_TITLES`."""
    return (
        Cell(value=row.null_mean, reason=row.null_reason),
        Cell(value=row.null_high, reason=row.null_reason),
        Cell(kind="p", value=row.p_raters, reason=row.null_reason),
    )


def lay_out_coefficients(report: Report, kind: str) -> list[Grid]:
    """A grid for each coefficient of a score; the last column is of the ratings without any surrogate."""
    bare = report.inference.bare if report.inference else ()
    rows = [row for row in (*report.correlations, *bare) if row.automatic == kind]
    grids = (
        _lay_out(report, [row for row in rows if row.coefficient == name], name) for name in COEFFICIENTS
    )
    return [grid for grid in grids if grid.lines]


def with_surrogates(grids: Sequence[Grid]) -> Iterator[Grid]:
    """The grids without the column of no surrogate, which needs a page's width and explanations."""
    kept = (grid.keep(lambda column: bool(column.key)) for grid in grids)
    return (grid for grid in kept if grid.columns)


def coefficient_cell(report: Report, row: CoefficientRow | None) -> Cell:
    """A coefficient with its interval and whether it is beyond chance."""
    if row is None:
        return Cell()
    return Cell(
        value=row.estimate,
        reason=row.reason,
        low=row.ci_low,
        high=row.ci_high,
        p_adjusted=row.p_adjusted,
        significant=report.inference is not None and row.is_significant(report.inference.options.alpha),
        unsupported=report.inference is not None and not row.may_be_supported(report.inference.options.alpha),
        p_raters=row.p_raters,
        shared=row.shared_input,
        heat=None if row.estimate is None else heat_step(row.estimate, cast(Coefficient, row.coefficient)),
        n=row.n,
        row=row,
    )


def heat_step(estimate: float, coefficient: Coefficient = "kendall") -> int:
    """0 for the lowest that a coefficient can be, 10 for the highest; 5 for what chance gives."""
    return round(REGISTRY[coefficient].share_of_range(estimate) * HEAT_STEPS)


def _lay_out(report: Report, rows: Sequence[CoefficientRow], coefficient: str) -> Grid:
    surrogates = list(dict.fromkeys(row.surrogate for row in rows))
    by_key = {(row.measure, row.surrogate): row for row in rows}
    return Grid(
        name=coefficient,
        title=COEFFICIENTS[coefficient],
        heads=("Measure",),
        columns=tuple(
            Column(title=measure_title(name) if name else NO_SURROGATE, key=name or "") for name in surrogates
        ),
        lines=tuple(
            Line(
                heads=(measure_title(measure),),
                key=measure,
                cells=tuple(coefficient_cell(report, by_key.get((measure, name))) for name in surrogates),
            )
            for measure in dict.fromkeys(row.measure for row in rows)
        ),
        foot=tuple(_ceilings(rows, surrogates)),
        below=True,
    )


def _ceilings(rows: Sequence[CoefficientRow], surrogates: Sequence[str | None]) -> Iterator[Line]:
    """What perfect agreement with each surrogate's scores could reach, where that is known."""
    known = {row.surrogate: row.ceiling for row in rows if isinstance(row, LimitedRow)}
    if any(value is not None for value in known.values()):
        yield Line(heads=("Ceiling",), cells=tuple(Cell(value=known.get(name)) for name in surrogates))
