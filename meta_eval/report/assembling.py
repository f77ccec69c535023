"""Both sides joined: leaderboard, correlations, what was left out, and what it all means."""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import describe_empty
from meta_eval.distances.coverage import describe_coverage, hint_of, says_unseen
from meta_eval.errors import InputError
from meta_eval.measures.base import Signature, library_versions
from meta_eval.measures.signatures import read_signature
from meta_eval.ratings.rating import SIX_POINTS, Ends, Scale
from meta_eval.report.answer import answer_in_words
from meta_eval.report.answerable import Rated
from meta_eval.report.declared import with_declaration
from meta_eval.report.inference.infer import CertainCorrelations
from meta_eval.report.leaderboard import judged_board, penalise_rouge, rank_scores
from meta_eval.report.published.comparing import compare_published
from meta_eval.report.reliability import Record, correlate_records
from meta_eval.report.same_texts import SameTexts, counted_with_others, same_texts_notes
from meta_eval.report.schema import (
    CorrelationRow,
    JudgedStudy,
    LeftOutCount,
    PartFailure,
    ParticipantTotals,
    Report,
    ScaleInWords,
    SignatureRow,
)
from meta_eval.report.sentinels import with_sentinels
from meta_eval.stats.coefficients.correlation import check_coefficients
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.version import __version__

LEFT_OUT = {
    "documents_with_one_reader": (
        "documents with one reader only: no pair to compare, so not in the automatic scores"
    ),
    "missing_distances": "pairs of texts whose distance the measure could not compute; missing, not zero",
    "empty_texts": (
        "texts in which the measure finds nothing after preprocessing and tokenising; at distance 1 from "
        "texts in which it finds something"
    ),
    "surrogate_missing_distances": (
        "distances that the human scores need and the surrogate measure could not compute; missing, not zero"
    ),
    "surrogate_empty_texts": "texts of rated documents in which the surrogate measure finds nothing",
    "empty_summaries": "summaries without any text; at distance 1 from every text that has words",
    "missing_summaries": "summaries that a system did not write; they enter no score",
    "pairs_too_few": "rated pairs with fewer ratings than required; not in the human scores",
    "pairs_below_full": "pairs that count with fewer ratings than planned, because the minimum was lowered",
    "pairs_unrated": "planned pairs that nobody has rated yet",
    "pairs_not_judged": (
        "planned pairs without all their ratings, because as many raters as were wanted could not judge them"
    ),
    "surplus_questionnaires": "questionnaires submitted after their places were taken; not in the scores",
    "marked_questionnaires": (
        "questionnaires submitted with a pair that their raters could not judge; their ratings are kept, but "
        "not in the scores"
    ),
    "open_questionnaires": "questionnaires begun and not yet submitted; their ratings are not in the scores",
    "expired_questionnaires": "questionnaires given up; their ratings are kept, but not in the scores",
}
"""What may be left out or stand apart, and why: every key of `left_out` in a report."""

_AUTOMATIC_COUNTS = ("documents_with_one_reader", "missing_distances", "empty_texts")
_SURROGATE_COUNTS = {
    "surrogate_missing_distances": "missing_distances",
    "surrogate_empty_texts": "empty_texts",
}
_HUMAN_COUNTS = ("pairs_too_few", "pairs_below_full")


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportFacts:
    """What no score record holds.

    `subject` names batch and corpus, `plan` and `ratings` count what was planned and what raters did (with
    `simulated_raters` and `simulated_ratings` among them), `options` is what was asked for; `systems` are
    those of the survey; `counts` further left-outs by their key in `LEFT_OUT`; `participants` totals of what
    people said of themselves.
    """

    scale: Scale
    subject: Mapping[str, Any]
    plan: Mapping[str, int]
    ratings: Mapping[str, Any]
    options: Mapping[str, Any]
    systems: Sequence[str]
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    participants: Sequence[ParticipantTotals] = ()


