"""Do measures deviate alike? The measure in view beside each other one over pairs of readers, as a grid."""

from collections.abc import Sequence

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import PLAIN, interval_text
from meta_eval.report.schema import DeviationRow, Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, View
from meta_eval.stats.reader_pairs.samples import USUAL

FORMS = {"means": "", "ratios": " (ratios)"}
"""What stands behind a measure's title: the form "means" is the usual one."""


def lay_out_deviations(report: Report, view: View) -> Grid:
    """Each two measures of which the one in view is one: three coefficients, and what is known of tau-b."""
    lines = []
    for rows in _in_view(report, view):
        by_coefficient = {row.coefficient: row for row in rows}
        usual = by_coefficient["kendall"]
        lines.append(
            Line(
                heads=(title_of(usual),),
                key=f"{usual.measure}@{usual.measure_form} {usual.other}@{usual.other_form}",
                cells=(
                    *(
                        Cell(value=row.estimate, reason=row.reason, low=row.ci_low, high=row.ci_high, row=row)
                        for row in (by_coefficient[name] for name in USUAL)
                    ),
                    _range(usual.ci_low, usual.ci_high),
                    _range(usual.lowest_system, usual.highest_system),
                    f"{usual.reader_pairs:,}",
                ),
            )
        )
    return Grid(
        name="deviations",
        title="Do measures deviate alike?",
        note="Whether two measures find the same pairs of readers served differently, over all readers of "
        "the rated documents. No rating is used. Deviation of a pair: the mean distance of their summaries "
        "and that of their references, the smaller over the larger. Coefficients are means over systems. "
        "(Ratios): the two distances of each document are divided first, and weighed; a measure beside its "
        "own ratios shows what the form does.",
        heads=("Measures",),
        columns=(
            *(Column(title=COEFFICIENTS[name], key=name) for name in USUAL),
            Column(title="Interval of \u03c4", key="interval"),
            Column(title="\u03c4 by system", key="systems"),
            Column(title="Pairs of readers", key="pairs"),
        ),
        lines=tuple(lines),
    )


def title_of(row: DeviationRow) -> str:
    """Both measures, each with its form unless that is the usual one."""
    first = f"{measure_title(row.measure)}{FORMS[row.measure_form]}"
    return f"{first} and {measure_title(row.other)}{FORMS[row.other_form]}"


def sampled_rows(report: Report, view: View) -> list[DeviationRow]:
    """Kendall's samples of each share, of the same measures."""
    return [
        row
        for rows in _in_view(report, view, first_share=False)
        for row in rows
        if row.coefficient == "kendall"
    ]


def _in_view(report: Report, view: View, *, first_share: bool = True) -> list[list[DeviationRow]]:
    """The rows of each two measures, a row a coefficient (of the first share) or all."""
    asked = report.inference.further.deviations if report.inference else ()
    by_pair: dict[tuple[str, ...], list[DeviationRow]] = {}
    for row in asked:
        if view.measure in (row.measure, row.other):
            key = (row.measure, row.measure_form, row.other, row.other_form)
            by_pair.setdefault(key, []).append(row)
    return [_of_first_share(rows) if first_share else rows for rows in by_pair.values()]


def _of_first_share(rows: Sequence[DeviationRow]) -> list[DeviationRow]:
    return [row for row in rows if row.share_of_pairs == rows[0].share_of_pairs]


def _range(low: float | None, high: float | None) -> str:
    return PLAIN.none if low is None or high is None else interval_text(low, high, PLAIN)
