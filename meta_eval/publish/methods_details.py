"""Everything that the methods of a report rest on, for an appendix: every option, count and limit."""

from collections.abc import Iterator, Mapping
from typing import Any

from meta_eval.publish.bibliography import cited
from meta_eval.publish.generated import generated_in_detail
from meta_eval.publish.methods_statistics import count_text, listed, statistics_in_words
from meta_eval.ratings.rating import Ends
from meta_eval.report.answer import measure_title
from meta_eval.report.answerable import knows_plan
from meta_eval.report.participants import participants_in_words
from meta_eval.report.schema import Report

_PREPARED = {
    "pens": "Texts were lower-cased, stripped of punctuation, digits and stop words, and lemmatised.",
    "none": "Texts were compared as they are.",
}


SHOWN_ONCE = "Pairs of the same two texts were shown once and rated alike."
ONE_TYPOGRAPHY = "Raters saw all texts in one typography; measures read the texts as they are."


def details_of(report: Report) -> list[str]:
    """Paragraphs, whose works are cited as [[key]]."""
    versions = listed(f"{name} {number}" for name, number in report.versions.items())
    parts = (
        [*_survey(report), *_ratings(report)],
        *([told] if (told := list(generated_in_detail(report))) else []),
        _scores(report),
        statistics_in_words(report),
        [*_left_out(report), f"All numbers were computed with {versions}."],
    )
    return [" ".join(sentences) for sentences in parts]


def _survey(report: Report) -> Iterator[str]:
    subject, plan = report.subject, report.plan
    seed = "" if subject["seed"] is None else f" (seed of the plan: {subject['seed']})"
    systems = list(dict.fromkeys(row.system for row in report.leaderboard if row.side == "human"))
    yield (
        f"We set automatic measures of personalised summarisation against human raters on the corpus "
        f"“{subject['corpus']}” ({count_text(subject['corpus_documents'], 'document')})."
    )
    written = (
        f"each pair written for two readers by one of {count_text(len(systems), 'system')} "
        f"({listed(systems)}) or by the readers themselves (gold)"
    )
    if not knows_plan(subject):
        uploaded = "source_file" in subject
        wanted = count_text(plan["raters_per_questionnaire"], "rating")
        yield (
            f"They rated {count_text(plan['pairs'], 'pair')} of texts on "
            f"{count_text(plan['documents'], 'document')}, {written}"
            f"{f'; a pair was to have {wanted}' if uploaded else ''}. How raters, documents and pairs were "
            "chosen is not known here."
        )
        if uploaded:
            yield f"The file of the ratings has the SHA-256 hash {subject['source_hash']}."
        return
    yield (
        f"The survey planned {count_text(plan['questionnaires'], 'questionnaire')} on "
        f"{count_text(plan['documents'], 'document')}, "
        f"with {count_text(plan['pairs'], 'pair')} of texts in all, "
        f"{written}; {count_text(plan['raters_per_questionnaire'], 'rater')} were to complete each "
        f"questionnaire{seed}."
    )


def _ratings(report: Report) -> Iterator[str]:
    found, scale, question = report.ratings, report.scale, report.subject["question"]
    ends = Ends.from_record(report.options)
    asked = f", asked: “{question}”" if question else "."
    given = f"{count_text(found['ratings'], 'rating')} from {ends.lowest} to {ends.highest}{asked}"
    if report.subject.get("raters_known", True):
        completed = count_text(found["completions"], "questionnaire")
        yield f"{count_text(found['raters'], 'rater')} completed {completed} and gave {given}"
    else:
        yield f"Raters, whose number is not known, gave {given}"
    if participants := participants_in_words(report.participants):
        yield participants
    yield from _frozen(report.subject)
    if found["simulated_ratings"]:
        yield f"Of these ratings, {found['simulated_ratings']} were simulated by a program."
    if report.subject.get("equal_pairs_once"):
        yield SHOWN_ONCE
    if report.subject.get("one_typography"):
        yield ONE_TYPOGRAPHY
    yield scale.in_words
    yield (
        f"The mean rating r of a pair, if it had at least "
        f"{count_text(report.options['min_raters'], 'rating')}, "
        f"became the divergence {scale.divergence}."
    )


def _frozen(subject: Mapping[str, Any]) -> Iterator[str]:
    """The snapshot that the ratings come from, where the survey was frozen before the report."""
    if "snapshot_hash" in subject:
        yield (
            f"The survey was frozen on {subject['frozen_at'][:10]} "
            f"({count_text(subject['snapshot_ratings'], 'rating')}, SHA-256 {subject['snapshot_hash']})."
        )
        if withdrawn := subject["snapshot_withdrawn"]:
            yield f"{count_text(withdrawn, 'rating')} of it were withdrawn by their raters since."


def _scores(report: Report) -> Iterator[str]:
    options = report.options
    yield (
        f"From divergences we computed DEGRESS-HJ, EGISES-HJ and PerSEval-HJ ({_penalty(options)}) "
        f"[[vansh2023egises]] [[dasgupta2024perseval]], with distances that nobody rates by "
        f"{listed(_measures(report, 'human'))}; the automatic scores used "
        f"{listed(_measures(report, 'automatic'))}."
    )
    yield EDP_READERS[options["edp_readers"]]
    yield WEIGHED[options["normalise"] == "document"]
    prepared = {entry.signature.get("preprocess", "none") for entry in report.signatures}
    yield from (_PREPARED[name] for name in sorted(prepared) if name in _PREPARED)
    if options["mode"] == "kdm":
        yield "Measures were computed as the released code of the papers computes them."
    if lines := dict.fromkeys(entry.line for entry in report.signatures):
        yield f"Signatures of the measures: {'; '.join(lines)}."


def _penalty(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {options[name]}" for name in ("alpha", "beta", "gamma"))


WEIGHED = {
    True: "Distances between summaries were weighed by those to the document.",
    False: "Distances between summaries were not weighed by those to the document.",
}
"""Whether distances to the document set those between summaries, in words."""

EDP_READERS = {
    "document": "The penalty EDP of PerSEval-HJ compared each rated reader with all readers of the document.",
    "rated": "The penalty EDP of PerSEval-HJ compared each rated reader with the rated readers alone.",
    "first": (
        "PerSEval-HJ was that of the first reader of each pair, whose penalty EDP knew no other, as in "
        "the released code of the papers."
    ),
}
"""What `edp_readers` meant, in words."""


def _measures(report: Report, side: str) -> Iterator[str]:
    """Each measure with its paper and every option that its distances depend on."""
    for entry in report.signatures:
        if entry.side == side:
            details = "; ".join(_details(entry.signature))
            title = f"{measure_title(entry.measure)}{cited(entry.measure)}"
            yield f"{title}{f' ({details})' if details else ''}"


def _details(signature: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{name} = {value}" for name, value in (signature.get("options") or {}).items())
    for name in ("model", "revision", "max_length", "seed"):
        if signature.get(name) is not None:
            yield f"{name} = {signature[name]}"


def _left_out(report: Report) -> Iterator[str]:
    found = [row for row in report.left_out if row.count]
    if found:
        counted = "; ".join(
            f"{row.count:,} {row.why}" + (f" ({measure_title(row.measure)})" if row.measure else "")
            for row in found
        )
        yield f"Left out or set apart: {counted}."
    yield from (f"{note.rstrip('.')}." for note in report.notes)
