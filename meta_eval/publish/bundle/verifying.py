"""Check a bundle: every file against its hash, every number of the report against its own data."""

from collections.abc import Iterator, Mapping
from os import PathLike
from typing import IO, Any
from zipfile import ZipFile

from meta_eval.arrays import Progress
from meta_eval.corpus.documents import Corpus
from meta_eval.errors import InputError, MetaEvalError
from meta_eval.measures.added import adding
from meta_eval.measures.given import given_measure
from meta_eval.publish.bundle.comparing import (
    LEXICAL_TOLERANCE,
    MISSING,
    NEURAL_TOLERANCE,
    BundleComparison,
    gather_open,
)
from meta_eval.publish.bundle.judgments import compare_judgments
from meta_eval.publish.bundle.layout import REPORT_FILE
from meta_eval.publish.bundle.reading import (
    BundleData,
    check_files,
    missing_files,
    open_bundle,
    read_data,
)
from meta_eval.publish.bundle.recomputing import NO_TEXTS, Recomputation, recompute_report, why_unjudged
from meta_eval.publish.bundle.verification import FileFault, NotRecomputed, Verification
from meta_eval.report.building import ReportProgress
from meta_eval.report.leaderboard import EGISES_OF
from meta_eval.report.options import Part
from meta_eval.report.schema import CERTAINTY_FIELDS, SCHEMA_VERSION, Report, report_record

_AS_STATED = ("versions", "failures", "notes", "options")
_JUDGED = "inference.judged"
_TEXT_COUNTS = ("empty_summaries", "missing_summaries")
_SCORE_COUNTS = (
    "documents_with_one_reader",
    "missing_distances",
    "empty_texts",
    "surrogate_missing_distances",
    "surrogate_empty_texts",
    "pairs_too_few",
    "pairs_below_full",
)
_RECOMPUTED_COUNTS = (*_TEXT_COUNTS, *_SCORE_COUNTS, "pairs_unrated")


