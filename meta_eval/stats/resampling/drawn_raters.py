"""Human scores with raters drawn again: all of a rater's ratings, or the raters of each document."""

from collections.abc import Sequence

import numpy as np

from meta_eval.errors import InputError
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES, RaterPool, ScoreSample
from meta_eval.stats.resampling.weights import batch_sizes, draw_weights

DEFAULT_DRAWS = 200


def resample_raters(
    scorer: PanelScorer, *, resamples: int = DEFAULT_RESAMPLES, rng: np.random.Generator, batch: int = 500
) -> dict[str, ScoreSample]:
    """HUMAN_SCORES with raters drawn with replacement, each with all of their ratings.

    A pair counts while any of its raters is drawn; one whose raters are not drawn is missing. The jackknife
    leaves out each rater. Means of fewer different raters are noisier, so all scores shift together: read the
    spread of the resamples, and of coefficients, not their level.

    Parameters
    ----------
    scorer : scores the panel's ratings
    resamples : how many
    rng : draws the raters
    batch : how many are drawn at a time; it changes no result

    Returns
    -------
    dict of `ScoreSample` by human score

    Raises
    ------
    InputError : for a single rater

    References
    ----------
    Deutsch, Dror and Roth (2021) for the bootstrap of inputs, here of people.

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
    >>> found = resample_raters(scorer, resamples=20, rng=np.random.default_rng(0))["degress_hj"]
    >>> found.observed.round(3).tolist(), found.resampled.shape
    ([0.889, 0.333], (20, 2))
    """
    panel, raters = scorer.panel, len(scorer.panel.rater_names)
    if raters < 2:
        raise InputError("one rater alone cannot be resampled")
    parts = [
        scorer.system_scores(panel.by_rater(draw_weights(units=raters, resamples=size, rng=rng)))
        for size in batch_sizes(resamples, batch)
    ]
    observed = scorer.system_scores(panel.by_rater(np.ones((1, raters))))
    left_out = scorer.system_scores(panel.by_rater(1.0 - np.eye(raters)))
    return {
        name: ScoreSample(
            observed[name][0], np.concatenate([part[name] for part in parts]), (left_out[name],)
        )
        for name in HUMAN_SCORES
    }


def pool_raters(
    scorer: PanelScorer,
    *,
    documents: Sequence[str],
    draws: int = DEFAULT_DRAWS,
    rng: np.random.Generator,
) -> dict[str, RaterPool]:
    """HUMAN_SCORES of each document under `draws` draws of its raters within their questionnaires.

    A questionnaire keeps its number of raters in each draw, so no pair goes missing; with one rater nothing
    varies. Where each document has raters of its own, drawing documents alone already carries the raters'
    noise; the second stage counts it again, and the intervals are too wide (simulated: 95 % intervals of
    Pearson cover 99 %).

    Parameters
    ----------
    scorer : scores the panel's ratings
    documents : names the axis of the contributions that the pool is resampled with
    draws : of the raters of each questionnaire
    rng : draws them

    Returns
    -------
    dict of `RaterPool` by human score

    Raises
    ------
    InputError : where a rated document is not among `documents`

    References
    ----------
    Davison and Hinkley (1997), section 3.8 (resampling in two stages).

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
    >>> pool = pool_raters(scorer, documents=["c", "d"], draws=5, rng=np.random.default_rng(0))["degress_hj"]
    >>> pool.documents.tolist(), pool.values.shape
    ([1], (5, 2, 1))
    """
    panel = scorer.panel
    units = len(panel.strata)
    weights = draw_weights(units=units, resamples=draws, rng=rng, strata=panel.strata)
    scores = scorer.score_by_unit(weights)
    index_of = {name: index for index, name in enumerate(documents)}
    unknown = [name for name in scorer.documents if name not in index_of]
    if unknown:
        raise InputError(f"{len(unknown)} rated documents have no contributions (first: {unknown[0]})")
    at = np.array([index_of[name] for name in scorer.documents], dtype=np.int64)
    return {name: RaterPool(at, scores[name]) for name in HUMAN_SCORES}
