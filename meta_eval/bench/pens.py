"""Seconds a system on the PENS test set, beside what PerSEval's section 8.3 states: 2:37 minutes on 16 cores.

    python -m meta_eval bench pens [--folder ../shared/data/pens] [--measures rouge-l bleu] [--rounds 3]

`personalized_test.tsv` and the outputs of three published systems (`hyps_NAML.txt`, `hyps_NRMS.txt`,
`hyps_NRMS_2.txt`) are read from the folder (default: CONCORD_SHARED, else ../shared by the checkout). One
system is scored alone, references and all: accuracy, DEGRESS, EGISES and PerSEval; and three together, of
which a system's part is a third. `bare` leaves out distances to documents: PENS' articles are not there.
`bodies` gives each document a made-up text of 550 words, of the references' words as often as they have them.
Each figure is the least of `--rounds`, each in a process of its own, with nothing remembered: stems and
synonyms are found anew. Reading the files and starting Python are left out.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from meta_eval.bench.growth import BODY_WORDS
from meta_eval.corpus.documents import Corpus
from meta_eval.corpus.pens import read_pens
from meta_eval.measures import parse_measure
from meta_eval.scores.automatic import score_systems

SPECS = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd")
FILES = {"PENS-NAML T1": "hyps_NAML.txt", "PENS-NRMS T1": "hyps_NRMS.txt", "PENS-NRMS T2": "hyps_NRMS_2.txt"}
TEXTS = ("bare", "bodies")
PAPER = (
    "PerSEval 8.3 states 157 s (2:37 min) a system for 3,840 documents on 16 cores; of which measures is not "
    "known here. Neural measures are not measured here."
)


def default_folder() -> Path:
    """Where the checkout's neighbour keeps PENS, or the folder that CONCORD_SHARED names."""
    shared = os.environ.get("CONCORD_SHARED", Path(__file__).parents[3] / "shared")
    return Path(shared) / "data" / "pens"


def read_corpus(folder: Path, *, bodies: bool) -> Corpus:
    """The three systems on the test set; with `bodies` each document has a made-up text."""
    corpus = read_pens(
        test=folder / "personalized_test.tsv",
        systems={name: folder / file for name, file in FILES.items()},
    )
    if not bodies:
        return corpus
    draw, words = random.Random(0), " ".join(corpus.reference_texts).split()
    made = (" ".join(draw.choices(words, k=BODY_WORDS)) for _ in corpus.documents)
    return Corpus(
        tuple(replace(document, body=body) for document, body in zip(corpus.documents, made, strict=True))
    )


def run(folder: Path, texts: str, specs: Sequence[str], systems: int) -> dict[str, float]:
    """Wall and processor seconds a system, and how many documents there were."""
    corpus = read_corpus(folder, bodies=texts == "bodies")
    chosen = list(FILES)[:systems]
    wall, cpu = time.perf_counter(), time.process_time()
    for spec in specs:
        score_systems(
            corpus,
            parse_measure(spec),
            systems=chosen,
            normalise="document" if texts == "bodies" else "none",
        )
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    return {"wall": wall / systems, "cpu": cpu / systems, "documents": len(corpus.documents)}


def measure_best(
    folder: Path, texts: str, specs: Sequence[str], systems: int, rounds: int
) -> dict[str, float]:
    """The least of each time over processes of their own."""
    asked = json.dumps([str(folder), texts, list(specs), systems])
    command = [sys.executable, "-m", "meta_eval.bench.pens", "--one", asked]
    found = [
        json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        for _ in range(rounds)
    ]
    return {name: min(one[name] for one in found) for name in found[0]}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=default_folder())
    parser.add_argument("--measures", nargs="+", default=list(SPECS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--one", help=argparse.SUPPRESS)
    options = parser.parse_args(list(sys.argv[1:] if arguments is None else arguments))
    if options.one:
        folder, texts, specs, systems = json.loads(options.one)
        sys.stdout.write(json.dumps(run(Path(folder), texts, specs, systems)) + "\n")
        return
    if not (options.folder / "personalized_test.tsv").exists():
        parser.error(f"{options.folder} holds no personalized_test.tsv: name PENS' folder with --folder")
    sys.stdout.write(f"Load before: {', '.join(f'{one:.2f}' for one in os.getloadavg())}\n")
    _write_row(["measure", "texts", "alone s", "alone cpu s", "of three s", "of three cpu s"])
    _write_row(["---"] * 6)
    several = len(options.measures) > 1
    for specs in [[spec] for spec in options.measures] + several * [options.measures]:
        for texts in TEXTS:
            alone, shared = (
                measure_best(options.folder, texts, specs, systems, options.rounds)
                for systems in (1, len(FILES))
            )
            figures = [alone["wall"], alone["cpu"], shared["wall"], shared["cpu"]]
            name = specs[0] if len(specs) == 1 else "all together"
            _write_row([name, texts, *(f"{value:.2f}" for value in figures)])
    sys.stdout.write(
        f"{alone['documents']:,.0f} documents, {os.cpu_count()} cores; load after: "
        f"{', '.join(f'{one:.2f}' for one in os.getloadavg())}\n{PAPER}\n"
    )


def _write_row(cells: Sequence[str]) -> None:
    sys.stdout.write("| " + " | ".join(cells) + " |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
