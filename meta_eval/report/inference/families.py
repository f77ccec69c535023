"""Is a coefficient more than the distance between families of systems?"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, cast

import numpy as np

from meta_eval.report.inference.table import JointTable
from meta_eval.report.schema import CorrelationRow
from meta_eval.report.within import within_fields
from meta_eval.scores.names import SCORES
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.families import members_of
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.significance.within import Matchings


def add_within(
    rows: Sequence[CorrelationRow],
    table: JointTable,
    families: Mapping[str, str],
    *,
    rng: np.random.Generator,
    alpha: float,
) -> tuple[CorrelationRow, ...]:
    """The rows with p within families, the coefficient within all of them, and whether they explain it.

    `families` maps systems to families. Raises `InputError` where it leaves one out.
    """
    members_of(families, table.systems)
    matchings = Matchings([families[system] for system in table.systems], rng=rng)
    found: dict[tuple[str | None, ...], dict[str, Any]] = {}
    for row in rows:
        key = _key(row)
        if key not in found:
            found[key] = within_fields(
                table.observed(ScoreId(row.human, row.surrogate or "")),
                table.observed(ScoreId(row.automatic, row.measure)),
                cast(Coefficient, row.coefficient),
                matchings=matchings,
                p_value=row.p_value,
                alpha=alpha,
            )
    return tuple(replace(row, **found[_key(row)]) for row in rows)


def _key(row: CorrelationRow) -> tuple[str | None, ...]:
    """A score that mirrors another has its coefficients."""
    return SCORES[row.automatic].studied, row.surrogate, row.measure, row.coefficient
