"""A whole report at PENS' size: what its scores cost and what each part of its statistics.

    python -m meta_eval bench report [--documents 3840] [--rated 300] [--resamples 10000] [--out FILE]

Synthetic documents of 550 words with five readers. Seven lexical measures stand for the seven of the papers:
the statistics see contributions and ratings only, whatever made them. Two raters rate one reader pair of each
rated document, gold and all systems: they judge by shared words, with a severity and slips of their own.
Systems are of two families, so that every part of the statistics has work. Seconds by the clock and of the
processor, and the most memory the process had up to the end of each part.
"""

import argparse
import json
import random
import resource
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from meta_eval.bench.growth import make_corpus
from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.measures import Measure, parse_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import HIGHEST, LOWEST, Rating
from meta_eval.report.inference.gathering import gather_inputs
from meta_eval.report.inference.infer import infer_report
from meta_eval.report.options import InferenceOptions
from meta_eval.scores.automatic import AutomaticScores, score_systems
from meta_eval.scores.human import HumanScores, score_humans

SPECS = ("rouge-l", "rouge-su4", "bleu", "bleu:n=4", "meteor", "jsd", "jsd:root=true")
PEOPLE, RATERS, SEVERITY, SLIP = 40, 2, 0.4, 0.6
MEGABYTE = 1 << 20
MAKING = "making the data"


class LapClock:
    """Seconds by the clock and of the processor since the last lap, and the most bytes so far, by name."""

    def __init__(self) -> None:
        self.laps: dict[str, dict[str, float]] = {}
        self._since = self._now()

    def lap(self, name: str) -> None:
        wall, cpu = self._now()
        self.laps[name] = {
            "clock": wall - self._since[0],
            "processor": cpu - self._since[1],
            "peak_bytes": _peak_bytes(),
        }
        self._since = self._now()

    @staticmethod
    def _now() -> tuple[float, float]:
        return time.perf_counter(), time.process_time()


def _peak_bytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def simulate_ratings(corpus: Corpus, rated: int) -> list[Rating]:
    """Ratings 1 to 6 of the first two readers' pair in `rated` documents spread over the corpus."""
    draw = random.Random(0)
    severity = [draw.gauss(0, SEVERITY) for _ in range(PEOPLE)]
    step = max(1, len(corpus.documents) // rated)
    return [
        Rating(document.id, system, first, second, f"p{person}", _rate(draw, texts, severity[person]))
        for document in corpus.documents[::step][:rated]
        for first, second in [tuple(document.references)[:2]]
        for person in draw.sample(range(PEOPLE), RATERS)
        for system, texts in _pairs(document, first, second)
    ]


def _pairs(document: Document, first: str, second: str) -> Iterator[tuple[str, tuple[str, str]]]:
    written = {GOLD: document.references, **document.summaries}
    return ((system, (texts[first], texts[second])) for system, texts in written.items())


def _rate(draw: random.Random, texts: tuple[str, str], severity: float) -> int:
    one, other = (set(text.split()) for text in texts)
    shared = len(one & other) / len(one | other)
    latent = LOWEST + (HIGHEST - LOWEST) * shared + severity + draw.gauss(0, SLIP)
    return min(max(round(latent), LOWEST), HIGHEST)


def run(*, documents: int, rated: int, systems: int, resamples: int) -> dict[str, Any]:
    """Of each part, by name, its seconds and the most bytes of memory that the process had by its end."""
    clock = LapClock()
    corpus = make_corpus(documents, systems)
    ratings = simulate_ratings(corpus, rated)
    clock.lap(MAKING)
    measures = {spec: parse_measure(spec) for spec in SPECS}
    automatic = _score_systems(corpus, measures, clock)
    human = _score_humans(corpus, ratings, measures)
    clock.lap("human scores")
    inputs = gather_inputs(
        corpus,
        automatic={spec: scores.contributions for spec, scores in automatic.items()},
        human=human,
        measures=measures,
        ratings=ratings,
        normalise="document",
    )
    clock.lap("distances of the rated pairs")
    families = {name: ("odd", "even")[number % 2] for number, name in enumerate(corpus.systems)}
    running: list[str] = []

    def follow(part: str, _done: int, _total: int) -> None:
        if running:
            clock.lap(f"statistics: {running.pop()}")
        running.append(part)

    found = infer_report(
        inputs, options=InferenceOptions(resamples=resamples, families=families), progress=follow
    )
    if found.inference.problems:
        raise RuntimeError(f"parts of the report failed: {found.inference.problems}")
    return {
        "documents": documents,
        "rated": rated,
        "systems": systems,
        "resamples": resamples,
        "ratings": len(ratings),
        "cells": len(found.correlations),
        "parts": clock.laps,
        "peak_bytes": _peak_bytes(),
    }


def _score_systems(
    corpus: Corpus, measures: dict[str, Measure], clock: LapClock
) -> dict[str, AutomaticScores]:
    scores = {}
    for spec, measure in measures.items():
        scores[spec] = score_systems(corpus, measure)
        clock.lap(f"automatic scores: {spec}")
    return scores


def _score_humans(
    corpus: Corpus, ratings: list[Rating], measures: dict[str, Measure]
) -> dict[str, HumanScores]:
    found = human_divergences(ratings, scale="similarity", full=RATERS)
    return {spec: score_humans(corpus, found, measure) for spec, measure in measures.items()}


def total(found: dict[str, Any], kind: str, *, of: str = "") -> float:
    """Seconds of all parts whose names begin so, but making the data; kind: clock or processor."""
    parts: dict[str, dict[str, float]] = found["parts"]
    return sum(part[kind] for name, part in parts.items() if name.startswith(of) and name != MAKING)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=3840)
    parser.add_argument("--rated", type=int, default=300)
    parser.add_argument("--systems", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=10_000)
    parser.add_argument("--out", type=Path, help="Also write the figures here, as JSON.")
    options = parser.parse_args(list(sys.argv[1:] if arguments is None else arguments))
    found = run(
        documents=options.documents,
        rated=options.rated,
        systems=options.systems,
        resamples=options.resamples,
    )
    _print(found)
    if options.out:
        options.out.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")


def _print(found: dict[str, Any]) -> None:
    sys.stdout.write(f"{'':34} {'clock s':>9} {'processor s':>12} {'MB so far':>10}\n")
    for name, part in found["parts"].items():
        memory = f"{part['peak_bytes'] / MEGABYTE:10.0f}"
        sys.stdout.write(f"{name:34} {part['clock']:9.2f} {part['processor']:12.2f} {memory}\n")
    for name, of in (("all statistics", "statistics: "), ("all but making the data", "")):
        clock, processor = (total(found, kind, of=of) for kind in ("clock", "processor"))
        sys.stdout.write(f"{name:34} {clock:9.2f} {processor:12.2f}\n")
    sys.stdout.write(
        f"{found['ratings']} ratings, {found['cells']} coefficients, {found['resamples']} resamples; "
        f"at most {found['peak_bytes'] / MEGABYTE:.0f} MB\n"
    )


if __name__ == "__main__":
    main()
