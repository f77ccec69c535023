"""A methods paragraph with the numbers of the study, and the works that it cites."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

from meta_eval.publish.bibliography import MEASURE_WORKS, WORKS, bibtex
from meta_eval.publish.latex import escape_latex
from meta_eval.publish.long_form import without_paths
from meta_eval.ratings.rating import HIGHEST, LOWEST
from meta_eval.report.answer import measure_title
from meta_eval.report.limits import BY_FAMILY, MODELS, ONE_POPULATION, WIDER, limits_of_report
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    AgreementStudy,
    CoefficientRow,
    CorrelationRow,
    FurtherQuestions,
    Inference,
    Report,
)
from meta_eval.report.tables.agreement import agreement_in_words
from meta_eval.stats.coefficients.families import name_families
from meta_eval.stats.coefficients.registry import AS_SHOWN, COEFFICIENTS, REGISTRY

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
    yield from _statistics(report)
    yield from _left_out(report)
    versions = _listed(f"{name} {number}" for name, number in report.versions.items())
    yield f"All numbers were computed with {versions}."


def _survey(report: Report) -> Iterator[str]:
    subject, plan = report.subject, report.plan
    seed = "" if subject["seed"] is None else f" (seed of the plan: {subject['seed']})"
    systems = list(dict.fromkeys(row.system for row in report.leaderboard if row.side == "human"))
    yield (
        f"We set automatic measures of personalised summarisation against human raters on the corpus "
        f"“{subject['corpus']}” ({_count(subject['corpus_documents'], 'document')})."
    )
    if "source_file" in subject:
        yield (
            f"They rated {_count(plan['pairs'], 'pair')} of texts on "
            f"{_count(plan['documents'], 'document')}, "
            f"each pair written for two readers by one of {_count(len(systems), 'system')} "
            f"({_listed(systems)}) or by the readers themselves (gold); a pair was to have "
            f"{_count(plan['raters_per_questionnaire'], 'rating')}. How raters, documents and pairs were "
            "chosen is not known here. The file of the ratings has the SHA-256 hash "
            f"{subject['source_hash']}."
        )
        return
    yield (
        f"The survey planned {_count(plan['questionnaires'], 'questionnaire')} on "
        f"{_count(plan['documents'], 'document')}, with {_count(plan['pairs'], 'pair')} of texts in all, "
        f"each pair written for two readers by one of {_count(len(systems), 'system')} "
        f"({_listed(systems)}) or by the readers themselves (gold); "
        f"{_count(plan['raters_per_questionnaire'], 'rater')} were to complete each questionnaire{seed}."
    )


def _ratings(report: Report) -> Iterator[str]:
    found, scale, question = report.ratings, report.scale, report.subject["question"]
    asked = f", asked: “{question}”" if question else "."
    given = f"{_count(found['ratings'], 'rating')} from {LOWEST} to {HIGHEST}{asked}"
    if report.subject.get("raters_known", True):
        completed = _count(found["completions"], "questionnaire")
        yield f"{_count(found['raters'], 'rater')} completed {completed} and gave {given}"
    else:
        yield f"Raters, whose number is not known, gave {given}"
    yield from _frozen(report.subject)
    if found["simulated_ratings"]:
        yield f"Of these ratings, {found['simulated_ratings']} were simulated by a program."
    yield scale.in_words
    yield (
        f"The mean rating r of a pair, if it had at least "
        f"{_count(report.options['min_raters'], 'rating')}, "
        f"became the divergence {scale.divergence}."
    )


def _frozen(subject: Mapping[str, Any]) -> Iterator[str]:
    """The snapshot that the ratings come from, where the survey was frozen before the report."""
    if "snapshot_hash" in subject:
        yield (
            f"The survey was frozen on {subject['frozen_at'][:10]} "
            f"({_count(subject['snapshot_ratings'], 'rating')}, SHA-256 {subject['snapshot_hash']})."
        )
        if withdrawn := subject["snapshot_withdrawn"]:
            yield f"{_count(withdrawn, 'rating')} of it were withdrawn by their raters since."


def _scores(report: Report) -> Iterator[str]:
    options = report.options
    yield (
        f"From divergences we computed DEGRESS-HJ, EGISES-HJ and PerSEval-HJ ({_penalty(options)}) "
        f"[[vansh2023egises]] [[dasgupta2024perseval]], with distances that nobody rates by "
        f"{_listed(_measures(report, 'human'))}; the automatic scores used "
        f"{_listed(_measures(report, 'automatic'))}."
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


def _statistics(report: Report) -> Iterator[str]:
    asked = {*COEFFICIENTS, *(row.coefficient for row in report.correlations)}
    given = _listed(REGISTRY[name].plain for name in AS_SHOWN if name in asked)
    yield f"Agreement over systems is given as {given}."
    if report.inference is None:
        return
    if rows := [row for row in report.correlations if row.is_inferred]:
        yield from _inference(report.inference.options, rows)
        yield from limits_of_report(report)
        yield from _families(report.inference, rows)
    if any(row.estimate is not None for row in report.inference.sentinels):
        yield (
            "As sentinels [[perrella2024guardians]], which cannot know how personalised a summary is, the "
            "length of the summary, random scores, a constant, and each measure's penalty EDP and accuracy "
            "alone were set against the same human scores."
        )
    yield from _further(report.inference.further)
    yield from _rater_agreement(report.inference.agreement)


def _inference(options: InferenceOptions, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    yield from _intervals(options, {row.ci_method for row in rows if row.ci_method})
    tests = sorted({row.p_method for row in rows if row.p_method})
    if tests:
        yield f"p-values are two-sided ({_listed(tests)}){_adjusted(rows)}."
    yield from _shuffled(options, rows)


def _families(inference: Inference, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    """How the distance between families of systems was told from agreement within them."""
    tests = sorted({row.p_within_method for row in rows if row.p_within_method})
    if not tests:
        return
    named, found = "; ".join(name_families(inference.known_families)), inference.found_families
    how = f", found since {found.how}" if found else ""
    yield (
        f"Systems fall into families ({named}){how}; p within families permutes systems within their family "
        f"({_listed(tests)}), and coefficients within all families together are of deviations from the "
        "family's mean, of ranks within the family, and of pairs of systems of one family "
        "[[korn1984kendall]] [[taylor1987kendall]]."
    )
    explained = sum(bool(row.families_explain) for row in rows)
    if explained:
        yield (
            f"Of {_count(len(rows), 'coefficient')}, {explained} with p of at most "
            f"{inference.options.alpha:g} over all systems may be explained by the families alone."
        )


def _shuffled(options: InferenceOptions, rows: Sequence[CorrelationRow]) -> Iterator[str]:
    """What raters add was told from ratings that change places."""
    if tested := [row for row in rows if row.p_raters is not None]:
        yield (
            "Each coefficient stands beside that of ratings shuffled within questionnaires "
            f"({_shuffles(tested)}): a measure is said to agree with the raters only where shuffled ratings "
            f"reach its coefficient in at most {options.alpha:.0%} of the tries, adjusted over all measures "
            "[[westfall1993resampling]]."
        )


_CLOSED = {"esscher": "Esscher's variance of tau", "fisher": "Fisher's z"}
_RESAMPLED = {"bca": "BCa", "percentile": "percentile"}


def _intervals(options: InferenceOptions, methods: set[str]) -> Iterator[str]:
    """What intervals are about, and how they were made."""
    if closed := [name for method, name in _CLOSED.items() if method in methods]:
        yield f"Intervals of {options.level:.0%} about other systems rest on {_listed(closed)}."
    resamples = f"{_count(options.resamples, 'resample')} of {options.resampled} (seed {options.seed})"
    if drawn := [name for method, name in _RESAMPLED.items() if method in methods]:
        cited = " [[efron1987better]]" if "bca" in methods else ""
        yield (
            f"Intervals of {options.level:.0%} are {_listed(drawn)} bootstrap intervals{cited} from "
            f"{resamples}."
        )
    if methods & {*MODELS}:
        yield (
            f"Intervals of {options.level:.0%} are of the coefficient of the systems' true scores, drawn "
            f"from a normal hierarchical model [[everson2000inference]] of the systems, whose noise is that "
            f"of {resamples}; {_listed(text for method, text in _POPULATIONS.items() if method in methods)}."
        )


def _shuffles(rows: Sequence[CoefficientRow]) -> str:
    most = max(row.shuffles or 0 for row in rows)
    exact = all(row.p_raters_method == "exact" for row in rows)
    return f"all {most:,} ways" if exact else f"{most:,} shuffles"


def _further(asked: FurtherQuestions) -> Iterator[str]:
    if asked.soft_accuracy:
        yield (
            "Over rated documents and pairs we further give the soft pairwise accuracy "
            "[[thompson2024improving]], the accuracy over pairs of summaries with calibrated ties "
            "[[deutsch2023ties]], that over pairs of systems that raters tell apart [[kocmi2021ship]] or "
            "that are close [[deutsch2022reexamining]], the difference of scores that people notice "
            "[[kocmi2024navigating]], coefficients without outlier systems [[mathur2020tangled]] and ranks "
            "of the systems that hold together [[mogstad2024inference]]."
        )
    if asked.rating_components:
        yield (
            "What ratings vary by, severity of raters and dependability of mean ratings are those of a mixed "
            "model with random systems, raters, documents, systems on documents and pages, fitted by "
            "restricted maximum likelihood [[patterson1971recovery]]."
        )
    if asked.raters_among_measures:
        yield (
            "Raters and measures were set against the mean of the other raters on the same pages "
            "[[calderon2025alternative]]."
        )


_POPULATIONS = {
    ONE_POPULATION: "they take the systems for one normal population",
    BY_FAMILY: "those of ranks take each family of systems for a population of its own",
    WIDER: (
        "where scores show groups of systems, or hardly more than noise within families, those of ranks are "
        "the wider of two, with one population and with one of each group"
    ),
}


def _adjusted(rows: Iterable[CoefficientRow]) -> str:
    methods = {row.p_adjustment or "" for row in rows if row.p_adjusted is not None}
    if methods == {"holm"}:
        return ", adjusted over the table of each score by Holm's method [[holm1979simple]]"
    return f", adjusted by {_listed(sorted(methods))}" if methods else ", not adjusted"


def _rater_agreement(study: AgreementStudy | None) -> Iterator[str]:
    known = [row for row in (study.coefficients if study else ()) if row.estimate is not None]
    if known:
        yield f"Agreement of the raters: {'; '.join(map(agreement_in_words, known))}."


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


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _listed(parts: Iterable[str]) -> str:
    names = list(parts)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
