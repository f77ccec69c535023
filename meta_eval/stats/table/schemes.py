"""What may be drawn again for a reliability table: documents, systems, raters, and what of it together.

Whatever is drawn, it is drawn alike for every score, so that any two may be correlated and compared.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import get_args

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError
from meta_eval.ratings.rating import Rating
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.resampling.drawn_raters import pool_raters, resample_raters
from meta_eval.stats.resampling.intervals import IntervalMethod
from meta_eval.stats.resampling.raters import build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.resampling.samples import (
    DEFAULT_RESAMPLES,
    RaterPool,
    ScoreSample,
    fixed_score,
    resample_systems,
)
from meta_eval.stats.resampling.weights import mean_scores
from meta_eval.stats.table.joint import (
    align_pool,
    align_sides,
    align_systems,
    resample_both_sides,
    table_axes,
)
from meta_eval.stats.table.resampled import Resampled

DIFFERENCE_OVER_SYSTEMS: IntervalMethod = "percentile"
"""Of a difference of two coefficients where systems are drawn: BCa is too narrow for Pearson's, and p, which
counts the resamples on either side of 0, would contradict it."""


def check_resampled(name: str) -> Resampled:
    """The name of something that may be drawn again.

    Parameters
    ----------
    name : one of `RESAMPLED`

    Returns
    -------
    str : the same

    Raises
    ------
    InputError : for anything that cannot be drawn

    Examples
    --------
    >>> check_resampled("raters")
    'raters'
    """
    for known in get_args(Resampled):
        if name == known:
            found: Resampled = known
            return found
    raise InputError(f"what is resampled is {', '.join(get_args(Resampled))}, not {name!r}")


@dataclass(frozen=True, slots=True)
class RaterDraws:
    """Human scores under the same draws of raters, whatever the surrogate; each is made once.

    `ratings` all that were given, of the documents of `corpus`; `seed` of the draws.
    """

    ratings: Sequence[Rating]
    corpus: Corpus
    seed: Sequence[int]
    resamples: int = DEFAULT_RESAMPLES
    _made: dict[str, dict[str, ScoreSample]] = field(default_factory=dict)

    def samples(self, surrogate: str, scores: HumanScores) -> dict[str, ScoreSample]:
        """HUMAN_SCORES with raters drawn with all of their ratings; systems as `scores` has them."""
        if surrogate not in self._made:
            scorer, rng = self._scorer(scores), np.random.default_rng(self.seed)
            self._made[surrogate] = resample_raters(scorer, resamples=self.resamples, rng=rng)
        return self._made[surrogate]

    def pools(self, scores: HumanScores, documents: Sequence[str]) -> dict[str, RaterPool]:
        """HUMAN_SCORES under draws of each document's raters; `documents` names the axis."""
        rng = np.random.default_rng(self.seed)
        return pool_raters(self._scorer(scores), documents=documents, rng=rng)

    def _scorer(self, scores: HumanScores) -> PanelScorer:
        if not self.ratings:
            raise InputError(
                "there are no single ratings, so raters cannot be resampled; choose documents or systems"
            )
        panel = build_panel(self.ratings, scores.divergences)
        return PanelScorer.of_scores(scores, panel, self.corpus)


@dataclass(frozen=True, slots=True)
class TableSamples:
    """Both sides of a table under the same draws: named as `resample_both_sides` names them.

    `samples` as drawn over `systems`; `before_systems` the same before systems were drawn.
    """

    samples: Mapping[ScoreId, ScoreSample]
    before_systems: Mapping[ScoreId, ScoreSample]
    systems: tuple[str, ...]


