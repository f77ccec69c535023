"""Ours beside published numbers: matched by name, with the difference, how the two rank, and what is left."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from meta_eval.errors import InputError
from meta_eval.report.published.reading import KINDS, PublishedTable
from meta_eval.report.published.remarks import remarks_on
from meta_eval.report.schema import (
    PublishedAgreement,
    PublishedComparison,
    PublishedRow,
    Report,
    StabilityRow,
    StabilityShare,
    SystemStability,
    Unmatched,
)
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.families import name_families
from meta_eval.stats.coefficients.registry import Coefficient

Address = tuple[str, str | None, str | None, str | None]
"""Score (or coefficient), system, surrogate, measure; None where there is none."""

_RANKED: tuple[Coefficient, ...] = ("spearman", "kendall")
_AXES = {"system": 1, "surrogate": 2, "measure": 3}


def compare_published(report: Report) -> tuple[PublishedComparison, ...]:
    """Set the report's numbers beside each table that its options hold under `published`.

    The agreement of ranks is over the systems of a score and measure, or over all numbers of a coefficient
    where a table has no systems. `same_systems` of the options names, for our systems, those that the tables
    call otherwise.

    Parameters
    ----------
    report : Report

    Returns
    -------
    tuple of PublishedComparison
        Empty for a report without published tables.

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
    >>> compare_published(report)
    ()
    """
    same: Mapping[str, str] = report.options.get("same_systems") or {}
    tables = map(PublishedTable.from_record, report.options.get("published") or ())
    return tuple(
        replace(_compare(report, table, same), remarks=remarks_on(table, report.options)) for table in tables
    )


def check_same_systems(
    same: Mapping[str, str], systems: Iterable[str], tables: Sequence[PublishedTable]
) -> None:
    """Refuse names of systems that we or the tables do not have: a slip would hide a comparison.

    Parameters
    ----------
    same : mapping
        Our system to the name that the tables give it.
    systems : iterable of str
        All of ours.
    tables : sequence of PublishedTable

    Raises
    ------
    InputError
        For a system that we or the tables do not have.

    Examples
    --------
    >>> check_same_systems({}, ["A"], [])
    """
    ours = set(systems)
    theirs = {value.system for table in tables for value in table.values}
    if unknown := [name for name in same if name not in ours]:
        raise InputError(f"there is no system {', '.join(unknown)} here; there are {', '.join(sorted(ours))}")
    if unknown := [name for name in same.values() if name not in theirs]:
        raise InputError(f"no published table has a system {', '.join(unknown)}")


def published_options(
    tables: Sequence[PublishedTable], same_systems: Mapping[str, str] | None, systems: Sequence[str]
) -> dict[str, Any]:
    """What the options of a report hold of published tables; nothing where there are none.

    Parameters
    ----------
    tables : sequence of PublishedTable
    same_systems : mapping, optional
        Our system to the name that the tables give it.
    systems : sequence of str
        All of ours.

    Returns
    -------
    dict
        `published` and `same_systems`.

    Raises
    ------
    InputError
        For a name in `same_systems` that our systems or the tables do not have.

    Examples
    --------
    >>> published_options([], None, ["A"])
    {}
    """
    check_same_systems(same_systems or {}, systems, tables)
    if not tables:
        return {}
    return {"published": [table.as_record() for table in tables], "same_systems": dict(same_systems or {})}


def name_tables(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for people to read: published tables by name, families as they are asked for.

    Parameters
    ----------
    options : mapping
        Of a report.

    Returns
    -------
    dict

    Examples
    --------
    >>> name_tables({"families": {"A": "personalised"}})
    {'families': ['personalised = A']}
    """
    found = {**options}
    if "families" in options:
        found["families"] = name_families(options["families"])
    if tables := options.get("published"):
        found["published"] = [f"{table['kind']}: {table['name']}" for table in tables]
    if same := options.get("same_systems"):
        found["same_systems"] = [f"{ours} = {theirs}" for ours, theirs in same.items()]
    return found


