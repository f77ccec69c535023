"""The declared primary coefficient: p of its measures, adjusted for each other over shared permutations."""

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from meta_eval.report.answer import measure_title
from meta_eval.report.inference.table import JointTable
from meta_eval.report.primary import Primary
from meta_eval.report.schema import CorrelationRow
from meta_eval.scores.names import SCORES
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.significance.shared import shared_permutation_p_values


def why_no_primary(primary: Primary | None, surrogates: Collection[str]) -> str | None:
    """Why a report with human scores by these surrogates has no numbers of the declared coefficient."""
    if primary is None or primary.surrogate in surrogates:
        return None
    return f"the report has no human scores by {measure_title(primary.surrogate)}"


def adjust_primary(
    rows: Sequence[CorrelationRow],
    table: JointTable,
    primary: Primary | None,
    *,
    rng: np.random.Generator,
) -> tuple[CorrelationRow, ...]:
    """The rows, those of the primary with `p_max_t`; it is never below the p of the row by itself."""
    family = [row for row in rows if primary is not None and primary.covers(row)]
    if primary is None or not family:
        return tuple(rows)
    human = table.samples[ScoreId(SCORES[primary.score].human, primary.surrogate)].observed
    automatic = np.stack([table.samples[ScoreId(primary.score, row.measure)].observed for row in family])
    adjusted = shared_permutation_p_values(human, automatic, primary.coefficient, rng=rng)
    by_measure = {row.measure: p for row, p in zip(family, adjusted, strict=True)}
    return tuple(
        replace(row, p_max_t=_at_least(by_measure[row.measure], row.p_value)) if primary.covers(row) else row
        for row in rows
    )


def _at_least(adjusted: float | None, alone: float | None) -> float | None:
    """Permutations that were drawn may give less than all of them, by which p of a row was found."""
    return None if adjusted is None or alone is None else max(adjusted, alone)
