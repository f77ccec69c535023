"""Check a bundle: every file against its hash, every number of the report against its own data."""

from collections.abc import Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, Any

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
from meta_eval.publish.bundle.consistency import (
    compare_files,
    compare_notes,
    compare_pages,
    compare_parts,
)
from meta_eval.publish.bundle.judgments import compare_judgments
from meta_eval.publish.bundle.layout import REPORT_FILE, seal_of
from meta_eval.publish.bundle.models import OtherModelError, check_distances
from meta_eval.publish.bundle.reading import (
    BundleData,
    check_files,
    missing_files,
    open_bundle,
    read_data,
)
from meta_eval.publish.bundle.recomputing import NO_TEXTS, Recomputation, recompute_report, why_unjudged
from meta_eval.publish.bundle.stated import stated_only
from meta_eval.publish.bundle.verification import Difference, FileFault, NotRecomputed, Verification
from meta_eval.report.building import ReportProgress
from meta_eval.report.leaderboard import EGISES_OF
from meta_eval.report.options import Part
from meta_eval.report.schema import CERTAINTY_FIELDS, SCHEMA_VERSION, Report, report_record

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
_UNCOUNTED = ("options", "failures", "versions")
"""What was asked for and with what: compared, but no number of the report."""


def verify_bundle(
    path: str | PathLike[str] | IO[bytes],
    *,
    corpus: Corpus | None = None,
    models: Sequence[str | PathLike[str]] = (),
    progress: Progress | None = None,
) -> Verification:
    """Compute the answer and every number of a bundle's report again from its own ratings and texts.

    Numbers agree within 1e-9 of their size; those of a model whose distances are not sealed within 1e-5.
    Whatever is wrong inside is in the result.

    Parameters
    ----------
    path : path or binary stream
    corpus : Corpus, optional
        Stands in for the texts of a bundle that holds hashes only.
    models : sequence of path, optional
        Folders of language models, known by the hash of their files: the distances that they gave are
        computed anew in float32 and set against the sealed ones, see `check_distances`.
    progress : callable, optional
        Called with how many documents are done, and of how many, measure after measure.

    Returns
    -------
    Verification

    Raises
    ------
    InputError
        For what is no archive, and for a folder that holds no model of the report.

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
        hashes, faults = check_files(archive)
        try:
            data = read_data(archive, corpus)
            faults += missing_files(archive, data.report)
            return _verify(data, hashes, faults, [Path(folder) for folder in models], progress)
        except OtherModelError:
            raise
        except InputError as error:
            faults += [FileFault(fault.file, fault.message) for fault in error.faults]
        except (MetaEvalError, KeyError, TypeError, ValueError, AttributeError) as error:
            why = f"cannot be recomputed from these files: {type(error).__name__}: {error}"
            faults.append(FileFault(REPORT_FILE, why))
    nothing = NotRecomputed(REPORT_FILE, "a file that the numbers come from cannot be used", 0)
    return Verification(
        seal=seal_of(hashes), files=_once(faults), differences=(), not_recomputed=(nothing,), verified=0
    )


def _verify(
    data: BundleData,
    hashes: Mapping[str, str],
    faults: list[FileFault],
    folders: Sequence[Path],
    progress: Progress | None,
) -> Verification:
    own = map(given_measure, data.given)  # the report rests on these, whatever else has their names here
    with adding(own, instead=True):
        found = recompute_report(data, progress=_over_parts(progress))
        checked = check_distances(data, folders, found.report)
    stated = [*stated_only(data, found.report.notes), *checked.stated]
    passed_over = {one.path for one in stated} | set(_digests(data.report))
    comparison = BundleComparison(_why_open(data, found), _tolerance(data), passed_over)
    uncounted = BundleComparison(lambda _path, _row: None, _tolerance(data), passed_over)
    records = (_stored(data), report_record(found.report))
    for section in dict.fromkeys(name for record in records for name in record):
        if section == "notes":
            continue
        stored, recomputed = (record.get(section, MISSING) for record in records)
        (uncounted if section in _UNCOUNTED else comparison).compare(stored, recomputed, section, {})
    return Verification(
        seal=seal_of(hashes),
        files=_once(faults),
        differences=_first_the_answer(
            [
                *compare_judgments(data),
                *comparison.differences,
                *uncounted.differences,
                *compare_parts(data),
                *compare_pages(data),
                *compare_files(data, found.report, hashes),
                *compare_notes(data, found.report),
                *checked.differences,
            ]
        ),
        not_recomputed=tuple(NotRecomputed(*skipped) for skipped in gather_open(comparison.open)),
        verified=comparison.verified,
        stated=tuple(stated),
        notes=(*checked.notes, *_version_notes(data.report.versions, found.report.versions)),
        older=data.record["schema_version"] if _is_older(data) else None,
    )


def _first_the_answer(differences: Sequence[Difference]) -> tuple[Difference, ...]:
    return tuple(sorted(differences, key=lambda one: not one.path.startswith("answer")))


def _over_parts(progress: Progress | None) -> ReportProgress | None:
    if progress is None:
        return None
    return lambda _part, done, total: progress(done, total)


def _stored(data: BundleData) -> Mapping[str, Any]:
    """The report as its file holds it; one of an older version as it reads today."""
    return report_record(data.report) if _is_older(data) else data.record


def _is_older(data: BundleData) -> bool:
    return bool(data.record["schema_version"] != SCHEMA_VERSION)


def _digests(report: Report) -> Iterator[str]:
    """They are set against the signatures that they are of; those here name the libraries of this machine."""
    yield from (f"signatures[{row.side}, {row.measure}].digest" for row in report.signatures)


def _why_open(data: BundleData, found: Recomputation) -> Any:
    """For a path and its row: why the value there cannot be checked, None where it can."""

    def why_open(path: str, row: Mapping[str, Any]) -> str | None:
        section = path.partition(".")[0].partition("[")[0]
        if path.startswith(_JUDGED) or row.get("side") == "judged":
            return why_unjudged(data) or _why_whole("inference", path, found)
        for part in _parts_of(section, row, data.report):
            if part in found.skipped:
                return found.skipped[part]
        if found.corpus is None and row.get("what") in _TEXT_COUNTS:
            return NO_TEXTS
        if found.corpus is None and path in ("subject.corpus_hash", "subject.corpus_documents"):
            return NO_TEXTS
        return _why_whole(section, path, found)

    return why_open


def _is_certainty(section: str, path: str) -> bool:
    """Whether a value rests on the statistics of the report, not on its scores alone."""
    return section in {"answer", "inference"} or (
        section == "correlations" and path.rpartition(".")[2] in CERTAINTY_FIELDS
    )


def _why_whole(section: str, path: str, found: Recomputation) -> str | None:
    """Values over all measures are open as soon as one measure is."""
    skipped = found.skipped
    if skipped and (section in {"problem", "published", "notes"} or _is_certainty(section, path)):
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


def _tolerance(data: BundleData) -> Any:
    """Of numbers that a model gives anew, by rounding; all others are exact."""
    computed = (entry for entry in data.report.signatures if entry.side != "judged")  # replies are read
    sealed = {one.book.name for one in data.sealed}
    neural = {
        entry.measure for entry in computed if _is_neural(entry.signature) and entry.digest not in sealed
    }

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


def _once(faults: list[FileFault]) -> tuple[FileFault, ...]:
    """One fault a file and problem; a missing file is named once."""
    return tuple(dict.fromkeys(faults))
