"""What meta-evaluation asks of raters and of measures together, as grids."""

from collections.abc import Sequence

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import percent_text
from meta_eval.report.schema import AdjustedRow, FurtherQuestions, RaterAmongMeasuresRow, Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import View
from meta_eval.scores.names import SCORES

QUESTIONS = {
    "rating_components": "Severity of raters, and what else ratings vary by",
    "raters_among_measures": "Raters among measures",
    "combinations": "Measures together",
}
FACTORS = {
    "system": "System",
    "rater": "Rater (severity)",
    "document": "Document",
    "item": "System on a document",
    "page": "Page of a rater",
    "residual": "What is left",
}


def lay_out_judges(report: Report, view: View) -> list[Grid]:
    """The grids that have lines."""
    asked = report.inference.further if report.inference else FurtherQuestions()
    grids = (
        _among_measures(asked.raters_among_measures),
        _combinations(asked, view),
        _components(asked),
        _adjusted(
            asked.adjusted_means,
            name="adjusted_means",
            title="What are systems’ mean ratings once severe raters and pages are allowed for?",
            note="Mean rating of each system, and as the mixed model has it with raters, documents and pages "
            "taken out.",
        ),
        _adjusted(
            asked.severities,
            name="severities",
            title="How severe is each rater?",
            note="By how much a rater’s ratings lie below the mean: plain, and as the mixed model has it, "
            "drawn towards 0 as far as it is uncertain. The most severe first; below 0 is lenient.",
        ),
        _dependability(asked),
        _unanswered(asked),
    )
    return [grid for grid in grids if grid.lines]


def _unanswered(asked: FurtherQuestions) -> Grid:
    return Grid(
        name="unanswered",
        title="Which of these questions have no answer here?",
        heads=("Question", "Why not"),
        lines=tuple(
            Line(heads=(QUESTIONS[one.question], one.reason), key=one.question, cells=())
            for one in asked.unanswered
        ),
    )


def _among_measures(rows: Sequence[RaterAmongMeasuresRow]) -> Grid:
    """Raters and measures in one list, by their mean agreement with the other raters."""
    own = {row.rater: (row.own, row.pages) for row in rows}
    lines = [(value, rater, "", str(pages)) for rater, (value, pages) in own.items()]
    for measure in dict.fromkeys(row.measure for row in rows):
        with_it = [(row.estimate, row.own) for row in rows if row.measure == measure]
        known = [(estimate, by_rater) for estimate, by_rater in with_it if estimate is not None]
        if known:
            mean = sum(estimate for estimate, _ in known) / len(known)
            matched = sum(estimate >= by_rater for estimate, by_rater in known)
            lines.append((mean, measure_title(measure), f"{matched} of {len(known)}", ""))
    return Grid(
        name="raters_among_measures",
        title="Where do measures stand among the raters?",
        note="Kendall’s τ-b of the systems on a page with the mean of the other raters, averaged over the "
        "pages of a rater; for a measure the mean over the raters, each on their own pages and against the "
        "same others. Two raters who rated with each other alone are one row. At least as good as: so many "
        "rows of raters on their own pages. Of distances and ratings, not of scores.",
        heads=("Rater or measure",),
        columns=(Column(title="τ-b"), Column(title="At least as good as"), Column(title="Pages")),
        lines=tuple(
            Line(heads=(name,), key=name, cells=(Cell(value=value), as_good or None, pages or None))
            for value, name, as_good, pages in sorted(lines, key=lambda line: -line[0])
        ),
    )


def _combinations(asked: FurtherQuestions, view: View) -> Grid:
    rows = [
        row
        for row in asked.combinations
        if (row.automatic, row.surrogate) == (SCORES[view.kind].studied, view.surrogate)
    ]
    return Grid(
        name="combinations",
        title="Do measures together order systems better than the best alone?",
        note="Share of pairs of systems ordered as people do, by a combination that was made on the other "
        "systems; made without one of the two (leaving one system out), and made on all, both of which "
        "flatter it: of measures without any relation to people either orders more than half of the pairs. "
        "No share has an interval. Weights are of "
        f"measures standardised over all systems. Of DEGRESS, with DEGRESS-HJ by {view.surrogate_title}, "
        "over rated documents and pairs.",
        heads=("Combination",),
        columns=(
            Column(title="On other systems"),
            Column(title="One left out"),
            Column(title="Made on all"),
            Column(title="Pairs"),
            Column(title="Weights"),
        ),
        lines=tuple(
            Line(
                heads=(row.combination.capitalize(),),
                key=row.combination,
                cells=(
                    Cell(value=row.held_out, row=row),
                    Cell(value=row.one_left_out, row=row),
                    Cell(value=row.fitted, row=row),
                    str(row.pairs),
                    ", ".join(row.weights),
                ),
            )
            for row in rows
        ),
    )


def _components(asked: FurtherQuestions) -> Grid:
    return Grid(
        name="rating_components",
        title="What do ratings vary by?",
        note="Variances of a mixed model of the ratings (REML, gold pairs left out) and their shares of all "
        "that varies. What is not the system’s is what raters, documents and pages add.",
        heads=("Factor",),
        columns=(Column(title="Variance"), Column(title="Share"), Column(title="Levels")),
        lines=tuple(
            Line(
                heads=(FACTORS[row.factor],),
                key=row.factor,
                cells=(
                    Cell(kind="score", value=row.component, reason=row.reason, row=row),
                    None if row.component_share is None else percent_text(round(row.component_share, 2)),
                    str(row.levels),
                ),
            )
            for row in asked.rating_components
        ),
    )


def _adjusted(rows: Sequence[AdjustedRow], *, name: str, title: str, note: str) -> Grid:
    return Grid(
        name=name,
        title=title,
        note=note,
        heads=("System" if name == "adjusted_means" else "Rater",),
        columns=(Column(title="Plain"), Column(title="By the model"), Column(title="Ratings")),
        lines=tuple(
            Line(
                heads=(row.system or row.rater or "",),
                key=row.system or row.rater or "",
                cells=(Cell(value=row.plain), Cell(value=row.adjusted), str(row.ratings)),
            )
            for row in rows
        ),
    )


def _dependability(asked: FurtherQuestions) -> Grid:
    """Documents down, raters of each document across."""
    found = {(row.documents, row.raters): row for row in asked.dependability}
    raters = list(dict.fromkeys(count for _, count in found))
    return Grid(
        name="dependability",
        title="How far can systems’ mean ratings be trusted with other numbers of documents and raters?",
        note="From 0 to 1: how much of the variance of systems’ mean ratings is theirs, where each document "
        "has raters of its own, and a page as many of the systems as here (relative dependability). Of "
        "ratings, not of scores made of them.",
        heads=("Documents",),
        columns=tuple(
            Column(title=f"{count} rater{'' if count == 1 else 's'}", key=str(count)) for count in raters
        ),
        lines=tuple(
            Line(
                heads=(str(documents),),
                key=str(documents),
                cells=tuple(
                    Cell(value=found[documents, count].relative, row=found[documents, count])
                    for count in raters
                ),
            )
            for documents in dict.fromkeys(number for number, _ in found)
        ),
    )