def _compare(report: Report, table: PublishedTable, same: Mapping[str, str]) -> PublishedComparison:
    ours, published = _ours(report, table), {value.address: value.value for value in table.values}
    rows = tuple(_rows(ours, published, same))
    return PublishedComparison(
        kind=table.kind,
        title=KINDS[table.kind].title,
        name=table.name,
        rows=rows,
        agreement=tuple(_agreement(rows)),
        unmatched=tuple(_unmatched(rows, ours, published)),
    )


def _rows(
    ours: Mapping[Address, float | None], published: Mapping[Address, float], same: Mapping[str, str]
) -> Iterator[PublishedRow]:
    for (score, system, surrogate, measure), mine in ours.items():
        name = None if system is None else same.get(system, system)
        # A table that tells no measure stands beside each of ours.
        addresses = ((score, name, surrogate, measure), (score, name, surrogate, None))
        theirs = next((published[address] for address in addresses if address in published), None)
        if theirs is not None:
            yield PublishedRow(
                score=score,
                system=system,
                published_system=name,
                surrogate=surrogate,
                measure=measure,
                ours=mine,
                published=theirs,
                difference=None if mine is None else mine - theirs,
            )


def _agreement(rows: Sequence[PublishedRow]) -> Iterator[PublishedAgreement]:
    groups: dict[tuple[str, str | None], list[PublishedRow]] = {}
    for row in rows:
        measure = None if row.system is None else row.measure
        groups.setdefault((row.score, measure), []).append(row)
    for (score, measure), group in groups.items():
        for coefficient in _RANKED:
            correlation = correlate(
                [row.ours for row in group], [row.published for row in group], coefficient
            )
            few = "fewer than two numbers stand beside each other"
            yield PublishedAgreement(
                score=score,
                measure=measure,
                coefficient=coefficient,
                n=correlation.n,
                estimate=correlation.estimate,
                reason=few if correlation.n < 2 else correlation.reason,
            )


def _unmatched(
    rows: Sequence[PublishedRow], ours: Iterable[Address], published: Iterable[Address]
) -> Iterator[Unmatched]:
    sides = (("ours", list(ours)), ("published", list(published)))
    for what, axis in _AXES.items():
        for where, addresses in sides:
            name_of = attrgetter("published_system" if (what, where) == ("system", "published") else what)
            matched = {name_of(row) for row in rows}
            for name in dict.fromkeys(address[axis] for address in addresses):
                if name is not None and name not in matched:
                    yield Unmatched(what, name, where)


def _ours(report: Report, table: PublishedTable) -> dict[Address, float | None]:
    """What the report has of the kind of the table; only scores that the table has."""
    if table.kind == "correlations":
        return {
            (row.coefficient, None, row.surrogate, row.measure): row.estimate
            for row in report.correlations
            if row.automatic == "perseval"
        }
    if table.kind == "paradox":
        rows = report.inference.paradox if report.inference else ()
        return {(row.coefficient, None, None, row.measure): row.estimate for row in rows}
    if table.kind == "stability":
        return dict(_our_stability(report.inference.stability if report.inference else ()))
    scores = {value.score for value in table.values}
    return {
        (row.score, row.system, None, row.measure): row.value
        for row in report.leaderboard
        if row.side == "automatic" and row.score in scores
    }


def _our_stability(rows: Iterable[StabilityRow]) -> Iterator[tuple[Address, float | None]]:
    for row in rows:
        if row.score == "perseval":
            for system in row.systems:
                for name, value in _named_means(row.shares, system).items():
                    yield (name, system.system, None, row.measure), value


def _named_means(shares: Sequence[StabilityShare], system: SystemStability) -> dict[str, float | None]:
    """A system's means by share in percent, as published tables head their columns; bias and variance."""
    percents = [100, *dict.fromkeys(round(100 * share.share) for share in shares)]
    means = dict(zip(map(str, percents), system.means, strict=True))
    return {**means, "bias": system.bias, "variance": system.variance}
