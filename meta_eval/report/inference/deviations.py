"""Do measures deviate alike? Each two measures of a report over pairs of readers, without any rating.

The thesis asks it of a new measure beside one whose agreement with people is known (Vansh 2023, section 6.1).
A report asks it of the documents that were rated, and of all their readers.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from meta_eval.arrays import FloatArray, IntArray
from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceTable
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import DeviationRow
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.reader_pairs.deviation import Form, PairDeviations, common_pairs, deviations_by_pair
from meta_eval.stats.reader_pairs.samples import (
    Sampling,
    draw_readers,
    draw_share,
    quartiles,
    under_weights,
    weigh_pairs,
)
from meta_eval.stats.resampling.intervals import percentile_interval

SHARES = (0.3, 0.5, 0.7, 0.9)
"""Shares of the pairs of readers, as in the thesis."""
MOST_RESAMPLES = 200
MOST_PAIRS = 500
"""Pairs of readers up to which readers are resampled: beyond, the command `deviations` does it."""
THESIS = (("rouge-l", "means"), ("jsd-oov", "ratios"))
"""ROUGE-L-Dev and DINS-Dev."""

UNDEFINED = "no system has two pairs of readers that deviate differently by both measures"

Side = tuple[str, Form]


def study_deviations_of(
    compared: Mapping[str, DistanceTable], corpus: Corpus, options: InferenceOptions
) -> tuple[DeviationRow, ...]:
    """How alike two measures deviate over pairs of readers: a row each two, coefficient and share.

    All pairs of measures in the form "means", so that forms are no reason to differ; where distances to the
    documents are there, each measure in its two forms, which says what a form does, and the thesis' own two.
    None with fewer than two measures. `compared` has distances between all readers of the corpus.
    """
    if len(compared) < 2:
        return ()
    sampling = Sampling(SHARES, resamples=min(options.resamples, MOST_RESAMPLES), seed=options.seed)
    draws = _Draws(sampling, draw_readers(len(corpus.readers), sampling), options.level)
    found: dict[Side, PairDeviations] = {}
    rows: list[DeviationRow] = []
    for sides in _which(compared):
        for name, form in sides:
            if (name, form) not in found:
                found[name, form] = deviations_by_pair(corpus, compared[name], form=form)
        systems = list(_by_system(found[sides[0]], found[sides[1]]))
        weights = draws.weights(systems)
        for coefficient in draws.sampling.coefficients:
            values = np.stack(
                [
                    under_weights(one.x, one.y, drawn, coefficient)
                    for one, drawn in zip(systems, weights, strict=True)
                ]
            )
            rows += _rows(sides, systems, coefficient, draws, values)
    return tuple(rows)


def _which(compared: Mapping[str, DistanceTable]) -> Iterator[tuple[Side, Side]]:
    for one, other in combinations(compared, 2):
        yield (one, "means"), (other, "means")
    with_documents = [name for name, table in compared.items() if table.normalise == "document"]
    for name in with_documents:
        yield (name, "means"), (name, "ratios")
    first, second = THESIS
    if first[0] in compared and second[0] in with_documents:
        yield ("rouge-l", "means"), ("jsd-oov", "ratios")


@dataclass(frozen=True, slots=True)
class _System:
    """A system's deviations x and y (P,) by two measures, of its `pairs` of readers (P, 2) that have both."""

    pairs: IntArray
    x: FloatArray
    y: FloatArray
    left_out: int


@dataclass(frozen=True, slots=True)
class _Draws:
    """How pairs are drawn, how often each reader is (R, readers), and the level of intervals."""

    sampling: Sampling
    readers: FloatArray
    level: float

    def weights(self, systems: Sequence[_System]) -> list[FloatArray]:
        """(1 + shares * samples + R, P) of each: all pairs, samples of each share, readers drawn again."""
        resampled = max(len(one.x) for one in systems) <= MOST_PAIRS
        return [np.concatenate(list(self._parts(one, resampled=resampled))) for one in systems]

    def _parts(self, one: _System, *, resampled: bool) -> Iterator[FloatArray]:
        yield np.ones((1, len(one.x)))
        for share in self.sampling.shares:
            yield draw_share(len(one.x), share, self.sampling)
        if resampled:
            yield weigh_pairs(self.readers, one.pairs)

    def samples_of(self, number: int) -> slice:
        """Where the samples of a share are among these weights."""
        return slice(1 + number * self.sampling.samples, 1 + (number + 1) * self.sampling.samples)


def _by_system(first: PairDeviations, second: PairDeviations) -> Iterator[_System]:
    common, mine, theirs = common_pairs(first, second)
    for row, system in enumerate(first.systems):
        x, y = first.values[row, mine], second.values[second.systems.index(system), theirs]
        both = np.isfinite(x) & np.isfinite(y)
        yield _System(common[both], x[both], y[both], int((~both).sum()))


def _rows(
    sides: tuple[Side, Side],
    systems: Sequence[_System],
    coefficient: Coefficient,
    draws: _Draws,
    values: FloatArray,
) -> Iterator[DeviationRow]:
    """A row a share, of values (S, W) under the weights; that over all pairs and its interval are in each."""
    defined = values[np.isfinite(values[:, 0]), 0]
    low, high = _interval(values[:, draws.samples_of(len(draws.sampling.shares)).start :], draws.level)
    (measure, form), (other, other_form) = sides
    for number, share in enumerate(draws.sampling.shares):
        sampled = values[:, draws.samples_of(number)].ravel()
        five = quartiles(sampled)
        yield DeviationRow(
            measure=measure,
            measure_form=form,
            other=other,
            other_form=other_form,
            coefficient=coefficient,
            estimate=float(defined.mean()) if defined.size else None,
            ci_low=low if defined.size else None,
            ci_high=high if defined.size else None,
            reason=None if defined.size else UNDEFINED,
            systems_defined=defined.size,
            lowest_system=float(defined.min()) if defined.size else None,
            highest_system=float(defined.max()) if defined.size else None,
            reader_pairs=max(len(one.x) for one in systems),
            pairs_left_out=sum(one.left_out for one in systems),
            share_of_pairs=share,
            samples=int(np.isfinite(sampled).sum()),
            sample_lowest=five["low"],
            sample_q1=five["q1"],
            sample_median=five["median"],
            sample_q3=five["q3"],
            sample_highest=five["high"],
        )


def _interval(resampled: FloatArray, level: float) -> tuple[float | None, float | None]:
    """Of the mean over systems (S, R), the same readers drawn for all of them; none without draws."""
    there = np.isfinite(resampled)
    total, counts = np.where(there, resampled, 0.0).sum(axis=0), there.sum(axis=0)
    means = np.divide(total, counts, out=np.full(len(counts), np.nan), where=counts > 0)
    interval = percentile_interval(means, level=level) if len(means) else None
    return (interval.low, interval.high) if interval else (None, None)
