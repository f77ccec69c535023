"""Rankings put together and set against each other: Borda-Kendall and the paradox (protocol 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from meta_eval.errors import InputError
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.coefficients.ties import snap_ties

RANK_COEFFICIENTS = COEFFICIENTS[1:]


@dataclass(frozen=True, slots=True)
class Ranking:
    """Scores by system, and which way is better."""

    scores: Mapping[str, float | None]
    higher_is_better: bool


@dataclass(frozen=True, slots=True)
class BordaResult:
    """Sums of ranks by system, best (lowest) first, the ranks they give, and who was left out."""

    points: Mapping[str, float]
    ranks: Mapping[str, float]
    left_out: tuple[str, ...]


def rank_systems(ranking: Ranking) -> dict[str, float]:
    """Rank 1 for the best; ties share the average of their ranks. Systems without a score have no rank.

    Examples
    --------
    >>> rank_systems(Ranking({"A": 0.9, "B": 0.5, "C": 0.5, "D": None}, higher_is_better=True))
    {'A': 1.0, 'B': 2.5, 'C': 2.5}
    """
    scored = {
        name: value for name, value in ranking.scores.items() if value is not None and np.isfinite(value)
    }
    values = snap_ties(np.array(list(scored.values()), dtype=np.float64))
    ranks = scipy.stats.rankdata(-values if ranking.higher_is_better else values)
    return dict(zip(scored, ranks.tolist(), strict=True))


def borda(rankings: Sequence[Ranking]) -> BordaResult:
    """Borda-Kendall: the sum of each system's ranks, over the systems that every ranking has.

    Parameters
    ----------
    rankings : one or more, each read in its own direction

    Returns
    -------
    BordaResult : over the systems that stand in all rankings

    Raises
    ------
    InputError : for no ranking

    References
    ----------
    PerSEval, Table 5; protocol 9.

    Examples
    --------
    >>> accuracy = Ranking({"A": 0.9, "B": 0.5, "C": 0.1}, higher_is_better=True)
    >>> error = Ranking({"A": 0.3, "B": 0.1, "C": 0.5}, higher_is_better=False)
    >>> borda([accuracy, error]).points
    {'A': 3.0, 'B': 3.0, 'C': 6.0}
    """
    if not rankings:
        raise InputError("there is no ranking to put together")
    named = list(dict.fromkeys(name for ranking in rankings for name in ranking.scores))
    ranked = [rank_systems(ranking) for ranking in rankings]
    everywhere = [name for name in named if all(name in ranks for ranks in ranked)]
    common = [
        rank_systems(Ranking({name: ranking.scores[name] for name in everywhere}, ranking.higher_is_better))
        for ranking in rankings
    ]
    points = {name: sum(ranks[name] for ranks in common) for name in everywhere}
    points = dict(sorted(points.items(), key=lambda item: item[1]))
    ranks = rank_systems(Ranking(points, higher_is_better=False))
    return BordaResult(points, ranks, tuple(name for name in named if name not in everywhere))


def correlate_rankings(first: Ranking, second: Ranking, coefficient: Coefficient) -> Correlation:
    """The rank correlation of two rankings, each read in its own direction: 1 where they agree."""
    ranks = rank_systems(first), rank_systems(second)
    names = [name for name in ranks[0] if name in ranks[1]]
    return correlate([ranks[0][name] for name in names], [ranks[1][name] for name in names], coefficient)


@dataclass(frozen=True, slots=True)
class Aggregation:
    """One accuracy measure: agreement with people of the metric, of the measure, and of the two together."""

    measure: str
    metric: tuple[Correlation, ...]
    accuracy: tuple[Correlation, ...]
    combined: tuple[Correlation, ...]
    borda: BordaResult


def aggregate_with_accuracy(
    metric: Ranking,
    accuracies: Mapping[str, Ranking],
    human: Ranking,
    *,
    coefficients: Sequence[Coefficient] = RANK_COEFFICIENTS,
) -> tuple[Aggregation, ...]:
    """PerSEval Table 5: does a metric agree better with people once an accuracy measure has its say?

    Parameters
    ----------
    metric : the ranking by the metric
    accuracies : rankings by accuracy measure
    human : the ranking by people
    coefficients : of `ALL_COEFFICIENTS`, over the systems that two rankings share

    Returns
    -------
    tuple of Aggregation, one for each accuracy measure; metric and measure are put together by Borda's count

    References
    ----------
    PerSEval, Table 5; protocol 9.

    Examples
    --------
    >>> metric = Ranking({"A": 0.9, "B": 0.8, "C": 0.1}, higher_is_better=True)
    >>> accuracy = Ranking({"A": 0.2, "B": 0.5, "C": 0.1}, higher_is_better=True)
    >>> human = Ranking({"A": 5.0, "B": 6.0, "C": 1.0}, higher_is_better=True)
    >>> found = aggregate_with_accuracy(metric, {"rouge-l": accuracy}, human, coefficients=("kendall",))
    >>> [round(one[0].estimate, 2) for one in (found[0].metric, found[0].accuracy, found[0].combined)]
    [0.33, 1.0, 0.82]
    """
    return tuple(
        _aggregate(measure, metric, accuracy, human, coefficients) for measure, accuracy in accuracies.items()
    )


def _aggregate(
    measure: str, metric: Ranking, accuracy: Ranking, human: Ranking, coefficients: Sequence[Coefficient]
) -> Aggregation:
    together = borda([metric, accuracy])
    combined = Ranking(together.points, higher_is_better=False)

    def agree(ranking: Ranking) -> tuple[Correlation, ...]:
        return tuple(correlate_rankings(ranking, human, coefficient) for coefficient in coefficients)

    return Aggregation(measure, agree(metric), agree(accuracy), agree(combined), together)


@dataclass(frozen=True, slots=True)
class Paradox:
    """Rank correlations, under one measure, of the rankings by DEGRESS and by PerSEval."""

    measure: str
    correlations: tuple[Correlation, ...]


def find_paradox(
    degress: Mapping[str, Mapping[str, float | None]],
    perseval: Mapping[str, Mapping[str, float | None]],
    *,
    coefficients: Sequence[Coefficient] = RANK_COEFFICIENTS,
) -> tuple[Paradox, ...]:
    """PerSEval Table 3, from scores by measure and system: below 1 the penalty for accuracy changes ranks.

    Parameters
    ----------
    degress, perseval : scores by measure and system, None where a system has none
    coefficients : of `ALL_COEFFICIENTS`

    Returns
    -------
    tuple of Paradox, one for each measure

    Raises
    ------
    InputError : if the measures of the two differ

    References
    ----------
    PerSEval, Table 3; protocol 9.

    Examples
    --------
    >>> found = find_paradox(
    ...     {"rouge-l": {"A": 0.9, "B": 0.8, "C": 0.1}},
    ...     {"rouge-l": {"A": 0.2, "B": 0.5, "C": 0.1}},
    ...     coefficients=("kendall",),
    ... )
    >>> round(found[0].correlations[0].estimate, 2)
    0.33
    """
    if set(degress) != set(perseval):
        raise InputError(f"measures differ: {', '.join(sorted(set(degress) ^ set(perseval)))}")
    return tuple(
        Paradox(
            measure,
            tuple(
                correlate_rankings(
                    Ranking(degress[measure], higher_is_better=True),
                    Ranking(perseval[measure], higher_is_better=True),
                    coefficient,
                )
                for coefficient in coefficients
            ),
        )
        for measure in degress
    )
