"""Answers about systems, sample, raters and design (sections 1, 2, 3 and 5 of the datasheet)."""

from collections.abc import Callable, Mapping

from meta_eval.measures.words.languages import base_tag
from meta_eval.publish.generated import generated_in_detail
from meta_eval.publish.heds.facts import DatasheetAnswer, Facts, chosen
from meta_eval.publish.heds.form import language_option
from meta_eval.ratings.checks import ATTENTION
from meta_eval.report.participants import participants_in_words


def _experiment(facts: Facts) -> DatasheetAnswer:
    report, systems = facts.report, _systems(facts)
    return DatasheetAnswer(
        f"Survey “{report.subject.get('batch') or ''}” on the corpus "
        f"“{report.subject.get('corpus') or ''}”: raters judged the {report.scale.direction} of "
        f"pairs of summaries that {len(systems)} systems ({', '.join(systems)}) wrote of a document for two "
        "readers, and of the readers' own."
    )


def _systems(facts: Facts) -> list[str]:
    rows = facts.report.leaderboard
    return list(dict.fromkeys(row.system for row in rows if row.side == "human"))


def _input(facts: Facts) -> DatasheetAnswer:
    told = " ".join(generated_in_detail(facts.report))
    return chosen(7, "Text: document", told or "Add what else the systems read, such as a reader's history.")


def _task(_facts: Facts) -> DatasheetAnswer:
    return chosen(16, "Summarisation (text-to-text)", "A summary for one reader, of one document.")


def _languages(facts: Facts) -> DatasheetAnswer | None:
    """Ticked where the corpus names the language of every document: it is that of all its texts."""
    named = [tag for tag in facts.languages if tag]
    if not named:
        return None
    said = f"The corpus names: {', '.join(named)}."
    if len(named) < len(facts.languages):
        return DatasheetAnswer(f"{said} Some of its documents name none.", complete=False)
    return DatasheetAnswer(said, dict(language_option(base_tag(tag)) for tag in named))


def _outputs(facts: Facts) -> DatasheetAnswer | None:
    pairs = {
        row.system: row.pairs
        for row in facts.report.leaderboard
        if row.side == "human" and row.value is not None
    }
    if not pairs:
        return None
    if len(counts := set(pairs.values())) == 1:
        return DatasheetAnswer(f"{counts.pop()} pairs of summaries, two outputs of the system each.")
    each = ", ".join(f"{system} {count}" for system, count in pairs.items())
    return DatasheetAnswer(
        f"Pairs of summaries, two outputs of the system each, with enough ratings: {each}. They differ where "
        "the plan deals systems among questionnaires, or ratings are missing."
    )


def _selection(facts: Facts) -> DatasheetAnswer | None:
    options = facts.plan.get("options")
    if not options:
        return None
    if options.get("document_keys"):
        return DatasheetAnswer("The documents were named by hand; say how they were chosen.", complete=False)
    return chosen(
        1,
        "By simple automatic random selection",
        f"Documents and pairs of readers were drawn at random (seed {facts.plan['seed']}) among the "
        "documents of which every system wrote for two readers.",
    )


def _raters(facts: Facts) -> DatasheetAnswer | None:
    if not facts.report.subject.get("raters_known", True):
        return None
    return DatasheetAnswer(str(facts.report.ratings["raters"]))


def _recruitment(facts: Facts) -> DatasheetAnswer | None:
    ways = {
        "open": "Anybody who had the survey's link could take part.",
        "invitation": "Only people with a personal link could take part.",
        "panel": "People were sent by a panel, or had a personal link.",
    }
    way = ways.get(str(facts.study.get("entry")))
    return DatasheetAnswer(way, complete=False) if way else None


def _training(facts: Facts) -> DatasheetAnswer | None:
    if not facts.surveyed_here:
        return None
    parts = ["Instructions with three worked examples, before the first questionnaire and on each."]
    if facts.study.get("practice"):
        parts.append("A practice of three pairs, with the expected ratings and why; it could be skipped.")
    if facts.study.get("instructions"):
        parts.append(f"Instructions, verbatim: “{facts.study['instructions']}”")
    return DatasheetAnswer(" ".join(parts))


