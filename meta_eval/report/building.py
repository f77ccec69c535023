"""From a corpus and a survey to the whole report: every part scored, what fails named, both sides joined."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import Normalise, compute_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.measures import Measure
from meta_eval.ratings.rating import Rating
from meta_eval.ratings.survey import Survey
from meta_eval.report.assembling import (
    PartFailure,
    ReportFacts,
    assemble_report,
    count_absent_texts,
)
from meta_eval.report.inference.infer import (
    InferenceInputs,
    failed_inference,
    infer_report,
)
from meta_eval.report.inference.table import restrict_to_rated
from meta_eval.report.options import InferenceOptions, Part, ReportOptions, measure_id
from meta_eval.report.published import PublishedTable, published_options
from meta_eval.scores.automatic import AutomaticScores, score_systems
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores, score_humans

ReportProgress = Callable[[str, int, int], None]
"""Called with the part at work, how much of it is done, and how much there is."""

log = logging.getLogger(__name__)


@dataclass
class ReportScores:
    """Scores of both sides by measure, in the order of the report."""

    automatic: dict[str, AutomaticScores] = field(default_factory=dict)
    human: dict[str, HumanScores] = field(default_factory=dict)

    def add(
        self,
        part: Part,
        corpus: Corpus,
        survey: Survey,
        options: ReportOptions,
        *,
        systems: Sequence[str] | None = None,
        progress: Progress | None = None,
        store: DistanceStore | None = None,
    ) -> None:
        """Compute one part; raises what its measure raises."""
        side, spec = part
        measure = options.measure(spec)
        shared: dict[str, Any] = {
            "normalise": options.normalise,
            "options": options.score_options,
            "progress": progress,
            "store": store,
        }
        if side == "automatic":
            self.automatic[measure.id] = score_systems(corpus, measure, systems=systems, **shared)
        else:
            found = survey.divergences(options.min_raters)
            self.human[measure.id] = score_humans(corpus, found, measure, **shared)

    @property
    def automatic_records(self) -> list[dict[str, Any]]:
        return [record for made in self.automatic.values() for record in made.records()]

    @property
    def human_records(self) -> list[dict[str, Any]]:
        return [record for made in self.human.values() for record in made.records()]


def gather_inputs(
    corpus: Corpus,
    *,
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    measures: Mapping[str, Measure],
    ratings: Sequence[Rating],
    normalise: Normalise,
    store: DistanceStore | None = None,
) -> InferenceInputs:
    """What the statistics need: the scores, and each measure's distances over the rated pairs alone."""
    if not human:
        raise InputError("There are no human scores, so there is nothing to infer.")
    divergences = next(iter(human.values())).divergences
    rated = divergences.select_rated(corpus)
    tables = {
        name: compute_distances(
            rated,
            measure.fit(corpus.reference_texts),
            systems=divergences.systems,
            normalise=normalise,
            store=store,
        )
        for name, measure in measures.items()
    }
    return InferenceInputs(
        automatic=automatic,
        matched={name: restrict_to_rated(table, rated, divergences) for name, table in tables.items()},
        human=human,
        corpus=rated,
        ratings=ratings,
    )


def infer_scores(
    scores: ReportScores,
    corpus: Corpus,
    survey: Survey,
    options: ReportOptions,
    inference: InferenceOptions,
    *,
    progress: ReportProgress | None = None,
    store: DistanceStore | None = None,
) -> dict[str, Any]:
    """How sure the report is; what goes wrong is said in the result and does not take the rest with it."""
    specs = {measure_id(spec): spec for spec in options.measures}
    try:
        inputs = gather_inputs(
            corpus,
            automatic={name: made.contributions for name, made in scores.automatic.items()},
            human=scores.human,
            measures={name: options.measure(specs[name]) for name in scores.automatic},
            ratings=survey.ratings,
            normalise=options.normalise,
            store=store,
        )
    except Exception as error:
        return failed_inference(inference, error)
    return infer_report(inputs, options=inference, progress=progress)


