"""What the papers' tables have in common: the order of measures and systems, and what is said around them."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from meta_eval.report.answer import measure_title
from meta_eval.report.published.remarks import remarks_on_kind
from meta_eval.report.schema import Report
from meta_eval.report.tables.grid import Column
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient

PAPER_MEASURES = ("rouge-l", "rouge-su4", "meteor", "bleu", "jsd", "bertscore", "infolm")
"""The measures of PerSEval's tables, in their order."""

NEW_REPORT = "make a new report, on the site or by the command report"
MEASURED = {"mode": "mode", "normalise": "normalise"}
"""Options of every score, each with what a caption calls it."""
PENALISED = {**MEASURED, "alpha": "alpha", "beta": "beta", "gamma": "gamma"}
"""And those of PerSEval, whose penalty has a shape."""


def in_paper_order(measures: Iterable[str | None]) -> list[str]:
    """Each measure once, those of PerSEval's tables first, in their order."""
    there = [name for name in dict.fromkeys(measures) if name]
    return [
        *(name for name in PAPER_MEASURES if name in there),
        *(name for name in there if name not in PAPER_MEASURES),
    ]


def measure_columns(measures: Iterable[str]) -> tuple[Column, ...]:
    """A column for each measure."""
    return tuple(Column(title=measure_title(name), key=name) for name in measures)


def coefficient_title(name: str) -> str:
    """A coefficient as papers call it."""
    return REGISTRY[name].title  # type: ignore[index]  # a report holds names of coefficients


def in_families(report: Report, places: Mapping[str, float | None]) -> Iterator[tuple[str, bool]]:
    """The systems family by family, each with whether it begins a family after the first.

    Families stand in the order in which they are known; within one the system with the least place is first,
    and those without a place are last.
    """
    families = report.inference.known_families if report.inference else {}
    order = list(dict.fromkeys(families.values()))
    ranked = sorted(
        places,
        key=lambda system: (
            order.index(families[system]) if system in families else len(order),
            places[system] is None,
            places[system] or 0.0,
        ),
    )
    before: str | None = None
    for number, system in enumerate(ranked):
        yield system, bool(number) and families.get(system) != before
        before = families.get(system)


def family_remarks(report: Report) -> Iterator[str]:
    """What the rules part, or why there are none."""
    found = report.inference.found_families if report.inference else None
    if report.inference is None or not report.inference.known_families:
        yield (
            "No rule parts families of systems, because none are known here: name them when the report is "
            "made (Families of systems on the site, --family NAME=SYSTEM,... of the command)."
        )
        return
    names = ", ".join(dict.fromkeys(report.inference.known_families.values()))
    how = f" Nobody named them: {found.how}." if found and not report.inference.options.families else ""
    yield f"Rules part the families of systems: {names}.{how}"


def made_of(report: Report, options: Mapping[str, str] = PENALISED) -> str:
    """Of which corpus and with which options our numbers are made."""
    asked = [f"{title} {report.options[name]}" for name, title in options.items() if name in report.options]
    return f"{', '.join(['Ours: ' + (report.subject.get('corpus') or 'this corpus'), *asked])}."


def remarks(report: Report, kind: str, *, people: bool = False) -> tuple[str, ...]:
    """How the published table was made; where `people` have a part in ours, whether they were people."""
    return (*(simulated_remarks(report) if people else ()), *remarks_on_kind(kind, report.options))


def simulated_remarks(report: Report) -> Iterator[str]:
    """Says so where a program made ratings."""
    if simulated := report.ratings.get("simulated_ratings", 0):
        every = report.ratings["ratings"]
        yield f"SIMULATED: a program, not people, made {simulated} of the {every} ratings behind this."


def why_missing(report: Report, part: str, what: str) -> str:
    """Why a part of the statistics is not there, and how to get it."""
    if report.inference is None:
        return f"This report was made without statistics, so it has no {what}: {NEW_REPORT}."
    for problem in report.inference.problems:
        if problem.part == part:
            return f"The {what} could not be made ({problem.reason.rstrip('.')}): mend that and {NEW_REPORT}."
    return f"This report has no {what}: {NEW_REPORT}."


def no_scores(report: Report, what: str) -> str:
    """Why there are no scores of one side."""
    if report.problem:
        return f"This report has no {what} ({report.problem.rstrip('.')}): mend that and {NEW_REPORT}."
    return f"This report has no {what}: {NEW_REPORT} with a measure that can be computed."


def kept(names: Sequence[Coefficient], there: Iterable[str]) -> list[Coefficient]:
    """The coefficients that are there, in the wanted order."""
    found = set(there)
    return [name for name in names if name in found]
