"""What language models gave for a report, taken from where its distances are kept."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import cast

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import DistanceStream
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import MeasureError
from meta_eval.measures.given import DistanceBook, hash_of
from meta_eval.measures.neural import NeuralMeasure
from meta_eval.measures.sealed import SealedDistances, SealedText
from meta_eval.measures.signatures import read_signature
from meta_eval.publish.bundle.signed import SignedOptions, signed_parts
from meta_eval.report.schema import Report, SignatureRow


def seal_distances(report: Report, corpus: Corpus, store: DistanceStore | None) -> list[SealedDistances]:
    """The distances of each signature of the report that names a model, as they were when it was made.

    None of a signature whose model is not at hand, or is another one now, and none where nothing was kept:
    then the report can be verified beside the model alone.
    """
    options = SignedOptions.of(report)
    made: dict[str, SealedDistances] = {}
    for (_, spec), row in signed_parts(report, options):
        if store is None or row.digest in made or not row.signature.get("model"):
            continue
        try:
            measure = options.measure(spec)
            if isinstance(measure, NeuralMeasure):
                sealed = _seal(measure, row, options, corpus, store)
                made |= {row.digest: sealed} if sealed else {}
        except (MeasureError, ImportError):
            continue
    return list(made.values())


def _seal(
    measure: NeuralMeasure, row: SignatureRow, options: SignedOptions, corpus: Corpus, store: DistanceStore
) -> SealedDistances | None:
    """None where the model here is not that of the signature, whose word pieces would be others."""
    signed = read_signature(row.signature)
    # In float32, since the device may not have the precision of the report.
    here = cast(NeuralMeasure, replace(measure, precision="float32").settle(corpus))
    stream = DistanceStream(corpus, here, normalise=options.normalise)
    if stream.signature.revision != signed.revision:
        return None
    found: dict[tuple[str, str], float] = {}
    hashes: dict[str, str] = {}
    for pairs, distances in stream.pairs(store.of(signed)):
        hashes |= {text: hash_of(text) for text in pairs.texts if text not in hashes}
        keys = (tuple(hashes[pairs.texts[number]] for number in row) for row in _numbers(pairs.columns))
        found.update(zip(keys, distances.tolist(), strict=True))  # type: ignore[arg-type]
    rows = [(first, second, value) for (first, second), value in found.items()]
    return SealedDistances(DistanceBook.of(row.digest, rows), _look_at(here, hashes)) if rows else None


def _numbers(columns: Sequence) -> Iterator[tuple[int, ...]]:  # type: ignore[type-arg]
    return zip(*(column.tolist() for column in columns), strict=True)


def _look_at(measure: NeuralMeasure, hashes: dict[str, str]) -> dict[str, SealedText]:
    texts = list(hashes)
    nothing, seen = measure.hold_nothing(texts).tolist(), measure.look_each(texts)
    rows = zip(texts, nothing, seen, strict=True)
    return {hashes[text]: SealedText(empty, *counts) for text, empty, counts in rows}
