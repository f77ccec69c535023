"""Systems far from all others by people's scores, and what a coefficient is without them.

One system that everybody finds far worse makes almost any metric look good, so a coefficient belongs beside
what it is without such systems.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.stats.coefficients.correlation import Correlation, correlate
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.ties import TIE

CUTOFF = 2.5
_NORMAL = 1.483
"""The median absolute deviation of a normal distribution is its standard deviation divided by this."""


@dataclass(frozen=True, slots=True)
class WithoutOutliers:
    """A coefficient over all systems, and `without` the systems at `outliers`."""

    outliers: tuple[int, ...]
    all_systems: Correlation
    without: Correlation


def find_outliers(scores: Sequence[float | None], *, cutoff: float = CUTOFF) -> tuple[int, ...]:
    """Where systems stand whose score lies more than `cutoff` robust deviations from the median.

    The robust deviation is 1.483 times the median distance from the median. Where that is 0, as more than
    half of the scores are equal, no system is called an outlier.

    Parameters
    ----------
    scores : n scores of people, None or NaN where there is none
    cutoff : robust deviations

    Returns
    -------
    tuple of int : indices into `scores`

    References
    ----------
    Mathur, Baldwin and Cohn (2020), "Tangled up in BLEU: Reevaluating the Evaluation of Automatic Machine
    Translation Evaluation Metrics"; Leys et al. (2013) for the cutoff.

    Examples
    --------
    >>> find_outliers([0.71, 0.70, 0.68, 0.74, 0.12, None])
    (4,)
    """
    values = np.array(scores, dtype=np.float64)
    present = values[np.isfinite(values)]
    if not present.size:
        return ()
    distances = np.abs(values - np.median(present))
    deviation = _NORMAL * float(np.median(distances[np.isfinite(distances)]))
    if deviation <= TIE:
        return ()
    return tuple(np.flatnonzero(distances > cutoff * deviation).tolist())


def correlate_without_outliers(
    human: Sequence[float | None],
    metric: Sequence[float | None],
    coefficient: Coefficient,
    *,
    cutoff: float = CUTOFF,
) -> WithoutOutliers:
    """A coefficient with all systems and without the outliers by people's scores.

    Outliers are looked for among the systems that both sides have. Without any, both coefficients are the
    same.

    Parameters
    ----------
    human, metric : n scores of the same systems, None or NaN where there is none
    coefficient : one of `ALL_COEFFICIENTS`
    cutoff : robust deviations, as of `find_outliers`

    Returns
    -------
    WithoutOutliers

    References
    ----------
    Mathur, Baldwin and Cohn (2020).

    Examples
    --------
    >>> human, metric = [0.71, 0.70, 0.68, 0.74, 0.12], [0.5, 0.6, 0.4, 0.3, 0.0]
    >>> found = correlate_without_outliers(human, metric, "pearson")
    >>> found.outliers, round(found.all_systems.estimate, 2), round(found.without.estimate, 2)
    ((4,), 0.85, -0.46)
    """
    people, machine = np.array(human, dtype=np.float64), np.array(metric, dtype=np.float64)
    every = correlate(list(human), list(metric), coefficient)
    outliers = find_outliers(np.where(np.isfinite(machine), people, np.nan).tolist(), cutoff=cutoff)
    if not outliers:
        return WithoutOutliers(outliers, every, every)
    kept = [at for at in range(len(people)) if at not in outliers]
    return WithoutOutliers(
        outliers, every, correlate(people[kept].tolist(), machine[kept].tolist(), coefficient)
    )
