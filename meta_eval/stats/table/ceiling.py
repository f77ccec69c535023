"""How far the raters' own disagreement lets any metric agree with them.

A ceiling estimates the coefficient with the human scores of a metric that knows what the raters would say on
average if there were very many of them: of the rated documents (the matched scope), or of the whole corpus
(the papers' scope, in which the choice of documents limits agreement, too). By split halves it is within 0.02
of the truth in simulated surveys (`tests/benchmarks/ceilings.py`); the simulated one, for where halves give
none, errs high by up to 0.07. Where reliability is below 0.4 both are too high, because surveys that show no
agreement at all have no ceiling to be averaged.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Literal

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.stats.coefficients.registry import REGISTRY, Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.resampling.raters import RaterPanel
from meta_eval.stats.resampling.rescoring import PanelScorer

CeilingMethod = Literal["split-half", "simulation"]
Scope = Literal["matched", "corpus"]
"""The automatic scores that a ceiling is for: over rated documents and pairs alone, or over all documents."""
DEFAULT_SPLITS = 200
DEFAULT_SIMULATIONS = 1_000
ONE_RATER = "no questionnaire has two raters"
ByCoefficient = dict[Coefficient, dict[str, "Ceiling"]]
"""Ceilings by coefficient and human score."""
MIDDLE = (0.025, 0.975)  # 95 %, as every interval beside a ceiling


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
    scope: Scope = "matched"


def split_half_ceilings(
    scorer: PanelScorer,
    coefficients: Sequence[Coefficient],
    *,
    rng: np.random.Generator,
    splits: int = DEFAULT_SPLITS,
) -> ByCoefficient:
    """In the matched scope: raters of each questionnaire split in halves, which are scored apart.

    The mean coefficient of the halves is turned into the Pearson's r of a normal population in which it is
    expected, because only that can be stepped up to the full number of raters by Spearman-Brown,
    2 r / (1 + r). Its square root, turned back, is the ceiling.

    Parameters
    ----------
    scorer : scores the panel's ratings under weights of raters
    coefficients : of `ALL_COEFFICIENTS`; all of the same halves
    rng : draws the halves
    splits : how many

    Returns
    -------
    dict of `Ceiling` by coefficient and human score

    References
    ----------
    Spearman (1910) and Brown (1910); the curves of `meta_eval.stats.coefficients.normal`.

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
    >>> found = split_half_ceilings(scorer, ["kendall"], rng=np.random.default_rng(0), splits=10)
    >>> found["kendall"]["degress_hj"].ceiling, found["kendall"]["degress_hj"].used
    (1.0, 10)
    """
    if not has_two_raters(scorer):
        return no_ceilings("split-half", coefficients, ONE_RATER)
    half = split_units(scorer.panel, rng=rng, splits=splits)
    both = scorer.system_scores_by_unit(np.concatenate([half, 1.0 - half]))
    found: ByCoefficient = {coefficient: {} for coefficient in coefficients}
    for coefficient, (name, scores) in product(coefficients, both.items()):
        halves = _compare_halves(scores[:splits], scores[splits:], coefficient, of="raters")
        found[coefficient][name] = halves.ceiling(coefficient, "matched")
    return found


def corpus_ceilings(
    scorer: PanelScorer,
    matched: Mapping[Coefficient, Mapping[str, Ceiling]],
    *,
    rng: np.random.Generator,
    documents: int,
    splits: int = DEFAULT_SPLITS,
) -> ByCoefficient:
    """In the papers' scope: automatic scores over all `documents` of the corpus.

    Even a metric that knows what very many raters would say meets people who read some documents only, so
    the choice of documents is part of the ceiling. Halves of the documents, each with its raters, are stepped
    up as those of raters are, to a reliability R for all documents there could be. Of the noise that is
    documents' and not raters', what was rated of the corpus is no noise to a metric over it: with the raters'
    reliability r of the matched scope and D of N documents rated, R + (r - R) D / N.

    Parameters
    ----------
    scorer : scores the panel's ratings under weights of raters
    matched : what `split_half_ceilings` found
    rng : draws the halves, the same for all coefficients
    documents : how many the corpus has
    splits : how many

    Returns
    -------
    dict of `Ceiling` by coefficient and human score

    References
    ----------
    Spearman (1910) and Brown (1910); the step from documents to the corpus is this project's own.

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
    >>> matched = split_half_ceilings(scorer, ["kendall"], rng=np.random.default_rng(0), splits=10)
    >>> found = corpus_ceilings(scorer, matched, rng=np.random.default_rng(0), documents=9, splits=10)
    >>> found["kendall"]["degress_hj"].scope
    'corpus'
    """
    panel, rated = scorer.panel, len(scorer.documents)
    everyone = scorer.score(panel.by_unit(np.ones((1, len(panel.strata)))))
    half = split_evenly(rated, rng=rng, splits=splits)
    means = {
        name: (_means_of(values[0], half), _means_of(values[0], 1.0 - half))
        for name, values in everyone.items()
    }

    def limit(ceiling: Ceiling, name: str) -> Ceiling:
        if ceiling.reliability is None or not documents:
            return replace(ceiling, scope="corpus")
        halves = _compare_halves(*means[name], coefficient=ceiling.coefficient, of="documents")
        limited = halves.within(ceiling.reliability, share=min(1.0, rated / documents))
        return limited.ceiling(ceiling.coefficient, "corpus")

    return {
        coefficient: {name: limit(ceiling, name) for name, ceiling in by_score.items()}
        for coefficient, by_score in matched.items()
    }


@dataclass(frozen=True, slots=True)
class _Halves:
    """The reliability of a whole by the mean of its splits, and by the middle 95 % of them, over n systems;
    empty with a `reason`."""

    reliability: tuple[float, ...] = ()
    n: int = 0
    used: int = 0
    reason: str | None = None

    def within(self, matched: float, *, share: float) -> "_Halves":
        """With a share of the corpus rated, by raters who alone leave the reliability `matched`."""
        found = (min(one, matched) for one in self.reliability)
        return replace(self, reliability=tuple(one + (matched - one) * share for one in found))

    def ceiling(self, coefficient: Coefficient, scope: Scope) -> Ceiling:
        """The coefficient with the truth of scores that are so reliable."""
        nothing = Ceiling("split-half", coefficient, None, None, used=self.used, scope=scope)
        if not self.reliability:
            return replace(nothing, reason=self.reason)
        of_pearson = REGISTRY[coefficient].normal.of_pearson
        value, low, high = (of_pearson(math.sqrt(one), self.n) for one in self.reliability)
        return replace(nothing, ceiling=value, reliability=self.reliability[0], low=low, high=high)


def _compare_halves(first: FloatArray, second: FloatArray, coefficient: Coefficient, *, of: str) -> _Halves:
    """The scores of both halves by split, (R, S) each, of raters or documents."""
    values = correlate_rows(first, second, coefficient)
    defined = values[np.isfinite(values)]
    if not defined.size:
        return _Halves(reason="no split has scores that differ")
    n = int((np.isfinite(first) & np.isfinite(second)).any(axis=0).sum())
    to_pearson = REGISTRY[coefficient].normal.to_pearson
    found = [to_pearson(float(value), n) for value in (defined.mean(), *np.quantile(defined, MIDDLE))]
    if found[0] <= 0.0:
        reason = f"the two halves of the {of} do not agree on the systems"
        return _Halves(used=defined.size, reason=reason)
    return _Halves(tuple(spearman_brown(max(0.0, r)) for r in found), n, defined.size)


def _means_of(contributions: FloatArray, chosen: FloatArray) -> FloatArray:
    """(S, P) and (R, P) of 0 and 1 to (R, S): scores over the documents chosen."""
    present = np.isfinite(contributions)
    totals = chosen @ np.where(present, contributions, 0.0).T
    counts = chosen @ present.T.astype(np.float64)
    means: FloatArray = np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
    return means


def has_two_raters(scorer: PanelScorer) -> bool:
    """Whether any questionnaire was rated by two raters or more."""
    return bool((np.bincount(scorer.panel.strata) > 1).any())


def split_evenly(units: int, *, rng: np.random.Generator, splits: int) -> FloatArray:
    """(splits, units) of 0 and 1: half of the units; of an odd number the middle one goes by chance."""
    rank = np.argsort(rng.random((splits, units)), axis=1)
    odd = (rng.random(splits) < 0.5) * (units % 2)
    return (rank < (units // 2 + odd)[:, None]).astype(np.float64)


def split_units(panel: RaterPanel, *, rng: np.random.Generator, splits: int) -> FloatArray:
    """(splits, units) of 0 and 1: half of the raters of each questionnaire; of an odd number the middle one
    goes to either half by chance."""
    units = len(panel.strata)
    order = np.argsort(panel.strata[None, :] + rng.random((splits, units)), axis=1)
    sizes = np.bincount(panel.strata)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    strata = np.sort(panel.strata)
    rank = np.arange(units) - starts[strata]
    odd = rng.random((splits, len(sizes))) < 0.5
    chosen = rank < (sizes // 2)[strata] + (odd * (sizes % 2))[:, strata]
    half = np.zeros((splits, units))
    np.put_along_axis(half, order, chosen.astype(np.float64), axis=1)
    return half


def spearman_brown(r: float, *, times: float = 2.0) -> float:
    """The reliability of a test `times` as long as one of reliability r (Spearman 1910; Brown 1910).

    Examples
    --------
    >>> round(spearman_brown(0.5), 3), round(spearman_brown(0.5, times=3), 3)
    (0.667, 0.75)
    """
    return times * r / (1.0 + (times - 1.0) * r)


def no_ceilings(method: CeilingMethod, coefficients: Sequence[Coefficient], reason: str) -> ByCoefficient:
    """No ceiling of any human score, with the `reason`."""
    return {
        coefficient: {name: Ceiling(method, coefficient, None, None, reason=reason) for name in HUMAN_SCORES}
        for coefficient in coefficients
    }
