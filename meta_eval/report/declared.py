"""The declared primary coefficient in words: what was declared, when, and what it says of everything else."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from meta_eval.report.answer import HUMAN, measure_title
from meta_eval.report.primary import Declaration, Primary
from meta_eval.report.schema import Inference, ReportAnswer
from meta_eval.report.support import coefficient_name
from meta_eval.scores.names import SCORES

NONE_DECLARED = (
    "No primary coefficient was declared: none of the coefficients was chosen before the ratings, so all are "
    "exploratory."
)


def family_in_words(declared: Declaration) -> str:
    """Which family of tests was declared.

    Examples
    --------
    >>> family_in_words(Declaration(coefficient="kendall", surrogate="rouge-l"))
    "Kendall's tau of DEGRESS with DEGRESS-HJ by ROUGE-L"
    """
    score = SCORES[declared.score].title
    name = coefficient_name(declared.coefficient)
    return f"{name} of {score} with {score}-HJ by {measure_title(declared.surrogate)}"


def when_in_words(declared: Declaration) -> str:
    """When, and after how many ratings.

    Examples
    --------
    >>> early = Declaration(
    ...     coefficient="kendall", surrogate="jsd", declared_at="2026-03-03T09:00:00+00:00", ratings=0
    ... )
    >>> when_in_words(early)
    'on 3 March 2026, before the first rating'
    """
    if declared.declared_at is None:
        return "when the report was made"
    at = datetime.fromisoformat(declared.declared_at)
    day = f"on {at.day} {at:%B %Y}"
    if not declared.ratings:
        return f"{day}, before the first rating" if declared.ratings == 0 else day
    of = f" of {declared.planned:,}" if declared.planned else ""
    return f"{day}, after {declared.ratings:,}{of} rating{'' if declared.ratings == 1 and not of else 's'}"


def declared_in_words(inference: Inference | None, *, compared: bool = True) -> str:
    """What was declared and when, or that nothing was; empty for a report without statistics.

    `compared`: whether any measure has a coefficient.
    """
    if inference is None:
        return ""
    primary = inference.options.primary
    return NONE_DECLARED if primary is None else " ".join(_sentences(primary, inference, compared=compared))


def _sentences(primary: Primary, inference: Inference, *, compared: bool) -> Iterator[str]:
    family = family_in_words(primary)
    if primary.declared_at is None:
        yield (
            f"{capital(family)} was named as primary when the report was made; whether that was before "
            "anybody knew the ratings is not known here."
        )
    else:
        yield f"{capital(family)} was declared as primary {when_in_words(primary)}."
    for earlier in primary.replaced:
        yield f"It replaces {family_in_words(earlier)}, declared {when_in_words(earlier)}."
    if inference.primary_reason is not None:
        yield f"None of it is in this report: {inference.primary_reason}. Every coefficient is exploratory."
        return
    if not compared:
        yield "No measure could be compared by it, so none has a p."
        return
    yield (
        "p of its measures is adjusted over them by max-T over permutations of the systems that they share "
        "(p max-T); every other coefficient is exploratory."
    )
    if SCORES[primary.score].human != HUMAN:
        yield (
            "The answer is about DEGRESS all the same, by the declared coefficient and surrogate: its human "
            "side alone holds nothing but what raters said. So the answer is exploratory, too."
        )


def capital(text: str) -> str:
    """The text as the beginning of a sentence."""
    return f"{text[:1].upper()}{text[1:]}"


def with_declaration(answer: ReportAnswer, inference: Inference | None) -> ReportAnswer:
    """The answer with what was declared before it."""
    return replace(answer, declared=declared_in_words(inference, compared=bool(answer.ranking)))
