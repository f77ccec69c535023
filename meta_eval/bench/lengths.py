"""Cost over lengths of summaries: 10, 20, 40, ... words, for each lexical measure.

    python -m meta_eval bench lengths [--documents 40] [--longest 2560] [--rounds 3] [--measures rouge-l bleu]

Synthetic documents with five readers and one system, whose summaries and references have as many words as
the column says. What a score compares of them is compared: pairs of references, pairs of summaries, each
summary with its reference. Documents, which have 550 words whatever the summaries have, are left out but for
a measure that needs them (`jsd-oov`). `encode` turns texts into what is compared, `compare` compares the
pairs. Seconds of the processor, the least of `--rounds` in one process, in which stems, synonyms and words
are remembered from a first pass. `slope` is the exponent of growth: the straight line by least squares
through the logarithms of the seconds and of the last four lengths. 1 is linear, 2 quadratic.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from meta_eval.arrays import IntArray
from meta_eval.bench.growth import make_corpus
from meta_eval.corpus.documents import Corpus
from meta_eval.measures import parse_measure
from meta_eval.measures.base import ContextMeasure, Measure

SPECS = ("rouge-l", "rouge-su4", "bleu", "meteor", "jsd", "jsd-oov", "rouge-1", "rouge-2", "chrf")
SHORTEST, LONGEST = 10, 2560
FITTED = 4
"""Lengths that the slope is taken over: the longest, where what does not depend on length weighs least."""
PARTS = ("encode", "compare", "both")


@dataclass(frozen=True, slots=True)
class LengthPairs:
    """Summaries and references, then documents; pairs to compare, and the document of each: (pairs,)."""

    texts: list[str]
    written: int
    first: IntArray
    second: IntArray
    document: IntArray


def gather_work(corpus: Corpus) -> LengthPairs:
    """What DEGRESS and accuracy compare, each pair of texts once."""
    texts: list[str] = []
    pairs: list[tuple[int, int, int]] = []

    def add(new: Iterable[str]) -> list[int]:
        start = len(texts)
        texts.extend(new)
        return list(range(start, len(texts)))

    for number, document in enumerate(corpus.documents):
        gold = add(document.references.values())
        pairs += [(j, k, number) for j, k in combinations(gold, 2)]
        for written in document.summaries.values():
            made = add(written.values())
            pairs += [(j, k, number) for j, k in combinations(made, 2)]
            pairs += [(s, u, number) for s, u in zip(made, gold, strict=True)]
    documents = np.array(add(document.text for document in corpus.documents))
    first, second, about = np.array(pairs, dtype=np.int64).T
    return LengthPairs(texts, len(texts) - len(documents), first, second, documents[about])


def encode(measure: Measure, work: LengthPairs) -> Any:
    """What the measure makes of the texts: documents only where it needs them."""
    return measure.prepare(work.texts if isinstance(measure, ContextMeasure) else work.texts[: work.written])


def compare(measure: Measure, prepared: Any, work: LengthPairs) -> None:
    """All distances of the work, which nobody asks for."""
    if isinstance(measure, ContextMeasure):
        measure.distances_in_context(prepared, work.first, work.second, work.document)
    else:
        measure.distances(prepared, work.first, work.second)


def time_work(measure: Measure, work: LengthPairs, rounds: int) -> dict[str, float]:
    """Seconds of the processor of each of `PARTS`, the least of so many rounds."""
    prepared = encode(measure, work)
    compare(measure, prepared, work)
    encoded = min(_seconds(lambda: encode(measure, work)) for _ in range(rounds))
    compared = min(_seconds(lambda: compare(measure, prepared, work)) for _ in range(rounds))
    return {"encode": encoded, "compare": compared, "both": encoded + compared}


def _seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def fit_slope(lengths: Sequence[int], seconds: Sequence[float]) -> float:
    """The exponent of growth over the last `FITTED` lengths; at least two are needed.

    Examples
    --------
    >>> round(fit_slope((10, 20, 40), (1.0, 4.0, 16.0)), 6)
    2.0
    """
    last = slice(-FITTED, None)
    return float(np.polyfit(np.log(lengths[last]), np.log(seconds[last]), 1)[0])


def lengths_up_to(longest: int) -> list[int]:
    """10 words, doubled until `longest` is reached."""
    found = [SHORTEST]
    while found[-1] * 2 <= longest:
        found.append(found[-1] * 2)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=40)
    parser.add_argument("--longest", type=int, default=LONGEST, help="Words of the longest summaries.")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measures", nargs="+", default=SPECS)
    options = parser.parse_args(list(sys.argv[1:] if arguments is None else arguments))
    lengths = lengths_up_to(options.longest)
    if len(lengths) < 2:
        parser.error(f"--longest must be {2 * SHORTEST} or more: a slope needs two lengths")
    works = [gather_work(make_corpus(options.documents, 1, summary_words=length)) for length in lengths]
    _write_row(["measure", "part", *map(str, lengths), "slope"])
    _write_row(["---"] * (len(lengths) + 3))
    for spec in options.measures:
        measure = parse_measure(spec)
        found = [time_work(measure, work, options.rounds) for work in works]
        for part in PARTS:
            seconds = [one[part] for one in found]
            slope = f"{fit_slope(lengths, seconds):.2f}"
            _write_row([spec, part, *(f"{value:.4f}" for value in seconds), slope])


def _write_row(cells: Sequence[str]) -> None:
    sys.stdout.write("| " + " | ".join(cells) + " |\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