def assemble_report(
    *,
    automatic: Sequence[Record],
    human: Sequence[Record],
    facts: ReportFacts,
    failures: Sequence[PartFailure] = (),
    certain: CertainCorrelations | None = None,
    same_texts: Sequence[SameTexts] = (),
) -> Report:
    """The report, nothing rounded.

    `automatic` as `AutomaticScores.records`, `human` as `HumanScores.records`, `certain` as `infer_report`
    returns it. Of systems with the `same_texts` one counts in correlations. Where the two sides cannot be
    correlated, `problem` says why and the rest stands.
    """
    asked = check_coefficients(facts.options.get("coefficients", COEFFICIENTS))
    gone, same = counted_with_others(same_texts), same_texts_notes(same_texts)
    people, machines = ([row for row in side if row["system"] not in gone] for side in (human, automatic))
    correlations, problem = _correlations(people, machines, asked)
    inference = None if certain is None else certain.inference
    judged = inference.judged if inference else None
    if certain is not None:
        correlations = _with_certainty(correlations, certain.correlations)
    documents = max((record["documents"] for record in human), default=None)
    automatic = penalise_rouge(automatic)
    answer = answer_in_words(
        correlations,
        problem,
        inference,
        documents,
        warnings=[*_warnings(automatic, human), *_unseen(failures), *same],
        rated=Rated.of(facts.subject, facts.plan, facts.ratings),
    )
    report = Report(
        subject=dict(facts.subject),
        answer=with_declaration(with_sentinels(answer, inference), inference),
        problem=problem,
        scale=describe_scale(facts.scale, Ends.from_record(facts.options)),
        options=dict(facts.options),
        plan=dict(facts.plan),
        ratings=dict(facts.ratings),
        leaderboard=(*rank_scores(automatic, human, facts.systems), *judged_board(judged)),
        correlations=correlations,
        inference=inference,
        left_out=tuple(_left_out(automatic, human, facts)),
        failures=tuple(failures),
        notes=tuple(dict.fromkeys((*facts.notes, *_remarks(automatic, human), *same))),
        participants=tuple(facts.participants),
        signatures=(*_signatures(automatic, human), *_judged_signatures(judged)),
        versions={
            "meta_eval": __version__,
            "python": platform.python_version(),
            **library_versions("numpy", "scipy"),
        },
    )
    return replace(report, published=compare_published(report))


def describe_scale(scale: Scale, ends: Ends = SIX_POINTS) -> ScaleInWords:
    """The direction of the ratings in words and as the formula of protocol 7."""
    lowest, highest = ends.lowest, ends.highest
    if scale == "similarity":
        return ScaleInWords(
            scale,
            f"Raters judged similarity: {lowest} is low, {highest} is very high.",
            f"({highest} - r) / {highest - lowest}",
        )
    return ScaleInWords(
        scale,
        f"Raters judged dissimilarity: {lowest} is very similar, {highest} is very dissimilar.",
        f"(r - {lowest}) / {highest - lowest}",
    )


def count_absent_texts(corpus: Corpus) -> dict[str, int]:
    """How many summaries are empty, and how many of those due were not written."""
    due = sum(len(document.references) for document in corpus.documents) * len(corpus.systems)
    written = [
        text
        for document in corpus.documents
        for texts in document.summaries.values()
        for text in texts.values()
    ]
    return {
        "empty_summaries": sum(not text.strip() for text in written),
        "missing_summaries": due - len(written),
    }


def _correlations(
    human: Sequence[Record], automatic: Sequence[Record], coefficients: Sequence[Coefficient]
) -> tuple[tuple[CorrelationRow, ...], str | None]:
    """All correlations, each marked where both sides rest on the same measure's distances."""
    if not human or not automatic:
        missing = " and ".join(
            side for side, records in (("human", human), ("automatic", automatic)) if not records
        )
        return (), f"There are no {missing} scores, so nothing can be correlated."
    try:
        records = correlate_records(human, automatic, coefficients=coefficients)
    except InputError as error:
        return (), str(error)
    return tuple(CorrelationRow(**record) for record in records), None


