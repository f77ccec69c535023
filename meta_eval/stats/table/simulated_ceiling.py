"""The ceiling from simulated raters' noise, for where halves of the raters give none."""

import math
from collections.abc import Sequence

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.weights import draw_weights
from meta_eval.stats.table.ceiling import (
    DEFAULT_SIMULATIONS,
    MIDDLE,
    ONE_RATER,
    ByCoefficient,
    Ceiling,
    has_two_raters,
    no_ceilings,
)


def simulated_ceilings(
    scorer: PanelScorer,
    coefficients: Sequence[Coefficient],
    *,
    rng: np.random.Generator,
    simulations: int = DEFAULT_SIMULATIONS,
) -> ByCoefficient:
    """By coefficient and human score: that of true scores with the same scores under the raters' noise.

    The noise is that of drawing each questionnaire's raters again, stretched to the spread of new raters,
    with all of a rater's pairs drawn together. The observed scores contain such noise already; shrunk towards
    their mean by their reliability, 1 - noise variance / observed variance, they stand for the truth.

    Parameters
    ----------
    scorer : scores the panel's ratings under weights of raters
    coefficients : of `ALL_COEFFICIENTS`
    rng : draws the raters
    simulations : how many

    Returns
    -------
    dict of `Ceiling` by coefficient and human score

    References
    ----------
    Kelley (1927) for scores shrunk by their reliability.

    Examples
    --------
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.ratings.rating import Rating
    >>> from meta_eval.scores.human import score_humans
    >>> from meta_eval.stats.resampling.raters import build_panel
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain in the south"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> rated = {"p": {"user": 2, "A": 2, "B": 4}, "q": {"user": 1, "A": 2, "B": 5}}
    >>> ratings = [
    ...     Rating("d", name, "ann", "bob", rater, value)
    ...     for rater, values in rated.items()
    ...     for name, value in values.items()
    ... ]
    >>> divergences = human_divergences(ratings, scale="similarity")
    >>> human = score_humans(corpus, divergences, make_measure("rouge-l"))
    >>> scorer = PanelScorer.of_scores(human, build_panel(ratings, divergences), corpus)
    >>> found = simulated_ceilings(scorer, ["kendall"], rng=np.random.default_rng(0), simulations=50)
    >>> found["kendall"]["degress_hj"].method
    'simulation'
    """
    panel = scorer.panel
    if not has_two_raters(scorer):
        return no_ceilings("simulation", coefficients, ONE_RATER)
    weights = draw_weights(units=len(panel.strata), resamples=simulations, rng=rng, strata=panel.strata)
    observed = scorer.system_scores(panel.by_unit(np.ones((1, len(panel.strata)))))
    simulated = scorer.system_scores_by_unit(weights, stretch=True)
    return {
        coefficient: {
            name: ceiling_under_noise(observed[name][0], simulated[name], coefficient) for name in observed
        }
        for coefficient in coefficients
    }


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
    low, high = np.quantile(found, MIDDLE)
    return Ceiling(
        "simulation", coefficient, float(found.mean()), reliability, float(low), float(high), used=found.size
    )
