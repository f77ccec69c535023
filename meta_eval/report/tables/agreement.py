"""Which measure agrees best with the raters, and how far raters agree with each other."""

from meta_eval.report.answer import measure_title
from meta_eval.report.limits import limits_of_comparisons
from meta_eval.report.numbers import PDF, estimate_text, group_letter, interval_text
from meta_eval.report.schema import AgreementRow, MeasureDifference, RankedMeasure, Report
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import REGISTRY

_MEAN = "Mean tau-b: over the surrogates, of the score with its human twin."
_NOTE = (
    "Shuffled: what ratings shuffled "
    "within questionnaires reach at most in 95 of 100 tries; p of raters: how often they reach the mean, "
    "adjusted for all measures of the score. Ceiling: the most that the raters' own disagreement and the "
    "choice of documents allow. Beyond chance: with how many surrogates the adjusted p is below 0.05. "
    "Group: measures of one group cannot be told apart from its best. Both sides of PerSEval hold a penalty "
    "in which no rating has a part."
)
RANKING_NOTE = f"{_MEAN} {_NOTE}"
_RANKING = ("Interval", "Shuffled", "p of raters", "Ceiling", "Beyond chance", "Group")
AGREEMENT_NOTE = "1 is full agreement; but for shares of pairs of ratings, 0 is what chance alone gives."


def lay_out_ranking(report: Report) -> Grid:
    """Measures by their mean agreement with the raters."""
    rows = report.inference.ranking if report.inference else ()
    primary = report.inference.primary if report.inference else None
    name, note, title = "Mean tau-b", RANKING_NOTE, "Mean over surrogates"
    if primary is not None:
        name, surrogate = REGISTRY[primary.coefficient].plain, measure_title(primary.surrogate)
        title = f"By the declared coefficient, with surrogate {surrogate}"
        note = f"{name}: of the score with its human twin by {surrogate}. {_NOTE}"
    return Grid(
        name="ranking",
        title=title,
        note=note,
        heads=("Score", "Measure"),
        columns=tuple(Column(title=title) for title in (name, *_RANKING)),
        lines=tuple(
            Line(
                heads=(SCORES[row.score].title, measure_title(row.measure)),
                key=row.measure,
                cells=(
                    Cell(value=row.estimate, row=row),
                    _interval(row),
                    Cell(value=row.null_high, reason=row.null_reason),
                    Cell(kind="p", value=row.p_raters_adjusted, reason=row.null_reason),
                    Cell(value=row.ceiling),
                    f"{row.significant} of {row.surrogates}",
                    group_letter(row.group),
                ),
            )
            for row in rows
        ),
    )


COMPARISON_COLUMNS = ("Difference", "Interval", "p, resampled", "p, systems swapped", "larger p adjusted")


def lay_out_comparisons(report: Report) -> Grid:
    """Each two measures: how much better the first agrees with the raters."""
    rows = report.inference.comparisons if report.inference else ()
    primary = report.inference.primary if report.inference else None
    name = "mean tau-b" if primary is None else REGISTRY[primary.coefficient].plain
    return Grid(
        name="comparisons",
        title=f"Each two measures: the first one's {name} less the other's",
        note=" ".join(limits_of_comparisons(report.inference)) if report.inference else "",
        heads=("Score", "Measure", "Other"),
        columns=tuple(Column(title=title) for title in COMPARISON_COLUMNS),
        lines=tuple(
            Line(
                heads=(SCORES[row.score].title, measure_title(row.measure), measure_title(row.other)),
                cells=(
                    Cell(value=row.difference, row=row),
                    _interval(row),
                    Cell(kind="p", value=row.p_value),
                    Cell(kind="p", value=row.p_systems),
                    Cell(kind="p", value=row.p_adjusted),
                ),
            )
            for row in rows
        ),
    )


def _interval(row: RankedMeasure | MeasureDifference) -> Cell:
    return Cell(kind="interval", low=row.ci_low, high=row.ci_high)


def lay_out_agreement(report: Report) -> Grid:
    """Coefficients of the raters' agreement; the column of reasons only where one is missing."""
    study = report.inference.agreement if report.inference else None
    rows = study.coefficients if study else ()
    why = ["Why none"] if any(row.reason for row in rows) else []
    return Grid(
        name="agreement",
        title="Agreement of the raters",
        note=AGREEMENT_NOTE,
        heads=("Coefficient",),
        columns=tuple(Column(title=title) for title in ("Estimate", "Interval", *why)),
        lines=tuple(
            Line(
                heads=(row.title,),
                key=row.coefficient,
                cells=(
                    Cell(value=row.estimate, reason=row.reason, row=row),
                    Cell(kind="interval", low=row.ci_low, high=row.ci_high, reason=row.ci_reason),
                    *(row.reason or "" for _ in why),
                ),
            )
            for row in rows
        ),
    )


def agreement_in_words(row: AgreementRow) -> str:
    """A coefficient of the raters' agreement that is known, with its interval where there is one."""
    text = f"{row.title} {estimate_text(row.estimate, PDF)}"
    if row.ci_low is None:
        return text
    return f"{text} ({row.ci_level:.0%} interval {interval_text(row.ci_low, row.ci_high, PDF)})"
