"""A report as plain values, as JSON holds it: written, and read back with an older version upgraded."""

from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

import msgspec

from meta_eval.errors import InputError
from meta_eval.report.schema.coefficients import CoefficientKey, CorrelationRow
from meta_eval.report.schema.report import SCHEMA, SCHEMA_VERSION, Report
from meta_eval.scores.contributions import OPTIONS_BEFORE

_UPGRADED = (4, 5, 6)
_APART = 4
"""The version that kept intervals, p and ceilings apart from the correlations."""


CERTAINTY_FIELDS = tuple(
    row_field.name for row_field in fields(CorrelationRow) if row_field.default is not MISSING
)
"""What a correlation has from the statistics of the report, not from its scores alone."""


def report_record(report: Report) -> dict[str, Any]:
    """The report as plain values, ready for JSON; nothing rounded.

    What was asked of language models is left out where none was named: no report speaks of them unasked.

    Parameters
    ----------
    report : Report

    Returns
    -------
    dict

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> read_report(report_record(report)) == report
    True
    """
    record = row_record(report)
    inference = record.get("inference") or {}
    for part in ("stand_in", "judged"):
        if not inference.get(part):
            inference.pop(part, None)
    return record


def row_record(row: Any) -> dict[str, Any]:
    """Any row of a report as plain values by the names of its fields, in their order.

    Parameters
    ----------
    row : any dataclass of `meta_eval.report.schema`

    Returns
    -------
    dict

    Examples
    --------
    >>> from meta_eval.report.schema import PartFailure
    >>> row_record(PartFailure("human", "rouge-l", "no ratings"))
    {'side': 'human', 'measure': 'rouge-l', 'reason': 'no ratings'}
    """
    record: dict[str, Any] = _with_lists(msgspec.to_builtins(row))
    return record


def _with_lists(value: Any) -> Any:
    """Tuples as lists, as they read back from JSON."""
    if isinstance(value, dict):
        return {name: _with_lists(inner) for name, inner in value.items()}
    return [_with_lists(inner) for inner in value] if isinstance(value, tuple | list) else value


def read_report(record: Mapping[str, Any]) -> Report:
    """The report of plain values that `report_record` made here or in one of the three versions before.

    Parameters
    ----------
    record : mapping
        As JSON gives it.

    Returns
    -------
    Report

    Raises
    ------
    InputError
        For what is no report, for one that is too old, and for one whose values do not fit.

    Examples
    --------
    >>> from pandas import DataFrame
    >>> from meta_eval import InferenceOptions, make_report, read_ratings
    >>> from meta_eval.corpus.documents import Corpus, Document
    >>> own = {"ann": "rain", "bob": "sun"}
    >>> systems = {"A": own, "B": {"ann": "rain", "bob": "rain"}}
    >>> corpus = Corpus((Document("d", "", "Rain, then sun.", own, systems),))
    >>> rows = [("d", name, "ann", "bob", "p", value) for name, value in [("user", 2), ("A", 2), ("B", 6)]]
    >>> columns = ["doc_id", "system", "reader_a", "reader_b", "rater", "rating"]
    >>> ratings = read_ratings(DataFrame(rows, columns=columns), corpus)
    >>> quick = InferenceOptions(resamples=20, shuffles=20, splits=5, simulations=5)
    >>> asked = {"measures": ["jsd"], "surrogates": ["jsd"], "scale": "similarity", "inference": quick}
    >>> report = make_report(corpus, ratings, **asked).report
    >>> read_report(report_record(report)).scale == report.scale
    True
    """
    schema = record.get("schema") if isinstance(record, Mapping) else None
    if schema != SCHEMA:
        raise InputError(f"this is no report: its schema is {schema!r}, not {SCHEMA!r}")
    version = record.get("schema_version")
    if version not in (*_UPGRADED, SCHEMA_VERSION):
        raise InputError(
            f"the report is of version {version!r}, which cannot be read here: "
            f"versions {_UPGRADED[0]} to {SCHEMA_VERSION} can. Make it again from its ratings."
        )
    try:
        record = _name_choices(record)
        return msgspec.convert(_upgrade(record) if version in _UPGRADED else record, Report)
    except (msgspec.ValidationError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"the report does not hold what a report holds: {error}") from error


def _name_choices(record: Mapping[str, Any]) -> Mapping[str, Any]:
    """A report made before something could be chosen has what there was: the penalty of rated readers, ..."""
    options = record["options"]
    missing = {name: value for name, value in OPTIONS_BEFORE.items() if name not in options}
    return {**record, "options": {**options, **missing}}


def _upgrade(record: Mapping[str, Any]) -> dict[str, Any]:
    """Version 4 kept intervals, p and ceilings apart from the correlations, row for row.

    What later versions added is missing in older reports: to rows, in version 6, such as the null of shuffled
    ratings; to the answer, in version 7, whether the ratings can carry it.
    """
    upgraded = {**record, "schema_version": SCHEMA_VERSION}
    if record["schema_version"] != _APART:
        return upgraded
    if inference := record.get("inference"):
        cells = {_key(cell): cell for cell in inference.get("cells") or ()}
        upgraded["correlations"] = [{**cells.get(_key(row), {}), **row} for row in record["correlations"]]
        upgraded["inference"] = {name: rows for name, rows in inference.items() if name != "cells"}
    return upgraded


def _key(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in CoefficientKey._fields)
