"""From a corpus and a survey to the whole report: every part scored, what fails named, both sides joined."""

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.survey import Survey
from meta_eval.report.assembling import ReportFacts, assemble_report
from meta_eval.report.facts import facts_of_survey
from meta_eval.report.inference.attempts import InferenceProgress, Through, nothing_through
from meta_eval.report.inference.gathering import gather_inputs
from meta_eval.report.inference.infer import CertainCorrelations, failed_inference, infer_report
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.options import InferenceOptions, Part, ReportOptions, measure_id
from meta_eval.report.published.comparing import published_options
from meta_eval.report.published.reading import PublishedTable
from meta_eval.report.same_texts import SameTexts, find_same_texts
from meta_eval.report.schema import PartFailure, Report
from meta_eval.report.sources import ComputedScores, PartScores, ScoreSource
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores

if TYPE_CHECKING:
    from meta_eval.report.inference.judging import Judge
    from meta_eval.report.inference.stand_in import ModelInputs, StandInOptions

ReportProgress = Callable[[str, int, int], None]
"""Called with the part at work, how much of it is done, and how much there is."""

log = logging.getLogger(__name__)


@dataclass
class ReportScores:
    """Scores of both sides by measure, in the order of the report, and the parts that could not be had."""

    automatic: dict[str, PartScores[Contributions]] = field(default_factory=dict)
    human: dict[str, PartScores[HumanScores]] = field(default_factory=dict)
    failures: list[PartFailure] = field(default_factory=list)
    same_texts: tuple[SameTexts, ...] = ()


class NothingScoredError(MetaEvalError):
    """Every part of a report failed; the message says why, each reason once."""


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
    models: Sequence[ModelTable] = (),
    stand_in: "StandInOptions | None" = None,
    judge: "Judge | None" = None,
    generated: Sequence[Mapping[str, Any]] = (),
) -> Report:
    """Build the report on a survey, as the web site builds it from the same ratings.

    A part that fails is named under `failures` with its reason.

    Parameters
    ----------
    corpus, survey : the survey from `survey_of_ratings`
    options, inference : which scores, and how sure they are
    names : what to call the survey (`batch`) and its `corpus`
    published, same_systems : tables that stand beside ours, and what they call our systems
    progress, store : told how far the work is; keeps distances
    models, stand_in : what language models said, and how they are set beside people
    judge : what it gives single summaries is set against people as measures are
    generated : records of how systems came about, as `generate` makes them; those of the survey are kept

    Returns
    -------
    Report

    Raises
    ------
    MetaEvalError : if every part fails; `InputError` for options that a report does not keep

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.ratings.rating import Rating
    >>> from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, {"A": own, "B": {**own, "bob": "rain"}}),))
    >>> rated = {"user": 2, "A": 2, "B": 6}
    >>> ratings = [Rating("d", name, "ann", "bob", "p", value) for name, value in rated.items()]
    >>> survey = survey_of_ratings(rows_of_ratings(ratings), scale="similarity", systems=corpus.systems)
    >>> options = ReportOptions(measures=("jsd",), surrogates=("jsd",))
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> build_report(corpus, survey, options, inference=quick).leaderboard[0].system
    'A'
    """
    inference = inference or InferenceOptions()
    _refuse_unkept(stand_in)
    beside = published_options(published, same_systems, corpus.systems)
    survey.divergences(options.min_raters)  # too few ratings for anything: said before anything is computed
    stored = {**_stored(options, survey, inference), **beside}
    return report_on_scores(
        ComputedScores(corpus, survey, options, store=store, models=models, judge=judge),
        options,
        inference,
        facts_of_survey(corpus, survey, stored, names or {}, generated),
        progress=progress,
        stand_in=stand_in,
    )


def _refuse_unkept(stand_in: "StandInOptions | None") -> None:
    """A sealed report is recomputed from what it keeps, and names no rater."""
    if stand_in and (stand_in.expert is not None or stand_in.named):
        raise InputError(
            "a report keeps no rater's name, so it takes no `expert` and no `named` of StandInOptions: "
            "leave them out, or use `judge stand-in` (`compare_with_people`)"
        )


def report_on_scores(
    source: ScoreSource,
    options: ReportOptions,
    inference: InferenceOptions,
    facts: ReportFacts,
    *,
    progress: ReportProgress | None = None,
    on_statistics: InferenceProgress | None = None,
    stand_in: "StandInOptions | None" = None,
    through: Through = nothing_through,
) -> Report:
    """Score every part, infer how sure the scores are, and join both sides: the one way to a report.

    Parameters
    ----------
    source : of the scores: computed now, read from runs, or from a bundle
    options, inference : which scores, and how sure they are
    facts : what the report says of survey and corpus
    progress, on_statistics : told how far the work is; the second while the statistics are made
    stand_in : how models are set beside people
    through : which errors are raised instead of being noted of the part that meets them

    Returns
    -------
    Report

    Raises
    ------
    NothingScoredError : if every part fails

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.ratings.rating import Rating
    >>> from meta_eval.ratings.survey import rows_of_ratings, survey_of_ratings
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, {"A": own, "B": {**own, "bob": "rain"}}),))
    >>> rated = {"user": 2, "A": 2, "B": 6}
    >>> ratings = [Rating("d", name, "ann", "bob", "p", value) for name, value in rated.items()]
    >>> survey = survey_of_ratings(rows_of_ratings(ratings), scale="similarity", systems=corpus.systems)
    >>> options = ReportOptions(measures=("jsd",), surrogates=("jsd",))
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> facts = facts_of_survey(corpus, survey, {}, names={"batch": "Weather"})
    >>> report_on_scores(ComputedScores(corpus, survey, options), options, quick, facts).subject["batch"]
    'Weather'
    """
    scores = score_parts(source, options.parts, progress, through=through)
    if len(scores.failures) == len(options.parts):
        raise NothingScoredError(" ".join(dict.fromkeys(failure.reason for failure in scores.failures)))
    told = on_statistics or _of_statistics(progress)
    certain = infer_scores(
        scores, source, options, inference, progress=told, stand_in=stand_in, through=through
    )
    return join_scores(scores, facts, certain, scores.failures)


