"""Every table that a report holds, flat, with the meaning of each column."""

import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import IO, Any

from meta_eval.publish.further_tables import FURTHER_MEANINGS, FURTHER_TABLES
from meta_eval.publish.judged_tables import JUDGED_MEANINGS, JUDGED_TABLES
from meta_eval.publish.long_form import (
    CORRELATIONS_FILE,
    EXPORT_COLUMNS,
    LEADERBOARD_FILE,
    NULL_COLUMNS,
    correlation_rows,
    flat_row,
    leaderboard_rows,
    rows_csv,
    without_paths,
)
from meta_eval.publish.stand_in_tables import STAND_IN_MEANINGS, STAND_IN_TABLES
from meta_eval.ratings.rating import Ends
from meta_eval.report.limits import limits_of_report
from meta_eval.report.numbers import group_letter
from meta_eval.report.schema import Report, row_record
from meta_eval.report.tables.studies import draws_with_replacement

Row = Mapping[str, Any]
COLUMNS_TABLE = "columns"
_EPOCH = (1980, 1, 1, 0, 0, 0)


@dataclass(frozen=True, slots=True)
class Table:
    """One table: `columns` in order, each row with a value (None where missing) for each of them."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


def report_tables(report: Report) -> list[Table]:
    """The tables that have rows, the leaderboard first; numbers as the report holds them."""
    report = without_paths(report)
    tables = (report_table(report, name) for name in _TABLES)
    return [table for table in tables if table.rows]


def report_table(report: Report, name: str) -> Table:
    """One table, which may have no rows. Raises KeyError for a name that no table has."""
    title, rows = _TABLES[name]
    kept = tuple(rows(report))
    columns = EXPORT_COLUMNS.get(f"{name}.csv") or dict.fromkeys(column for row in kept for column in row)
    return Table(name, title, tuple(columns), kept)


def table_names(report: Report) -> list[str]:
    """The tables that have rows, in order, without making them flat."""
    return [name for name, (_, rows) in _TABLES.items() if any(True for _ in rows(report))]


def table_csv(table: Table) -> str:
    """The table as CSV: a header, nothing rounded, what is missing empty."""
    return rows_csv(table.columns, table.rows)


def write_tables(stream: IO[bytes], report: Report) -> None:
    """Write every table as CSV into one ZIP archive; the same report gives the same bytes."""
    with zipfile.ZipFile(stream, "w") as archive:
        for table in report_tables(report):
            entry = zipfile.ZipInfo(f"{table.name}.csv", _EPOCH)
            archive.writestr(entry, table_csv(table), compress_type=zipfile.ZIP_DEFLATED)


def column_meaning(table: str, column: str) -> str:
    """What a column of a table holds. Raises KeyError for one that nobody described."""
    described = EXPORT_COLUMNS.get(f"{table}.csv", {})
    return described[column] if column in described else MEANINGS[column]


def _inferred(part: str) -> Callable[[Report], Iterable[Row]]:
    """Rows of a part of the inference."""
    return lambda report: [flat_row(row_record(row)) for row in getattr(report.inference, part, ())]


def _ranking(report: Report) -> Iterator[Row]:
    """Groups by the letters that page and PDF call them."""
    for row in _inferred("ranking")(report):
        yield {**row, "group": group_letter(row["group"])}


def _families(report: Report) -> Iterator[Row]:
    for row in report.inference.families if report.inference else ():
        yield flat_row({"family": row.family, "systems": row.systems, **row_record(row)})


def _found_families(report: Report) -> Iterator[Row]:
    found = report.inference.found_families if report.inference else None
    for system, family in found.families.items() if found else ():
        yield {"family": family, "system": system, "how": found.how if found else ""}


def _agreement(report: Report) -> Iterable[Row]:
    study = report.inference.agreement if report.inference else None
    return [row_record(row) for row in study.coefficients] if study else []


def _rating_pairs(report: Report) -> Iterator[Row]:
    study = report.inference.agreement if report.inference else None
    if study is None or not study.table:
        return
    steps = study.categories or Ends.from_record(report.options).steps
    for rating, counts in zip(steps, study.table, strict=True):
        for other, count in zip(steps, counts, strict=True):
            yield {"rating": rating, "other_rating": other, "count": count}


def _participants(report: Report) -> Iterator[Row]:
    for row in report.participants:
        named = {"asked": row.question, "answered": row.answered}
        for total in row.totals or [None]:
            chosen = row_record(total) if total else {"choice": None, "people": None}
            yield {**named, **chosen}


def _stability(report: Report) -> Iterator[Row]:
    for row in report.inference.stability if report.inference else ():
        for share in row.shares:
            named = {"score": row.score, "measure": row.measure, "delta": row.delta}
            yield {**named, **row_record(share), "replacement": draws_with_replacement(report)}


def _system_stability(report: Report) -> Iterator[Row]:
    """One row a share; the first mean is the score over all documents."""
    for row in report.inference.stability if report.inference else ():
        shares = [1.0, *dict.fromkeys(share.share for share in row.shares)]
        for system in row.systems:
            named = {"score": row.score, "measure": row.measure, "system": system.system}
            spread = {"bias": system.bias, "variance": system.variance}
            spread |= {"replacement": draws_with_replacement(report)}
            for share, mean in zip(shares, system.means, strict=True):
                yield {**named, "share": share, "mean": mean, **spread}


def _left_out_systems(report: Report) -> Iterator[Row]:
    """One row a coefficient and system; a reason there is none for stands in place of the coefficient."""
    for row in report.inference.left_out_systems if report.inference else ():
        head = {name: getattr(row, name) for name in _COEFFICIENT}
        for system in row.systems:
            yield {**head, "all_systems": row.estimate, **row_record(system)}


_COEFFICIENT = ("human", "surrogate", "automatic", "measure", "shared_input", "shared", "coefficient")


def _published(part: str) -> Callable[[Report], Iterator[Row]]:
    """Rows of a part of every published table, each with the kind of the table and its file."""

    def rows(report: Report) -> Iterator[Row]:
        for table in report.published:
            for row in getattr(table, part):
                yield {"kind": table.kind, "file": table.name, **_renamed(row_record(row))}

    return rows


def _plain(part: str) -> Callable[[Report], Iterable[Row]]:
    return lambda report: [row_record(row) for row in getattr(report, part)]


def _renamed(row: Row) -> Row:
    """Differences of measures have their own column elsewhere."""
    return {"ours_less_published" if name == "difference" else name: value for name, value in row.items()}


def _signatures(report: Report) -> Iterator[Row]:
    for entry in report.signatures:
        fields = [f"{key} = {value}" for key, value in entry.signature.items()]
        yield flat_row({**row_record(entry), "signature": fields})


def _limits(report: Report) -> Iterator[Row]:
    """What the report says beside its numbers, for those who open a table without it."""
    yield from ({"about": "no answer", "limit": reason.why} for reason in report.answer.reasons)
    yield from ({"about": "answer", "limit": caution} for caution in report.answer.cautions)
    yield from ({"about": "intervals", "limit": limit} for limit in limits_of_report(report))
    for table in report.published:
        yield from ({"about": f"published: {table.name}", "limit": remark} for remark in table.remarks)
    yield from ({"about": "notes", "limit": note} for note in report.notes)


_TABLES: Mapping[str, tuple[str, Callable[[Report], Iterable[Row]]]] = {
    LEADERBOARD_FILE.removesuffix(".csv"): ("Scores of each system", leaderboard_rows),
    CORRELATIONS_FILE.removesuffix(".csv"): ("Automatic against human scores", correlation_rows),
    "matched": ("Correlations over rated pairs alone", _inferred("matched")),
    "bare": ("Correlations without any surrogate", _inferred("bare")),
    "interval_methods": ("Percentile and BCa intervals side by side", _inferred("interval_methods")),
    "left_out_systems": ("Correlations with one system left out", _left_out_systems),
    "families": ("Correlations within families of systems", _families),
    "found_families": ("Families of systems that were found", _found_families),
    "levels": ("Correlations by system, within documents, within systems, and by item", _inferred("levels")),
    "sentinels": ("Scores that cannot know how personalised a summary is", _inferred("sentinels")),
    "ceilings": ("What perfect agreement could reach", _inferred("ceilings")),
    "ranking": ("Measures by agreement with the raters", _ranking),
    "comparisons": ("Measures against each other", _inferred("comparisons")),
    "agreement": ("Agreement of the raters", _agreement),
    "rating_pairs": ("Ratings of the same pair of texts by two raters", _rating_pairs),
    "participants": ("What people said of themselves, in totals", _participants),
    "stability": ("Rankings from fewer documents", _stability),
    "stability_systems": ("Scores from fewer documents", _system_stability),
    "paradox": ("DEGRESS against PerSEval", _inferred("paradox")),
    "aggregation": ("Together with accuracy", _inferred("aggregation")),
    "ablation": ("Weight of the accuracy penalty", _inferred("ablation")),
    **FURTHER_TABLES,
    **JUDGED_TABLES,
    **STAND_IN_TABLES,
    "published": ("Ours beside published numbers", _published("rows")),
    "published_agreement": ("Rankings of ours and published numbers", _published("agreement")),
    "published_unmatched": ("What stands on one side only", _published("unmatched")),
    "limits": ("What to know before relying on the numbers", _limits),
    "left_out": ("What was left out and why", _plain("left_out")),
    "failures": ("What could not be computed", _plain("failures")),
    "signatures": ("Signatures of the measures", _signatures),
}

TABLE_TITLES: Mapping[str, str] = {name: title for name, (title, _) in _TABLES.items()}
"""What each table holds, by name and in order."""

MEANINGS: Mapping[str, str] = {
    "about": "What it is about: the answer, intervals, a published table, or notes on the data.",
    "accuracy": "The accuracy measure that the score is joined with.",
    "accuracy_alone": "Agreement of the accuracy measure alone with the raters.",
    "accuracy_shared": "The same (shared) of the accuracy measure alone.",
    "all_systems": "The coefficient with all systems.",
    "answered": "How many people answered the question; empty where too few did to be told.",
    "asked": "What people were asked of themselves: field (of study), gender or age.",
    "automatic": "The automatic score: perseval, degress or egises; accuracy where a judge is among them.",
    "bca_high": "Upper end of the BCa interval.",
    "bca_low": "Lower end of the BCa interval.",
    "bca_reason": "Why there is no BCa interval; empty where there is one.",
    "beta": "Weight beta of the accuracy penalty.",
    "bias": "Population standard deviation of the mean scores at 100, 80, 60, 40 and 20 % of the documents.",
    "carried_by": "Systems without which the coefficient loses its meaning; empty where none carries it.",
    "carries": "true where the coefficient hangs on this system.",
    "ceiling": "What a metric that knows the raters' mind could reach, in the row's scope.",
    "ceiling_method": "How the ceiling was found.",
    "ceiling_reason": "Why there is no ceiling; empty where there is one.",
    "change": "The coefficient without the system less the one with all.",
    "choice": "What people chose; empty where too few answered.",
    "ci_high": "Upper end of the interval; empty where there is none.",
    "ci_level": "How often such intervals hold the true value.",
    "ci_low": "Lower end of the interval; empty where there is none.",
    "ci_method": "How it was made: bca, percentile, hierarchical (-by-family, -wider), fisher, esscher.",
    "ci_over": "What the interval is about: other documents, systems, raters, or two of these.",
    "ci_reason": "Why there is no interval; empty where there is one.",
    "coefficient": "The coefficient of correlation or agreement.",
    "combined": "Agreement with the raters of both together, by Borda count.",
    "combined_shared": "The same (shared) of both together.",
    "count": "How many; of pairs of ratings by weight, 1 / (m - 1) for a pair of texts with m ratings.",
    "degenerate": "Resamples in which the coefficient is undefined.",
    "delta": "The largest bias or variance of any system, whichever is larger.",
    "difference": "The first measure's mean coefficient less the other's.",
    "digest": "SHA-256 of the signature.",
    "documents": "Documents that entered.",
    "draws": "How many random scores were drawn; empty for other sentinels.",
    "epsilon_overall": "The greatest rank correlation of any sample of any share (PerSEval, definition 7.1).",
    "estimate": "The value; empty where it is undefined.",
    "family": "The family of systems.",
    "file": "Name of the published table's file.",
    "group": "A: cannot be told apart from the best; B: from the best of the rest, and so on.",
    "high": "Upper end of the middle 95 % of the ceiling's draws.",
    "how": "How the families show, which nobody named.",
    "human": "The human score: perseval_hj, degress_hj or egises_hj.",
    "kind": "Kind of the published table, as it was given.",
    "level": "system; document, within-system: mean over documents, systems; item: all reader pairs.",
    "limit": "What to know before relying on the numbers, in a sentence.",
    "low": "Lower end of the middle 95 % of the ceiling's draws.",
    "maximum": "The highest value.",
    "mean": "The mean value.",
    "measure": "The measure of the automatic scores; the surrogate on the human side.",
    "method": "How it was found.",
    "metric": "Agreement of the score alone with the raters.",
    "minimum": "The lowest value.",
    "n": "How many systems entered; of levels: systems, documents or items, as the level says.",
    "name": "The name that stands on one side only.",
    "normalise": "document: distances were set against those to the document; none: bare distances.",
    "other": "The other measure.",
    "other_rating": "What the second rater gave.",
    "ours": "Our number; empty where we have none.",
    "ours_less_published": "Ours less the published number.",
    "p_adjusted": "p adjusted for the number of tests.",
    "p_adjustment": "How p was adjusted.",
    "p_max_t": "p adjusted by max-T over the measures of the declared primary; empty elsewhere.",
    "p_method": "How p was found: exact, permutation or bootstrap.",
    "p_systems": "p of the difference by swapping the two measures for whole systems.",
    "p_value": "Probability of such a value, or one farther out, by chance.",
    "people": "How many chose it; “<5” is 0 to 4 people, “hidden” 5 or more that are not told.",
    "percentile_high": "Upper end of the percentile interval.",
    "percentile_low": "Lower end of the percentile interval.",
    "percentile_reason": "Why there is no percentile interval; empty where there is one.",
    "published": "The published number.",
    "published_system": "What the published table calls the system.",
    "quantile": "What 95 % of the random scores do not exceed; empty for other sentinels.",
    "rating": "What the first rater gave, each of two raters taken first once.",
    "reason": "Why there is no value; empty where there is one.",
    "reliability": "Share of the variance of the systems' human scores that is not raters' noise.",
    "replacement": "true where a sample of the documents may hold one twice.",
    "resamples": "How many resamples were drawn.",
    "samples": "How many samples the figures are of.",
    "scope": "matched: automatic scores over rated documents and pairs alone; corpus: over all documents.",
    "score": "Which score.",
    "sentinel": "The sentinel: length, random, penalty (EDP alone), accuracy (alone) or constant.",
    **NULL_COLUMNS,
    "p_raters_adjusted": "p_raters adjusted for all measures of the score.",
    "share": "Share of the documents.",
    "shared_input": "true where both sides rest on distances by the same measure.",
    "side": "automatic, human or judged.",
    "signature": "Everything on which the distances depend.",
    "significant": "With how many surrogates p_adjusted (of the declared primary: p_max_t) is below alpha.",
    "surrogate": "The measure that gave the human score its distances; empty where none did, and where a row "
    "of sentinels is the mean over surrogates.",
    "surrogates": "How many surrogates the mean is over.",
    "system": "The summarizer.",
    "systems": "The systems of the family.",
    "title": "Its name in words.",
    "undefined": "Samples or documents in which it is undefined.",
    "used": "Draws that the ceiling rests on.",
    "variance": "Population variance of the same mean scores.",
    "what": "What was counted.",
    "where": "ours or published: the side that has the name.",
    "why": "Why it was left out or stands apart.",
    **FURTHER_MEANINGS,
    **JUDGED_MEANINGS,
    **STAND_IN_MEANINGS,
}
"""Meaning of the columns that no file of `EXPORT_COLUMNS` describes."""
