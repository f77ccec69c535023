"""How far scores agree with the raters that cannot know how personalised a summary is."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.distances.computing import Normalise
from meta_eval.errors import InputError
from meta_eval.report.schema import SentinelRow
from meta_eval.report.shared import shared_by_any, shared_parts, shares_input
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import ACCURACY, OWN_KINDS, ScoreKind
from meta_eval.stats.coefficients.correlation import undefined_reason
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.coefficients.rows import correlate_rows
from meta_eval.stats.coefficients.ties import snap_ties
from meta_eval.stats.resampling.weights import mean_scores
from meta_eval.stats.table.joint import align_systems

RANDOM_SCORES = 1_000
QUANTILE = 0.95


@dataclass(frozen=True, slots=True)
class Sentinel:
    """One score, by its name and the measure that it is made with: `draws` (R, S) of the systems' values."""

    name: str
    measure: str | None
    draws: FloatArray


@dataclass(frozen=True, slots=True)
class _Agreement:
    """A coefficient with one human score in each draw (R,), over `n` systems, or why there is none."""

    n: int
    draws: FloatArray
    reason: str | None


def correlate_sentinels(
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    words: Mapping[str, float],
    *,
    rng: np.random.Generator,
    coefficients: Sequence[Coefficient],
    normalise: Normalise = "document",
) -> tuple[SentinelRow, ...]:
    """Each sentinel against DEGRESS-HJ and PerSEval-HJ by each surrogate, and the mean over the surrogates.

    Sentinels are the length of the summary, random scores, the penalty EDP alone and the accuracy alone of
    each measure, and a constant. Those of measures are over the documents of the main table.

    Parameters
    ----------
    automatic, human : scores by measure and by surrogate
    words : mean number of words by system, from `mean_words`; empty where the texts are not at hand
    rng : draws the random scores, the same for every coefficient
    coefficients : those of the report
    normalise : whether human scores set distances against those to the document

    Returns
    -------
    tuple of SentinelRow
        By human score, sentinel, surrogate and coefficient; undefined with a reason where it is undefined.

    Raises
    ------
    InputError
        If either side has no scores.

    References
    ----------
    Perrella et al. (2024), Guardians of the Machine Translation Meta-Evaluation; protocol 8.
    """
    if not automatic or not human:
        raise InputError("there are scores of one side only, so nothing can be compared")
    systems = sorted({name for scores in human.values() for name in scores.contributions.systems})
    sentinels = list(list_sentinels(automatic, words, systems, rng))
    rows: list[SentinelRow] = []
    for kind in OWN_KINDS:
        people = {
            name: _means(scores.contributions, scores.contributions.matrix(kind.automatic), systems)
            for name, scores in human.items()
        }
        for sentinel in sentinels:
            for coefficient in coefficients:
                rows += _rows_of(sentinel, people, kind, coefficient, normalise)
    return tuple(rows)


def list_sentinels(
    automatic: Mapping[str, Contributions],
    words: Mapping[str, float],
    systems: Sequence[str],
    rng: np.random.Generator,
) -> Iterator[Sentinel]:
    """Every sentinel with its values of the systems, NaN where a system has none."""
    lengths = np.array([[words.get(name, np.nan) for name in systems]])
    yield Sentinel("length", None, lengths)
    yield Sentinel("random", None, rng.standard_normal((RANDOM_SCORES, len(systems))))
    for name in ("penalty", "accuracy"):
        for measure, scores in automatic.items():
            yield Sentinel(name, measure, _means(scores, getattr(scores, name), systems)[None])
    yield Sentinel("constant", None, np.zeros((1, len(systems))))


def _means(scores: Contributions, values: FloatArray, systems: Sequence[str]) -> FloatArray:
    """(S,): the systems' means (S', D) over the documents that enter DEGRESS, NaN for a system without."""
    means = mean_scores(np.where(np.isfinite(scores.degress), values, np.nan))
    return align_systems(means, systems=scores.systems, to_systems=systems)


def _rows_of(
    sentinel: Sentinel,
    people: Mapping[str, FloatArray],
    kind: ScoreKind,
    coefficient: Coefficient,
    normalise: Normalise,
) -> Iterator[SentinelRow]:
    """A row for each surrogate, and one for the mean over those that have a coefficient."""
    found = {name: _agree(sentinel.draws, values, coefficient) for name, values in people.items()}
    rows = [
        _row(sentinel, kind, coefficient, agreement, surrogate=name, normalise=normalise)
        for name, agreement in found.items()
    ]
    yield from rows
    defined = [agreement for agreement in found.values() if agreement.reason is None]
    first = next(iter(found.values()))
    mean = replace(first, draws=np.mean([one.draws for one in defined], axis=0)) if defined else first
    overall = _row(sentinel, kind, coefficient, replace(mean, reason=None if defined else first.reason))
    n = min(one.n for one in (defined or found.values()))
    yield replace(
        overall,
        n=n,
        surrogates=len(defined),
        shared_input=any(row.shared_input for row in rows),
        shared=shared_by_any(*(row.shared for row in rows)),
    )


def _agree(draws: FloatArray, people: FloatArray, coefficient: Coefficient) -> _Agreement:
    """The coefficient of each draw with the human score, over the systems that have both."""
    both = np.isfinite(people) & np.isfinite(draws).all(axis=0)
    first, second, n = draws[:, both], snap_ties(people[both]), int(both.sum())
    reason = undefined_reason(first[0], second, coefficient)
    if reason:
        return _Agreement(n, np.full(len(draws), np.nan), reason)
    return _Agreement(n, correlate_rows(first, second, coefficient), None)


def _row(
    sentinel: Sentinel,
    kind: ScoreKind,
    coefficient: Coefficient,
    agreement: _Agreement,
    *,
    surrogate: str | None = None,
    normalise: Normalise = "document",
) -> SentinelRow:
    drawn = len(sentinel.draws) if sentinel.name == "random" else None
    defined = agreement.reason is None
    return SentinelRow(
        human=kind.human,
        surrogate=surrogate,
        sentinel=sentinel.name,
        measure=sentinel.measure,
        **_shared(sentinel, kind, surrogate, normalise),
        coefficient=coefficient,
        n=agreement.n,
        surrogates=int(defined),
        estimate=float(agreement.draws.mean()) if defined else None,
        reason=agreement.reason,
        quantile=float(np.quantile(agreement.draws, QUANTILE)) if defined and drawn else None,
        draws=drawn,
    )


def _shared(
    sentinel: Sentinel, kind: ScoreKind, surrogate: str | None, normalise: Normalise
) -> dict[str, Any]:
    """What it has in common with people's score, by the names of its fields; the penalty holds a penalty."""
    if sentinel.measure is None or surrogate is None:
        return {"shared_input": False}
    sides = (kind.human, surrogate, sentinel.measure)
    holds = None if sentinel.name == "penalty" else ACCURACY
    return {
        "shared_input": shares_input(*sides, normalise=normalise),
        "shared": shared_parts(*sides, automatic=holds, normalise=normalise),
    }
