"""The reliability table (PerSEval Table 2; protocol 8): automatic against human scores, over systems."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from meta_eval.errors import InputError
from meta_eval.files.frames import Records, Tabular, records_of
from meta_eval.report.limits import interval_limits
from meta_eval.report.shared import shared_parts, shares_input
from meta_eval.scores.names import ACCURACY, TWINS
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.samples import DEFAULT_RESAMPLES
from meta_eval.stats.significance.adjustment import Adjustment
from meta_eval.stats.table.inferred import infer_over_systems
from meta_eval.stats.table.resampled import INTERVALS, Intervals

if TYPE_CHECKING:
    from pandas import DataFrame

Record = Mapping[str, Any]


SETTINGS = (
    "normalise",
    "alpha",
    "beta",
    "gamma",
    "include_self",
    "scale",
    "lowest",
    "highest",
    "edp_readers",
)
"""What both sides of a comparison have to share, as far as their records have it.

Human scores alone have a scale and the readers of their penalty.
"""


def shared_settings(sides: Mapping[str, Iterable[Record]]) -> dict[str, Any]:
    """The value of each of `SETTINGS` that some record has, for records by the name of their side.

    Raises `InputError` where two values meet: scores of distances to the document say nothing of bare ones,
    and a penalty says nothing of another.
    """
    found = {name: _values_of(name, sides) for name in SETTINGS}
    for name, values in found.items():
        if len(values) > 1:
            met = ", ".join(f"{value} in {' and '.join(where)}" for value, where in values.items())
            raise InputError(f"{name} is {met}: make all of these scores with one {name}")
    return {name: next(iter(values)) for name, values in found.items() if values}


def _values_of(name: str, sides: Mapping[str, Iterable[Record]]) -> dict[Any, dict[str, None]]:
    """Where each value of a setting stands, in the order of first occurrence."""
    values: dict[Any, dict[str, None]] = {}
    for side, records in sides.items():
        for record in records:
            if name in record:
                values.setdefault(record[name], {})[side] = None
    return values


def correlate_records(
    human: Iterable[Record],
    automatic: Iterable[Record],
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    compared: Sequence[tuple[str, str]] = TWINS,
) -> list[dict[str, Any]]:
    """One record per score, surrogate, measure and coefficient, over the systems that both sides have.

    A measure that gives accuracy alone, as a judge of single texts does, has records of accuracy alone.

    Parameters
    ----------
    human : records as `HumanScores.records` gives them
    automatic : records as `AutomaticScores.records` gives them
    coefficients : of `ALL_COEFFICIENTS`
    compared : human scores, each with the automatic score that it judges

    Returns
    -------
    list of dict

    Raises
    ------
    InputError : if the two have no system in common, or if either holds a system twice under one measure

    Examples
    --------
    >>> scores = {"A": 0.25, "B": 0.5, "C": 0.75}
    >>> human = [{"system": name, "surrogate": "jsd", "egises_hj": value} for name, value in scores.items()]
    >>> metric = [{"system": name, "measure": "bleu", "egises": value**2} for name, value in scores.items()]
    >>> (found,) = correlate_records(
    ...     human, metric, coefficients=("kendall",), compared=[("egises_hj", "egises")]
    ... )
    >>> round(found["estimate"], 6)
    1.0
    """
    human_tables, automatic_tables = _sides(human, automatic, compared)
    _check_common(human_tables, automatic_tables)
    return [
        record
        for names in compared
        for surrogate, human_scores in human_tables.items()
        for measure, automatic_scores in automatic_tables.items()
        if _has(names[1], automatic_scores)
        for record in _correlations(
            names, surrogate, human_scores, measure, automatic_scores, coefficients=coefficients
        )
    ]


def _sides(
    human: Iterable[Record], automatic: Iterable[Record], compared: Sequence[tuple[str, str]]
) -> tuple[dict[str, dict[str, Record]], dict[str, dict[str, Record]]]:
    """Both sides by measure and system, every score of the comparison in each record."""
    people = _by_measure(human, "surrogate", list(dict.fromkeys(name for name, _ in compared)))
    return people, _by_measure(automatic, "measure", [name for _, name in compared])


def _has(score: str, records: Mapping[str, Record]) -> bool:
    """Whether a measure gives this score: not where it gives accuracy, and this one for no system."""

    def gives(name: str) -> bool:
        return any(record.get(name) is not None for record in records.values())

    return score == ACCURACY or gives(score) or not gives(ACCURACY)


_SHOWN = ("measure", "automatic", "surrogate", "human", "coefficient", "n", "estimate")


def correlate_scores(
    human: "Tabular | DataFrame | Iterable[Record]",
    automatic: "Tabular | DataFrame | Iterable[Record]",
    *,
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
) -> Records:
    """Correlate human with automatic scores over the systems that both sides have.

    Parameters
    ----------
    human : HumanScores, pandas.DataFrame or iterable of mapping
        From `score_humans`: a row a system, with `system`, `surrogate` and the scores `degress_hj`,
        `egises_hj`, `perseval_hj`, each in [0, 1] or missing.
    automatic : AutomaticScores, pandas.DataFrame or iterable of mapping
        From `score_systems`: a row a system, with `system`, `measure` and `degress`, `egises`, `perseval`.
    coefficients : sequence of str, optional

    Returns
    -------
    Records
        One a score, surrogate, measure and coefficient; `to_frame()` gives them as a data frame.

    Raises
    ------
    InputError
        If the two have no system in common, or if either holds a system twice under one measure.

    References
    ----------
    PerSEval, Table 2; protocol 8.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> scores = DataFrame({"system": ["A", "B", "C"], "degress": [0.1, 0.5, 0.4]})
    >>> scores = scores.assign(egises=1 - scores["degress"], perseval=scores["degress"])
    >>> names = {name: f"{name}_hj" for name in ("degress", "egises", "perseval")}
    >>> human, automatic = scores.rename(columns=names).assign(surrogate="jsd"), scores.assign(measure="jsd")
    >>> found = correlate_scores(human, automatic, coefficients=["kendall"])
    >>> [(row["automatic"], round(row["estimate"], 6)) for row in found]
    [('degress', 1.0), ('egises', 1.0), ('perseval', 1.0)]
    """
    found = correlate_records(records_of(human), records_of(automatic), coefficients=coefficients)
    return Records(found, "Human against automatic scores, over systems", _SHOWN)


INFERENCE_FIELDS = (
    "ci_low",
    "ci_high",
    "ci_method",
    "ci_over",
    "ci_level",
    "ci_reason",
    "resamples",
    "degenerate",
    "p_value",
    "p_method",
    "p_adjusted",
    "p_adjustment",
)


def infer_records(
    human: Sequence[Record],
    automatic: Sequence[Record],
    *,
    seed: int = 0,
    resamples: int = DEFAULT_RESAMPLES,
    intervals: Intervals = INTERVALS["systems"],
    adjustment: Adjustment = "holm",
    coefficients: Sequence[Coefficient] = COEFFICIENTS,
    compared: Sequence[tuple[str, str]] = TWINS,
) -> list[dict[str, Any]]:
    """The records of `correlate_records`, each with `INFERENCE_FIELDS` as `InferredCorrelation` defines them,
    and with what its interval does not hold (`ci_limits`).

    Records hold systems' scores alone, so the intervals are about other systems. p is adjusted over the table
    of each score: every surrogate, measure and coefficient.
    """
    records = correlate_records(human, automatic, coefficients=coefficients, compared=compared)
    people, machines = _sides(human, automatic, compared)
    systems = sorted({system for table in (*people.values(), *machines.values()) for system in table})
    cells = [
        cell
        for name, twin in compared
        for cell in infer_over_systems(
            [
                (f"{name} {surrogate}", f"{twin} {measure}")
                for surrogate in people
                for measure, scores in machines.items()
                if _has(twin, scores)
            ],
            {
                **_score_columns(people, name, systems),
                **_score_columns(machines, twin, systems),
            },
            seed=seed,
            resamples=resamples,
            coefficients=coefficients,
            intervals=intervals,
            adjustment=adjustment,
        )
    ]
    return [
        {
            **record,
            **{name: getattr(cell, name) for name in INFERENCE_FIELDS},
            "ci_limits": " ".join(interval_limits([cell], "systems")) or None,
        }
        for record, cell in zip(records, cells, strict=True)
    ]


def _score_columns(
    tables: Mapping[str, Mapping[str, Record]], score: str, systems: Sequence[str]
) -> dict[str, list[float | None]]:
    """One column a measure: the score of every system, None where there is none."""
    return {
        f"{score} {measure}": [table[system][score] if system in table else None for system in systems]
        for measure, table in tables.items()
    }


HUMAN, AUTOMATIC = "human scores", "automatic scores"
SIDES: Mapping[str, str] = {"surrogate": HUMAN, "measure": AUTOMATIC}
"""Which scores a record holds, by the key that names its measure."""


def _by_measure(records: Iterable[Record], key: str, scores: Sequence[str]) -> dict[str, dict[str, Record]]:
    tables: dict[str, dict[str, Record]] = {}
    for number, record in enumerate(records, start=1):
        missing = [name for name in ("system", key, *scores) if name not in record]
        if missing:
            raise InputError(f"{SIDES[key]}: record {number} lacks {', '.join(missing)}")
        table = tables.setdefault(str(record[key]), {})
        if record["system"] in table:
            raise InputError(
                f"system {record['system']!r} stands twice under {key} {record[key]!r} (record {number}); "
                "keep one set of options per measure"
            )
        table[record["system"]] = record
    return tables


def _check_common(
    human: Mapping[str, Mapping[str, Record]], automatic: Mapping[str, Mapping[str, Record]]
) -> None:
    rated = {system for table in human.values() for system in table}
    scored = {system for table in automatic.values() for system in table}
    if not rated & scored:
        raise InputError(
            "no system has both human and automatic scores: "
            f"human {', '.join(sorted(rated))}; automatic {', '.join(sorted(scored))}"
        )


def _correlations(
    names: tuple[str, str],
    surrogate: str,
    human: Mapping[str, Record],
    measure: str,
    automatic: Mapping[str, Record],
    *,
    coefficients: Sequence[Coefficient],
) -> Iterator[dict[str, Any]]:
    systems = sorted(set(human) & set(automatic))
    x = [human[system][names[0]] for system in systems]
    y = [automatic[system][names[1]] for system in systems]
    shared = _shared(names, surrogate, measure, human)
    for coefficient in coefficients:
        result = correlate(x, y, coefficient)
        yield {
            "human": names[0],
            "surrogate": surrogate,
            "automatic": names[1],
            "measure": measure,
            "coefficient": coefficient,
            "n": result.n,
            "estimate": result.estimate,
            "reason": result.reason,
            **shared,
        }


def _shared(
    names: tuple[str, str], surrogate: str, measure: str, human: Mapping[str, Record]
) -> dict[str, Any]:
    """What both sides have in common, by the names of its fields; records that do not say are weighed."""
    normalise = next(iter(human.values())).get("normalise", "document")
    sides = (names[0], surrogate, measure)
    return {
        "shared_input": shares_input(*sides, normalise=normalise),
        "shared": shared_parts(*sides, automatic=names[1], normalise=normalise),
    }
