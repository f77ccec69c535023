"""The report once more, from a bundle's texts, ratings and sealed distances with the library alone."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from meta_eval.corpus.documents import Corpus
from meta_eval.publish.bundle.consistency import expected_notes, expected_options, expected_subject
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.signed import SignedOptions
from meta_eval.report.assembling import ReportFacts, count_absent_texts
from meta_eval.report.building import (
    ReportProgress,
    ReportScores,
    infer_scores,
    is_unexpected,
    join_scores,
    score_parts,
)
from meta_eval.report.options import Part, ReportOptions, measure_id
from meta_eval.report.schema import Inference, PartFailure, Report
from meta_eval.report.sources import ComputedScores

if TYPE_CHECKING:
    from meta_eval.report.inference.stand_in import StandInOptions

NO_REPLIES = "the bundle holds no reply of the judge; one of hashes has none, since replies quote the texts"
NO_TEXTS = "the bundle holds hashes in place of the texts; give the corpus to check these"


@dataclass(frozen=True, slots=True)
class Recomputation:
    """The report as recomputed, and for each part that could not be: why."""

    report: Report
    skipped: Mapping[Part, str]
    corpus: Corpus | None


def recompute_report(data: BundleData, *, progress: ReportProgress | None = None) -> Recomputation:
    """Every score and correlation that can be computed here; parts that failed in the report stay out."""
    options = SignedOptions.of(data.report, {one.book.name: one for one in data.sealed})
    parts, certain = _parts(data.report, options), None
    if data.corpus is None:
        scores = ReportScores(failures=[PartFailure(*part, NO_TEXTS) for part in parts])
    else:
        systems = data.study["corpus_systems"]
        judge = None if why_unjudged(data) or data.judge is None else data.judge.judging
        source = ComputedScores(data.corpus, data, options, systems=systems, models=data.models, judge=judge)
        # A check must not take a fault for a gap.
        scores = score_parts(source, parts, progress, through=is_unexpected)
        if data.report.inference and not scores.failures:
            inference = data.report.inference
            certain = infer_scores(scores, source, options, inference.options, stand_in=_stand_in(inference))
    skipped = {(failure.side, measure_id(failure.measure)): failure.reason for failure in scores.failures}
    report = join_scores(scores, _facts(data), certain, data.report.failures)
    return Recomputation(report, skipped, data.corpus)


def why_unjudged(data: BundleData) -> str | None:
    """Why what a judge said of summaries cannot be made again here; None where it can, or there is none."""
    if data.report.inference is None or data.report.inference.judged is None:
        return None
    return data.judge.outdated if data.judge else NO_REPLIES


def _stand_in(inference: Inference) -> "StandInOptions | None":
    """How models were set against people: as the report names it beside each of them."""
    if not inference.stand_in:
        return None
    from meta_eval.report.inference.stand_in import StandInOptions

    asked = inference.stand_in[0].alternative_annotator_test
    mixed = any(one.asks_mixed for one in inference.stand_in)
    return StandInOptions(epsilon=asked.epsilon, alignment=asked.alignment, mixed=mixed)


def _parts(report: Report, options: ReportOptions) -> list[Part]:
    failed = {(failure.side, failure.measure) for failure in report.failures}
    return [part for part in options.parts if part not in failed]


def _facts(data: BundleData) -> ReportFacts:
    """What the bundle's own files give; what no file gives is taken as the report states it."""
    counts = {**data.unrated_pairs, **data.questionnaire_counts}
    if data.corpus is not None:
        counts |= count_absent_texts(data.corpus)
    return ReportFacts(
        scale=data.scale,
        subject=expected_subject(data),
        plan=data.plan_counts,
        ratings=data.rating_counts,
        options=expected_options(data),
        systems=data.plan["systems"],
        counts=counts,
        notes=expected_notes(data),
        participants=data.report.participants,
    )
