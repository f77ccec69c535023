"""Sentinels beside the measures: how far scores agree that cannot know how personalised a summary is."""

from collections.abc import Iterator, Mapping
from statistics import fmean

from meta_eval.report.answer import measure_title
from meta_eval.report.schema import Report, SentinelRow
from meta_eval.report.sentinels import TITLES, sentinel_title
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, KINDS, View
from meta_eval.scores.names import SCORES

MEAN = "mean"
BELOW = "below"
ANSWERING = "kendall"
"""The coefficient by which measures are set against sentinels over all surrogates."""

NOTE = (
    "Scores that cannot know how personalised a summary is (Perrella et al. 2024), taken like measures, over "
    "the documents of the main table. A measure that agrees no more than one of them has shown nothing. "
    "Of the length more words count as better; a constant ranks nothing, so it has no coefficient, and a "
    "pairwise accuracy only of what the raters tie."
)


def lay_out_sentinels(report: Report, view: View) -> Grid:
    """Sentinels down; across coefficients with the surrogate in view, mean tau-b, and measures below it."""
    kind = SCORES[view.kind].studied
    rows = [
        row
        for row in (report.inference.sentinels if report.inference else ())
        if row.human == SCORES[kind].human and row.surrogate in (view.surrogate, None)
    ]
    by_sentinel: dict[tuple[str, str | None], dict[str, SentinelRow]] = {}
    for row in rows:
        if row.surrogate is not None or row.coefficient == ANSWERING:
            own = by_sentinel.setdefault((row.sentinel, row.measure), {})
            own[MEAN if row.surrogate is None else row.coefficient] = row
    asked = {row.coefficient for row in rows}
    names = [name for name in COEFFICIENTS if name in asked]
    means = mean_of_measures(report, kind)
    ordered = sorted(by_sentinel.items(), key=lambda item: list(TITLES).index(item[0][0]))
    return Grid(
        name="sentinels",
        title=f"Sentinels against {KINDS[kind]}-HJ by {view.surrogate_title}",
        note=NOTE,
        heads=("Sentinel",),
        columns=(
            *(Column(title=COEFFICIENTS[name], key=name) for name in names),
            Column(title="Mean τ-b", key=MEAN, note="over surrogates"),
            Column(title="Measures below", key=BELOW),
        ),
        lines=tuple(line for _, own in ordered for line in _lines(own, [*names, MEAN], means)),
    )


def mean_of_measures(report: Report, kind: str) -> dict[str, float]:
    """The mean tau-b over the surrogates of each measure of one score."""
    found: dict[str, list[float]] = {}
    for row in report.correlations:
        if (row.automatic, row.coefficient) == (kind, ANSWERING) and row.estimate is not None:
            found.setdefault(row.measure, []).append(row.estimate)
    return {measure: fmean(estimates) for measure, estimates in found.items()}


def _lines(own: Mapping[str, SentinelRow], columns: list[str], means: Mapping[str, float]) -> Iterator[Line]:
    """One line; of random scores a second one for what 95 % of them do not exceed."""
    row = next(iter(own.values()))
    title = sentinel_title(row)
    estimates = {name: row.estimate for name, row in own.items()}
    if row.draws is None:
        yield _line(title, own, estimates, columns, means)
        return
    yield _line(f"{title}, mean of {row.draws:,}", own, estimates, columns, means)
    quantiles = {name: row.quantile for name, row in own.items()}
    yield _line(f"{title}, 95 % quantile", own, quantiles, columns, means)


def _line(
    title: str,
    own: Mapping[str, SentinelRow],
    values: Mapping[str, float | None],
    columns: list[str],
    means: Mapping[str, float],
) -> Line:
    least = values.get(MEAN)
    below = [measure_title(name) for name, mean in means.items() if least is not None and mean < least]
    cells = (
        Cell(
            value=values.get(name),
            reason=own[name].reason if name in own else None,
            shared=name in own and own[name].shared_input and name != MEAN,
            row=own.get(name),
        )
        for name in columns
    )
    named = "–" if least is None else _listed(below, means)
    return Line(heads=(title,), key=next(iter(own.values())).sentinel, cells=(*cells, named))


def _listed(below: list[str], means: Mapping[str, float]) -> str:
    if len(below) == len(means) > 2:
        return "all"
    return ", ".join(below) or "none"
