"""How sure the difference is from which on people order pairs of systems as a measure does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.stats.coefficients.system_pairs import NOTICED, noticed_difference, noticed_steps
from meta_eval.stats.resampling.bootstrap import TrueScores, families_of, widen_by
from meta_eval.stats.resampling.samples import ScoreSample

TOO_FEW = "fewer than three systems have both scores, or a side is the same for all"


@dataclass(frozen=True, slots=True)
class NoticedInterval:
    """`low` to `high` at `level`; an end is None, with a `reason`, where there is none."""

    low: float | None
    high: float | None
    level: float
    reason: str | None = None


def noticed_interval(
    human: ScoreSample, metric: ScoreSample, *, level: float = 0.95, share: float = NOTICED
) -> NoticedInterval:
    """The interval of the difference that people notice, of the systems' scores without noise.

    Noise of documents reverses pairs, so that the difference of noisy scores is too large and resamples make
    it larger still. So true scores are drawn as for a rank coefficient (`TrueScores`): one population of
    systems, each family for itself where families were given, and the wider of both where groups show that
    nobody named. In a draw in which even the largest differences are ordered as people do in less than
    `share` of the pairs, the difference is larger than any.

    Parameters
    ----------
    human, metric : of the same S systems, resampled together
    level : above 0 and below 1
    share : of the pairs, as in `noticed_difference`

    Returns
    -------
    NoticedInterval : it reaches to the estimate; without an upper end where too many draws have no difference

    References
    ----------
    Kocmi, Zouhar, Federmann and Post (2024) for the difference. The interval is this project's own;
    `tests/benchmarks/coverage.py` simulates how often it holds.

    Examples
    --------
    >>> from meta_eval.stats.resampling.documents import resample_documents
    >>> rng = np.random.default_rng(0)
    >>> human, metric = np.arange(8.0)[:, None] + 3 * rng.normal(size=(2, 8, 40))
    >>> made = resample_documents({"human": human, "metric": metric}, resamples=500, rng=rng)
    >>> found = noticed_interval(made["human"], made["metric"])
    >>> round(found.low, 1), round(found.high, 1)
    (0.0, 2.2)
    """
    estimate = noticed_difference(human.observed.tolist(), metric.observed.tolist(), share=share).difference
    populations = [families_of(human, "kendall"), widen_by(human, metric, "kendall")]
    drawn = [_draw(human, metric, own, share) for own in populations if own is not None]
    if not all(one.size for one in drawn):
        return NoticedInterval(None, None, level, TOO_FEW)
    tail = (1.0 - level) / 2.0
    observed = np.inf if estimate is None else estimate
    low = min(observed, *(float(np.quantile(one, tail, method="lower")) for one in drawn))
    high = max(observed, *(float(np.quantile(one, 1.0 - tail, method="higher")) for one in drawn))
    if np.isfinite(high):
        return NoticedInterval(low, high, level)
    without = max(float(np.isinf(one).mean()) for one in drawn)
    reason = f"no upper end: in {without:.0%} of the draws even the largest differences are not enough"
    return NoticedInterval(low if np.isfinite(low) else None, None, level, reason)


def _draw(human: ScoreSample, metric: ScoreSample, families: Sequence[str], share: float) -> FloatArray:
    """(R,): the difference in each draw of true scores; none where there are no draws."""
    scores = TrueScores(human, metric, families).drawn
    return np.array([]) if scores is None else noticed_steps(scores[0], scores[1], share=share)
