"""How often does a report name a measure, from raters who press buttons at random, and from sensible ones?

    python -m tests.benchmarks.random_raters --sets 200 [--corpus FILE] [--documents 20] [--mixed 8]

The demonstration's plan: two questionnaires of five systems and the gold pair a document, two raters each.
Random raters give 1 to 6 with equal chance. A sensible rater's ratings correlate .8 with the texts'
similarity by ROUGE-L. Printed: the share of sets in which a report claims an answer (DEGRESS by some measure
is supported by raters who agree more than by chance), in which DEGRESS and PerSEval by some measure are said
to agree with the raters, and in which they have an adjusted p below .05 when systems are permuted.

`--mixed` is for a corpus of real texts with fewer than the five systems that an answer needs, as SQuALITY's
two: so many more are made of its own texts, each with a larger share of what the reader wrote.
"""

import argparse
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.corpus.jsonl import read_jsonl
from meta_eval.design.plan import plan_survey, plannable_documents
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.ranking import rank_measures
from meta_eval.report.inference.studies import study_agreement
from meta_eval.report.inference.table import JointTable
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import CorrelationRow
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import score_humans
from meta_eval.stats.table.schemes import RaterDraws
from meta_eval.stats.table.shuffled import RatingShuffles

DEMO = Path(__file__).parents[2] / "fixtures" / "demo" / "corpus.jsonl"
MEASURES = ("rouge-l", "rouge-su4", "bleu", "jsd")
ALPHA = 0.05
Item = tuple[str, str, str, str, int]
"""Document, system, two readers, number of the questionnaire."""
Judge = Callable[[Corpus, Sequence[Item], np.random.Generator], FloatArray]


def mix_systems(corpus: Corpus, count: int) -> Corpus:
    """The corpus with `count` systems more, of its own sentences.

    The k-th takes the first k of `count` + 1 parts of what the reader wrote, and after as many parts the
    rest of what the corpus' first system wrote.
    """
    return replace(
        corpus, documents=tuple(_mixed(document, corpus.systems[0], count) for document in corpus.documents)
    )


def _mixed(document: Document, system: str, count: int) -> Document:
    added: dict[str, dict[str, str]] = {}
    for step in range(1, count + 1):
        for reader, reference in document.references.items():
            wrote, generic = _sentences(reference), _sentences(document.summaries[system][reader])
            own = round(len(wrote) * step / (count + 1))
            rest = generic[round(len(generic) * step / (count + 1)) :]
            added.setdefault(f"mixed {step}", {})[reader] = " ".join([*wrote[:own], *rest])
    return replace(document, summaries={**document.summaries, **added})


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text.strip())


def plan_items(corpus: Corpus, documents: int, seed: int) -> list[Item]:
    plan = plan_survey(plannable_documents(corpus), systems=corpus.systems, documents=documents, seed=seed)
    return [
        (page.document, system, page.reader_a, page.reader_b, number)
        for number, page in enumerate(plan.questionnaires)
        for system in (GOLD, *page.systems)
    ]


def press_buttons(_corpus: Corpus, items: Sequence[Item], rng: np.random.Generator) -> FloatArray:
    return rng.integers(1, 7, len(items)).astype(np.float64)


def judge_sensibly(corpus: Corpus, items: Sequence[Item], rng: np.random.Generator) -> FloatArray:
    """Ratings that correlate .8 with the similarity of the texts, before they are rounded to the scale."""
    overlap, documents = make_measure("rouge-l"), {document.id: document for document in corpus.documents}
    similarities = np.empty(len(items))
    for row, (doc_id, system, first, second, _) in enumerate(items):
        document = documents[doc_id]
        texts = document.references if system == GOLD else document.summaries[system]
        similarities[row] = 1.0 - overlap(texts[first], texts[second])
    standard = (similarities - similarities.mean()) / similarities.std()
    return np.clip(np.rint(3.5 + 1.5 * (0.8 * standard + 0.6 * rng.normal(size=len(items)))), 1, 6)


JUDGES: dict[str, Judge] = {"random": press_buttons, "sensible": judge_sensibly}


def rate(corpus: Corpus, items: Sequence[Item], judge: Judge, rng: np.random.Generator) -> list[Rating]:
    """Two raters of each questionnaire."""
    return [
        Rating(doc_id, system, first, second, f"p{page}-{rater}", int(value))
        for rater in range(2)
        for (doc_id, system, first, second, page), value in zip(
            items, judge(corpus, items, rng).tolist(), strict=True
        )
    ]


def claims(
    corpus: Corpus, automatic: dict[str, Contributions], ratings: Sequence[Rating], seed: int
) -> Counter[str]:
    """What a report on these ratings says, each 1 if it says so."""
    divergences = human_divergences(ratings, scale="similarity")
    human = {name: score_humans(corpus, divergences, make_measure(name)) for name in MEASURES}
    rated = divergences.select_rated(corpus)
    design = replace(InferenceOptions(resamples=50).design, coefficients=("kendall",))
    table = JointTable.resample(
        automatic,
        human,
        rng=np.random.default_rng(seed),
        design=design,
        raters=RaterDraws(ratings, rated, seed=[seed], resamples=50),
        shuffles=RatingShuffles(ratings, rated, seed=[seed, 1]),
    )
    rows, rng = table.rows(CorrelationRow), np.random.default_rng([seed, 2])
    ranked, _ = rank_measures(table, rows, automatic, rng=rng, alpha=ALPHA)
    agreement = study_agreement(ratings, rng=rng, resamples=200, level=0.95)
    supported = any(row.score == "degress" and row.is_supported(ALPHA) for row in ranked)
    return Counter(
        {"an answer is claimed": int(supported and not agreement.may_be_chance)}
        | {
            f"{score}: {what}": int(any(holds(row) for row in ranked if row.score == score))
            for score in ("degress", "perseval")
            for what, holds in (
                ("supported by raters", lambda row: row.is_supported(ALPHA)),
                ("p of matchings below .05", lambda row: row.significant > 0),
            )
        }
    )


def shares(
    corpus: Corpus, judge: Judge, *, sets: int, documents: int, tell: Callable[[str], object] = lambda _: None
) -> dict[str, float]:
    """The share of the sets of ratings, each with a plan of its own, on which a report says each thing.

    `tell` is given a line after every tenth set, since real texts take seconds a set.
    """
    automatic = {name: score_systems(corpus, make_measure(name)).contributions for name in MEASURES}
    found: Counter[str] = Counter()
    for seed in range(sets):
        items = plan_items(corpus, documents, seed)
        ratings = rate(corpus, items, judge, np.random.default_rng([7, seed]))
        found.update(claims(corpus, automatic, ratings, seed))
        if not (seed + 1) % 10:
            tell(f"{seed + 1} sets: {dict(found)}\n")
    return {what: count / sets for what, count in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--corpus", type=Path, default=DEMO)
    parser.add_argument("--documents", type=int, default=20)
    parser.add_argument("--mixed", type=int, default=0, help="systems to make of the corpus' own texts")
    asked = parser.parse_args()
    corpus = mix_systems(read_jsonl(asked.corpus), asked.mixed)
    for name, judge in JUDGES.items():
        found = shares(corpus, judge, sets=asked.sets, documents=asked.documents, tell=sys.stderr.write)
        for what, share in found.items():
            sys.stdout.write(f"{name:9} {what:40} {share:.3f}\n")


if __name__ == "__main__":
    main()
