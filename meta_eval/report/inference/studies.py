"""What else a report asks of scores and ratings: agreement, stability, paradox, aggregation, ablation."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings
from meta_eval.stats.coefficients.correlation import Correlation
from meta_eval.stats.rankings.ablation import ablate_beta, score_betas
from meta_eval.stats.rankings.aggregation import Aggregation, Ranking, aggregate_with_accuracy, find_paradox
from meta_eval.stats.rankings.stability import measure_stability
from meta_eval.stats.raters.agreement import Agreement, count_ratings, measure_agreement

Row = dict[str, Any]
Scores = dict[str, float | None]


def study_agreement(
    ratings: Sequence[Rating], *, rng: np.random.Generator, resamples: int, level: float
) -> dict[str, Row]:
    """How far raters agree on the pairs they share; documents are resampled, with all of their pairs."""
    counted = count_ratings(ratings)
    if not counted.pairs:
        raise InputError("there are no ratings")
    found = measure_agreement(
        counted.counts, rng=rng, clusters=counted.documents, resamples=resamples, level=level
    )
    return {
        "agreement": {
            "coefficients": [_agreement_row(one) for one in found.agreements],
            "units": found.units,
            "ratings": found.ratings,
            "single": found.single,
            "repeated": counted.repeated,
            "table": found.table.tolist(),
        }
    }


def _agreement_row(found: Agreement) -> Row:
    interval = found.interval
    return {
        "coefficient": found.coefficient,
        "title": found.title,
        "estimate": found.estimate,
        "ci_low": interval.low if interval else None,
        "ci_high": interval.high if interval else None,
        "ci_method": interval.method if interval else None,
        "ci_level": interval.level if interval else None,
        "reason": found.reason,
        "ci_reason": interval.reason if interval else found.reason,
    }


def study_stability(automatic: Mapping[str, Contributions], rng: np.random.Generator) -> dict[str, list[Row]]:
    """PerSEval's and DEGRESS' stability under each measure (protocol 9), over the whole corpus."""
    _require_scores(automatic)
    rows = []
    for measure, scores in automatic.items():
        for name, values in (("perseval", scores.perseval), ("degress", scores.degress)):
            found = asdict(measure_stability(values, systems=scores.systems, rng=rng))
            for share in found["shares"]:
                del share["means"]  # those of the systems are the same
            rows.append({"score": name, "measure": measure, **_plain(found)})
    return {"stability": rows}


def _plain(value: Any) -> Any:
    """Tuples as lists, as they read back from JSON."""
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, tuple | list) else value


def study_paradox(automatic: Mapping[str, Contributions]) -> dict[str, list[Row]]:
    """Under each measure, do DEGRESS and PerSEval rank the systems alike (PerSEval Table 3)?"""
    _require_scores(automatic)
    found = find_paradox(
        {measure: _scores(scores, "degress") for measure, scores in automatic.items()},
        {measure: _scores(scores, "perseval") for measure, scores in automatic.items()},
    )
    return {
        "paradox": [
            {"measure": one.measure, **asdict(correlation)}
            for one in found
            for correlation in one.correlations
        ]
    }


def study_aggregation(
    automatic: Mapping[str, Contributions], human: Mapping[str, HumanScores]
) -> dict[str, list[Row]]:
    """PerSEval with an accuracy measure by Borda-Kendall, against PerSEval-HJ (PerSEval Table 5)."""
    _require_scores(automatic, human)
    accuracies = {
        measure: Ranking(_scores(scores, "accuracy"), higher_is_better=True)
        for measure, scores in automatic.items()
    }
    rows: list[Row] = []
    for surrogate, people in human.items():
        ranked = Ranking(_scores(people.contributions, "perseval"), higher_is_better=True)
        for measure, scores in automatic.items():
            metric = Ranking(_scores(scores, "perseval"), higher_is_better=True)
            for found in aggregate_with_accuracy(metric, accuracies, ranked):
                rows.extend(_aggregation_rows(surrogate, measure, found))
    return {"aggregation": rows}


def _aggregation_rows(surrogate: str, measure: str, found: Aggregation) -> list[Row]:
    return [
        {
            "surrogate": surrogate,
            "measure": measure,
            "accuracy": found.measure,
            "coefficient": metric.coefficient,
            "metric": metric.estimate,
            "accuracy_alone": accuracy.estimate,
            "combined": combined.estimate,
        }
        for metric, accuracy, combined in zip(found.metric, found.accuracy, found.combined, strict=True)
    ]


def study_ablation(
    matched: Mapping[str, DistanceTable], human: Mapping[str, HumanScores], corpus: Corpus
) -> dict[str, list[Row]]:
    """Agreement against beta, which changes on both sides (PerSEval figure 3), over rated pairs."""
    _require_scores(matched, human)
    options = next(iter(human.values())).options
    machines = {measure: score_betas(table, options=options) for measure, table in matched.items()}
    rows: list[Row] = []
    for surrogate, people in human.items():
        rated = replace_by_ratings(people.surrogate, corpus, people.divergences)
        by_beta = score_betas(rated, options=options)
        for measure, scores in machines.items():
            rows.extend(
                {
                    "surrogate": surrogate,
                    "measure": measure,
                    "scope": "matched",
                    "beta": point.beta,
                    **_of(point.correlation),
                }
                for point in ablate_beta(scores, by_beta)
            )
    return {"ablation": rows}


def _of(correlation: Correlation) -> Row:
    return asdict(correlation)


def _scores(contributions: Contributions, name: str) -> Scores:
    return {system: getattr(score, name) for system, score in contributions.system_scores().items()}


def _require_scores(*sides: Mapping[str, Any]) -> None:
    if not all(sides):
        raise InputError("there are scores of one side only, so nothing can be compared")
