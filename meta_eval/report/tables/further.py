"""What meta-evaluation asks by now, as grids of the score and the surrogate in view: measures down."""

from collections.abc import Iterable, Sequence
from typing import TypeVar

from meta_eval.report.answer import measure_title
from meta_eval.report.limits import NOTICED_LIMIT, RANKS_LIMIT, SOFT_LIMIT
from meta_eval.report.numbers import PLAIN, range_text, spread_text
from meta_eval.report.schema import (
    CalibratedTiesRow,
    FurtherQuestions,
    NoticedRow,
    OutlierRow,
    PairAccuracyRow,
    Report,
    SoftAccuracyRow,
    SoftDifferenceRow,
    SystemRankRow,
)
from meta_eval.report.shared import MARK, NOT_SHUFFLED, shared_note
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.tables.judges import lay_out_judges
from meta_eval.report.view import COEFFICIENTS, View
from meta_eval.scores.names import SCORES

R = TypeVar("R", bound=SoftAccuracyRow | CalibratedTiesRow | PairAccuracyRow | NoticedRow | OutlierRow)

GROUPINGS = {"item": "Within documents", "system": "Within systems", "none": "Any two"}
SUBSETS = {"all": "All", "significant": "Told apart", "close": "Close", "best": "Among the best"}
SCOPE = "Over rated documents and pairs."


def lay_out_further(report: Report, view: View) -> list[Grid]:
    """The grids that have lines, for a score that is asked about: DEGRESS stands for EGISES."""
    asked = report.inference.further if report.inference else FurtherQuestions()
    grids = (
        _soft_accuracy(asked, view),
        _calibrated_ties(asked, view),
        _pairs(asked, view),
        _outliers(asked, view),
        _system_ranks(asked, view),
    )
    return [*(grid for grid in grids if grid.lines), *lay_out_judges(report, view)]


def _soft_accuracy(asked: FurtherQuestions, view: View) -> Grid:
    rows = _in_view(asked.soft_accuracy, view)
    means = _means(asked.soft_accuracy, view)
    best = max(means, key=lambda measure: means[measure], default="")
    p_values = _p_against(asked.soft_differences, best, view)
    return Grid(
        name="soft_accuracy",
        title=f"Is {_title(view)} as sure as people which of two systems is better?",
        note="Soft pairwise accuracy: 1 less the mean distance between people’s p and the measure’s, over "
        f"pairs of systems. {_against(view)}; mean: over all surrogates; p: against the measure with the "
        f"highest mean (PERM-BOTH, adjusted), about these systems. {_said_of(rows)} {SOFT_LIMIT}",
        heads=("Measure",),
        columns=(
            Column(title=view.surrogate_title, key=view.surrogate),
            Column(title="Mean", key="mean"),
            Column(title="p against the best", key="p"),
        ),
        lines=tuple(
            Line(
                heads=(_head(row),),
                key=row.measure,
                cells=(
                    Cell(kind="score", value=row.estimate, reason=row.reason, row=row),
                    Cell(kind="score", value=means.get(row.measure)),
                    "best" if row.measure == best else Cell(kind="p", value=p_values.get(row.measure)),
                ),
            )
            for row in rows
        ),
    )


def _means(rows: Iterable[SoftAccuracyRow], view: View) -> dict[str, float]:
    """Each measure's mean over the surrogates with which it has a soft accuracy."""
    by_measure: dict[str, list[float]] = {}
    for row in rows:
        if row.automatic == _studied(view) and row.estimate is not None:
            by_measure.setdefault(row.measure, []).append(row.estimate)
    return {measure: sum(values) / len(values) for measure, values in by_measure.items()}


def _p_against(rows: Iterable[SoftDifferenceRow], best: str, view: View) -> dict[str, float | None]:
    return {
        row.other if row.measure == best else row.measure: row.p_adjusted
        for row in rows
        if row.automatic == _studied(view) and best in (row.measure, row.other)
    }


