"""Documents drawn again for many scores at once, each perhaps with the raters that rated it."""

from collections.abc import Mapping
from typing import Generic

import numpy as np
import scipy

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.errors import InputError
from meta_eval.stats.resampling.samples import DEFAULT_BATCH, DEFAULT_RESAMPLES, Key, RaterPool, ScoreSample
from meta_eval.stats.resampling.weights import (
    batch_sizes,
    count_draws,
    draw_indices,
    left_out_scores,
    mean_scores,
    weighted_scores,
)


def resample_documents(
    contributions: Mapping[Key, FloatArray],
    *,
    resamples: int = DEFAULT_RESAMPLES,
    rng: np.random.Generator,
    strata: IntArray | None = None,
    pools: Mapping[Key, RaterPool] | None = None,
    batch: int = DEFAULT_BATCH,
) -> dict[Key, ScoreSample]:
    """Every score under the same draws of documents.

    Parameters
    ----------
    contributions : (S, D) array by score, NaN where a document has none; of one shape
    resamples : how many
    rng : draws documents, and raters of a pool
    strata : (D,) the kind of each document, such as surveyed or not, of which each resample has as many as
        there
        are
    pools : by score; each drawn document then takes one of the pool's draws of its raters (two stages)
    batch : how many are drawn at a time; it changes no result

    Returns
    -------
    dict of `ScoreSample` by score

    Raises
    ------
    InputError : for no score, or scores of different shape

    References
    ----------
    Deutsch, Dror and Roth (2021): BOOT-INPUTS. Davison and Hinkley (1997), section 3.8 (two stages).

    Examples
    --------
    >>> scores = {"rouge-l": np.array([[0.25, 0.5], [0.5, 1.0]])}
    >>> found = resample_documents(scores, resamples=100, rng=np.random.default_rng(0))["rouge-l"]
    >>> found.observed.tolist(), found.left_out[0].tolist(), found.resampled.shape
    ([0.375, 0.75], [[0.5, 1.0], [0.25, 0.5]], (100, 2))
    """
    stack: _Stack[Key] = _Stack(contributions, pools or {})
    documents_rng, raters_rng = rng.spawn(2)
    parts = []
    for size in batch_sizes(resamples, batch):
        drawn = draw_indices(units=stack.documents, resamples=size, rng=documents_rng, strata=strata)
        parts.append(stack.scores_under(drawn, raters_rng))
    return stack.samples(np.concatenate(parts))


class _Stack(Generic[Key]):
    """The contributions of many scores as one matrix, so that one product serves them all."""

    def __init__(self, contributions: Mapping[Key, FloatArray], pools: Mapping[Key, RaterPool]) -> None:
        if not contributions:
            raise InputError("there is no score to resample")
        shapes = {values.shape for values in contributions.values()}
        if len(shapes) > 1:
            raise InputError(f"scores resampled together need one shape (systems, documents): {shapes}")
        self.keys = list(contributions)
        self.systems, self.documents = shapes.pop()
        self.matrix = np.concatenate(list(contributions.values()))  # (M S, D)
        self.pools = pools

    def scores_under(self, drawn: IntArray, raters_rng: np.random.Generator) -> FloatArray:
        """(R, D) drawn documents to (R, M, S) scores."""
        scores = weighted_scores(count_draws(drawn, self.documents), self.matrix)
        scores = scores.reshape(len(drawn), len(self.keys), self.systems)
        if self.pools:
            uniform = raters_rng.random(drawn.shape)
            for key, pool in self.pools.items():
                scores[:, self.keys.index(key)] = _pooled_scores(pool, drawn, uniform, self.documents)
        return scores

    def samples(self, resampled: FloatArray) -> dict[Key, ScoreSample]:
        observed = mean_scores(self.matrix).reshape(len(self.keys), self.systems)
        left_out = left_out_scores(self.matrix).reshape(self.documents, len(self.keys), self.systems)
        return {
            key: ScoreSample(observed[row], resampled[:, row], (left_out[:, row],))
            for row, key in enumerate(self.keys)
        }


def _pooled_scores(pool: RaterPool, drawn: IntArray, uniform: FloatArray, documents: int) -> FloatArray:
    """(R, S): each drawn document with a draw of its raters of its own, even where it is drawn twice."""
    draws, systems, pooled = pool.values.shape
    pooled_at = np.full(documents, -1)
    pooled_at[pool.documents] = np.arange(pooled)
    at = pooled_at[drawn]  # (R, D), -1 for documents nobody rated
    columns = at * draws + np.minimum((uniform * draws).astype(np.int64), draws - 1)
    rows = np.broadcast_to(np.arange(len(drawn))[:, None], at.shape)
    ones = np.ones(int((at >= 0).sum()))
    weights = scipy.sparse.csr_array(
        (ones, (rows[at >= 0], columns[at >= 0])), shape=(len(drawn), pooled * draws)
    )
    values = pool.values.transpose(2, 0, 1).reshape(pooled * draws, systems)  # (K, S, P) -> (P K, S)
    present = np.isfinite(values)
    totals = np.asarray(weights @ np.where(present, values, 0.0))
    counts = np.asarray(weights @ present.astype(np.float64))
    scores: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    return scores
