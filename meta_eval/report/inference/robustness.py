"""Is a coefficient the work of its interval's method, or of the distance between two families of systems?"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from meta_eval.errors import InputError
from meta_eval.report.inference.table import JointTable, head_of, mirror_rows, names_of
from meta_eval.scores.names import SCORE_KINDS, ScoreKind
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import LEAST_SYSTEMS, members_of, too_few
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.resampling.intervals import Interval, IntervalMethod
from meta_eval.stats.resampling.samples import RowCache
from meta_eval.stats.table.inferred import find_interval

Row = dict[str, Any]


def compare_intervals(table: JointTable) -> list[Row]:
    """Percentile and BCa interval of every coefficient, from the resamples of its cell, side by side."""
    rows: list[Row] = []
    for kind in SCORE_KINDS:
        rows += mirror_rows(rows, kind) or list(_intervals_of(table, kind))
    return rows


def _intervals_of(table: JointTable, kind: ScoreKind) -> Iterator[Row]:
    """By place and coefficient; one coefficient at a time: a whole table's rows would fill the memory."""
    columns = [_column(table, kind, coefficient, RowCache()) for coefficient in table.design.coefficients]
    return (row for rows in zip(*columns, strict=True) for row in rows)


def _column(table: JointTable, kind: ScoreKind, coefficient: Coefficient, cache: RowCache) -> list[Row]:
    return [
        {**head_of(kind, *place), **_both_intervals(table, names_of(kind, *place), coefficient, cache)}
        for place in table.places()
    ]


def _both_intervals(
    table: JointTable, names: tuple[str, str], coefficient: Coefficient, cache: RowCache
) -> Row:
    human, automatic = (table.samples[name] for name in names)
    found = correlate(human.observed.tolist(), automatic.observed.tolist(), coefficient)

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
    return {
        "coefficient": coefficient,
        "n": found.n,
        "estimate": found.estimate,
        "percentile_low": percentile.low,
        "percentile_high": percentile.high,
        "percentile_reason": percentile.reason,
        "bca_low": bca.low,
        "bca_high": bca.high,
        "bca_reason": bca.reason,
        "ci_over": table.design.resampled,
    }


def correlate_families(
    table: JointTable, families: Mapping[str, str], *, rng: np.random.Generator
) -> list[Row]:
    """The cells of each family's systems alone; p adjusted within family and score.

    `families` maps systems to families. Raises `InputError` where it is empty or leaves one out.
    """
    if not families:
        raise InputError("no families of systems were given")
    members = members_of(families, table.systems)
    return [
        {"family": family, "systems": [table.systems[row] for row in rows], **cell}
        for (family, rows), own in zip(members.items(), rng.spawn(len(members)), strict=True)
        for cell in _cells_of_family(table, rows, own)
    ]


def _cells_of_family(table: JointTable, rows: tuple[int, ...], rng: np.random.Generator) -> list[Row]:
    """Cells in which fewer systems than needed have both scores say so in place of a coefficient."""
    cells = table.within(rows, rng=rng).cells()
    return [require_enough(cell) for cell in cells]


def require_enough(cell: Row) -> Row:
    """The cell of a family, or in place of its numbers why so few systems give none."""
    if cell["n"] >= LEAST_SYSTEMS:
        return cell
    reason = too_few(cell["n"])
    nothing: Row = dict.fromkeys(name for name in _NUMBERS if name in cell)
    why: Row = {name: reason for name in ("reason", "ci_reason") if name in cell}
    return {**cell, **nothing, **why}


_NUMBERS = ("estimate", "ci_low", "ci_high", "p_value", "p_adjusted")