def _with_certainty(
    correlations: Iterable[CorrelationRow], certain: Iterable[CorrelationRow]
) -> tuple[CorrelationRow, ...]:
    """The correlations, each with interval, p, ceiling and what it hangs on, where these are known."""
    known = {row.key: row for row in certain}
    return tuple(
        replace(known[row.key], n=row.n, estimate=row.estimate, reason=row.reason)
        if row.key in known
        else row
        for row in correlations
    )


def _warnings(automatic: Iterable[Record], human: Iterable[Record]) -> Iterator[str]:
    """A warning for each measure that finds nothing in most texts, and for what it does not see of them."""
    named = [(f"Measure {record['measure']}", record) for record in automatic]
    named += [(f"Surrogate {record['surrogate']}", record) for record in human]
    for name, record in dict(named).items():
        if warning := describe_empty(name, record["left_out"]["empty_texts"], record["texts"]):
            yield warning
    named = [(name, record) for name, record in named if record.get("coverage")]
    for name in dict(named):
        seen = {record["system"]: record["coverage"] for other, record in named if other == name}
        if warning := describe_coverage(name, seen, hint_of(dict(named)[name]["signature"])):
            yield warning


def _unseen(failures: Iterable[PartFailure]) -> Iterator[str]:
    """A caution for each measure that has no scores because it does not see the texts."""
    for failure in failures:
        if says_unseen(failure.reason):
            yield f"{failure.measure} has no {failure.side} scores. {failure.reason}"


def _remarks(automatic: Iterable[Record], human: Iterable[Record]) -> list[str]:
    """What measures leave out in the language of the corpus, each measure once."""
    named = {record["measure"]: record for record in automatic}
    named |= {record["surrogate"]: record for record in human}
    return [f"{name}: {record['remark']}" for name, record in named.items() if record.get("remark")]


def _left_out(
    automatic: Sequence[Record], human: Sequence[Record], facts: ReportFacts
) -> Iterator[LeftOutCount]:
    """Counts with their reason, zeros too: they say that it was looked for."""
    by_measure = {record["measure"]: record["left_out"] for record in automatic}
    for what in _AUTOMATIC_COUNTS:
        yield from _counts(what, {measure: counts.get(what, 0) for measure, counts in by_measure.items()})
    by_surrogate = {record["surrogate"]: record["left_out"] for record in human}
    for what, counted in _SURROGATE_COUNTS.items():
        yield from _counts(what, {name: counts[counted] for name, counts in by_surrogate.items()})
    for what in _HUMAN_COUNTS:
        yield from _counts(what, {record["surrogate"]: record[what] for record in human})
    # In the order of the reasons: a database may hand the counts back in any order.
    for what in sorted(facts.counts, key=list(LEFT_OUT).index):
        yield _count(what, None, facts.counts[what])


def _counts(what: str, by_measure: Mapping[str, int]) -> Iterator[LeftOutCount]:
    """One row where all measures agree, else one for each measure."""
    if len(set(by_measure.values())) == 1:
        yield _count(what, None, next(iter(by_measure.values())))
        return
    for measure, count in by_measure.items():
        yield _count(what, measure, count)


def _count(what: str, measure: str | None, count: int) -> LeftOutCount:
    return LeftOutCount(what, measure, count, LEFT_OUT[what])


def _signatures(automatic: Iterable[Record], human: Iterable[Record]) -> Iterator[SignatureRow]:
    """Each measure's and surrogate's full signature with its digest, once."""
    sides = (("automatic", "measure", automatic), ("human", "surrogate", human))
    for side, key, records in sides:
        for measure, record in {record[key]: record for record in records}.items():
            signature = Signature(**record["signature"])
            yield SignatureRow(side, measure, record["normalise"], signature.digest, signature.as_dict())


def _judged_signatures(study: JudgedStudy | None) -> Iterator[SignatureRow]:
    """Those of a judge's measures, which rest on no distance."""
    for measure, record in (study.signatures if study else {}).items():
        signature = read_signature(record)
        yield SignatureRow("judged", measure, "none", signature.digest, signature.as_dict())
