"""The report once more, from a bundle's texts and ratings with the library alone."""

from collections.abc import Mapping
from dataclasses import dataclass

from meta_eval.corpus.documents import Corpus
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.report.assembling import ReportFacts, count_absent_texts
from meta_eval.report.building import (
    ComputedScores,
    ReportProgress,
    ReportScores,
    infer_scores,
    join_scores,
    score_parts,
)
from meta_eval.report.options import Part, ReportOptions, measure_id
from meta_eval.report.schema import PartFailure, Report

NO_TEXTS = "the bundle holds hashes in place of the texts; give the corpus to check these"


@dataclass(frozen=True, slots=True)
class Recomputation:
    """The report as recomputed, and for each part that could not be: why."""

    report: Report
    skipped: Mapping[Part, str]
    corpus: Corpus | None


def recompute_report(data: BundleData, *, progress: ReportProgress | None = None) -> Recomputation:
    """Every score and correlation that can be computed here; parts that failed in the report stay out."""
    options = ReportOptions.from_record(data.report.options)
    parts, certain = _parts(data.report, options), None
    if data.corpus is None:
        scores = ReportScores(failures=[PartFailure(*part, NO_TEXTS) for part in parts])
    else:
        source = ComputedScores(data.corpus, data, options, systems=data.study["corpus_systems"])
        scores = score_parts(source, parts, progress, strict=True)
        if data.report.inference and not scores.failures:
            certain = infer_scores(scores, source, options, data.report.inference.options)
    skipped = {(failure.side, measure_id(failure.measure)): failure.reason for failure in scores.failures}
    report = join_scores(scores, _facts(data), certain, data.report.failures)
    return Recomputation(report, skipped, data.corpus)


def _parts(report: Report, options: ReportOptions) -> list[Part]:
    failed = {(failure.side, failure.measure) for failure in report.failures}
    return [part for part in options.parts if part not in failed]


def _facts(data: BundleData) -> ReportFacts:
    """Counts from the bundle's own rows; what only the survey knew is taken as it stands."""
    stored, corpus = data.report, data.corpus
    subject = dict(stored.subject)
    counts = data.unrated_pairs
    if corpus is not None:
        subject |= {"corpus_hash": corpus.content_hash, "corpus_documents": len(corpus.documents)}
        counts |= count_absent_texts(corpus)
    subject["seed"] = data.plan.get("seed")
    return ReportFacts(
        scale=data.scale,
        subject=subject,
        plan=data.plan_counts,
        ratings=data.rating_counts,
        options=stored.options,
        systems=data.plan["systems"],
        counts=counts,
        notes=stored.notes,
        participants=stored.participants,
    )
