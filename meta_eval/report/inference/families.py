"""Is a coefficient more than the distance between families of systems?"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.report.inference.found_families import find_families
from meta_eval.report.inference.robustness import correlate_families
from meta_eval.report.inference.streams import stream
from meta_eval.report.inference.table import JointTable
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import CorrelationRow, FamilyRow, FoundFamilies
from meta_eval.report.within import within_fields
from meta_eval.scores.names import SCORES
from meta_eval.scores.score_id import ScoreId
from meta_eval.stats.coefficients.families import members_of
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.significance.adjustment import Adjustment, adjust_p_values
from meta_eval.stats.significance.within import Matchings


@dataclass(frozen=True, slots=True)
class WithFamilies:
    """The cells with what they are within families, the coefficients of each family that was given, and the
    families that were found where none were."""

    cells: tuple[CorrelationRow, ...]
    rows: tuple[FamilyRow, ...] = ()
    found: FoundFamilies | None = None


def look_into_families(
    table: JointTable, cells: Sequence[CorrelationRow], corpus: Corpus, options: InferenceOptions
) -> WithFamilies:
    """What the families of the options say of a table's cells, or those that texts and scores show.

    Raises `InputError` where families were given but not to every system.
    """
    rng = stream(options.seed, "within families")
    tests: Any = {"alpha": options.alpha, "adjustment": options.adjustment}
    if options.families:
        rows = correlate_families(table, options.families, rng=stream(options.seed, "families"))
        within = add_within(cells, table, options.families, rng=rng, **tests)
        return WithFamilies(within, tuple(rows))
    found = find_families(corpus, table)
    if found is None:
        return WithFamilies(tuple(cells))
    within = add_within(cells, table, found.families, rng=rng, **tests)
    return WithFamilies(within, found=found)


def add_within(
    rows: Sequence[CorrelationRow],
    table: JointTable,
    families: Mapping[str, str],
    *,
    rng: np.random.Generator,
    alpha: float,
    adjustment: Adjustment = "holm",
) -> tuple[CorrelationRow, ...]:
    """The rows with p within families, the coefficient within all of them, and whether they explain it.

    p is adjusted over the rows of the same human score, too. `families` maps systems to families. Raises
    `InputError` where it leaves one out.
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
    within = [replace(row, **found[_key(row)]) for row in rows]
    adjusted: dict[int, float | None] = {}
    for human in dict.fromkeys(row.human for row in within):
        at = [number for number, row in enumerate(within) if row.human == human]
        p_values = adjust_p_values([within[number].p_within for number in at], method=adjustment)
        adjusted.update(zip(at, p_values, strict=True))
    return tuple(replace(row, p_within_adjusted=adjusted[number]) for number, row in enumerate(within))


def _key(row: CorrelationRow) -> tuple[str | None, ...]:
    """A score that mirrors another has its coefficients."""
    return SCORES[row.automatic].studied, row.surrogate, row.measure, row.coefficient
