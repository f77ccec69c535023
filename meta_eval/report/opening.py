"""What a report opens with: its headline, and what the ratings behind the answer can carry."""

from collections.abc import Iterator
from dataclasses import dataclass
from statistics import fmean

from meta_eval.report.answer import measure_title
from meta_eval.report.answerable import Rated, knows_plan
from meta_eval.report.declared import when_in_words
from meta_eval.report.numbers import PAGE, estimate_text, interval_text, p_text, percent_text
from meta_eval.report.schema import CorrelationRow, Report, ReportAnswer
from meta_eval.report.view import COEFFICIENTS, KINDS

NOT_JUDGED = "was not judged when this report was made; a new report on the same ratings says so first"
ENOUGH = 0.9
"""The share of the planned questionnaires from which on a survey counts as complete."""


@dataclass(frozen=True, slots=True)
class Carried:
    """One thing that the answer rests on; `weak` where it cannot bear much."""

    title: str
    text: str
    weak: bool = False


def headline_and_rest(answer: ReportAnswer) -> tuple[str, str]:
    """The answer's first sentence, and what stands behind it; an older report has it all in one."""
    headline = answer.headline or answer.sentence
    return headline, answer.sentence.removeprefix(headline).strip()


def what_ratings_carry(report: Report) -> list[Carried]:
    """What stands beside the answer, as far as the report knows it."""
    return [
        _answer(report.answer),
        *_agreement(report),
        *_ratings_a_pair(report),
        *_raters(report),
        *_asked(report),
        *_within_families(report),
    ]


def _answer(answer: ReportAnswer) -> Carried:
    title = "An answer"
    if answer.answerable is None:
        return Carried(title, NOT_JUDGED)
    if answer.answerable:
        return Carried(title, "can be carried")
    count = len(answer.reasons)
    return Carried(title, f"cannot be carried, for {count} reason{'' if count == 1 else 's'}", weak=True)


def _agreement(report: Report) -> Iterator[Carried]:
    """Weak where the interval does not exclude that raters agree by chance alone."""
    study = report.inference.agreement if report.inference else None
    row = study.alpha if study else None
    if study is None or row is None:
        return
    title = "Agreement of raters (alpha)"
    if row.estimate is None:
        yield Carried(title, f"not known: {row.reason}", weak=True)
        return
    interval = "" if row.ci_low is None else f" ({interval_text(row.ci_low, row.ci_high, PAGE)})"
    weak = row.ci_low is None or study.may_be_chance
    yield Carried(title, f"{estimate_text(row.estimate, PAGE)}{interval}", weak)


def _ratings_a_pair(report: Report) -> Iterator[Carried]:
    """The ratings of a rated pair, and how much of the plan is done where there was one."""
    study = report.inference.agreement if report.inference else None
    if not study or not study.units:
        return
    plan, title = report.plan, "Ratings a pair"
    mean, planned = study.ratings / study.units, plan["raters_per_questionnaire"]
    if not knows_plan(report.subject):
        yield Carried(title, f"{mean:.1f} on average")
        return
    more = " (gold pairs have more)" if mean > planned else ""  # they stand in several questionnaires
    text = f"{mean:.1f} on average{more}, {planned} planned"
    done = Rated.of(report.subject, plan, report.ratings).done
    if done is None:
        yield Carried(title, text)
        return
    yield Carried(title, f"{text}; {percent_text(round(done, 2))} of the plan done", weak=done < ENOUGH)


def _raters(report: Report) -> Iterator[Carried]:
    """How many rated, and of how many a check says that an admin should look at them."""
    subject, raters = report.subject, report.ratings["raters"]
    if not subject.get("raters_known", True):
        yield Carried("Raters", "not known")
        return
    flagged = subject.get("raters_flagged")
    if flagged is None:
        yield Carried("Raters", f"{raters:,}")
        return
    words = f"{flagged:,} flagged and undecided" if flagged else "none flagged"
    yield Carried("Raters", f"{raters:,}, {words}", weak=bool(flagged))


def _asked(report: Report) -> Iterator[Carried]:
    kind = report.answer.score.removesuffix("_hj")
    text = f"{COEFFICIENTS[report.answer.coefficient]} of {KINDS[kind]}"
    primary = report.inference.primary if report.inference else None
    if primary is None:
        yield Carried("The answer goes by", text)
        return
    text += f" by {measure_title(primary.surrogate)}"
    if primary.score == kind:
        told = "named" if primary.declared_at is None else "declared"
        text += f", {told} {when_in_words(primary)}"
    yield Carried("The answer goes by", text, weak=primary.ratings != 0)


def _within_families(report: Report) -> Iterator[Carried]:
    """Of the measure that the answer names first: each family's coefficient, or all families' together."""
    if not report.answer.ranking:
        return
    best = report.answer.ranking[0].measure
    wanted = (report.answer.score, best, report.answer.coefficient)
    primary = report.inference.primary if report.inference else None
    surrogates = None if primary is None else {primary.surrogate}
    rows = [
        row
        for row in report.correlations
        if (row.human, row.measure, row.coefficient) == wanted
        and (surrogates is None or row.surrogate in surrogates)
    ]
    members = report.inference.families if report.inference else ()
    by_family: dict[str, list[float]] = {}
    for row in members:
        if surrogates is not None and row.surrogate not in surrogates:
            continue
        if (row.human, row.measure, row.coefficient) == wanted and row.estimate is not None:
            by_family.setdefault(row.family, []).append(row.estimate)
    parts = [f"{name} {estimate_text(fmean(found), PAGE)}" for name, found in by_family.items()]
    if pooled := _pooled(rows):
        parts.append(pooled)
    if parts:
        yield Carried(
            f"Within families, by {report.answer.ranking[0].title}",
            ", ".join(parts),
            weak=any(row.families_explain for row in rows),
        )


def _pooled(rows: list[CorrelationRow]) -> str:
    within = [row.within for row in rows if row.within is not None]
    p_values = [row.p_within for row in rows if row.p_within is not None]
    if not within:
        return ""
    p = f" (p {p_text(max(p_values), PAGE)})" if p_values else ""
    return f"together {estimate_text(fmean(within), PAGE)}{p}"
