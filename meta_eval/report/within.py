"""What a coefficient is within families of systems, by the names of the fields of its row."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from meta_eval.stats.coefficients.families import pool_within_families
from meta_eval.stats.coefficients.registry import Coefficient
from meta_eval.stats.significance.within import Matchings, explained_by_families

WITHIN_FIELDS = (
    "within",
    "within_reason",
    "families_mean",
    "p_within",
    "p_within_method",
    "families_explain",
)


def within_fields(
    x: Sequence[float | None],
    y: Sequence[float | None],
    coefficient: Coefficient,
    *,
    matchings: Matchings,
    p_value: float | None,
    alpha: float,
) -> dict[str, Any]:
    """`WITHIN_FIELDS` of the coefficient of two scores of the systems of `matchings`.

    `p_value` is that of systems permuted at will; the families explain what that calls significant.
    """
    pooled = pool_within_families(x, y, coefficient, families=matchings.families)
    tested = matchings.test(x, y, coefficient)
    return {
        "within": pooled.estimate,
        "within_reason": tested.reason or pooled.reason,
        "families_mean": tested.mean,
        "p_within": tested.p,
        "p_within_method": None if tested.p is None else tested.method,
        "families_explain": explained_by_families(tested, coefficient, p_value=p_value, alpha=alpha),
    }


def add_within_families(
    records: Iterable[Mapping[str, Any]],
    human: Iterable[Mapping[str, Any]],
    automatic: Iterable[Mapping[str, Any]],
    *,
    families: Mapping[str, str],
    seed: int = 0,
    alpha: float = 0.05,
) -> list[dict[str, Any]]:
    """`records` of `correlate_records` or `infer_records`, each with `WITHIN_FIELDS`.

    `human` and `automatic` are what they were made of, `families` maps each system to its family. Records
    without a p over all systems do not say whether the families explain it.
    """
    people = {(row["system"], str(row["surrogate"])): row for row in human}
    machines = {(row["system"], str(row["measure"])): row for row in automatic}
    matchings = Matchings(list(families.values()), rng=np.random.default_rng([seed, _STREAM]))
    found = []
    for record in records:
        x, y = (
            [
                side[system, record[name]][record[score]] if (system, record[name]) in side else None
                for system in families
            ]
            for side, name, score in ((people, "surrogate", "human"), (machines, "measure", "automatic"))
        )
        within = within_fields(
            x, y, record["coefficient"], matchings=matchings, p_value=record.get("p_value"), alpha=alpha
        )
        found.append({**record, **within})
    return found


_STREAM = 9
"""Of random numbers, so that what is drawn here changes no interval."""