def _calibrated_ties(asked: FurtherQuestions, view: View) -> Grid:
    found = {(row.measure, row.grouping): row for row in _in_view(asked.calibrated_ties, view)}
    return Grid(
        name="calibrated_ties",
        title=f"Does {_title(view)} order single summaries as people do, ties included?",
        note="Share of pairs of summaries that both sides order alike or both tie (acc eq), where scores "
        "within epsilon count as equal; the epsilon is the best for each measure. "
        f"{_against(view)}. Pairs that people tie: {_tied_in_words(found.values())}. "
        f"{_said_of(found.values())}",
        heads=("Measure",),
        columns=tuple(
            Column(title=title, key=f"{name} {what}")
            for name, group in GROUPINGS.items()
            for what, title in (("accuracy", group), ("epsilon", "ε"))
        ),
        lines=tuple(
            Line(
                heads=(head,),
                key=measure,
                cells=tuple(
                    cell for name in GROUPINGS for cell in _calibrated_cells(found.get((measure, name)))
                ),
            )
            for measure, head in _heads(found.values()).items()
        ),
    )


def _tied_in_words(rows: Iterable[CalibratedTiesRow]) -> str:
    """The percentage of pairs by grouping, such as "within documents 12 to 14 %"."""
    shares: dict[str, list[int]] = {}
    for row in rows:
        if row.tied is not None:
            shares.setdefault(row.grouping, []).append(round(100 * row.tied))
    named = (f"{GROUPINGS[name].lower()} {range_text(found)} %" for name, found in shares.items())
    return "; ".join(named) or "unknown"


def _calibrated_cells(row: CalibratedTiesRow | None) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(), Cell()
    return (
        Cell(kind="score", value=row.estimate, reason=row.reason, row=row),
        Cell(kind="spread", value=row.epsilon, reason=row.reason),
    )


def _pairs(asked: FurtherQuestions, view: View) -> Grid:
    found = {(row.measure, row.subset): row for row in _in_view(asked.pair_accuracy, view)}
    noticed = {row.measure: row for row in _in_view(asked.noticed, view)}
    return Grid(
        name="pair_accuracy",
        title=f"Which pairs of systems does {_title(view)} order as people do?",
        note="Share of n pairs ordered alike: of all; of those that people tell apart (p below alpha); of "
        "the half whose automatic scores lie closest; among the better half by people. Noticed: from which "
        "difference of automatic scores on people order 95 % of the pairs alike, with the interval of "
        "scores without noise (documents resampled); n: so many pairs lie there or farther apart. "
        f"{NOTICED_LIMIT} {_against(view)}. {_said_of(found.values())}",
        heads=("Measure",),
        columns=(
            *(Column(title=title, key=name) for name, title in SUBSETS.items()),
            Column(title="Noticed", key="noticed"),
            Column(title="Interval", key="interval"),
            Column(title="n", key="beyond"),
        ),
        lines=tuple(
            Line(
                heads=(head,),
                key=measure,
                cells=(
                    *(_pair_cell(found.get((measure, name))) for name in SUBSETS),
                    *_noticed_cells(noticed.get(measure)),
                ),
            )
            for measure, head in _heads(found.values()).items()
        ),
    )


def _pair_cell(row: PairAccuracyRow | None) -> Cell:
    if row is None:
        return Cell()
    return Cell(kind="rank correlation", value=row.estimate, n=row.pairs, reason=row.reason, row=row)


def _noticed_cells(row: NoticedRow | None) -> tuple[Cell, str | None, str | None]:
    if row is None:
        return Cell(), None, None
    noticed = Cell(kind="spread", value=row.noticed, reason=row.reason, row=row)
    return noticed, _noticed_interval(row), str(row.beyond)


def _noticed_interval(row: NoticedRow) -> str | None:
    """Both ends, or the lower one alone where draws give no upper one."""
    if row.ci_low is None:
        return None
    if row.ci_high is None:
        return f"{spread_text(row.ci_low, PLAIN)} or more"
    return f"{spread_text(row.ci_low, PLAIN)} to {spread_text(row.ci_high, PLAIN)}"


