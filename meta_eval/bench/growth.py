"""Cost and memory over corpora of 1x, 2x, 4x and 8x documents, with and without a store of distances.

    python -m meta_eval bench growth [--documents 480] [--measure rouge-l] [--systems 10] [--shard N]

Each size runs in a process of its own, over synthetic documents of 550 words with five readers. `plain`
scores without a store, `fill` with an empty one, `full` with one that has everything. Documents a second, and
a second of processor time (`cpu`), which other work on the machine disturbs less; `corpus` is the resident
memory with the corpus loaded and the measure warmed up, `peak` the most beyond that while scoring, `disk`
what the store takes.
"""

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from meta_eval.corpus.documents import Corpus, Document
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.distances.store.upkeep import store_info
from meta_eval.measures import make_measure
from meta_eval.measures.base import ShardLimit
from meta_eval.scores.automatic import score_systems

SCALES = (1, 2, 4, 8)
READERS, BODY_WORDS, SUMMARY_WORDS, VOCABULARY = 5, 550, 10, 30_000
MEGABYTE = 1 << 20
MODES = ("plain", "fill", "full")
COLUMNS = {
    **{f"{mode}/s": (f"{mode}_per_second", 1, 0) for mode in MODES},
    **{f"{mode}/cpu": (f"{mode}_per_cpu_second", 1, 0) for mode in MODES},
    "corpus MB": ("corpus", MEGABYTE, 0),
    **{f"{mode} peak": (f"{mode}_peak", MEGABYTE, 0) for mode in MODES},
    "disk MB": ("disk", MEGABYTE, 1),
}


def make_corpus(documents: int, systems: int, *, summary_words: int = SUMMARY_WORDS) -> Corpus:
    """Words fall off as in natural language (Zipf); about a third of the summaries equal another one."""
    draw = random.Random(0)
    words = [f"{number:x}word" for number in range(VOCABULARY)]
    weights = [1 / (rank + 3) for rank in range(VOCABULARY)]
    pool = iter(
        draw.choices(words, weights, k=documents * (BODY_WORDS + (1 + systems) * READERS * summary_words))
    )

    def text(length: int) -> str:
        return " ".join(next(pool) for _ in range(length))

    def one(number: int) -> Document:
        readers = [f"r{reader}" for reader in range(READERS)]
        gold = {reader: text(summary_words) for reader in readers}
        written = {}
        for system in range(systems):
            own = [text(summary_words) for _ in range(3)]
            written[f"S{system}"] = {reader: draw.choice(own) for reader in readers}
        return Document(f"d{number}", "", text(BODY_WORDS), gold, written)

    return Corpus(tuple(one(number) for number in range(documents)))


def resident() -> int:
    """Resident memory now, in bytes."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


@contextmanager
def watch(found: dict[str, float], name: str, documents: int) -> Iterator[None]:
    """Seconds and the most memory beyond that at the start, looked at every few milliseconds."""
    done, most, before = threading.Event(), [0], resident()

    def look() -> None:
        while not done.wait(0.005):
            most[0] = max(most[0], resident() - before)

    thread = threading.Thread(target=look)
    thread.start()
    start, cpu = time.perf_counter(), time.process_time()
    yield
    found[f"{name}_per_second"] = documents / (time.perf_counter() - start)
    found[f"{name}_per_cpu_second"] = documents / (time.process_time() - cpu)
    done.set()
    thread.join()
    found[f"{name}_peak"] = most[0]


def run(documents: int, systems: int, measure_id: str, shard: int | None) -> dict[str, float]:
    measure = make_measure(measure_id)
    if shard:
        type(measure).shard_limit = ShardLimit(documents=shard)
    corpus = make_corpus(documents, systems)
    score_systems(Corpus(corpus.documents[:20]), measure)
    found: dict[str, float] = {"corpus": resident()}
    with watch(found, "plain", documents):
        score_systems(corpus, measure)
    with tempfile.TemporaryDirectory() as folder:
        for name in ("fill", "full"):
            with watch(found, name, documents):
                score_systems(corpus, measure, store=DistanceStore(folder))
        found["disk"] = store_info(folder).bytes
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=480)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--measure", default="rouge-l")
    parser.add_argument("--shard", type=int)
    parser.add_argument("--one", type=int, help=argparse.SUPPRESS)
    given = list(sys.argv[1:] if arguments is None else arguments)
    options = parser.parse_args(given)
    if options.one:
        found = run(options.one, options.systems, options.measure, options.shard)
        sys.stdout.write(json.dumps(found) + "\n")
        return
    write_row(["documents", *COLUMNS])
    for scale in SCALES:
        documents = options.documents * scale
        command = [sys.executable, "-m", "meta_eval.bench.growth", *given, "--one", str(documents)]
        output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        found = json.loads(output)
        write_row(
            [f"{documents}", *(f"{found[name] / unit:.{digits}f}" for name, unit, digits in COLUMNS.values())]
        )


def write_row(cells: list[str]) -> None:
    sys.stdout.write(" ".join(f"{cell:>10}" for cell in cells) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
