"""The sealed distances of language models against those that the models give, where these are at hand."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.shards import compare_pairs
from meta_eval.errors import InputError, MeasureError
from meta_eval.measures.given import DistanceBook, hash_of
from meta_eval.measures.neural import NeuralMeasure
from meta_eval.measures.sealed import SealedDistances
from meta_eval.publish.bundle.layout import SEALED_FILE
from meta_eval.publish.bundle.reading import BundleData
from meta_eval.publish.bundle.recomputing import recompute_report
from meta_eval.publish.bundle.signed import SignedOptions, signed_parts
from meta_eval.publish.bundle.verification import Difference, Stated
from meta_eval.report.schema import Report, SignatureRow

TOLERANCES: Mapping[str, tuple[float, float]] = {
    "float32": (1e-4, 1e-4),
    "bfloat16": (2e-2, 2e-3),
    "float16": (2e-2, 2e-3),
    "float8": (1e-1, 1e-2),
}
"""By the precision of the report: how far its distances may lie from those in float32, the farthest of them
and on average; of distances above 1 as a share of them."""


class OtherModelError(InputError):
    """A folder that was given holds a model that the report does not name."""


@dataclass(frozen=True, slots=True)
class CheckedDistances:
    """What came of the sealed distances: those beyond their tolerance, those taken as sealed, and the rest
    in `notes`."""

    differences: tuple[Difference, ...] = ()
    stated: tuple[Stated, ...] = ()
    notes: tuple[str, ...] = ()


def check_distances(data: BundleData, folders: Sequence[Path], report: Report) -> CheckedDistances:
    """The distances of each signature once more by its model, which is known by the hash of its files.

    Raises OtherModelError for a folder that holds the model of no signature. `report` is the one that follows
    from the sealed distances: where another answer follows from those in float32, that is a difference.
    """
    options = SignedOptions.of(data.report)
    rows = {row.digest: (spec, row) for (_, spec), row in signed_parts(data.report, options)}
    by_revision = _by_revision(folders, {str(row.signature.get("revision")) for _, row in rows.values()})
    differences, stated, notes, anew = [], [], [], []
    for sealed in data.sealed:
        if sealed.book.name not in rows:
            continue
        spec, row = rows[sealed.book.name]
        folder, signature = by_revision.get(str(row.signature.get("revision"))), row.signature
        precision = str(signature["options"].get("precision"))
        if folder is None or data.corpus is None:
            by = f"{signature.get('model')} in {precision}"
            why = f"distances taken as sealed, by {by}; --model FOLDER computes them anew"
            stated.append(Stated(f"{SEALED_FILE}[{row.measure}]", why))
            continue
        found = _compute(data, options.computing(spec), row, folder, sealed)
        anew.append(replace(sealed, book=replace(sealed.book, values=found)))
        said, far = _compare(sealed.book.values, found, precision)
        where = f"{SEALED_FILE}[{row.measure}]"
        if far:
            differences.append(Difference(where, f"distances in {precision}", said))
        notes.append(f"{where}: {said}")
    if anew and not differences:
        differences += _compare_answers(data, anew, report)
    return CheckedDistances(tuple(differences), tuple(stated), tuple(notes))


def _by_revision(folders: Sequence[Path], wanted: set[str]) -> dict[str, Path]:
    """The folders by the revision of their model: the hash of its files, or the commit of a hub's cache."""
    found: dict[str, Path] = {}
    for folder in folders:
        names = {_revision_of(folder), folder.resolve().name} & wanted
        if not names:
            raise OtherModelError(
                f"{folder} holds no model of this report: its revision is none of those there"
            )
        found |= dict.fromkeys(names, folder)
    return found


def _revision_of(folder: Path) -> str:
    try:
        from meta_eval.kernels.models import find_model

        return find_model(str(folder)).revision
    except MeasureError as error:  # no model, or nothing here that could load one
        raise OtherModelError(str(error)) from error


def _compute(
    data: BundleData, asked: Any, row: SignatureRow, folder: Path, sealed: SealedDistances
) -> FloatArray:
    """(pairs,) the distances of the book's pairs in float32; NaN where the report does not ask for one."""
    measure: NeuralMeasure = replace(asked, model=str(folder), revision=None, precision="float32")
    named = {field.name for field in fields(measure)}
    layer = row.signature["options"].get("layer")
    if "layer" in named and layer is not None:
        measure = replace(measure, **{"layer": layer})
    corpus = data.corpus
    assert corpus is not None  # noqa: S101 - asked before
    measure = measure.settle(corpus)  # type: ignore[assignment]
    stream = DistanceStream(corpus, measure, normalise=data.report.options["normalise"])
    known: dict[tuple[str, str], float] = {}
    for pairs, _ in stream.pairs():
        hashes = [hash_of(text) for text in pairs.texts]
        values = compare_pairs(measure, pairs)[0].tolist()
        places = zip(pairs.first.tolist(), pairs.second.tolist(), values, strict=True)
        known |= {(hashes[first], hashes[second]): value for first, second, value in places}
    book: DistanceBook = sealed.book
    return np.array([known.get((first, second), np.nan) for first, second, _ in book.rows()])


def _compare(stored: FloatArray, found: FloatArray, precision: str) -> tuple[str, bool]:
    """How far they lie apart, in words, and whether that is too far."""
    farthest, mean = TOLERANCES.get(precision, TOLERANCES["float32"])
    apart = np.abs(stored - found) / np.maximum(1.0, np.abs(found))
    missing = int(np.sum(np.isnan(stored) != np.isnan(found)))
    apart = apart[~np.isnan(apart)]
    most, average = (float(apart.max()), float(apart.mean())) if len(apart) else (0.0, 0.0)
    said = (
        f"{len(stored)} distances in {precision} lie {most:.2g} at most and {average:.2g} on average from "
        f"those of the model in float32; {farthest:g} and {mean:g} may be"
    )
    if missing:
        said += f"; {missing} are missing on one side"
    return said, bool(missing or most > farthest or average > mean)


def _compare_answers(
    data: BundleData, anew: Sequence[SealedDistances], report: Report
) -> Iterator[Difference]:
    """The answer that follows from the distances in float32, where it is another."""
    kept = [one for one in data.sealed if one.book.name not in {other.book.name for other in anew}]
    other = recompute_report(replace(data, sealed=(*kept, *anew))).report
    mine, theirs = map(_gist, (report, other))
    if mine != theirs:
        yield Difference("answer", mine, f"{theirs} in float32: the answer hangs on the precision")


def _gist(report: Report) -> tuple[Any, ...]:
    """What an answer says, without its digits."""
    answer = report.answer
    named = answer.ranking[0].measure if answer.claimed and answer.ranking else None
    return answer.answerable, answer.claimed, named
