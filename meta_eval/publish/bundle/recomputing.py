"""The report once more, from a bundle's texts and ratings with the library alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from meta_eval.corpus.documents import Corpus
from meta_eval.measures import Measure
from meta_eval.measures.lexical import WordMeasure
from meta_eval.publish.bundle.reading import BundleData
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
    """The report as recomputed, and for each part that could not be: why.

    `words_changed` says that a measure would find other words today, by the language of the corpus.
    """

    report: Report
    skipped: Mapping[Part, str]
    corpus: Corpus | None
    words_changed: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class SignedOptions(ReportOptions):
    """The options of a report, with the signatures of its measures by how these were asked for.

    A measure that failed on one side has its signature from the other one.
    """

    signatures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, report: Report) -> "SignedOptions":
        options = ReportOptions.from_record(report.options)
        signed = {(row.side, row.measure): row.signature for row in report.signatures}
        parts = ((side, spec, measure_id(spec)) for side, spec in options.parts)
        named = {spec: signed[side, name] for side, spec, name in parts if (side, name) in signed}
        return cls(**{name: getattr(options, name) for name in ReportOptions.__slots__}, signatures=named)

    def measure(self, spec: str) -> Measure:
        """With the words that the report was made with: what a language asks for may have changed since."""
        made = ReportOptions.measure(self, spec)
        return made.as_signed(self.signatures[spec]) if spec in self.signatures else made

    def words_changed(self, corpus: Corpus, specs: Iterable[str]) -> bool:
        """Whether any of the measures would find other words in the corpus today."""
        made = [(ReportOptions.measure(self, spec), self.measure(spec)) for spec in specs]
        return any(
            now.in_languages(corpus.languages).signature != then.in_languages(corpus.languages).signature
            for now, then in made
            if isinstance(now, WordMeasure)
        )


def recompute_report(data: BundleData, *, progress: ReportProgress | None = None) -> Recomputation:
    """Every score and correlation that can be computed here; parts that failed in the report stay out."""
    options = SignedOptions.of(data.report)
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
    done = [spec for side, spec in parts if (side, measure_id(spec)) not in skipped]
    changed = data.corpus is not None and options.words_changed(data.corpus, done)
    return Recomputation(report, skipped, data.corpus, changed)


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
    """Counts from the bundle's own rows; what only the survey knew is taken as it stands."""
    stored, corpus = data.report, data.corpus
    subject = dict(stored.subject)
    counts = data.unrated_pairs
    if corpus is not None:
        subject |= {"corpus_hash": corpus.content_hash, "corpus_documents": len(corpus.documents)}
        counts |= count_absent_texts(corpus)
    subject["seed"] = data.plan.get("seed")
    subject.pop("generated", None)
    if data.generated:
        subject["generated"] = list(data.generated)
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
