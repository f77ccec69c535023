"""Who rated: totals of what people said of themselves."""

from meta_eval.report.participants import RULE, TITLES
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Column, Grid, Line


def lay_out_participants(report: Report) -> Grid:
    """One line an answer, and one for all who answered a question; no lines where nobody was asked."""
    lines = []
    for row in report.participants:
        title = TITLES.get(row.question, row.question)
        title = f"{title[:1].upper()}{title[1:]}"
        lines += [Line(heads=(title, total.choice), cells=(total.people,)) for total in row.totals]
        told = "too few to be told" if row.answered is None else str(row.answered)
        lines.append(Line(heads=(title, "All"), cells=(told,)))
    return Grid(
        name="participants",
        title="What people said of themselves",
        note=RULE,
        heads=("Question", "Answer"),
        columns=(Column(title="People"),),
        lines=tuple(lines),
    )
