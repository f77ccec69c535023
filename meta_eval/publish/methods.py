"""A methods paragraph with the numbers of the study, and the works that it cites."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from meta_eval.publish.bibliography import MEASURE_WORKS, WORKS, bibtex
from meta_eval.publish.latex import escape_latex
from meta_eval.publish.long_form import without_paths
from meta_eval.publish.methods_statistics import count_text, listed, statistics_in_words
from meta_eval.ratings.rating import HIGHEST, LOWEST
from meta_eval.report.answer import measure_title
from meta_eval.report.participants import participants_in_words
from meta_eval.report.schema import Report

Form = Literal["markdown", "latex"]

_CITATION = re.compile(rf"\[\[({'|'.join(WORKS)})\]\]")
_PREPARED = {
    "pens": "Texts were lower-cased, stripped of punctuation, digits and stop words, and lemmatised.",
    "none": "Texts were compared as they are.",
}


def methods_paragraph(report: Report, *, form: Form = "markdown") -> str:
    r"""How the study was done, in full sentences; cited as [@key] (Markdown) or \cite{key} (LaTeX)."""
    text = " ".join(_sentences(without_paths(report)))
    if form == "latex":
        return _CITATION.sub(r"\\cite{\1}", escape_latex(text)) + "\n"
    return _CITATION.sub(r"[@\1]", text) + "\n"


def methods_in_words(report: Report) -> str:
    """The paragraph with authors and years in place of keys."""
    return _CITATION.sub(lambda found: f"({_author_year(found[1])})", " ".join(_sentences(report)))


def methods_bibtex(report: Report) -> str:
    """The works that the paragraph cites."""
    return bibtex(cited_works(report))


def cited_works(report: Report) -> list[str]:
    """Keys of the works that the paragraph cites, in order."""
    return sorted({found[1] for found in _CITATION.finditer(" ".join(_sentences(report)))})


def _author_year(key: str) -> str:
    work = WORKS[key]
    authors = [name.partition(",")[0] for name in work.author.split(" and ")]
    names = f"{authors[0]} et al." if len(authors) > 2 else " and ".join(authors)
    return f"{names}, {work.year}"


def _sentences(report: Report) -> Iterator[str]:
    yield from _survey(report)
    yield from _ratings(report)
    yield from _scores(report)
    yield from statistics_in_words(report)
    yield from _left_out(report)
    versions = listed(f"{name} {number}" for name, number in report.versions.items())
    yield f"All numbers were computed with {versions}."


def _survey(report: Report) -> Iterator[str]:
    subject, plan = report.subject, report.plan
    seed = "" if subject["seed"] is None else f" (seed of the plan: {subject['seed']})"
    systems = list(dict.fromkeys(row.system for row in report.leaderboard if row.side == "human"))
    yield (
        f"We set automatic measures of personalised summarisation against human raters on the corpus "
        f"“{subject['corpus']}” ({count_text(subject['corpus_documents'], 'document')})."
    )
    if "source_file" in subject:
        yield (
            f"They rated {count_text(plan['pairs'], 'pair')} of texts on "
            f"{count_text(plan['documents'], 'document')}, "
            f"each pair written for two readers by one of {count_text(len(systems), 'system')} "
            f"({listed(systems)}) or by the readers themselves (gold); a pair was to have "
            f"{count_text(plan['raters_per_questionnaire'], 'rating')}. How raters, documents and pairs were "
            "chosen is not known here. The file of the ratings has the SHA-256 hash "
            f"{subject['source_hash']}."
        )
        return
    yield (
        f"The survey planned {count_text(plan['questionnaires'], 'questionnaire')} on "
        f"{count_text(plan['documents'], 'document')}, "
        f"with {count_text(plan['pairs'], 'pair')} of texts in all, "
        f"each pair written for two readers by one of {count_text(len(systems), 'system')} "
        f"({listed(systems)}) or by the readers themselves (gold); "
        f"{count_text(plan['raters_per_questionnaire'], 'rater')} were to complete each questionnaire{seed}."
    )


def _ratings(report: Report) -> Iterator[str]:
    found, scale, question = report.ratings, report.scale, report.subject["question"]
    asked = f", asked: “{question}”" if question else "."
    given = f"{count_text(found['ratings'], 'rating')} from {LOWEST} to {HIGHEST}{asked}"
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
    yield _EDP_READERS[options["edp_readers"]]
    if options["normalise"] == "document":
        yield "Distances between summaries were weighed by those to the document."
    else:
        yield "Distances between summaries were not weighed by those to the document."
    prepared = {entry.signature.get("preprocess", "none") for entry in report.signatures}
    yield from (_PREPARED[name] for name in sorted(prepared) if name in _PREPARED)
    if options["mode"] == "kdm":
        yield "Measures were computed as the released code of the papers computes them."
    if lines := dict.fromkeys(entry.line for entry in report.signatures):
        yield f"Signatures of the measures: {'; '.join(lines)}."


def _penalty(options: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} = {options[name]}" for name in ("alpha", "beta", "gamma"))


_EDP_READERS = {
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
            name = entry.measure
            cited = f" [[{MEASURE_WORKS[name]}]]" if name in MEASURE_WORKS else ""
            details = "; ".join(_details(entry.signature))
            yield f"{measure_title(name)}{cited}{f' ({details})' if details else ''}"


def _details(signature: Mapping[str, Any]) -> Iterator[str]:
    yield from (f"{name} = {value}" for name, value in (signature.get("options") or {}).items())
    for name in ("model", "revision", "max_length", "seed"):
        if signature.get(name) is not None:
            yield f"{name} = {signature[name]}"


def _left_out(report: Report) -> Iterator[str]:
    found = [row for row in report.left_out if row.count]
    if found:
        counted = "; ".join(
            f"{row.count} {row.what.replace('_', ' ')}"
            + (f" ({measure_title(row.measure)})" if row.measure else "")
            for row in found
        )
        yield f"Left out or set apart: {counted}."
    yield from (f"{note.rstrip('.')}." for note in report.notes)
