"""Language models beside people: what rests on people and what on a model, a table for each question."""

from collections.abc import Iterator, Sequence

from meta_eval.report.answer import measure_title
from meta_eval.report.schema import LimitedRow, Report, StandIn
from meta_eval.report.schema.stand_in import LEANINGS, MixedSurveyRow, StandInAgreement
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.stand_in_verdict import lay_out_test, model_name
from meta_eval.report.view import COEFFICIENTS, KINDS, View
from meta_eval.scores.names import SCORES

STAND_IN_NOTE = (
    "Language models rated the same pairs as people, in a table of their own. Every other number of this "
    "report rests on people alone; only what stands here rests on a model."
)
MIXED_NOTE = (
    "People's scores of documents (with 95 % intervals over documents), and the same joined with the model's "
    "by prediction-powered inference. Saved: the share of people's ratings that the model's save for an "
    "interval as wide; planned: the same if it rated every document of the corpus that has a score. Both "
    "hold only if the documents that people rated are drawn at random."
)
MOST_POINTS = 11
"""A scale of more points is left to the files."""
OF_MEANS = "icc_1_k"
"""Agreement of means of several ratings: here each unit is two single ones."""


def lay_out_stand_in(report: Report, view: View) -> list[Grid]:
    """Every table that has lines; none at all where no model was asked for."""
    found = report.inference.stand_in if report.inference else ()
    if not found:
        return []
    grids = [
        _agreement(found),
        lay_out_test(found),
        _systems(report, found, view),
        _mixed(found, view),
        _leanings(found),
        _scale(found),
        _missing(found),
    ]
    return [grid for grid in grids if grid.lines]


def _agreement(found: Sequence[StandIn]) -> Grid:
    """A line a coefficient, over the pairs that the model rated."""
    lines = [
        Line(
            heads=(model_name(one), row.title),
            key=row.coefficient,
            cells=tuple(
                _agreement_cell(side, row.coefficient)
                for side in (one.agreement_with_people, one.agreement_of_people)
            ),
        )
        for one in found
        for row in one.agreement_of_people.coefficients
        if row.coefficient != OF_MEANS
    ]
    return Grid(
        name="stand_in_agreement",
        title="Agreement of models with people, beside people's own",
        note="Two ratings of a pair of texts, over the pairs that the model rated; intervals over documents.",
        heads=("Model", "Coefficient"),
        columns=(
            Column(title="Model with people", key="model"),
            Column(title="People with each other", key="people"),
        ),
        lines=tuple(lines),
    )


def _agreement_cell(side: StandInAgreement, name: str) -> Cell:
    row = next((row for row in side.coefficients if row.coefficient == name), None)
    if row is None:
        return Cell(reason="not measured")
    return Cell(value=row.estimate, reason=row.reason, low=row.ci_low, high=row.ci_high, row=row)


def _systems(report: Report, found: Sequence[StandIn], view: View) -> Grid:
    """Models, then measures over the same rated pairs, against people's score by the surrogate in view."""
    kind = SCORES[view.kind].studied
    human = SCORES[kind].human
    matched = report.inference.matched if report.inference else ()
    rows: dict[str, dict[str, LimitedRow]] = {}
    for row in [*(row for one in found for row in one.systems), *matched]:
        if (row.human, row.surrogate) == (human, view.surrogate):
            rows.setdefault(row.measure, {})[row.coefficient] = row
    models = {one.rater: model_name(one) for one in found}
    asked = {name for own in rows.values() for name in own}
    names = [name for name in COEFFICIENTS if name in asked]
    part = [one for one in found if one.systems and one.scored_pairs < one.all_pairs]
    lines = [
        Line(
            heads=(f"{models[name]} (model)" if name in models else measure_title(name),),
            key=name,
            cells=tuple(_system_cell(own.get(coefficient)) for coefficient in names),
        )
        for name, own in rows.items()
    ]
    ceilings = _ceilings([own for name, own in rows.items() if name not in models], names)
    return Grid(
        name="stand_in_systems",
        title=f"{KINDS[kind]} of systems as models judge it, beside measures, against people's by "
        f"{view.surrogate_title}",
        note=(
            "Over the rated pairs alone. A model's score and people's share the distances of the surrogate, "
            "and of PerSEval the penalty too."
        ),
        heads=("Judged by",),
        columns=tuple(Column(title=COEFFICIENTS[name], key=name) for name in names),
        lines=tuple(lines) if any(line.key in models for line in lines) else (),
        foot=ceilings,
        remarks=tuple(
            f"{model_name(one)} rated {one.scored_pairs} of the {one.all_pairs} pairs, and people's score "
            "beside it is over these."
            for one in part
        ),
        below=True,
    )


