"""The part of an inference on a judge of single summaries: a measure that gives accuracy and no distance.

Its scores are set against people's DEGRESS-HJ and PerSEval-HJ as every measure is: the same draws of
documents and raters, the same p, shuffled ratings, families and groups. Beside them stands the accuracy of
the report's measures, so that like is set against like.
"""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from meta_eval.errors import InputError
from meta_eval.report.inference.families import look_into_families
from meta_eval.report.inference.inputs import InferenceInputs, Tables
from meta_eval.report.inference.judging import LEFT_OUT, Judging
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.table import add_sensitivity
from meta_eval.report.leaderboard import rank_systems
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import (
    CorrelationRow,
    JudgedLeftOutRow,
    JudgedStudy,
    JudgedSystemRow,
    MeasureDifference,
    RankedMeasure,
)
from meta_eval.scores.judged import JudgedScores, accuracy_of
from meta_eval.scores.names import ACCURACY, SCORES
from meta_eval.stats.resampling.documents import resample_documents
from meta_eval.stats.resampling.intervals import percentile_interval
from meta_eval.stats.table.joint import over_common

LEAST_DOCUMENTS = 10
"""Documents of which an interval is made at least."""
NO_SUMMARY = "no summary of it was judged"
NO_CEILING = "a ceiling is that of people's own score, which accuracy is not"

Related = tuple[tuple[CorrelationRow, ...], tuple[RankedMeasure, ...], tuple[MeasureDifference, ...]]


def infer_judged(
    judging: Judging, inputs: InferenceInputs, options: InferenceOptions, tables: Tables
) -> JudgedStudy:
    """The scores of a judge with their intervals, and how they agree with people.

    Parameters
    ----------
    judging : Judging
    inputs, options, tables
        Those of the report.

    Returns
    -------
    JudgedStudy
        Where nothing can be correlated, `problem` says why and the scores stand.

    Raises
    ------
    InputError
        Where a measure of the report has the name of one of the judge's.
    """
    if taken := {one.measure for one in judging.scores} & set(inputs.automatic):
        raise InputError(
            f"a measure of the report is called {', '.join(sorted(taken))} as the judge's: rename it"
        )
    study = JudgedStudy(
        judge=judging.judge,
        questions=judging.questions,
        answered=judging.answered,
        systems=tuple(row for one in judging.scores for row in _systems(one, options)),
        left_out=tuple(
            JudgedLeftOutRow(what, count, LEFT_OUT[what]) for what, count in judging.left_out.items()
        ),
        control=judging.control,
        signatures={one.measure: one.signature.as_dict() for one in judging.scores},
    )
    try:
        correlations, ranking, comparisons = _relate(judging, inputs, options, tables)
    except InputError as error:
        return replace(study, problem=str(error))
    return replace(study, correlations=correlations, ranking=ranking, comparisons=comparisons)


def _systems(scores: JudgedScores, options: InferenceOptions) -> Iterator[JudgedSystemRow]:
    """Best first; those without a score last."""
    sample = resample_documents(
        {scores.measure: scores.accuracy},
        resamples=options.resamples,
        rng=stream(options.seed, f"judged systems {scores.measure}"),
    )[scores.measure]
    values = {
        name: float(value) if np.isfinite(value) else None
        for name, value in zip(scores.systems, sample.observed, strict=True)
    }
    ranks = rank_systems(values, higher_is_better=True)
    for row in sorted(
        range(len(scores.systems)), key=lambda at: ranks.get(scores.systems[at], len(ranks) + 1)
    ):
        name = scores.systems[row]
        documents = int(np.isfinite(scores.accuracy[row]).sum())
        enough = documents >= LEAST_DOCUMENTS
        interval = percentile_interval(sample.resampled[:, row], level=options.level) if enough else None
        few = None if enough else f"{documents} documents; an interval needs at least {LEAST_DOCUMENTS}"
        yield JudgedSystemRow(
            measure=scores.measure,
            system=name,
            estimate=values[name],
            rank=ranks.get(name),
            ranked=len(ranks),
            documents=documents,
            ci_low=interval.low if interval else None,
            ci_high=interval.high if interval else None,
            ci_level=options.level,
            reason=None if documents else NO_SUMMARY,
            ci_reason=interval.reason if interval else few,
        )


def _relate(judging: Judging, inputs: InferenceInputs, options: InferenceOptions, tables: Tables) -> Related:
    """Coefficients of the judge's measures and of the others' accuracy, and which can be told apart.

    All over the documents and systems that each of them has: a judge may have seen some alone.
    """
    accuracies = {
        **{one.measure: one.contributions for one in judging.scores},
        **{name: accuracy_of(scores) for name, scores in inputs.automatic.items()},
    }
    accuracies = over_common(accuracies, "degress")
    table = tables.resample("judged", accuracies, inputs.human)
    rows = [row for row in add_sensitivity(table)[0] if SCORES[row.automatic].mirrors is None]
    rows = list(look_into_families(table, rows, inputs.corpus, options).cells)
    ranking, differences = rank_measures(
        table, rows, accuracies, rng=stream(options.seed, "judged swaps"), alpha=options.alpha
    )
    return (
        tuple(_as_accuracy(row) for row in rows),
        tuple(replace(row, score=SCORES[row.score].human) for row in ranking),
        tuple(replace(row, score=SCORES[row.score].human) for row in differences),
    )


def _as_accuracy(row: CorrelationRow) -> CorrelationRow:
    """Accuracy stood in the place of a score; it holds no penalty, so both sides share distances at most."""
    return replace(
        row,
        automatic=ACCURACY,
        shared="distances" if row.shared_input else None,
        ceiling_reason=NO_CEILING,
    )
