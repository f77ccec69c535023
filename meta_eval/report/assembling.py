"""Both sides joined: leaderboard, correlations, what was left out, and what it all means, ready for JSON.

Keys of a report: `schema`, `schema_version`, `subject`, `answer`, `problem`, `scale`, `options`, `plan`,
`ratings`, `leaderboard`, `correlations`, `left_out`, `failures`, `notes`, `signatures`, `versions`,
`published` (ours beside published numbers: `meta_eval.report.published`), and `inference`: None where none
was made, else what `meta_eval.report.inference.infer` returns. A part of it that could not be made is empty
(None or []), and `problems` says why. Nothing undefined is a number.

    options      {seed, resamples, level, resampled (as `stats.table.inferred.Resampled`), adjustment,
                 coefficients, families {system: family}, splits, simulations, agreement_resamples, alpha}
    problems     [{part, reason, failed}]; `failed` where trying again may help
    cells        one for each row of `correlations`, in their order: {human, surrogate, automatic, measure,
                 coefficient, n, estimate, reason, shared_input, ci_low, ci_high, ci_method, ci_over (what
                 the interval is about), ci_level, ci_reason, resamples, degenerate, p_value, p_method,
                 p_adjusted (within its human score), p_adjustment, ceiling, ceiling_method, ceiling_reason,
                 without_low, without_high (the coefficient with one system left out), carried_by [systems]}
    matched      as `cells`, but without the last six keys: automatic scores over rated documents and pairs
    bare         as `matched`, with surrogate None: DEGRESS-HJ and EGISES-HJ without any surrogate
    left_out_systems  one for each of `cells`: {human, surrogate, automatic, measure, shared_input,
                 coefficient, n, estimate, systems: [{system, estimate (without it), change, reason,
                 carries}]}
    interval_methods  one for each of `cells`, from the same resamples: {human, surrogate, automatic, measure,
                 shared_input, coefficient, n, estimate, percentile_low, percentile_high, percentile_reason,
                 bca_low, bca_high, bca_reason, ci_over}
    families     as `matched`, each with {family, systems}: the coefficient within a family, undefined for
                 fewer than three systems
    levels       [{human, surrogate, automatic, measure, shared_input, coefficient, level: system | document
                 (mean over documents) | item (reader pairs), n (systems, documents, items), undefined
                 (documents without one), estimate, reason, ci_low, ci_high, ci_method, ci_over, ci_level,
                 ci_reason}], over rated documents and pairs
    ceilings     [{human, surrogate, coefficient, method, ceiling, reliability, low, high, used, reason}]
    ranking      [{measure, estimate (mean tau-b of PerSEval over surrogates), n, surrogates, ci_low, ci_high,
                 ci_method, ci_over, ci_level, ci_reason, ceiling, significant (of how many surrogates),
                 carried_by, group (1: cannot be told apart from the best)}], best first
    comparisons  [{measure, other, difference, ci_low, ci_high, ci_method, ci_over, p_value, p_method,
                 p_adjusted}] of `ranking`
    agreement    {coefficients: [{coefficient, title, estimate, ci_low, ci_high, ci_method, ci_level, reason,
                 ci_reason}], units, ratings, single, repeated, table (6 x 6 counts of pairs of ratings)}
    stability    [{score, measure, delta, shares: [{share, documents, samples, coefficient, minimum, mean,
                 maximum, undefined}], systems: [{system, means, bias, variance}]}]
    paradox      [{measure, coefficient, n, estimate, reason}]: DEGRESS against PerSEval rankings
    aggregation  [{surrogate, measure, accuracy, coefficient, metric, accuracy_alone, combined}]
    ablation     [{surrogate, measure, scope (matched: automatic scores over rated documents and pairs),
                 beta, coefficient, n, estimate, reason}]
"""

import platform
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import meta_eval
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import describe_empty
from meta_eval.errors import InputError
from meta_eval.measures.base import Signature, library_versions
from meta_eval.ratings.rating import HIGHEST, LOWEST, Scale
from meta_eval.report.answer import answer_in_words
from meta_eval.report.leaderboard import penalise_accuracy, rank_scores
from meta_eval.report.published import compare_published
from meta_eval.report.reliability import Record, correlate_records, shares_input
from meta_eval.stats.coefficients.correlation import check_coefficients
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient

SCHEMA = "concord-report"
SCHEMA_VERSION = 4


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
        "distances of rated readers that the surrogate measure could not compute; missing, not zero"
    ),
    "surrogate_empty_texts": "texts of rated documents in which the surrogate measure finds nothing",
    "empty_summaries": "summaries without any text; at distance 1 from every text that has words",
    "missing_summaries": "summaries that a system did not write; they enter no score",
    "pairs_too_few": "rated pairs with fewer ratings than required; not in the human scores",
    "pairs_below_full": "pairs that count with fewer ratings than planned, because the minimum was lowered",
    "pairs_unrated": "planned pairs that nobody has rated yet",
    "surplus_questionnaires": "questionnaires submitted after their places were taken; not in the scores",
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


@dataclass(frozen=True, slots=True)
class PartFailure:
    """A measure (`side` automatic) or surrogate (`side` human) that could not be computed, and why."""

    side: str
    measure: str
    reason: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ReportFacts:
    """What no score record holds.

    `subject` names batch and corpus, `plan` and `ratings` count what was planned and what raters did (with
    `simulated_raters` and `simulated_ratings` among them), `options` is what was asked for; `systems` are
    those of the survey; `counts` further left-outs by their key in `LEFT_OUT`.
    """

    scale: Scale
    subject: Mapping[str, Any]
    plan: Mapping[str, int]
    ratings: Mapping[str, Any]
    options: Mapping[str, Any]
    systems: Sequence[str]
    counts: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()