def resample_table(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    *,
    resampled: Resampled,
    raters: RaterDraws,
    rng: np.random.Generator,
    resamples: int = DEFAULT_RESAMPLES,
) -> TableSamples:
    """Both sides with `resampled` drawn again and again; an automatic score feels no draw of raters.

    Parameters
    ----------
    automatic : contributions by measure
    human : scores of people by surrogate
    resampled : "documents", "systems", "documents and systems", "raters" or "raters within documents"
    raters : the ratings, to be drawn where `resampled` says so
    rng : draws documents and systems
    resamples : how many; of raters alone `raters` says it

    Returns
    -------
    TableSamples

    Raises
    ------
    InputError : where raters are to be drawn and there are no ratings, or a single rater

    References
    ----------
    Deutsch, Dror and Roth (2021).

    Examples
    --------
    >>> from meta_eval.corpus.documents import Document
    >>> from meta_eval.measures import make_measure
    >>> from meta_eval.ratings.divergences import human_divergences
    >>> from meta_eval.scores.human import score_humans
    >>> from meta_eval.scores.automatic import score_systems
    >>> own = {"ann": "rain in the north", "bob": "sun in the south"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain in the south"}}
    >>> corpus = Corpus((Document("d", "", "Rain in the north, sun in the south.", own, systems),))
    >>> rated = {"p": {"user": 2, "A": 2, "B": 4}, "q": {"user": 1, "A": 2, "B": 5}}
    >>> ratings = [
    ...     Rating("d", name, "ann", "bob", rater, value)
    ...     for rater, values in rated.items()
    ...     for name, value in values.items()
    ... ]
    >>> divergences, measure = human_divergences(ratings, scale="similarity"), make_measure("rouge-l")
    >>> human = score_humans(corpus, divergences, measure)
    >>> automatic = {"rouge-l": score_systems(corpus, measure).contributions}
    >>> draws = RaterDraws(ratings, corpus, seed=[0])
    >>> rng = np.random.default_rng(0)
    >>> found = resample_table(
    ...     automatic, {"rouge-l": human}, resampled="documents", raters=draws, rng=rng, resamples=20
    ... )
    >>> found.systems, found.samples[ScoreId("degress_hj", "rouge-l")].resampled.shape
    (('A', 'B'), (20, 2))
    """
    people = {name: scores.contributions for name, scores in human.items()}
    systems, documents = table_axes(automatic, people)
    if resampled == "raters":
        drawn = _under_raters(automatic, human, raters, systems)
        return TableSamples(drawn, drawn, systems)
    if resampled == "systems":
        values = {name: mean_scores(matrix) for name, matrix in align_sides(automatic, people).items()}
        fixed = {name: fixed_score(scores, resamples=resamples) for name, scores in values.items()}
        return TableSamples(resample_systems(fixed, rng=rng), fixed, systems)
    pools = _pools(human, raters, systems, documents) if resampled == "raters within documents" else None
    documents_rng, systems_rng = rng.spawn(2)
    drawn = resample_both_sides(automatic, people, rng=documents_rng, resamples=resamples, pools=pools)
    both = resample_systems(drawn, rng=systems_rng) if resampled == "documents and systems" else drawn
    return TableSamples(both, drawn, systems)


def _under_raters(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    raters: RaterDraws,
    systems: Sequence[str],
) -> dict[ScoreId, ScoreSample]:
    people = {name: scores.contributions for name, scores in human.items()}
    found = {
        ScoreId(score, surrogate): _align_sample(sample, scores.contributions.systems, systems)
        for surrogate, scores in human.items()
        for score, sample in raters.samples(surrogate, scores).items()
    }
    units = tuple(len(left_out) for left_out in next(iter(found.values())).left_out)
    fixed = {
        name: fixed_score(mean_scores(matrix), resamples=raters.resamples, units=units)
        for name, matrix in align_sides(automatic, people).items()
        if name not in found
    }
    return {**fixed, **found}


def _align_sample(sample: ScoreSample, systems: Sequence[str], to_systems: Sequence[str]) -> ScoreSample:
    """The sample with its systems in another order; NaN for systems it does not have."""
    observed, resampled, *left_out = (
        align_systems(values, systems=systems, to_systems=to_systems)
        for values in (sample.observed, sample.resampled, *sample.left_out)
    )
    return ScoreSample(observed, resampled, tuple(left_out))


def _pools(
    human: Mapping[str, HumanScores],
    raters: RaterDraws,
    systems: Sequence[str],
    documents: Sequence[str],
) -> dict[ScoreId, RaterPool]:
    return {
        ScoreId(score, surrogate): align_pool(pool, systems=scores.contributions.systems, to_systems=systems)
        for surrogate, scores in human.items()
        for score, pool in raters.pools(scores, documents).items()
    }


def place_in_families(table: TableSamples, families: Mapping[str, str]) -> TableSamples:
    """The samples, each knowing the family of its systems; as they are where not every system has one of two
    or more families.

    Parameters
    ----------
    table : resampled scores of S systems
    families : family by system

    Returns
    -------
    TableSamples

    Examples
    --------
    >>> sample = fixed_score(np.array([0.25, 0.5]), resamples=1)
    >>> table = TableSamples({ScoreId("perseval", "m"): sample}, {}, systems=("A", "B"))
    >>> found = place_in_families(table, {"A": "old", "B": "new"})
    >>> found.samples[ScoreId("perseval", "m")].families
    ('old', 'new')
    """
    if len({*families.values()}) < 2 or not all(system in families for system in table.systems):
        return table
    names = tuple(families[system] for system in table.systems)
    samples, before = (
        {key: replace(sample, families=names) for key, sample in part.items()}
        for part in (table.samples, table.before_systems)
    )
    return replace(table, samples=samples, before_systems=before)


def select_systems(samples: Mapping[ScoreId, ScoreSample], rows: Sequence[int]) -> dict[ScoreId, ScoreSample]:
    """The samples of some of the systems alone, which are one family."""
    at = list(rows)
    return {
        name: replace(
            sample,
            observed=sample.observed[at],
            resampled=sample.resampled[:, at],
            left_out=tuple(left_out[:, at] for left_out in sample.left_out),
            families=(),
        )
        for name, sample in samples.items()
    }
