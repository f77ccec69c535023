"""What else a report asks of scores and ratings: agreement, stability, paradox, aggregation, ablation."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable, Normalise
from meta_eval.errors import InputError
from meta_eval.ratings.rating import SIX_POINTS, Ends, Rating
from meta_eval.report.schema import (
    AblationRow,
    AggregationRow,
    AgreementRow,
    AgreementStudy,
    ParadoxRow,
    StabilityRow,
    StabilityShare,
    SystemStability,
)
from meta_eval.report.shared import shared_in_aggregation, shared_parts
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings
from meta_eval.stats.rankings.ablation import ablate_beta, score_betas
from meta_eval.stats.rankings.aggregation import Aggregation, Ranking, aggregate_with_accuracy, find_paradox
from meta_eval.stats.rankings.stability import Stability, measure_stability
from meta_eval.stats.raters.agreement import Agreement, count_ratings, measure_agreement

Scores = dict[str, float | None]
MOST_TABLED = 101
"""More different ratings than this, as a slider from 0 to 100 gives, make no table that anybody reads."""


def study_agreement(
    ratings: Sequence[Rating],
    *,
    rng: np.random.Generator,
    resamples: int,
    level: float,
    ends: Ends = SIX_POINTS,
) -> AgreementStudy:
    """How far raters agree on the pairs they share; documents are resampled, with all of their pairs."""
    counted = count_ratings(ratings, ends)
    if not counted.pairs:
        raise InputError("there are no ratings")
    measured = measure_agreement(
        counted.counts,
        rng=rng,
        categories=ends.steps,
        clusters=counted.documents,
        resamples=resamples,
        level=level,
    )
    named = measured.categories != tuple(ends.steps)
    tabled = len(measured.categories) <= MOST_TABLED
    return AgreementStudy(
        coefficients=tuple(_agreement_row(agreement) for agreement in measured.agreements),
        units=measured.units,
        ratings=measured.ratings,
        single=measured.single,
        repeated=counted.repeated,
        table=tuple(map(tuple, measured.table.tolist())) if tabled else (),
        categories=tuple(map(int, measured.categories)) if named and tabled else (),
    )


def _agreement_row(agreement: Agreement) -> AgreementRow:
    interval = agreement.interval
    return AgreementRow(
        coefficient=agreement.coefficient,
        title=agreement.title,
        estimate=agreement.estimate,
        ci_low=interval.low if interval else None,
        ci_high=interval.high if interval else None,
        ci_method=interval.method if interval else None,
        ci_level=interval.level if interval else None,
        reason=agreement.reason,
        ci_reason=interval.reason if interval else agreement.reason,
    )


def study_stability(
    automatic: Mapping[str, Contributions], rng: np.random.Generator, *, replace: bool = False
) -> tuple[StabilityRow, ...]:
    """PerSEval's and DEGRESS' stability under each measure (protocol 9), over the whole corpus.

    replace: whether a sample may hold a document twice.
    """
    _require_scores(automatic)
    return tuple(
        _stability_row(
            name, measure, measure_stability(values, systems=scores.systems, rng=rng, replace=replace)
        )
        for measure, scores in automatic.items()
        for name, values in (("perseval", scores.perseval), ("degress", scores.degress))
    )


def _stability_row(score: str, measure: str, stability: Stability) -> StabilityRow:
    """The means of each share are left out: those of the systems are the same."""
    shares = [asdict(share) for share in stability.shares]
    return StabilityRow(
        score=score,
        measure=measure,
        delta=stability.delta,
        shares=tuple(
            StabilityShare(
                **{name: value for name, value in share.items() if name != "means"},
                epsilon_overall=stability.epsilons[share["coefficient"]],
            )
            for share in shares
        ),
        systems=tuple(SystemStability(**asdict(system)) for system in stability.systems),
    )


def study_paradox(automatic: Mapping[str, Contributions]) -> tuple[ParadoxRow, ...]:
    """Under each measure, do DEGRESS and PerSEval rank the systems alike (PerSEval Table 3)?"""
    _require_scores(automatic)
    paradoxes = find_paradox(
        {measure: _scores(scores, "degress") for measure, scores in automatic.items()},
        {measure: _scores(scores, "perseval") for measure, scores in automatic.items()},
    )
    return tuple(
        ParadoxRow(measure=paradox.measure, **asdict(correlation))
        for paradox in paradoxes
        for correlation in paradox.correlations
    )


def study_aggregation(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    normalise: Normalise = "document",
) -> tuple[AggregationRow, ...]:
    """PerSEval with an accuracy measure by Borda-Kendall, against PerSEval-HJ (PerSEval Table 5)."""
    _require_scores(automatic, human)
    accuracies = {
        measure: Ranking(_scores(scores, "accuracy"), higher_is_better=True)
        for measure, scores in automatic.items()
    }
    rows: list[AggregationRow] = []
    for surrogate, people in human.items():
        ranked = Ranking(_scores(people.contributions, "perseval"), higher_is_better=True)
        for measure, scores in automatic.items():
            metric = Ranking(_scores(scores, "perseval"), higher_is_better=True)
            for aggregation in aggregate_with_accuracy(metric, accuracies, ranked):
                rows += _aggregation_rows(surrogate, measure, aggregation, normalise)
    return tuple(rows)


def _aggregation_rows(
    surrogate: str, measure: str, aggregation: Aggregation, normalise: Normalise
) -> list[AggregationRow]:
    shared = shared_in_aggregation(surrogate, measure, aggregation.measure, normalise=normalise)
    both = zip(aggregation.metric, aggregation.accuracy, aggregation.combined, strict=True)
    return [
        AggregationRow(
            surrogate=surrogate,
            measure=measure,
            accuracy=aggregation.measure,
            coefficient=metric.coefficient,
            metric=metric.estimate,
            accuracy_alone=accuracy.estimate,
            combined=combined.estimate,
            shared=shared["perseval"],
            accuracy_shared=shared["accuracy"],
            combined_shared=shared["both"],
        )
        for metric, accuracy, combined in both
    ]


def study_ablation(
    matched: Mapping[str, DistanceTable],
    human: Mapping[str, HumanScores],
    corpus: Corpus,
    normalise: Normalise = "document",
) -> tuple[AblationRow, ...]:
    """Agreement against beta, which changes on both sides (PerSEval figure 3), over rated pairs."""
    _require_scores(matched, human)
    options = next(iter(human.values())).options
    machines = {measure: score_betas(table, options=options) for measure, table in matched.items()}
    rows: list[AblationRow] = []
    for surrogate, people in human.items():
        rated = replace_by_ratings(people.surrogate, corpus, people.divergences)
        by_beta = score_betas(rated, options=options)
        for measure, scores in machines.items():
            rows += [
                AblationRow(
                    surrogate=surrogate,
                    measure=measure,
                    scope="matched",
                    beta=point.beta,
                    shared=shared_parts("perseval_hj", surrogate, measure, normalise=normalise),
                    **asdict(point.correlation),
                )
                for point in ablate_beta(scores, by_beta)
            ]
    return tuple(rows)


def _scores(contributions: Contributions, name: str) -> Scores:
    return {system: getattr(score, name) for system, score in contributions.system_scores().items()}


def _require_scores(*sides: Mapping[str, Any]) -> None:
    if not all(sides):
        raise InputError("there are scores of one side only, so nothing can be compared")