def _outliers(asked: FurtherQuestions, view: View) -> Grid:
    """With all systems and without outliers, in the order in which readers see coefficients."""
    found = {(row.measure, row.coefficient): row for row in _in_view(asked.outliers, view)}
    names = [name for name in COEFFICIENTS if any(name == coefficient for _, coefficient in found)]
    return Grid(
        name="outliers",
        title=f"Is the agreement of {_title(view)} that of outlier systems?",
        note=f"{_named_outliers(list(found.values()))} Each coefficient with all systems, then without those "
        f"whose human score lies over 2.5 robust deviations from the median. {_against(view)}. "
        f"{_said_of(found.values())}",
        heads=("Measure",),
        columns=tuple(
            Column(title=title, key=f"{name} {which}")
            for name in names
            for which, title in (("all", COEFFICIENTS[name]), ("without", "without"))
        ),
        lines=tuple(
            Line(
                heads=(head,),
                key=measure,
                cells=tuple(cell for name in names for cell in _outlier_cells(found.get((measure, name)))),
            )
            for measure, head in _heads(found.values()).items()
        ),
    )


def _named_outliers(rows: Sequence[OutlierRow]) -> str:
    named = dict.fromkeys(name for row in rows for name in row.outliers)
    return f"Outliers: {', '.join(named)}." if named else "No system is an outlier."


def _outlier_cells(row: OutlierRow | None) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(), Cell()
    return Cell(value=row.all_systems, row=row), Cell(value=row.estimate, reason=row.reason, row=row)


def _system_ranks(asked: FurtherQuestions, view: View) -> Grid:
    wanted = f"{_studied(view)}_hj", view.surrogate
    rows = [row for row in asked.system_ranks if (row.human, row.surrogate) == wanted]
    ranked = sorted(rows, key=lambda row: (row.rank is None, row.rank or 0.0))
    return Grid(
        name="system_ranks",
        title=f"Which systems do people tell apart by {_title(view)}-HJ?",
        note="Ranks that each system may have, for all systems together at the report’s level (documents "
        "resampled). A new group begins where every system above is better for sure than every one below. "
        f"{RANKS_LIMIT} By {view.surrogate_title}.",
        heads=("System",),
        columns=tuple(
            Column(title=title, key=key)
            for key, title in (("value", "Score"), ("rank", "Rank"), ("ranks", "Ranks"), ("cluster", "Group"))
        ),
        lines=tuple(Line(heads=(row.system,), key=row.system, cells=_rank_cells(row)) for row in ranked),
    )


def _rank_cells(row: SystemRankRow) -> tuple[Cell | str | None, ...]:
    if row.rank is None or row.rank_low is None or row.rank_high is None:
        return Cell(kind="score", reason="no score", row=row), None, None, None
    ranks = range_text((row.rank_low, row.rank_high))
    return Cell(kind="score", value=row.value, row=row), f"{row.rank:g}", ranks, str(row.cluster)


def _said_of(rows: Iterable[R]) -> str:
    """Over what these rows are, what their sides share, and that no ratings were shuffled for them."""
    return " ".join(filter(None, (SCOPE, shared_note(rows), NOT_SHUFFLED)))


def _head(row: R) -> str:
    """The measure, marked where it is its own surrogate."""
    return f"{measure_title(row.measure)}{MARK if row.shared_input else ''}"


def _heads(rows: Iterable[R]) -> dict[str, str]:
    """How the line of each measure begins, in order."""
    return {row.measure: _head(row) for row in rows}


def _in_view(rows: Iterable[R], view: View) -> list[R]:
    return [row for row in rows if (row.automatic, row.surrogate) == (_studied(view), view.surrogate)]


def _studied(view: View) -> str:
    return SCORES[view.kind].studied


def _title(view: View) -> str:
    return SCORES[_studied(view)].title


def _against(view: View) -> str:
    return f"Against {_title(view)}-HJ by {view.surrogate_title}"