def verify_bundle(
    path: str | PathLike[str] | IO[bytes], *, corpus: Corpus | None = None, progress: Progress | None = None
) -> Verification:
    """Recompute every number of a bundle's report from its own ratings and texts.

    Numbers agree within 1e-9 of their size (1e-5 where a neural measure gave them). Whatever is wrong inside
    is in the result.

    Parameters
    ----------
    path : path or binary stream
    corpus : Corpus, optional
        Stands in for the texts of a bundle that holds hashes only.
    progress : callable, optional
        Called with how many documents are done, and of how many, measure after measure.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        For what is no archive.

    Examples
    --------
    >>> from io import BytesIO
    >>> try:
    ...     verify_bundle(BytesIO(b"no archive"))
    ... except InputError as error:
    ...     print(type(error).__name__)
    InputError
    """
    with open_bundle(path) as archive:
        seal, faults = check_files(archive)
        try:
            return _verify(archive, seal, faults, corpus, progress)
        except InputError as error:
            faults += [FileFault(fault.file, fault.message) for fault in error.faults]
        except (MetaEvalError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"the report cannot be recomputed from these files: {type(error).__name__}: {error}"
            faults.append(FileFault(REPORT_FILE, why))
    return Verification(
        seal=seal, files=_once(faults), differences=(), not_recomputed=(_nothing(),), verified=0
    )


def _verify(
    archive: ZipFile, seal: str, faults: list[FileFault], corpus: Corpus | None, progress: Progress | None
) -> Verification:
    data = read_data(archive, corpus)
    own = map(given_measure, data.given)  # the report rests on these, whatever else has their names here
    with adding(own, instead=True):
        found = recompute_report(data, progress=_over_parts(progress))
    comparison = BundleComparison(_why_open(data, found), _tolerance(data.report))
    records = (_stored(data), report_record(found.report))
    for section in dict.fromkeys(name for record in records for name in record):
        if section not in _AS_STATED:
            stored, recomputed = (record.get(section, MISSING) for record in records)
            comparison.compare(stored, recomputed, section, {})
    return Verification(
        seal=seal,
        files=_once([*faults, *missing_files(archive, data.report)]),
        differences=(*compare_judgments(data), *comparison.differences),
        not_recomputed=tuple(NotRecomputed(*skipped) for skipped in gather_open(comparison.open)),
        verified=comparison.verified,
        notes=tuple(_version_notes(data.report.versions, found.report.versions)),
    )


def _over_parts(progress: Progress | None) -> ReportProgress | None:
    if progress is None:
        return None
    return lambda _part, done, total: progress(done, total)


def _stored(data: BundleData) -> Mapping[str, Any]:
    """The report as its file holds it; one of an older version as it reads today."""
    return report_record(data.report) if _is_older(data) else data.record


def _is_older(data: BundleData) -> bool:
    return bool(data.record["schema_version"] != SCHEMA_VERSION)


def _why_open(data: BundleData, found: Recomputation) -> Any:
    """For a path and its row: why the value there cannot be checked, None where it can."""

    def why_open(path: str, row: Mapping[str, Any]) -> str | None:
        section = path.partition(".")[0].partition("[")[0]
        if path.startswith(_JUDGED) or row.get("side") == "judged":
            return why_unjudged(data) or _why_whole("inference", path, found)
        for part in _parts_of(section, row, data.report):
            if part in found.skipped:
                return found.skipped[part]
        if section == "left_out" and row.get("what") not in _RECOMPUTED_COUNTS:
            return "a count of the survey when the report was made; no file here holds it"
        if found.corpus is None and (row.get("what") in _TEXT_COUNTS or path.startswith("subject.corpus_")):
            return NO_TEXTS
        signed = _why_signature(path, row, data.report) if section == "signatures" else None
        if why := signed or _why_whole(section, path, found):
            return why
        return DRAWN_OTHERWISE if _is_older(data) and _is_drawn(section, path, data.report) else None

    return why_open


WORDS_UNNAMED = (
    "the signature is older than names of tokenisers; its numbers are checked with the rule of then"
)
WORDS_CHANGED = "warns of words that a measure does not see, which the version that made the bundle did not"
_SAID_OF_WORDS = "answer.cautions"

DRAWN_OTHERWISE = (
    "rests on draws and rules that another version of the report has; "
    "the version that made the bundle can check it"
)

_CHECKED_PARTS = ("inference.paradox", "inference.aggregation", "inference.ablation")
"""Of the statistics of an older report, those that follow from its scores without any draw."""


def _is_drawn(section: str, path: str, report: Report) -> bool:
    """Whether a value rests on draws or words of a version; of published tables those of a stability do."""
    tables = tuple(f"published[{n}]" for n, table in enumerate(report.published) if table.kind == "stability")
    if section == "left_out" and path.endswith(".why"):
        return True
    return path.startswith(tables) or (_is_certainty(section, path) and not path.startswith(_CHECKED_PARTS))


def _is_certainty(section: str, path: str) -> bool:
    """Whether a value rests on the statistics of the report, not on its scores alone."""
    return section in {"answer", "inference"} or (
        section == "correlations" and path.rpartition(".")[2] in CERTAINTY_FIELDS
    )


def _why_signature(path: str, row: Mapping[str, Any], report: Report) -> str | None:
    if path.endswith(".digest") or ".versions" in path:
        return "names the libraries that computed the report, not those here"
    named = {(one.side, one.measure) for one in report.signatures if one.signature.get("tokenizer")}
    older = path.endswith(".tokenizer") and (row["side"], row["measure"]) not in named
    return WORDS_UNNAMED if older else None


def _why_whole(section: str, path: str, found: Recomputation) -> str | None:
    """Values over all measures are open as soon as one measure is."""
    skipped = found.skipped
    if found.words_changed and path.startswith(_SAID_OF_WORDS):
        return WORDS_CHANGED
    if skipped and (section in {"problem", "published"} or _is_certainty(section, path)):
        side, measure = next(iter(skipped))
        return f"rests on the {side} scores of {measure} too: {skipped[side, measure]}"
    return None


def _parts_of(section: str, row: Mapping[str, Any], report: Report) -> Iterator[Part]:
    """The parts on which a row rests."""
    if section == "correlations":
        yield "automatic", str(row.get("measure"))
        yield "human", str(row.get("surrogate"))
    elif section == "left_out" and row.get("what") in _SCORE_COUNTS:
        options = report.options
        for side, specs in (("automatic", options["measures"]), ("human", options["surrogates"])):
            yield from ((side, spec.partition(":")[0]) for spec in specs)
    elif "side" in row:
        yield str(row["side"]), str(row.get("measure"))
        for measure, score in EGISES_OF.items():
            if row.get("score") == score:
                yield "automatic", measure


def _tolerance(report: Report) -> Any:
    computed = (entry for entry in report.signatures if entry.side != "judged")  # replies are read, not drawn
    neural = {entry.measure for entry in computed if _is_neural(entry.signature)}

    def tolerance(row: Mapping[str, Any]) -> float:
        named = {row.get("measure"), row.get("surrogate")}
        return NEURAL_TOLERANCE if named & neural else LEXICAL_TOLERANCE

    return tolerance


def _is_neural(signature: Mapping[str, Any]) -> bool:
    """Whether a model gave the distances: one that the signature names, or that of a plug-in with torch."""
    return "model" in signature or "torch" in signature.get("versions", {})


def _version_notes(stored: Mapping[str, str], here: Mapping[str, str]) -> Iterator[str]:
    for name in dict.fromkeys([*stored, *here]):
        if stored.get(name) != here.get(name):
            yield f"{name} was {stored.get(name)} when the report was made and is {here.get(name)} here"


def _nothing() -> NotRecomputed:
    return NotRecomputed(REPORT_FILE, "a file that the numbers come from cannot be used", 0)


def _once(faults: list[FileFault]) -> tuple[FileFault, ...]:
    """One fault a file and problem; a missing file is named once."""
    return tuple(dict.fromkeys(faults))