def _characteristics(facts: Facts) -> DatasheetAnswer | None:
    found = facts.report.ratings
    said = participants_in_words(facts.report.participants)
    if not found["simulated_raters"]:
        return DatasheetAnswer(said, complete=False) if said else None
    text = f"{found['simulated_raters']} of {found['raters']} evaluators were simulated by a program."
    return DatasheetAnswer(f"{text} {said}".rstrip(), complete=found["simulated_raters"] == found["raters"])


def _preregistered(facts: Facts) -> DatasheetAnswer | None:
    """What Concord recorded before the ratings; a registry elsewhere only the researcher knows."""
    inference = facts.report.inference
    primary = inference.options.primary if inference else None
    if primary is None or primary.declared_at is None:
        return None
    return DatasheetAnswer(facts.report.answer.declared, complete=False)


def _medium(facts: Facts) -> DatasheetAnswer | None:
    if not facts.surveyed_here:
        return None
    return DatasheetAnswer("Web pages of Concord, in the evaluator's own browser, without an account.")


def _quality(facts: Facts) -> DatasheetAnswer | None:
    notes = [note for note in facts.report.notes if "excluded by an admin" in note]
    controls = [note for note in facts.report.notes if note.startswith(ATTENTION)]
    if not notes and not controls and not facts.surveyed_here:
        return None
    checks = (
        "The pair of the readers' own summaries (gold) is on every page, its place among the others is "
        "tested for each rater, and pages rated all alike are flagged. A flag excludes nobody by itself. "
        if facts.surveyed_here
        else ""
    )
    checked = "".join(f"{note.rstrip('.')}. " for note in controls)
    excluded = "; ".join(notes) if notes else "No questionnaire was excluded"
    return DatasheetAnswer(f"{checks}{checked}{excluded}.", complete=False)


def _shown(facts: Facts) -> DatasheetAnswer | None:
    if not facts.surveyed_here:
        return None
    document = "The document, and beside it p" if facts.study.get("document_shown", True) else "P"
    words = ", ".join(f"{point} “{label}”" for point, label in facts.labels)
    typed = ", all texts in one typography" if facts.study.get("one_typography") else ""
    return DatasheetAnswer(
        f"{document}airs of texts side by side{typed}, in an order and on sides that differ between raters; "
        "never the name of a system or reader. With each pair the question and the scale with the labels "
        f"{words}; "
        "the instructions on request."
    )


def _freedom(facts: Facts) -> DatasheetAnswer | None:
    if not facts.surveyed_here:
        return None
    return chosen(
        5,
        "None of the above (please describe)",
        "Evaluators rate when they like, and may stop and come back. The place in a questionnaire is kept "
        f"for {facts.study['claim_minutes']} minutes from the last answer; later answers are stored, and "
        "count if the place is still free.",
    )


def _place(facts: Facts) -> DatasheetAnswer | None:
    known = "The survey is open to a link, on any device with a browser."
    return DatasheetAnswer(known, complete=False) if facts.surveyed_here else None


def _personal(facts: Facts) -> DatasheetAnswer | None:
    if not facts.surveyed_here:
        return None
    known = "Ratings and their times are stored under a random name."
    texts = [f"version {text['version']}: “{text['text']}”" for text in facts.study.get("consent") or ()]
    agreed = f" People agreed to this text, {'; '.join(texts)}" if texts else ""
    return DatasheetAnswer(f"{known}{agreed}", complete=False)


SURVEY_ANSWERS: Mapping[str, Callable[[Facts], DatasheetAnswer | None]] = {
    "1.1.2": _experiment,
    "2.1": _input,
    "2.3": _task,
    "2.4": _languages,
    "2.5": _languages,
    "3.1.1": _outputs,
    "3.1.2": _selection,
    "3.2.1": _raters,
    "3.2.3": _recruitment,
    "3.2.4": _training,
    "3.2.5": _characteristics,
    "3.3.1": _preregistered,
    "3.3.2": _medium,
    "3.3.3.1": _quality,
    "3.3.3.2": _quality,
    "3.3.4.2": _shown,
    "3.3.5": _freedom,
    "3.3.7": _place,
    "5.2": _personal,
}
"""By question; one that is not here is the researcher's alone."""
