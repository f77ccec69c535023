"""Answers about the one quality criterion, how alike two texts are (section 4 of the datasheet)."""

from collections.abc import Callable, Mapping

from meta_eval.publish.heds.facts import DatasheetAnswer, Facts, chosen
from meta_eval.ratings.rating import Ends
from meta_eval.report.tables.agreement import agreement_in_words


def _feature(_facts: Facts) -> DatasheetAnswer:
    return chosen(
        3,
        "Feature",
        "Two summaries for two readers may be alike or not; which is better depends on how alike the "
        "readers' own summaries are.",
    )


def _absolute(_facts: Facts) -> DatasheetAnswer:
    return chosen(1, "Absolute", "The two texts of a pair come from the same system, which is not named.")


def _definition(facts: Facts) -> DatasheetAnswer | None:
    text = facts.study.get("instructions")
    return DatasheetAnswer(f"No text is called a definition; the instructions: “{text}”") if text else None


def _ends(facts: Facts) -> Ends:
    return Ends.from_record(facts.report.options)


def _values(facts: Facts) -> DatasheetAnswer:
    values = ", ".join(str(value) for value in _ends(facts).steps)
    if not facts.labels:
        return DatasheetAnswer(f"{values}. {facts.report.scale.in_words}")
    return DatasheetAnswer(f"{values} ({', '.join(f'{point}: {words}' for point, words in facts.labels)})")


def _presented(facts: Facts) -> DatasheetAnswer | None:
    return chosen(1, "Multiple-choice options") if facts.surveyed_here else None


def _asked(facts: Facts) -> DatasheetAnswer | None:
    question = facts.report.subject.get("question")
    return DatasheetAnswer(question) if question else None


def _aggregation(facts: Facts) -> DatasheetAnswer:
    options, scale = facts.report.options, facts.report.scale
    return DatasheetAnswer(
        f"The mean rating r of a pair with at least {options['min_raters']} ratings becomes the divergence "
        f"{scale.divergence}; from divergences DEGRESS-HJ, EGISES-HJ and PerSEval-HJ are computed per "
        "document and averaged over documents, for each system."
    )


def _effects(facts: Facts) -> DatasheetAnswer | None:
    rows = [row for row in facts.report.correlations if row.is_inferred and row.estimate is not None]
    if not rows:
        return None
    coefficients = sorted({row.coefficient for row in rows})
    said = f"Correlation over systems with automatic scores ({', '.join(coefficients)})"
    for what, name in (("intervals", "ci_method"), ("p-values", "p_method"), ("adjustment", "p_adjustment")):
        if named := sorted({getattr(row, name) for row in rows if getattr(row, name)}):
            said += f"; {what}: {', '.join(named)}"
    return DatasheetAnswer(f"{said}.")


def _agreement_method(facts: Facts) -> DatasheetAnswer:
    return DatasheetAnswer("; ".join(row.title for row in facts.agreements) or "InterAA not assessed")


def _agreement_score(facts: Facts) -> DatasheetAnswer:
    return DatasheetAnswer("; ".join(map(agreement_in_words, facts.agreements)) or "InterAA not assessed")


def _within(_facts: Facts) -> DatasheetAnswer:
    return DatasheetAnswer("IntraAA not assessed")


CRITERION_ANSWERS: Mapping[str, Callable[[Facts], DatasheetAnswer | None]] = {
    "4.1.1": _feature,
    "4.2.1": lambda _: chosen(2, "Subjective"),
    "4.2.2": _absolute,
    "4.2.3": lambda _: chosen(1, "Intrinsic"),
    "4.3.2": _definition,
    "4.3.3": lambda facts: DatasheetAnswer(str(len(_ends(facts).steps))),
    "4.3.4": _values,
    "4.3.5": _presented,
    "4.3.6": lambda _: DatasheetAnswer("N/A"),
    "4.3.7": _asked,
    "4.3.8": lambda _: chosen(2, "Direct quality estimation"),
    "4.3.9": _aggregation,
    "4.3.10": _effects,
    "4.3.11.1": _agreement_method,
    "4.3.11.2": _agreement_score,
    "4.3.12.1": _within,
    "4.3.12.2": _within,
}
"""By question; one that is not here is the researcher's alone."""