def _system_cell(row: LimitedRow | None) -> Cell:
    if row is None:
        return Cell(reason="not measured")
    return Cell(
        value=row.estimate,
        reason=row.reason,
        low=row.ci_low,
        high=row.ci_high,
        p_adjusted=row.p_adjusted,
        shared=row.shared_input,
        unsupported=row.p_raters is not None and row.p_raters > 0.05,
        n=row.n,
        row=row,
    )


def _ceilings(rows: Sequence[dict[str, LimitedRow]], names: Sequence[str]) -> tuple[Line, ...]:
    """The ceiling of all rated pairs, which is the same beside every measure."""
    if not rows or not any(row.ceiling is not None for row in rows[0].values()):
        return ()
    cells = (
        Cell(value=rows[0][name].ceiling, reason=rows[0][name].ceiling_reason) if name in rows[0] else None
        for name in names
    )
    return (Line(heads=("Ceiling",), cells=tuple(cells), key="ceiling"),)


def _mixed(found: Sequence[StandIn], view: View) -> Grid:
    human = SCORES[SCORES[view.kind].studied].human
    rows = [
        (one, row)
        for one in found
        for row in one.mixed
        if (row.human, row.surrogate) == (human, view.surrogate)
    ]
    return Grid(
        name="stand_in_mixed",
        title="What a mixed survey would buy",
        note=MIXED_NOTE,
        heads=("Model", "System"),
        columns=tuple(
            Column(title=title, key=key)
            for title, key in (
                ("People", "people"),
                ("People and model", "mixed"),
                ("r", "correlation"),
                ("Documents", "documents"),
                ("Saved", "saved"),
                ("Planned", "planned"),
            )
        ),
        lines=tuple(
            Line(heads=(model_name(one), row.system), key=row.system, cells=tuple(_mixed_cells(row)))
            for one, row in rows
        ),
        remarks=tuple(dict.fromkeys(f"{model_name(one)}: {row.reason}." for one, row in rows if row.reason)),
        below=True,
    )


def _mixed_cells(row: MixedSurveyRow) -> Iterator[Cell | str]:
    yield Cell(
        value=row.people_estimate, low=row.people_low, high=row.people_high, reason=row.reason, row=row
    )
    yield Cell(value=row.mixed_estimate, low=row.mixed_low, high=row.mixed_high, reason=row.reason, row=row)
    yield Cell(kind="score", value=row.correlation, reason=row.reason, digits=2)
    yield f"{row.people_documents} + {row.model_documents}"
    yield _share(row.saved)
    yield _share(row.planned_saved)


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.0f} %".replace("-", "−")


def _leanings(found: Sequence[StandIn]) -> Grid:
    return Grid(
        name="stand_in_leanings",
        title="What models lean to",
        note="In points of the scale unless it is a share; 95 % intervals over documents.",
        heads=("Model", "Leaning"),
        columns=(
            Column(title="Estimate", key="estimate"),
            Column(title="Values", key="n"),
        ),
        lines=tuple(
            Line(
                heads=(model_name(one), row.leaning),
                key=row.leaning,
                cells=(
                    Cell(value=row.estimate, low=row.ci_low, high=row.ci_high, reason=row.reason, row=row),
                    str(row.n),
                ),
            )
            for one in found
            for row in one.leanings
        ),
        remarks=tuple(f"{name.capitalize()}: {meaning}." for name, meaning in LEANINGS.items()),
    )


def _scale(found: Sequence[StandIn]) -> Grid:
    """How often each point was given; scales of very many points are left to the files."""
    steps = list(dict.fromkeys(row.rating for one in found for row in one.scale_use))
    few = len(steps) <= MOST_POINTS
    return Grid(
        name="stand_in_scale",
        title="Use of the scale",
        note="Shares of the ratings of the pairs that both rated.",
        heads=("Who",),
        columns=tuple(Column(title=str(step), key=str(step)) for step in steps),
        lines=tuple(
            Line(
                heads=(title,),
                key=one.rater,
                cells=tuple(_share(getattr(row, side)) for row in one.scale_use),
            )
            for one in found
            for title, side in (
                (model_name(one), "model_share"),
                (f"people beside {model_name(one)}", "people_share"),
            )
            if few and one.scale_use
        ),
    )


def _missing(found: Sequence[StandIn]) -> Grid:
    return Grid(
        name="stand_in_missing",
        title="Answers of models that are missing",
        note="A pair counts only with an answer in each order; nothing missing is filled in.",
        heads=("Model", "Reason"),
        columns=(
            Column(title="Missing", key="missing"),
            Column(title="Of answers", key="answers"),
            Column(title="Share", key="share"),
        ),
        lines=tuple(
            Line(
                heads=(model_name(one), row.reason),
                key=row.reason,
                cells=(str(row.missing), str(row.answers), f"{100 * row.share:.1f} %"),
            )
            for one in found
            for row in one.missing_answers
        ),
    )
