"""What the penalty's beta does to the agreement with people (PerSEval figure 3; protocol 9)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.distances.computing import DistanceTable
from meta_eval.scores.contributions import Contributions, ScoreOptions, score_contributions
from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.weights import mean_scores

BETAS = tuple(round(1.0 + step / 10, 1) for step in range(11))


@dataclass(frozen=True, slots=True)
class AblationPoint:
    """The coefficient at one beta."""

    beta: float
    correlation: Correlation


def score_betas(
    table: DistanceTable, *, betas: Sequence[float] = BETAS, options: ScoreOptions | None = None
) -> dict[float, Contributions]:
    """Contributions at each beta; all but PerSEval are the same.

    Parameters
    ----------
    table : distances of a corpus by one measure
    betas : the penalty's beta, each above 0
    options : all else about the scores; by default that of the protocol

    Returns
    -------
    dict of `Contributions` by beta

    References
    ----------
    PerSEval, eq. 4 to 7 and figure 3; protocol 4.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": {"ann": "rain", "bob": "sun in the sun"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> table = compute_distances(corpus, make_measure("rouge-l"))
    >>> found = score_betas(table, betas=(1.0, 2.0))
    >>> {beta: round(float(one.matrix("perseval")[0, 0]), 2) for beta, one in found.items()}
    {1.0: 0.26, 2.0: 0.25}
    """
    options = options or ScoreOptions()
    return {
        beta: score_contributions(table, replace(options, penalty=replace(options.penalty, beta=beta)))
        for beta in betas
    }


def ablate_beta(
    automatic: Mapping[float, Contributions],
    human: Mapping[float, Contributions] | Contributions,
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
) -> tuple[AblationPoint, ...]:
    """The coefficient of PerSEval with PerSEval-HJ at each beta.

    With `human` by beta both sides change together; with one set of contributions the human side stays.

    Parameters
    ----------
    automatic : contributions of the measure by beta, as `score_betas` gives them
    human : contributions of people by the same betas, or one for all
    coefficients : of `ALL_COEFFICIENTS`

    Returns
    -------
    tuple of AblationPoint, by beta and coefficient, over the systems that both sides have

    References
    ----------
    PerSEval, figure 3; protocol 9.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.distances.computing import compute_distances
    >>> from meta_eval.measures import make_measure
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "sun in the sun"}, "C": {"ann": "cold", "bob": "in"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> scores = score_betas(compute_distances(corpus, make_measure("rouge-l")), betas=(1.0, 2.0))
    >>> found = ablate_beta(scores, scores[1.0], coefficients=("kendall",))
    >>> [(point.beta, point.correlation.estimate) for point in found]
    [(1.0, 1.0), (2.0, 1.0)]
    """
    points: list[AblationPoint] = []
    for beta, scores in automatic.items():
        people = human if isinstance(human, Contributions) else human[beta]
        x, y = _system_means(scores), _system_means(people)
        common = [name for name in x if name in y]
        points.extend(
            AblationPoint(beta, correlate([x[n] for n in common], [y[n] for n in common], coefficient))
            for coefficient in coefficients
        )
    return tuple(points)


def _system_means(scores: Contributions) -> dict[str, float]:
    means: FloatArray = mean_scores(np.asarray(scores.perseval))
    return dict(zip(scores.systems, means.tolist(), strict=True))