def score_parts(
    source: ScoreSource,
    parts: Iterable[Part],
    progress: ReportProgress | None = None,
    *,
    through: Through = nothing_through,
) -> ReportScores:
    """Every part that can be had; what fails is noted with its reason and does not take the rest with it.

    What goes `through` is raised instead.
    """
    scores = ReportScores()
    for side, spec in parts:
        try:
            if side == "automatic":
                scores.automatic[measure_id(spec)] = source.automatic(spec, _of_part(side, spec, progress))
            else:
                scores.human[measure_id(spec)] = source.human(spec, _of_part(side, spec, progress))
        except Exception as error:
            if through(error):
                raise
            reason = str(error)
            if is_unexpected(error):
                log.exception("The %s scores by %s failed", side, spec)
                reason = f"Unexpected error ({type(error).__name__}): {error}"
            scores.failures.append(PartFailure(side, spec, reason))
    return replace(scores, same_texts=_same_texts(scores, source, through))


def _same_texts(scores: ReportScores, source: ScoreSource, through: Through) -> tuple[SameTexts, ...]:
    """Of all systems that have scores; by the corpus alone where the ratings cannot be had any more."""
    records = [part.records for part in scores.automatic.values()]
    records += [part.records for part in scores.human.values()]
    systems = {record["system"] for made in records for record in made}
    try:
        ratings = source.ratings
    except Exception as error:
        if through(error):
            raise
        ratings = ()  # the statistics meet the same error, and say it
    return find_same_texts(source.corpus, ratings, systems)


def is_unexpected(error: Exception) -> bool:
    """Whether it is what no measure should raise."""
    return not isinstance(error, MetaEvalError)


def infer_scores(
    scores: ReportScores,
    source: ScoreSource,
    options: ReportOptions,
    inference: InferenceOptions,
    *,
    progress: InferenceProgress | None = None,
    stand_in: "StandInOptions | None" = None,
    through: Through = nothing_through,
) -> CertainCorrelations:
    """How sure the report is; what goes wrong is said in the result and does not take the rest with it.

    What goes `through` is raised instead.
    """
    specs = {measure_id(spec): spec for spec in options.measures}
    try:
        inputs = gather_inputs(
            source.corpus,
            automatic={name: part.load() for name, part in scores.automatic.items()},
            human={name: part.load() for name, part in scores.human.items()},
            measures={name: options.measure(specs[name]) for name in scores.automatic},
            ratings=source.ratings,
            normalise=options.normalise,
            store=source.store,
            same_texts=scores.same_texts,
        )
        inputs = replace(inputs, judge=source.judge)
        if source.models:
            inputs = replace(inputs, models=partial(_of_models, source, options, inputs, stand_in))
    except Exception as error:
        if through(error):
            raise
        return failed_inference(inference, error)
    return infer_report(inputs, options=inference, progress=progress, through=through)


def _of_models(
    source: ScoreSource, options: ReportOptions, inputs: InferenceInputs, stand_in: "StandInOptions | None"
) -> "ModelInputs":
    """Loaded here, so that nothing of it is where no model was asked for."""
    from meta_eval.report.inference.model_scores import gather_models

    specs = {measure_id(spec): spec for spec in options.surrogates}
    return gather_models(
        source.corpus,
        source.models,
        next(iter(inputs.human.values())).divergences,
        {name: options.measure(specs[name]) for name in inputs.human},
        stand_in=stand_in,
        normalise=options.normalise,
        options=options.score_options,
        store=source.store,
    )


def join_scores(
    scores: ReportScores,
    facts: ReportFacts,
    certain: CertainCorrelations | None,
    failures: Sequence[PartFailure],
) -> Report:
    """Both sides joined, with what else is known of them."""
    return assemble_report(
        automatic=[record for part in scores.automatic.values() for record in part.records],
        human=[record for part in scores.human.values() for record in part.records],
        facts=facts,
        failures=failures,
        certain=certain,
        same_texts=scores.same_texts,
    )


def _of_part(side: str, spec: str, progress: ReportProgress | None) -> Progress | None:
    if progress is None:
        return None
    title = f"{side.capitalize()} scores by {spec}"
    return lambda done, total: progress(title, done, total)


def _of_statistics(progress: ReportProgress | None) -> ReportProgress | None:
    if progress is None:
        return None
    return lambda part, done, total: progress(f"Statistics: {part}", done, total)


def _stored(options: ReportOptions, survey: Survey, inference: InferenceOptions) -> dict[str, Any]:
    """The options as a report holds them, every default filled in."""
    needed = options.min_raters or survey.study["raters"]
    return {**options.asked, "min_raters": needed, **survey.ends.record, **inference.asked}