def assemble_report(
    *,
    automatic: Sequence[Record],
    human: Sequence[Record],
    facts: ReportFacts,
    failures: Sequence[PartFailure] = (),
    inference: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The report as plain values, nothing rounded.

    `automatic` as `AutomaticScores.records`, `human` as `HumanScores.records`, `inference` as `infer_report`
    returns it. Where the two sides cannot be correlated, `problem` says why and the rest
    stands.
    """
    asked = check_coefficients(facts.options.get("coefficients", COEFFICIENTS))
    correlations, problem = _correlations(human, automatic, asked)
    documents = max((record["documents"] for record in human), default=None)
    automatic = [{**record, **penalise_accuracy(record)} for record in automatic]
    report = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "subject": dict(facts.subject),
        "answer": answer_in_words(
            correlations, problem, inference, documents, list(_warnings(automatic, human))
        ),
        "problem": problem,
        "scale": describe_scale(facts.scale),
        "options": dict(facts.options),
        "plan": dict(facts.plan),
        "ratings": dict(facts.ratings),
        "leaderboard": list(rank_scores(automatic, human, facts.systems)),
        "correlations": correlations,
        "inference": None if inference is None else _mark_inference(inference, human),
        "left_out": list(_left_out(automatic, human, facts)),
        "failures": [
            {"side": failure.side, "measure": failure.measure, "reason": failure.reason}
            for failure in failures
        ],
        "notes": list(facts.notes),
        "signatures": list(_signatures(automatic, human)),
        "versions": {
            "meta_eval": meta_eval.__version__,
            "python": platform.python_version(),
            **library_versions("numpy", "scipy"),
        },
    }
    return {**report, "published": compare_published(report)}


def describe_scale(scale: Scale) -> dict[str, Any]:
    """The direction of the ratings in words and as the formula of protocol 7."""
    if scale == "similarity":
        return {
            "direction": scale,
            "in_words": f"Raters judged similarity: {LOWEST} is very low, {HIGHEST} is very high.",
            "divergence": f"({HIGHEST} - r) / {HIGHEST - LOWEST}",
        }
    return {
        "direction": scale,
        "in_words": f"Raters judged dissimilarity: {LOWEST} is very similar, {HIGHEST} is very dissimilar.",
        "divergence": f"(r - {LOWEST}) / {HIGHEST - LOWEST}",
    }


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
) -> tuple[list[dict[str, Any]], str | None]:
    """All correlations, each marked where both sides rest on the same measure's distances."""
    if not human or not automatic:
        missing = " and ".join(
            side for side, records in (("human", human), ("automatic", automatic)) if not records
        )
        return [], f"There are no {missing} scores, so nothing can be correlated."
    try:
        records = correlate_records(human, automatic, coefficients=coefficients)
    except InputError as error:
        return [], str(error)
    return _mark_shared(records, human), None


def _mark_shared(rows: Iterable[Record], human: Sequence[Record]) -> list[dict[str, Any]]:
    normalise = human[0]["normalise"] if human else "document"
    return [
        {
            **row,
            "shared_input": shares_input(row["human"], row["surrogate"], row["measure"], normalise=normalise),
        }
        for row in rows
    ]


def _mark_inference(inference: Mapping[str, Any], human: Sequence[Record]) -> dict[str, Any]:
    """The parts of the inference, of which none knows how distances were weighed, marked alike."""
    return {
        part: _mark_shared(rows, human)
        if isinstance(rows, list) and rows and "shared_input" in rows[0]
        else rows
        for part, rows in inference.items()
    }


def _warnings(automatic: Iterable[Record], human: Iterable[Record]) -> Iterator[str]:
    """Of every measure that finds nothing in most texts, once."""
    counts = {f"Measure {record['measure']}": record for record in automatic}
    counts |= {f"Surrogate {record['surrogate']}": record for record in human}
    for name, record in counts.items():
        if warning := describe_empty(name, record["left_out"]["empty_texts"], record["texts"]):
            yield warning


def _left_out(
    automatic: Sequence[Record], human: Sequence[Record], facts: ReportFacts
) -> Iterator[dict[str, Any]]:
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


def _counts(what: str, by_measure: Mapping[str, int]) -> Iterator[dict[str, Any]]:
    """One row where all measures agree, else one for each measure."""
    if len(set(by_measure.values())) == 1:
        yield _count(what, None, next(iter(by_measure.values())))
        return
    for measure, count in by_measure.items():
        yield _count(what, measure, count)


def _count(what: str, measure: str | None, count: int) -> dict[str, Any]:
    return {"what": what, "measure": measure, "count": count, "why": LEFT_OUT[what]}


def _signatures(automatic: Iterable[Record], human: Iterable[Record]) -> Iterator[dict[str, Any]]:
    """Each measure's and surrogate's full signature with its digest, once."""
    sides = (("automatic", "measure", automatic), ("human", "surrogate", human))
    for side, key, records in sides:
        for measure, record in {record[key]: record for record in records}.items():
            signature = Signature(**record["signature"])
            yield {
                "side": side,
                "measure": measure,
                "normalise": record["normalise"],
                "digest": signature.digest,
                "signature": signature.as_dict(),
            }
