"""Is a coefficient the work of its interval's method, or of the distance between two families of systems?"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from meta_eval.errors import InputError
from meta_eval.report.inference.table import JointTable, mirror_rows, score_ids
from meta_eval.report.schema import FamilyRow, IntervalsRow
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import LEAST_IN_A_FAMILY, members_of, too_few
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.bootstrap import RowCache
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod
from meta_eval.stats.table.inferred import find_interval


def compare_intervals(table: JointTable) -> tuple[IntervalsRow, ...]:
    """Percentile and BCa interval of every coefficient, from the resamples of its row, side by side."""
    rows: list[IntervalsRow] = []
    for kind in SCORE_KINDS:
        rows += mirror_rows(rows, kind) or list(_intervals_of(table, kind))
    return tuple(rows)


def _intervals_of(table: JointTable, kind: ScoreKind) -> Iterator[IntervalsRow]:
    """By surrogate, measure and coefficient; one coefficient is made at a time to save memory."""
    columns = []
    for coefficient in table.design.coefficients:
        cache = RowCache()
        columns.append([_both_intervals(table, kind, sides, coefficient, cache) for sides in table.sides])
    return (row for rows in zip(*columns, strict=True) for row in rows)


def _both_intervals(
    table: JointTable, kind: ScoreKind, sides: tuple[str, str], coefficient: Coefficient, cache: RowCache
) -> IntervalsRow:
    human, automatic = (table.samples[score] for score in score_ids(kind, *sides))
    correlation = correlate(human.observed.tolist(), automatic.observed.tolist(), coefficient)

    def interval(method: IntervalMethod) -> Interval:
        return find_interval(
            human,
            automatic,
            coefficient,
            method=method,
            over=table.design.resampled,
            level=table.design.level,
            cache=cache,
        )

    percentile, bca = interval("percentile"), interval("bca")
    return IntervalsRow(
        **table.head(kind, *sides),
        coefficient=coefficient,
        n=correlation.n,
        estimate=correlation.estimate,
        percentile_low=percentile.low,
        percentile_high=percentile.high,
        percentile_reason=percentile.reason,
        bca_low=bca.low,
        bca_high=bca.high,
        bca_reason=bca.reason,
        ci_over=table.design.resampled,
    )


def correlate_families(
    table: JointTable, families: Mapping[str, str], *, rng: np.random.Generator
) -> list[FamilyRow]:
    """The coefficients of each family's systems alone; p adjusted within family and score.

    `families` maps systems to families. Raises `InputError` where it is empty or leaves one out.
    """
    if not families:
        raise InputError("no families of systems were given")
    members = members_of(families, table.systems)
    rows: list[FamilyRow] = []
    for (family, numbers), own in zip(members.items(), rng.spawn(len(members)), strict=True):
        systems = tuple(table.systems[number] for number in numbers)
        within = table.within(numbers, rng=own)
        rows += map(require_enough, within.rows(partial(FamilyRow, family=family, systems=systems)))
    return rows


def require_enough(row: FamilyRow) -> FamilyRow:
    """The row of a family; where fewer systems than needed have both scores, why in place of its numbers."""
    if row.n >= LEAST_IN_A_FAMILY:
        return row
    reason = too_few(row.n)
    return replace(
        row,
        estimate=None,
        reason=reason,
        ci_low=None,
        ci_high=None,
        ci_reason=reason,
        p_value=None,
        p_adjusted=None,
    )
