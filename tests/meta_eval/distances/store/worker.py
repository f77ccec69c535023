"""A process that computes distances with a store and writes them as files; tests kill it.

    python -m tests.meta_eval.distances.store.worker STORE FOLDER [MEASURE ...]

Prints a line for each finished shard, and then waits for a line, or the end, of its input. Without measures
it is one made for the purpose.
"""

import random
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.distances.computing import compute_distances
from meta_eval.distances.csv import readers_of, write_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.measures import parse_measure
from meta_eval.measures.base import Measure, MeasureInfo, ShardLimit, Signature

DOCUMENTS, SHARD, SECONDS = 120, 6, 0.01
REAL_DOCUMENTS, REAL_SHARD = 24, 3
# Word pieces of the tiny models, listed here so that a run over words alone loads no torch.
REAL_WORDS = (
    "the",
    "a",
    "cat",
    "dog",
    "bird",
    "house",
    "city",
    "team",
    "wins",
    "loses",
    "sits",
    "on",
    "under",
)


class Drifting(Measure):
    """Distances that depend a little on what else is compared at the time, as those of neural measures do."""

    info = MeasureInfo(
        id="drifting", title="drifting", range="[0, 1]", symmetric=True, cost="none", source="none"
    )
    shard_limit = ShardLimit(documents=SHARD)

    @property
    def signature(self) -> Signature:
        return Signature("drifting")

    def prepare(self, texts: Sequence[str]) -> list[frozenset[str]]:
        time.sleep(SECONDS)
        return [frozenset(text.split()) for text in texts]

    def distances(self, prepared, first, second):
        drift = 1 + 1e-13 * len(prepared)
        pairs = zip(first, second, strict=True)
        return np.array([len(prepared[i] ^ prepared[j]) / 40 * drift for i, j in pairs])


def make_corpus(documents: int = DOCUMENTS, words: Sequence[str] = ()) -> Corpus:
    draw = random.Random(5)
    words = words or [f"word{number}" for number in range(30)]

    def text() -> str:
        return " ".join(draw.choices(words, k=8))

    def one(number: int) -> Document:
        readers = [f"r{reader}" for reader in range(4)]
        systems = {system: {reader: text() for reader in readers} for system in ("one", "two")}
        return Document(f"d{number}", "title", text(), {reader: text() for reader in readers}, systems)

    return Corpus(tuple(one(number) for number in range(documents)))


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def say_and_wait(done: int) -> None:
    say(str(done))
    sys.stdin.readline()


def run(measure: Measure, corpus: Corpus, store: str, folder: Path, shard: int) -> None:
    table = compute_distances(
        corpus,
        measure,
        store=DistanceStore(store),
        shard_documents=shard,
        progress=lambda done, _: say_and_wait(done),
    )
    write_distances(table, readers_of(corpus), folder)
    say(f"compared {table.counts.compared}")


def main(store: str, folder: str, *measures: str) -> None:
    if not measures:
        run(Drifting(), make_corpus(), store, Path(folder), SHARD)
        return
    corpus = make_corpus(REAL_DOCUMENTS, REAL_WORDS)
    for number, text in enumerate(measures):
        run(parse_measure(text), corpus, store, Path(folder) / str(number), REAL_SHARD)


if __name__ == "__main__":
    main(*sys.argv[1:])
