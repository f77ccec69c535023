"""Whether raters support the answer of a report, in plain words: what shuffled ratings give beside it."""

from collections.abc import Sequence
from typing import cast

from meta_eval.report.numbers import PAGE, estimate_text, p_text
from meta_eval.report.schema import AnsweringMeasure
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient


def coefficient_name(coefficient: str) -> str:
    """What sentences call a coefficient; tau-b is the tau."""
    if coefficient == "kendall":
        return "Kendall's tau"
    return REGISTRY[cast(Coefficient, coefficient)].plain.removeprefix("the ")


def value_text(entry: AnsweringMeasure) -> str:
    """The coefficient of a measure by its name."""
    return f"{coefficient_name(entry.coefficient)} {estimate_text(entry.mean, PAGE)}"


def chance_of(entry: AnsweringMeasure) -> float:
    """What the coefficient of a measure is by chance alone."""
    return REGISTRY[cast(Coefficient, entry.coefficient)].chance


def supported(ranking: Sequence[AnsweringMeasure]) -> list[AnsweringMeasure]:
    """The measures of which the raters support that they agree with them, best first.

    One that runs against the raters agrees with none, even where shuffled ratings run against it further.
    """
    return [entry for entry in ranking if entry.supported and entry.mean > chance_of(entry)]


def is_tested(ranking: Sequence[AnsweringMeasure]) -> bool:
    """Whether it could be found out if raters support the measures."""
    return any(entry.p_raters_adjusted is not None for entry in ranking)


def null_text(entry: AnsweringMeasure) -> str:
    """What shuffled ratings give a measure, and how often they reach it, adjusted for all measures."""
    high, p = estimate_text(entry.null_high, PAGE), p_text(entry.p_raters_adjusted, PAGE)
    return f"shuffled ratings reach {high} at most in 95 of 100 tries (p {p})"


def untested(ranking: Sequence[AnsweringMeasure]) -> str:
    """That it is not known whether raters support a coefficient."""
    reasons = dict.fromkeys(entry.null_reason for entry in ranking if entry.null_reason)
    why = f": {'; '.join(reasons)}" if reasons else ""
    return f"Whether the raters support it could not be tested{why}."


def higher_without_support(ranking: Sequence[AnsweringMeasure], best: AnsweringMeasure) -> str:
    """Measures with a higher coefficient than the best supported one, which raters do not support."""
    higher = [entry for entry in ranking if not entry.supported and entry.mean > best.mean]
    return "".join(
        f" {entry.title} has a higher coefficient ({estimate_text(entry.mean, PAGE)}), which shuffled "
        f"ratings reach too often to count (p {p_text(entry.p_raters_adjusted, PAGE)})."
        for entry in higher
    )


def perseval_beside(beside: Sequence[AnsweringMeasure]) -> str:
    """The best by PerSEval as its paper defines it, with what shuffled ratings give it."""
    if not beside or beside[0].null_mean is None:
        return ""
    best, null_mean, chance = beside[0], beside[0].null_mean, chance_of(beside[0])
    value = f"{_SHORT.get(best.coefficient) or coefficient_name(best.coefficient)} "
    value += estimate_text(best.mean, PAGE)
    mean = estimate_text(best.null_mean, PAGE)
    if best.mean <= chance:
        return f" By PerSEval, as its paper defines it, none agrees: the best, {best.title}, has {value}."
    if best.supported:
        verdict = "more than the penalty alone gives"
    elif null_mean - chance >= (best.mean - chance) / 2:
        verdict = "so most of it is the penalty's work, not the raters'"
    else:
        verdict = "no more than shuffled ratings may give"
    return (
        f" By PerSEval, as its paper defines it, {best.title} is best with {value}; both sides hold a "
        f"penalty in which no rating has a part, so shuffled ratings alone give {mean} on average; "
        f"{null_text(best)}, {verdict}."
    )


_SHORT = {"kendall": "tau"}
