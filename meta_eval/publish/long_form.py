"""A report as files: long-form CSV with documented columns, and JSON; every number in full precision."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from meta_eval.files.cells import csv_text
from meta_eval.report.schema import Report, read_report, report_record, row_record
from meta_eval.stats.coefficients.registry import REGISTRY

Row = Mapping[str, Any]

LEADERBOARD_FILE = "leaderboard.csv"
CORRELATIONS_FILE = "correlations.csv"
QUESTIONNAIRES_FILE = "questionnaires.csv"

_NAMES = [f"{name} ({info.symbol})" if info.usual else name for name, info in REGISTRY.items()]
EDP_COLUMN = (
    "Readers over whom the penalty of perseval_hj took its least and mean: document, rated or first; "
    "empty for other scores."
)
NULL_COLUMNS: Mapping[str, str] = {
    "shared": "What is on both sides whatever raters say: penalty, distances or both; or empty.",
    "null_mean": "The coefficient's mean where ratings are shuffled within questionnaires.",
    "null_high": "What the coefficient of shuffled ratings reaches at most in 95 of 100 tries.",
    "p_raters": "The share of shuffles that reach the estimate; small where the raters support it.",
    "p_raters_method": "exact: all ways to shuffle were taken; shuffled: some were drawn.",
    "shuffles": "How many shuffles the null rests on.",
    "null_reason": "Why there is no null; empty where there is one.",
    "penalty_share": "Share of the variance of PerSEval-HJ over systems that its penalty explains alone.",
    "given_penalty": "The coefficient given PerSEval-HJ's penalty; empty where that tells a side fully.",
}
"""Meaning of the columns that say what raters add to a coefficient."""
EXPORT_COLUMNS: Mapping[str, Mapping[str, str]] = {
    LEADERBOARD_FILE: {
        "system": "The summarizer that is scored.",
        "side": "Where the score comes from: human (raters), automatic or judged (in readers' places).",
        "measure": "The measure of an automatic score; the surrogate measure of a human one.",
        "score": "perseval, degress, egises, accuracy, p_acc or p_rouge (_jsd_oov); human ones end in _hj.",
        "value": "The score: in [0, 1], but p_acc in [-0.5, 1], perse-own in [-1, 1]; or empty.",
        "rank": "From 1, best first; equal scores share the better rank. Empty without a score.",
        "ranked": "How many systems the rank is among.",
        "documents": "Documents that the score is a mean of.",
        "pairs": "Reader pairs, each unordered, that entered.",
        "higher_is_better": "true or false: which direction of the score is better.",
        "normalise": "document: distances were set against those to the document; none: bare distances.",
        "edp_readers": EDP_COLUMN,
        "reason": "Why there is no score; empty where there is one.",
        "signature": "SHA-256 of the measure's signature; report.json holds the signature itself.",
    },
    CORRELATIONS_FILE: {
        "human": "The human score: perseval_hj, degress_hj or egises_hj.",
        "surrogate": "The measure that gave the human score its distances to documents and its penalty.",
        "automatic": "The automatic score set against it.",
        "measure": "The measure of the automatic score.",
        "coefficient": f"{', '.join(_NAMES[:-1])} or {_NAMES[-1]}.",
        "n": "How many systems have both scores.",
        "estimate": "The coefficient over systems, in [-1, 1] but for the pairwise accuracy; or empty.",
        "reason": "Why it is undefined; empty where it is not.",
        "shared_input": "true where both sides rest on distances by the same measure.",
        "ci_low": "Lower end of the interval; empty where there is none.",
        "ci_high": "Upper end of the interval; empty where there is none.",
        "ci_method": "How it was made: bca, percentile, hierarchical (-by-family, -wider), fisher, esscher.",
        "ci_over": "What the interval is about: other documents, systems, raters, or two of these.",
        "ci_level": "How often such intervals hold the true value.",
        "ci_reason": "Why there is no interval; empty where there is one.",
        "resamples": "How many resamples were drawn.",
        "degenerate": "Resamples in which the coefficient is undefined.",
        "p_value": "Two-sided p of no agreement, systems permuted; empty where it was not tested.",
        "p_method": "How p was found: exact or permutation.",
        "p_adjusted": "p adjusted over all rows of the same human score.",
        "p_adjustment": "How p was adjusted: holm or benjamini-hochberg.",
        "p_max_t": "p adjusted by max-T over the measures of the declared primary; empty elsewhere.",
        **NULL_COLUMNS,
        "ceiling": "What a metric that knows the raters' mind could reach, in the row's scope.",
        "ceiling_method": "How the ceiling was found.",
        "ceiling_reason": "Why there is no ceiling; empty where there is one.",
        "without_low": "Lowest coefficient with one system left out.",
        "without_high": "Highest coefficient with one system left out.",
        "carried_by": "Systems without which the coefficient loses its meaning; empty where none carries it.",
        "within": "The coefficient of all families of systems together, their distance taken out; or empty.",
        "within_reason": "Why it, or p within families, is undefined; empty where neither is.",
        "families_mean": "What the families alone give: the mean coefficient of systems matched within them.",
        "p_within": "Two-sided p of no agreement within families, systems permuted within their family.",
        "p_within_method": "How that p was found: exact or permutation.",
        "p_within_adjusted": "That p adjusted over all rows of the same human score.",
        "families_explain": "true where p_value calls it significant, but the families alone may explain it.",
        "scale": "similarity or dissimilarity: what a rating of 6 meant.",
        "normalise": "document: distances were set against those to the document; none: bare distances.",
        "edp_readers": EDP_COLUMN,
    },
    QUESTIONNAIRES_FILE: {
        "questionnaire": "Number of the questionnaire in the plan.",
        "rater": "Pseudonym of the person who took it.",
        "state": "submitted, surplus (after its places were taken), marked (with a pair that its rater could "
        "not judge) or unsubmitted; only submitted is in the scores.",
        "claimed_at": "When the rater was given it (ISO 8601).",
        "submitted_at": "When it was submitted; empty where it was not.",
    },
}
"""Meaning of every column of every exported table."""


def leaderboard_rows(report: Report) -> Iterator[Row]:
    """The rows of the leaderboard with the columns of its file."""
    digests = {(entry.side, entry.measure): entry.digest for entry in report.signatures}
    for row in report.leaderboard:
        yield {
            **row_record(row),
            "normalise": report.options["normalise"],
            "edp_readers": _edp_readers(report, row.score),
            "signature": digests[row.side, row.measure],
        }


def correlation_rows(report: Report) -> Iterator[Row]:
    """The rows of the correlations, each with how sure it is, with the columns of their file."""
    shared = {"scale": report.scale.direction, "normalise": report.options["normalise"]}
    for row in report.correlations:
        yield flat_row({**row_record(row), **shared, "edp_readers": _edp_readers(report, row.human)})


def _edp_readers(report: Report, score: str) -> str | None:
    return report.options["edp_readers"] if score == "perseval_hj" else None


def flat_row(row: Row) -> Row:
    """The row with each list in it as one text."""
    return {
        name: ", ".join(map(str, value)) if isinstance(value, list | tuple) else value
        for name, value in row.items()
    }


def report_json(report: Report) -> str:
    """The whole report; numbers as Python writes them, which reads back to the same number.

    Parameters
    ----------
    report : Report

    Returns
    -------
    str
        JSON that `read_report` reads.

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
    >>> json.loads(report_json(report))["schema_version"] == report.schema_version
    True
    """
    return json.dumps(_record_without_paths(report), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def without_paths(report: Report) -> Report:
    """The report with the last part alone of every path that its options, signatures and reasons name.

    A model may lie in a folder of the machine that computed; where it lay is nobody's business. The digest
    of a signature stays that of the full one.
    """
    return read_report(_record_without_paths(report))


def _record_without_paths(report: Report) -> dict[str, Any]:
    record = report_record(report)
    named = {name: _shortened(record[name]) for name in _WITH_PATHS if name in record}
    if generated := record.get("subject", {}).get("generated"):
        named["subject"] = {**record["subject"], "generated": list(map(_without_place, generated))}
    return {**record, **named}


_WITH_PATHS = ("options", "signatures", "failures", "answer", "problem", "correlations", "inference")
_PATH = re.compile(r"(?<![\w./:])/(?:[^\s/'\":,;]+/)+([^\s/'\":,;]+)")


_PATH_IN_LINE = re.compile(r"(?:(?<=:)|(?<=%20))/(?:[^|/]+/)+([^|/]+)")
"""A folder in the line of a signature, which writes a blank as %20 and a value behind a colon."""


def _without_place(generated: Mapping[str, Any]) -> dict[str, Any]:
    """How a system was generated; the line of a signature writes folders in a form of its own."""
    line = _PATH_IN_LINE.sub(r"\1", generated["signature_line"])
    return {**_shortened(generated), "signature_line": line}


def _shortened(value: Any) -> Any:
    if isinstance(value, str):
        return _PATH.sub(r"\1", value)
    if isinstance(value, Mapping):
        return {name: _shortened(inner) for name, inner in value.items()}
    return [_shortened(inner) for inner in value] if isinstance(value, list | tuple) else value


def rows_csv(columns: Sequence[str], rows: Iterable[Row]) -> str:
    """A header and a line a row; what a row lacks is empty."""
    return csv_text([columns, *([_cell(row.get(column)) for column in columns] for row in rows)])


def _cell(value: Any) -> Any:
    """Missing is empty; truth as in JSON; floats as repr, which loses nothing."""
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else value
