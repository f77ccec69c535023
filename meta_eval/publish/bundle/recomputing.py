"""The report once more, from a bundle's texts and ratings with the library alone."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import MetaEvalError
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.report.assembling import (
    PartFailure,
    ReportFacts,
    assemble_report,
    count_absent_texts,
)
from meta_eval.report.building import ReportScores, infer_scores
from meta_eval.report.options import InferenceOptions, Part, ReportOptions, measure_id

NO_TEXTS = "the bundle holds hashes in place of the texts; give the corpus to check these"


@dataclass
class Recomputation:
    """The report as recomputed, and for each part that could not be: why."""

    report: dict[str, Any] = field(default_factory=dict)
    skipped: dict[Part, str] = field(default_factory=dict)
    corpus: Corpus | None = None


def recompute_report(data: BundleData, *, progress: Progress | None = None) -> Recomputation:
    """Every score and correlation that can be computed here; parts that failed in the report stay out."""
    found, scores = Recomputation(corpus=data.corpus), ReportScores()
    options = ReportOptions.from_record(data.report["options"])
    for part in _parts(data.report, options):
        try:
            systems = data.study["corpus_systems"]
            scores.add(part, _texts(data), data, options, systems=systems, progress=progress)
        except MetaEvalError as error:
            found.skipped[part[0], measure_id(part[1])] = str(error)
    inferred = data.report.get("inference") is not None and not found.skipped
    found.report = assemble_report(
        automatic=scores.automatic_records,
        human=scores.human_records,
        facts=_facts(data),
        failures=[PartFailure(**failure) for failure in data.report["failures"]],
        inference=_infer(data, scores, options) if inferred else None,
    )
    return found


def _parts(report: Mapping[str, Any], options: ReportOptions) -> list[Part]:
    failed = {(failure["side"], failure["measure"]) for failure in report["failures"]}
    return [part for part in options.parts if part not in failed]


def _texts(data: BundleData) -> Corpus:
    if data.corpus is None:
        raise MetaEvalError(NO_TEXTS)
    return data.corpus


def _infer(data: BundleData, scores: ReportScores, options: ReportOptions) -> dict[str, Any]:
    """The statistics with the seed and options of the report."""
    inference = InferenceOptions(**data.report["inference"]["options"])
    return infer_scores(scores, _texts(data), data, options, inference)


def _facts(data: BundleData) -> ReportFacts:
    """Counts from the bundle's own rows; what only the survey knew is taken as it stands."""
    stored, corpus = data.report, data.corpus
    subject = dict(stored["subject"])
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
        options=stored["options"],
        systems=data.plan["systems"],
        counts=counts,
        notes=stored["notes"],
    )
