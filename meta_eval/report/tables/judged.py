"""A judge of single summaries beside the measures: its scores of systems, and how they agree with people."""

from collections.abc import Iterator

from meta_eval.report.answer import measure_title
from meta_eval.report.numbers import PAGE, estimate_text, group_letter
from meta_eval.report.schema import CorrelationRow, JudgedStudy, JudgedSystemRow, Report
from meta_eval.report.sentinels import sentinel_title
from meta_eval.report.tables.coefficients import coefficient_cell
from meta_eval.report.tables.grid import Cell, Column, Grid, Line
from meta_eval.report.view import COEFFICIENTS, KINDS, View
from meta_eval.scores.names import SCORES
from meta_eval.stats.coefficients.registry import Coefficient

RANKED_BY: Coefficient = "kendall"

JUDGED_NOTE = (
    "A language model judged single summaries in readers' places, of whom it saw past headlines (PerSE, Wang "
    "et al. 2024). It gives no distance of two texts, so accuracy alone: no DEGRESS, EGISES or PerSEval, and "
    "no part in the answer of this report."
)
SYSTEMS_NOTE = (
    "PerSE: the mean over documents of the mean over readers, from 0 to 1. Less others' (ours, not the "
    "paper's): the same summary under the reader's own profile less under those of the document's other "
    "readers, from −1 to 1; a system that writes one text for all readers has exactly 0. Higher is better; "
    "in brackets the rank. Intervals: documents resampled; how many these are stands in the last column, of "
    "both measures where they differ."
)
UNCONTROLLED = (
    "Nobody asked under other readers' profiles (judge summaries --shuffled), so whether the judge is "
    "personal is not known: PerSE may say how it likes texts, not how they fit readers."
)


def lay_out_judged(report: Report, view: View) -> list[Grid]:
    """Scores of systems, then agreement with people's score in view; nothing where no judge was asked for."""
    study = report.inference.judged if report.inference else None
    if study is None:
        return []
    return [grid for grid in (_systems(study), _agreement(report, study, view)) if grid.lines]


def judged_sentences(report: Report) -> list[str]:
    """Who judged, how much, and whether the judge is personal."""
    study = report.inference.judged if report.inference else None
    if study is None:
        return []
    said = [
        JUDGED_NOTE,
        f"{study.judge} answered {study.answered:,} of {study.questions:,} questions.",
        control_sentence(study),
    ]
    said += [f"Not correlated with people's scores: {study.problem}"] if study.problem else []
    said += [f"{row.count:,} left out: {row.why}." for row in study.left_out if row.count]
    return [*said, *_below_sentinels(report, study)]


def control_sentence(study: JudgedStudy) -> str:
    """What the shuffled profiles say of the judge: that it is personal, that it is not, or nothing."""
    control = study.control
    if control is None:
        return UNCONTROLLED
    known = estimate_text(control.estimate, PAGE)
    if control.ci_low is None:
        gain = f"{known} over {control.documents} documents, without an interval"
    else:
        ends = f"{estimate_text(control.ci_low, PAGE)} to {estimate_text(control.ci_high, PAGE)}"
        gain = f"{known} ({ends}) over {control.documents} documents"
    said = control.verdict or "Whether the judge is personal is not known."
    note = f" ({control.note}.)" if control.note else ""
    return f"{said} Gain of readers' own profiles over shuffled ones: {gain}.{note}"


def _systems(study: JudgedStudy) -> Grid:
    rows: dict[str, dict[str, JudgedSystemRow]] = {}
    for row in study.systems:
        rows.setdefault(row.system, {})[row.measure] = row
    return Grid(
        name="judged_systems",
        title=f"Systems as {study.judge} judges them in readers' places",
        note=SYSTEMS_NOTE,
        heads=("System",),
        columns=(
            *(column for name in study.measures for column in _columns(name, study)),
            Column(title="Documents", key="documents"),
        ),
        lines=tuple(
            Line(
                heads=(system,),
                key=system,
                cells=(
                    *(cell for name in study.measures for cell in _cells(own.get(name))),
                    " / ".join(dict.fromkeys(f"{row.documents:,}" for row in own.values())),
                ),
            )
            for system, own in rows.items()
        ),
    )


def _columns(measure: str, study: JudgedStudy) -> tuple[Column, Column]:
    level = next((row.ci_level for row in study.systems), 0.95)
    return (
        Column(title=measure_title(measure), key=measure),
        Column(title=f"{level:.0%} interval", key=f"{measure} interval"),
    )


def _cells(row: JudgedSystemRow | None) -> tuple[Cell, Cell]:
    if row is None:
        return Cell(kind="score", reason="not asked"), Cell(kind="interval", reason="not asked")
    return (
        Cell(kind="score", value=row.estimate, rank=row.rank, reason=row.reason, row=row),
        Cell(kind="interval", low=row.ci_low, high=row.ci_high, reason=row.ci_reason, row=row),
    )


def _agreement(report: Report, study: JudgedStudy, view: View) -> Grid:
    """The judge's measures, then the accuracy of the others, by the surrogate in view."""
    kind = SCORES[view.kind].studied
    human = SCORES[kind].human
    rows: dict[str, dict[str, CorrelationRow]] = {}
    for row in study.correlations:
        if (row.human, row.surrogate) == (human, view.surrogate):
            rows.setdefault(row.measure, {})[row.coefficient] = row
    asked = {name for own in rows.values() for name in own}
    names = [name for name in COEFFICIENTS if name in asked]
    groups = {row.measure: group_letter(row.group) for row in study.ranking if row.score == human}
    return Grid(
        name="judged_agreement",
        title=f"Accuracy against {KINDS[kind]}-HJ by {view.surrogate_title}: the judge's and the measures'",
        note=(
            "Like is set against like: of the measures, too, the accuracy alone, and all over the same "
            "summaries: the documents and systems that each of them has. Group: measures that cannot be told "
            "apart share a letter, by their mean τ-b over surrogates."
        ),
        heads=("Accuracy by",),
        columns=(
            *(Column(title=COEFFICIENTS[name], key=name) for name in names),
            Column(title="Group", key="group"),
        ),
        lines=tuple(
            Line(
                heads=(measure_title(measure),),
                key=measure,
                cells=(
                    *(coefficient_cell(report, own.get(name)) for name in names),
                    groups.get(measure, "–"),
                ),
            )
            for measure, own in rows.items()
        ),
        below=True,
    )


def _below_sentinels(report: Report, study: JudgedStudy) -> Iterator[str]:
    """Which of the judge's measures agree less than a score that cannot know how personalised a text is."""
    human = report.answer.score
    wanted = (human, None, RANKED_BY)
    known = [
        (row.estimate, row)
        for row in (report.inference.sentinels if report.inference else ())
        if (row.human, row.surrogate, row.coefficient) == wanted and row.estimate is not None
    ]
    if not known:
        return
    estimate, best = max(known, key=lambda pair: pair[0])
    for row in study.ranking:
        if row.score == human and row.measure in study.measures and row.estimate < estimate:
            yield (
                f"{measure_title(row.measure)} ({estimate_text(row.estimate, PAGE)}) agrees less with the "
                "raters than a score that cannot know how personalised a summary is: "
                f"{sentinel_title(best)} ({estimate_text(estimate, PAGE)})."
            )
