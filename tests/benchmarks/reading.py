"""How much longer than its JSON alone does reading a corpus take?

    python -m tests.benchmarks.reading [--folder ../shared/data/pens] [--rounds 7]

The PENS test set with three published systems, as `import-pens` writes it and with a made-up text of 550
words for each document, is read by `read_corpus` and, line by line, by `json.loads`, in turn. Printed for
each: the medians of the processor's seconds, and the median, least and greatest ratio of a round.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from meta_eval.bench import pens
from meta_eval.corpus.jsonl import write_jsonl
from meta_eval.corpus.tables import read_corpus


def seconds(read: Callable[[Path], object], path: Path) -> float:
    began = time.process_time()
    held = read(path)
    ended = time.process_time()
    del held
    return ended - began


def read_json(path: Path) -> list[object]:
    with path.open("rb") as stream:
        return [json.loads(line) for line in stream]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=pens.default_folder())
    parser.add_argument("--rounds", type=int, default=7)
    options = parser.parse_args()
    sys.stdout.write("| texts | MB | json.loads s | read_corpus s | ratio | least | greatest |\n")
    for texts in pens.TEXTS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "corpus.jsonl"
            with path.open("w", encoding="utf-8") as stream:
                write_jsonl(pens.read_corpus(options.folder, bodies=texts == "bodies"), stream)
            read_corpus(path)
            rounds = [(seconds(read_json, path), seconds(read_corpus, path)) for _ in range(options.rounds)]
            size = path.stat().st_size / 1e6
        ratios = [ours / theirs for theirs, ours in rounds]
        theirs, ours = (median(side) for side in zip(*rounds, strict=True))
        cells = (f"{size:.1f}", f"{theirs:.3f}", f"{ours:.3f}")
        share = (f"{one:.2f}" for one in (median(ratios), min(ratios), max(ratios)))
        sys.stdout.write(f"| {' | '.join((texts, *cells, *share))} |\n")


if __name__ == "__main__":
    main()
