"""How sure a report is: intervals, p-values, ceilings and what else contributions and ratings can tell.

A pure function of its inputs and a seed. Each part draws from a random stream of its own, so that a part that
cannot be made, or one that is new, changes no other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from meta_eval.ratings.rating import SIX_POINTS
from meta_eval.report.inference.attempts import (
    Attempts,
    InferenceProgress,
    Through,
    note_problem,
    nothing_through,
)
from meta_eval.report.inference.ceilings import CHANCE, Ceilings
from meta_eval.report.inference.deviations import study_deviations_of
from meta_eval.report.inference.families import WithFamilies
from meta_eval.report.inference.further import ask_further
from meta_eval.report.inference.inputs import InferenceInputs, Tables
from meta_eval.report.inference.judges import ask_raters
from meta_eval.report.inference.levels import correlate_levels
from meta_eval.report.inference.prompts import ask_prompts
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.robustness import compare_intervals
from meta_eval.report.inference.sentinels import correlate_sentinels
from meta_eval.report.inference.sides import MatchedSides
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.studies import (
    study_ablation,
    study_aggregation,
    study_agreement,
    study_paradox,
    study_stability,
)
from meta_eval.report.limits import limits_of
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    AgreementStudy,
    CorrelationRow,
    FurtherQuestions,
    Inference,
    JudgedStudy,
    LeftOutRow,
    LevelRow,
    MeasureDifference,
    RankedMeasure,
    SentinelRow,
    StandIn,
)

Ranked = tuple[tuple[RankedMeasure, ...], tuple[MeasureDifference, ...]]
Sensitive = tuple[tuple[CorrelationRow, ...], tuple[LeftOutRow, ...]]

PARTS = (
    "cells",
    "agreement",
    "ceilings",
    "families",
    "ranking",
    "matched",
    "bare",
    "stability",
    "paradox",
    "aggregation",
    "ablation",
    "interval_methods",
    "levels",
    "sentinels",
    "further",
)
"""What an inference is made of, in the order in which it is made."""


@dataclass(frozen=True, slots=True)
class CertainCorrelations:
    """The coefficients of the main table, each with all that is known of it, and the rest of an inference."""

    correlations: tuple[CorrelationRow, ...]
    inference: Inference


def infer_report(
    inputs: InferenceInputs,
    *,
    options: InferenceOptions | None = None,
    progress: InferenceProgress | None = None,
    through: Through = nothing_through,
) -> CertainCorrelations:
    """Make every part of an inference; the same inputs and options give the same values.

    A part that cannot be made is empty and named under `problems` with its reason.

    Parameters
    ----------
    inputs : InferenceInputs
    options : InferenceOptions, optional
    progress : callable, optional
        Called with how many parts are made, and of how many.
    through : callable, optional
        Which errors are raised instead.

    Returns
    -------
    CertainCorrelations

    Examples
    --------
    Where nothing was scored, parts cannot be made, and say so:

    >>> from meta_eval.corpus.documents import Corpus
    >>> nothing = InferenceInputs(automatic={}, matched={}, human={}, corpus=Corpus(()), ratings=())
    >>> found = infer_report(nothing)
    >>> found.correlations, len(found.inference.problems) > 0
    ((), True)
    """
    options = options or InferenceOptions()
    human, automatic = inputs.human, inputs.automatic
    asked = (inputs.models, inputs.judge)
    parts = Attempts(progress, len(PARTS) + sum(one is not None for one in asked), through=through)
    tables = Tables(inputs, options)
    nothing: Sensitive = ((), ())
    unranked: Ranked = ((), ())
    cells, left_out = parts.make("cells", tables.cells, nothing)
    agreement = parts.make("agreement", lambda: _agreement(inputs, options), None)
    ceilings = parts.make("ceilings", lambda: _ceilings(inputs, options, agreement), Ceilings())
    cells = ceilings.beside(cells, "corpus")
    by_family = parts.make("families", lambda: tables.families(cells), WithFamilies(cells))
    cells = by_family.cells
    ranked = parts.make("ranking", lambda: _rank(inputs, options, tables, cells), unranked)
    inference = Inference(
        options=options,
        primary_reason=tables.primary_reason,
        left_out_systems=left_out,
        ceilings=ceilings.rows,
        ranking=ranked[0],
        comparisons=ranked[1],
        matched=ceilings.beside(parts.make("matched", tables.matched, ()), "matched"),
        bare=parts.make("bare", tables.bare, ()),
        agreement=agreement,
        stability=parts.make(
            "stability",
            lambda: study_stability(
                automatic, stream(options.seed, "stability"), replace=options.stability_replacement
            ),
            (),
        ),
        paradox=parts.make("paradox", lambda: study_paradox(automatic), ()),
        aggregation=parts.make(
            "aggregation", lambda: study_aggregation(automatic, human, inputs.normalise), ()
        ),
        ablation=parts.make(
            "ablation",
            lambda: study_ablation(inputs.matched, human, inputs.corpus, inputs.normalise),
            (),
        ),
        interval_methods=parts.make("interval_methods", lambda: compare_intervals(tables.first), ()),
        families=by_family.rows,
        found_families=by_family.found,
        levels=parts.make("levels", lambda: _levels(inputs, options), ()),
        sentinels=parts.make("sentinels", lambda: _sentinels(inputs, options), ()),
        further=parts.make("further", lambda: _further(inputs, options), FurtherQuestions()),
        stand_in=parts.make("stand_in", lambda: _stand_in(inputs, options, ceilings), ())
        if inputs.models
        else (),
        judged=parts.make("judged", lambda: _judged(inputs, options, tables), None) if inputs.judge else None,
        problems=tuple(parts.problems),
    )
    parts.end()
    limits = tuple(limits_of(cells, inference))
    return CertainCorrelations(tuple(cells), replace(inference, limits=limits))


def failed_inference(options: InferenceOptions, error: Exception) -> CertainCorrelations:
    """What stands in the place of an inference whose inputs could not be had."""
    return CertainCorrelations((), Inference(options=options, problems=(note_problem("inputs", error),)))


def _agreement(inputs: InferenceInputs, options: InferenceOptions) -> AgreementStudy:
    return study_agreement(
        inputs.ratings,
        rng=stream(options.seed, "agreement"),
        resamples=options.agreement_resamples,
        level=options.level,
        ends=next((one.divergences.ends for one in inputs.human.values()), SIX_POINTS),
    )


def _ceilings(
    inputs: InferenceInputs, options: InferenceOptions, agreement: AgreementStudy | None
) -> Ceilings:
    """None where raters may agree by chance alone: halves that agree by chance bound nothing."""
    if agreement is not None and agreement.may_be_chance:
        return Ceilings(reason=CHANCE)
    return Ceilings.measure(
        inputs.human,
        inputs.ratings,
        inputs.corpus,
        rng=stream(options.seed, "ceilings"),
        splits=options.splits,
        simulations=options.simulations,
        coefficients=options.design.coefficients,
        documents=max((len(scores.documents) for scores in inputs.automatic.values()), default=0),
    )


def _rank(
    inputs: InferenceInputs, options: InferenceOptions, tables: Tables, cells: Sequence[CorrelationRow]
) -> Ranked:
    rng = stream(options.seed, "swapped measures")
    primary = None if tables.primary_reason else options.primary
    return rank_measures(tables.first, cells, inputs.automatic, rng=rng, alpha=options.alpha, primary=primary)


def _levels(inputs: InferenceInputs, options: InferenceOptions) -> tuple[LevelRow, ...]:
    return correlate_levels(
        inputs.matched,
        inputs.human,
        rng=stream(options.seed, "levels"),
        resamples=options.resamples,
        level=options.level,
        coefficients=options.design.coefficients,
        normalise=inputs.normalise,
        families=options.families,
    )


def _sentinels(inputs: InferenceInputs, options: InferenceOptions) -> tuple[SentinelRow, ...]:
    return correlate_sentinels(
        inputs.automatic,
        inputs.human,
        inputs.words,
        rng=stream(options.seed, "sentinels"),
        coefficients=options.design.coefficients,
        normalise=inputs.normalise,
    )


def _further(inputs: InferenceInputs, options: InferenceOptions) -> FurtherQuestions:
    sides = MatchedSides.gather(inputs.matched, inputs.human, normalise=inputs.normalise)
    further = ask_prompts(ask_further(sides, options), inputs.matched, inputs.human, seed=options.seed)
    deviations = study_deviations_of(inputs.compared, inputs.corpus, options)
    return ask_raters(
        replace(further, deviations=deviations),
        sides,
        inputs.matched,
        inputs.corpus,
        ratings=inputs.ratings,
        scale=next(iter(inputs.human.values())).divergences.scale,
    )


def _stand_in(inputs: InferenceInputs, options: InferenceOptions, ceilings: Ceilings) -> tuple[StandIn, ...]:
    """Loaded here, so that nothing of it is where no model was asked for."""
    from meta_eval.report.inference.model_scores import infer_models

    return infer_models(inputs, options, ceilings)


def _judged(inputs: InferenceInputs, options: InferenceOptions, tables: Tables) -> JudgedStudy | None:
    """Loaded here, so that nothing of it is where no judge was asked for."""
    from meta_eval.report.inference.judged import infer_judged

    return None if inputs.judge is None else infer_judged(inputs.judge(), inputs, options, tables)
