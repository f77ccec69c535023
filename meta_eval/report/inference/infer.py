"""How sure a report is: intervals, p-values, ceilings and what else contributions and ratings can tell.

A pure function of its inputs and a seed. Each part draws from a random stream of its own, so that a part that
cannot be made, or one that is new, changes no other.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.ratings.rating import SIX_POINTS, Rating
from meta_eval.report.inference.ceilings import CHANCE, Ceilings
from meta_eval.report.inference.families import WithFamilies, look_into_families
from meta_eval.report.inference.further import ask_further
from meta_eval.report.inference.judges import ask_raters
from meta_eval.report.inference.levels import correlate_levels
from meta_eval.report.inference.primary import adjust_primary, why_no_primary
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.robustness import compare_intervals
from meta_eval.report.inference.sentinels import correlate_sentinels
from meta_eval.report.inference.sides import MatchedSides
from meta_eval.report.inference.streams import stream, stream_seed
from meta_eval.report.inference.studies import (
    study_ablation,
    study_aggregation,
    study_agreement,
    study_paradox,
    study_stability,
)
from meta_eval.report.inference.table import (
    JointTable,
    add_sensitivity,
    strip_surrogates,
)
from meta_eval.report.limits import interval_limits
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    AgreementStudy,
    CoefficientRow,
    CorrelationRow,
    FurtherQuestions,
    Inference,
    LeftOutRow,
    LevelRow,
    LimitedRow,
    MeasureDifference,
    Problem,
    RankedMeasure,
    SentinelRow,
)
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores
from meta_eval.stats.table.schemes import RaterDraws
from meta_eval.stats.table.shuffled import RatingShuffles

log = logging.getLogger(__name__)
Ranked = tuple[tuple[RankedMeasure, ...], tuple[MeasureDifference, ...]]
Sensitive = tuple[tuple[CorrelationRow, ...], tuple[LeftOutRow, ...]]

_Made = TypeVar("_Made")

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

InferenceProgress = Callable[[str, int, int], None]
"""Called with the part that begins, how many are done, and how many there are."""


@dataclass(frozen=True, kw_only=True, slots=True)
class InferenceInputs:
    """`automatic` contributions over the whole corpus and `human` scores, by measure and surrogate.

    `matched` has each measure's distances over the rated documents `corpus`, restricted to rated pairs
    (`meta_eval.report.inference.table.restrict_to_rated`); `ratings` are all that were given; `words` the
    mean number of words of each system's summaries in the whole corpus (`mean_words`).
    """

    automatic: Mapping[str, Contributions]
    matched: Mapping[str, DistanceTable]
    human: Mapping[str, HumanScores]
    corpus: Corpus
    ratings: Sequence[Rating]
    words: Mapping[str, float] = field(default_factory=dict)

    @property
    def normalise(self) -> Normalise:
        """Whether human scores set their distances against those to the document."""
        return next((scores.surrogate.normalise for scores in self.human.values()), "document")


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
) -> CertainCorrelations:
    """Make every part of an inference; the same inputs and options give the same values.

    A part that cannot be made is empty and named under `problems` with its reason.
    """
    options = options or InferenceOptions()
    human, automatic = inputs.human, inputs.automatic
    parts = Attempts(progress)
    tables = _Tables(inputs, options)
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
            "stability", lambda: study_stability(automatic, stream(options.seed, "stability")), ()
        ),
        paradox=parts.make("paradox", lambda: study_paradox(automatic), ()),
        aggregation=parts.make("aggregation", lambda: study_aggregation(automatic, human), ()),
        ablation=parts.make("ablation", lambda: study_ablation(inputs.matched, human, inputs.corpus), ()),
        interval_methods=parts.make("interval_methods", lambda: compare_intervals(tables.first), ()),
        families=by_family.rows,
        found_families=by_family.found,
        limits=tuple(interval_limits(cells, options.resampled)),
        levels=parts.make("levels", lambda: _levels(inputs, options), ()),
        sentinels=parts.make("sentinels", lambda: _sentinels(inputs, options), ()),
        further=parts.make("further", lambda: _further(inputs, options), FurtherQuestions()),
        problems=tuple(parts.problems),
    )
    parts.end()
    return CertainCorrelations(tuple(cells), inference)


def failed_inference(options: InferenceOptions, error: Exception) -> CertainCorrelations:
    """What stands in the place of an inference whose inputs could not be had."""
    return CertainCorrelations((), Inference(options=options, problems=(_problem("inputs", error),)))


@dataclass(slots=True)
class Attempts:
    """The parts as they are made one after another: how many are done, and which could not be made."""

    progress: InferenceProgress | None
    done: int = 0
    problems: list[Problem] = field(default_factory=list)

    def make(self, part: str, make: Callable[[], _Made], empty: _Made) -> _Made:
        """What `make` returns; where it raises, `empty`, and a problem is noted."""
        if self.progress:
            self.progress(part, self.done, len(PARTS))
        self.done += 1
        try:
            return make()
        except Exception as error:
            self.problems.append(_problem(part, error))
            return empty

    def end(self) -> None:
        if self.progress:
            self.progress("inference", len(PARTS), len(PARTS))


def _problem(part: str, error: Exception) -> Problem:
    """Inputs that do not allow a part are no failure: trying again would change nothing."""
    if isinstance(error, MetaEvalError):
        return Problem(part, str(error), failed=False)
    log.error("Part %s of an inference failed", part, exc_info=error)
    return Problem(part, f"Unexpected error ({type(error).__name__}): {error}", failed=True)


class _Tables:
    """The tables of coefficients, which share the draws of raters; the first one serves several parts."""

    def __init__(self, inputs: InferenceInputs, options: InferenceOptions) -> None:
        self._inputs, self._options = inputs, options
        self._raters = RaterDraws(
            inputs.ratings,
            inputs.corpus,
            seed=stream_seed(options.seed, "raters"),
            resamples=options.resamples,
        )
        self._shuffles = RatingShuffles(
            inputs.ratings,
            inputs.corpus,
            seed=stream_seed(options.seed, "shuffles"),
            shuffles=options.shuffles,
        )
        self._first: JointTable | None = None

    @property
    def first(self) -> JointTable:
        """The table of the `cells`. Raises `InputError` where there is none."""
        if self._first is None:
            raise InputError("there are no coefficients to look into")
        return self._first

    def cells(self) -> Sensitive:
        self._first = self._resample("cells", self._inputs.automatic, self._inputs.human)
        rows, left_out = add_sensitivity(self._first)
        rng = stream(self._options.seed, "primary")
        return adjust_primary(rows, self._first, self._options.primary, rng=rng), left_out

    @property
    def primary_reason(self) -> str | None:
        return why_no_primary(self._options.primary, self._inputs.human)

    def matched(self) -> tuple[LimitedRow, ...]:
        options = next((scores.options for scores in self._inputs.human.values()), None)
        scores = {name: score_contributions(table, options) for name, table in self._inputs.matched.items()}
        return tuple(self._resample("matched", scores, self._inputs.human).rows(LimitedRow))

    def bare(self) -> tuple[CoefficientRow, ...]:
        """DEGRESS-HJ and EGISES-HJ of the ratings alone: without a surrogate there is no PerSEval-HJ."""
        if not self._inputs.human:
            raise InputError(ONE_SIDE)
        people = {"": strip_surrogates(next(iter(self._inputs.human.values())), self._inputs.corpus)}
        table = self._resample("bare", self._inputs.automatic, people)
        return tuple(table.rows(CoefficientRow, ("degress_hj", "egises_hj")))

    def families(self, cells: Sequence[CorrelationRow]) -> WithFamilies:
        return look_into_families(self.first, cells, self._inputs.corpus, self._options)

    def _resample(
        self, part: str, automatic: Mapping[str, Contributions], human: Mapping[str, HumanScores]
    ) -> JointTable:
        """Both sides resampled in the stream of a part."""
        if not automatic or not human:
            raise InputError(ONE_SIDE)
        return JointTable.resample(
            automatic,
            human,
            rng=stream(self._options.seed, part),
            design=self._options.design,
            raters=self._raters,
            shuffles=self._shuffles,
            normalise=self._inputs.normalise,
        )


ONE_SIDE = "there are scores of one side only, so nothing can be compared"


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
    inputs: InferenceInputs, options: InferenceOptions, tables: _Tables, cells: Sequence[CorrelationRow]
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
    divergences = next(iter(inputs.human.values())).divergences
    return ask_raters(
        ask_further(sides, options),
        sides,
        inputs.matched,
        inputs.corpus,
        ratings=inputs.ratings,
        scale=divergences.scale,
    )