def build_report(
    corpus: Corpus,
    survey: Survey,
    options: ReportOptions,
    *,
    inference: InferenceOptions | None = None,
    names: Mapping[str, str] | None = None,
    published: Sequence[PublishedTable] = (),
    same_systems: Mapping[str, str] | None = None,
    progress: ReportProgress | None = None,
    store: DistanceStore | None = None,
) -> dict[str, Any]:
    """The report on a survey, as the web site builds it from the same ratings.

    `names` calls the survey (`batch`) and its `corpus`. Ours stand beside `published` tables; `same_systems`
    says what these call our systems. A part that fails is named under `failures` with its
    reason; raises `MetaEvalError` only if every part fails.
    """
    inference = inference or InferenceOptions()
    beside = published_options(published, same_systems, corpus.systems)
    survey.divergences(options.min_raters)  # too few ratings for anything: said before anything is computed
    scores, failures = _score_parts(corpus, survey, options, progress, store)
    if len(failures) == len(options.parts):
        raise MetaEvalError(" ".join(dict.fromkeys(failure.reason for failure in failures)))
    found = infer_scores(
        scores, corpus, survey, options, inference, progress=_statistics(progress), store=store
    )
    stored = {**_stored(options, survey, inference), **beside}
    facts = _facts(corpus, survey, stored, names or {})
    return assemble_report(
        automatic=scores.automatic_records,
        human=scores.human_records,
        facts=facts,
        failures=failures,
        inference=found,
    )


def _score_parts(
    corpus: Corpus,
    survey: Survey,
    options: ReportOptions,
    progress: ReportProgress | None,
    store: DistanceStore | None,
) -> tuple[ReportScores, list[PartFailure]]:
    scores, failures = ReportScores(), []
    for part in options.parts:
        try:
            scores.add(part, corpus, survey, options, progress=_part_progress(part, progress), store=store)
        except MetaEvalError as error:
            failures.append(PartFailure(*part, str(error)))
        except Exception as error:
            log.exception("The %s scores by %s failed", *part)
            failures.append(PartFailure(*part, f"Unexpected error ({type(error).__name__}): {error}"))
    return scores, failures


def _part_progress(part: Part, progress: ReportProgress | None) -> Progress | None:
    if progress is None:
        return None
    title = f"{part[0].capitalize()} scores by {part[1]}"
    return lambda done, total: progress(title, done, total)


def _statistics(progress: ReportProgress | None) -> ReportProgress | None:
    if progress is None:
        return None
    return lambda part, done, total: progress(f"Statistics: {part}", done, total)


def _stored(options: ReportOptions, survey: Survey, inference: InferenceOptions) -> dict[str, Any]:
    """The options as a report holds them, every default filled in."""
    asked = {**asdict(options), "measures": list(options.measures), "surrogates": list(options.surrogates)}
    needed = options.min_raters or survey.study["raters"]
    return {**asked, "min_raters": needed, **inference.asked}


def _facts(
    corpus: Corpus, survey: Survey, options: Mapping[str, Any], names: Mapping[str, str]
) -> ReportFacts:
    return ReportFacts(
        scale=survey.scale,
        subject={
            "batch": names.get("batch", ""),
            "question": survey.study.get("question", ""),
            "corpus": names.get("corpus", ""),
            "corpus_hash": corpus.content_hash,
            "corpus_documents": len(corpus.documents),
            "seed": survey.plan.get("seed"),
        },
        plan=survey.plan_counts,
        ratings=survey.rating_counts,
        options=options,
        systems=survey.plan["systems"],
        counts={**count_absent_texts(corpus), **survey.unrated_pairs},
        notes=[*corpus.notes, *_plan_notes(survey)],
    )


def _plan_notes(survey: Survey) -> Iterator[str]:
    if survey.plan.get("from_ratings"):
        yield (
            "The plan of the survey is taken from its ratings; what was planned and never rated is not known."
        )
