"""How far the raters' own disagreement lets any metric agree with them.

Both ways estimate the correlation with the human scores of a metric that knows what the raters would say on
average if there were very many of them. DEGRESS bends under noise, so neither is exact: with two noisy raters
the split-half ceiling (of single ratings) errs low, the simulated one (kept on the scale) errs high, by up to
0.07 in simulated surveys; where reliability is below 0.4 both are too high, because surveys that show no
agreement at all have no ceiling to be averaged.
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.raters import RaterPanel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.weights import draw_weights

CeilingMethod = Literal["split-half", "simulation"]
DEFAULT_SPLITS = 200
DEFAULT_SIMULATIONS = 1_000
_MIDDLE = (0.025, 0.975)  # 95 %, as every interval beside a ceiling


@dataclass(frozen=True, slots=True)
class Ceiling:
    """`ceiling`, the highest coefficient to be expected; None with a `reason`.

    `reliability` is the share of the human scores' variance over systems that is no noise (split-half:
    stepped up by Spearman-Brown). `low` and `high` hold the middle 95 % of the splits or simulations, of
    which `used` were defined.
    """

    method: CeilingMethod
    coefficient: Coefficient
    ceiling: float | None
    reliability: float | None
    low: float | None = None
    high: float | None = None
    used: int = 0
    reason: str | None = None


def split_half_ceilings(
    scorer: PanelScorer,
    coefficient: Coefficient,
    *,
    rng: np.random.Generator,
    splits: int = DEFAULT_SPLITS,
) -> dict[str, Ceiling]:
    """By human score: raters of each questionnaire split in halves, scored apart, and correlated.

    The mean coefficient r of the halves is stepped up to the full number of raters by Spearman-Brown,
    2 r / (1 + r); the ceiling is its square root. Exact for Pearson, a custom for rank coefficients; none for
    the pairwise accuracy, which is no correlation.
    """
    panel = scorer.panel
    info = REGISTRY[coefficient]
    if info.chance != 0.0:
        reason = f"Spearman-Brown steps up correlations, which the {info.title.lower()} is not"
        return _no_ceilings(scorer, "split-half", coefficient, reason)
    sizes = np.bincount(panel.strata)
    if not (sizes > 1).any():
        reason = "no questionnaire has two raters"
        return _no_ceilings(scorer, "split-half", coefficient, reason)
    half = split_units(panel, rng=rng, splits=splits)
    both = scorer.system_scores_by_unit(np.concatenate([half, 1.0 - half]))
    return {
        name: _split_half(correlate_rows(scores[:splits], scores[splits:], coefficient), coefficient)
        for name, scores in both.items()
    }


def split_units(panel: RaterPanel, *, rng: np.random.Generator, splits: int) -> FloatArray:
    """(splits, units) of 0 and 1: half of the raters of each questionnaire; of an odd number the middle one
    goes to either half by chance."""
    units = len(panel.strata)
    order = np.argsort(panel.strata[None, :] + rng.random((splits, units)), axis=1)
    sizes = np.bincount(panel.strata)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    strata = np.sort(panel.strata)
    place = np.arange(units) - starts[strata]
    odd = rng.random((splits, len(sizes))) < 0.5
    chosen = place < (sizes // 2)[strata] + (odd * (sizes % 2))[:, strata]
    half = np.zeros((splits, units))
    np.put_along_axis(half, order, chosen.astype(np.float64), axis=1)
    return half


def _split_half(found: FloatArray, coefficient: Coefficient) -> Ceiling:
    defined = found[np.isfinite(found)]
    if not defined.size:
        return Ceiling("split-half", coefficient, None, None, reason="no split has scores that differ")
    r = float(defined.mean())
    if r <= 0.0:
        reason = "the two halves of the raters do not agree on the systems"
        return Ceiling("split-half", coefficient, None, None, used=defined.size, reason=reason)
    low, high = (_ceiling_of_half(float(value)) for value in np.quantile(defined, _MIDDLE))
    reliability = spearman_brown(r)
    return Ceiling(
        "split-half", coefficient, math.sqrt(reliability), reliability, low, high, used=defined.size
    )


def spearman_brown(r: float, *, times: float = 2.0) -> float:
    """The reliability of a test `times` as long as one of reliability r (Spearman 1910; Brown 1910).

    Examples
    --------
    >>> round(spearman_brown(0.5), 3), round(spearman_brown(0.5, times=3), 3)
    (0.667, 0.75)
    """
    return times * r / (1.0 + (times - 1.0) * r)


def _ceiling_of_half(r: float) -> float:
    return math.sqrt(spearman_brown(r)) if r > 0.0 else 0.0


def simulated_ceilings(
    scorer: PanelScorer,
    coefficient: Coefficient,
    *,
    rng: np.random.Generator,
    simulations: int = DEFAULT_SIMULATIONS,
) -> dict[str, Ceiling]:
    """By human score: the coefficient of true scores with the same scores under the raters' noise.

    The noise is that of drawing each questionnaire's raters again, stretched to the spread of new raters,
    with all of a rater's pairs drawn together. The observed scores contain such noise already; shrunk towards
    their mean by their reliability, 1 - noise variance / observed variance, they stand for the truth.
    """
    panel = scorer.panel
    if not (np.bincount(panel.strata) > 1).any():
        return _no_ceilings(scorer, "simulation", coefficient, "no questionnaire has two raters")
    weights = draw_weights(units=len(panel.strata), resamples=simulations, rng=rng, strata=panel.strata)
    observed = scorer.system_scores(panel.by_unit(np.ones((1, len(panel.strata)))))
    simulated = scorer.system_scores_by_unit(weights, stretch=True)
    return {name: ceiling_under_noise(observed[name][0], simulated[name], coefficient) for name in observed}


def ceiling_under_noise(observed: FloatArray, simulated: FloatArray, coefficient: Coefficient) -> Ceiling:
    """The ceiling from observed scores (S,), truth plus noise, and with that much noise again (R, S)."""
    scored = np.isfinite(observed) & np.isfinite(simulated).all(axis=0)
    observed, simulated = observed[scored], simulated[:, scored]
    if len(observed) < 2:
        return Ceiling("simulation", coefficient, None, None, reason="fewer than two systems have scores")
    noise = simulated - simulated.mean(axis=0)
    spread, disturbance = observed.var(ddof=1), noise.var(axis=1, ddof=1).mean()
    reliability = float(1.0 - disturbance / spread) if spread > 0.0 else 0.0
    if reliability <= 0.0:
        reason = "the raters' noise is as large as the differences between the systems"
        return Ceiling("simulation", coefficient, None, None, reason=reason)
    truth = observed.mean() + math.sqrt(reliability) * (observed - observed.mean())
    found = correlate_rows(truth + noise, truth, coefficient)
    found = found[np.isfinite(found)]
    if not found.size:
        reason = "the systems' scores do not differ"
        return Ceiling("simulation", coefficient, None, None, reason=reason)
    low, high = np.quantile(found, _MIDDLE)
    return Ceiling(
        "simulation", coefficient, float(found.mean()), reliability, float(low), float(high), used=found.size
    )


def _no_ceilings(
    scorer: PanelScorer, method: CeilingMethod, coefficient: Coefficient, reason: str
) -> dict[str, Ceiling]:
    names = scorer.system_scores(scorer.panel.by_unit(np.ones((1, len(scorer.panel.strata)))))
    return {name: Ceiling(method, coefficient, None, None, reason=reason) for name in names}
