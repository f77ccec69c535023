"""Ours beside published numbers: matched by name, with the difference, how the two rank, and what is left."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from meta_eval.errors import InputError
from meta_eval.report.published.reading import KINDS, PublishedTable
from meta_eval.stats.coefficients.correlation import correlate
from meta_eval.stats.coefficients.registry import Coefficient

Report = Mapping[str, Any]
Place = tuple[str, str | None, str | None, str | None]
"""Score (or coefficient), system, surrogate, measure; None where there is none."""

_RANKED: tuple[Coefficient, ...] = ("spearman", "kendall")
_AXES = {"system": 1, "surrogate": 2, "measure": 3}


def compare_published(report: Report) -> list[dict[str, Any]]:
    """One entry for each table that the report's options hold under `published`.

    Each has `kind`, `title`, `name`; `rows` {score, system, published_system, surrogate, measure, ours,
    published, difference (ours - published)}; `agreement` {score, measure, coefficient, n, estimate, reason}
    over the systems of a score and measure (over all cells of a coefficient where a table has no systems);
    `unmatched` {what, name, where: ours | published}. `same_systems` of the options names, for our systems,
    those that the tables call otherwise.
    """
    options = report["options"]
    same: Mapping[str, str] = options.get("same_systems") or {}
    tables = map(PublishedTable.from_record, options.get("published") or ())
    return [_compare(report, table, same) for table in tables]


def check_same_systems(
    same: Mapping[str, str], systems: Iterable[str], tables: Sequence[PublishedTable]
) -> None:
    """Raises `InputError` for a system that we or the tables do not have: a slip would hide a comparison."""
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

    Raises `InputError` for a name in `same_systems` that our systems or the tables do not have.
    """
    check_same_systems(same_systems or {}, systems, tables)
    if not tables:
        return {}
    return {"published": [table.as_record() for table in tables], "same_systems": dict(same_systems or {})}


def name_tables(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options for people to read: published tables by name, families as they are asked for."""
    found = {**options}
    if "families" in options:
        found["families"] = _name_families(options["families"])
    if tables := options.get("published"):
        found["published"] = [f"{table['kind']}: {table['name']}" for table in tables]
    if same := options.get("same_systems"):
        found["same_systems"] = [f"{ours} = {theirs}" for ours, theirs in same.items()]
    return found


def _name_families(families: Mapping[str, str]) -> list[str]:
    return [
        f"{family} = {', '.join(system for system, of in families.items() if of == family)}"
        for family in dict.fromkeys(families.values())
    ]


def _compare(report: Report, table: PublishedTable, same: Mapping[str, str]) -> dict[str, Any]:
    ours, published = _ours(report, table), {value.place: value.value for value in table.values}
    rows = list(_rows(ours, published, same))
    return {
        "kind": table.kind,
        "title": KINDS[table.kind].title,
        "name": table.name,
        "rows": rows,
        "agreement": list(_agreement(rows)),
        "unmatched": list(_unmatched(rows, ours, published)),
    }


def _rows(
    ours: Mapping[Place, float | None], published: Mapping[Place, float], same: Mapping[str, str]
) -> Iterator[dict[str, Any]]:
    for (score, system, surrogate, measure), mine in ours.items():
        name = None if system is None else same.get(system, system)
        # A table that tells no measure stands beside each of ours.
        places = ((score, name, surrogate, measure), (score, name, surrogate, None))
        theirs = next((published[place] for place in places if place in published), None)
        if theirs is not None:
            yield {
                "score": score,
                "system": system,
                "published_system": name,
                "surrogate": surrogate,
                "measure": measure,
                "ours": mine,
                "published": theirs,
                "difference": None if mine is None else mine - theirs,
            }


def _agreement(rows: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    groups: dict[tuple[str, str | None], list[Mapping[str, Any]]] = {}
    for row in rows:
        measure = None if row["system"] is None else row["measure"]
        groups.setdefault((row["score"], measure), []).append(row)
    for (score, measure), group in groups.items():
        for coefficient in _RANKED:
            found = correlate(
                [row["ours"] for row in group], [row["published"] for row in group], coefficient
            )
            few = "fewer than two numbers stand beside each other" if found.n < 2 else found.reason
            yield {
                "score": score,
                "measure": measure,
                "coefficient": coefficient,
                "n": found.n,
                "estimate": found.estimate,
                "reason": few,
            }


def _unmatched(
    rows: Sequence[Mapping[str, Any]], ours: Iterable[Place], published: Iterable[Place]
) -> Iterator[dict[str, str]]:
    sides = (("ours", list(ours)), ("published", list(published)))
    for what, axis in _AXES.items():
        for where, places in sides:
            key = "published_system" if (what, where) == ("system", "published") else what
            matched = {row[key] for row in rows}
            for name in dict.fromkeys(place[axis] for place in places):
                if name is not None and name not in matched:
                    yield {"what": what, "name": name, "where": where}


def _ours(report: Report, table: PublishedTable) -> dict[Place, float | None]:
    """What the report has of the kind of the table; only scores that the table has."""
    if table.kind == "correlations":
        return {
            (row["coefficient"], None, row["surrogate"], row["measure"]): row["estimate"]
            for row in report["correlations"]
            if row["automatic"] == "perseval"
        }
    if table.kind == "paradox":
        rows = (report.get("inference") or {}).get("paradox") or ()
        return {(row["coefficient"], None, None, row["measure"]): row["estimate"] for row in rows}
    if table.kind == "stability":
        return dict(_our_stability(report))
    scores = {value.score for value in table.values}
    return {
        (row["score"], row["system"], None, row["measure"]): row["value"]
        for row in report["leaderboard"]
        if row["side"] == "automatic" and row["score"] in scores
    }


def _our_stability(report: Report) -> Iterator[tuple[Place, float | None]]:
    for row in (report.get("inference") or {}).get("stability") or ():
        if row["score"] == "perseval":
            for system in row["systems"]:
                for name, value in _named_means(row["shares"], system).items():
                    yield (name, system["system"], None, row["measure"]), value


def _named_means(shares: Sequence[Mapping[str, Any]], system: Mapping[str, Any]) -> dict[str, float | None]:
    """A system's means by share in percent, as published tables head their columns; bias and variance."""
    percents = [100, *dict.fromkeys(round(100 * share["share"]) for share in shares)]
    means = dict(zip(map(str, percents), system["means"], strict=True))
    return {**means, "bias": system["bias"], "variance": system["variance"]}
