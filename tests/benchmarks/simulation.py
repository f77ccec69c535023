"""Made-up surveys and scores of which the truth is known."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.distances.computing import DistanceBlock, DistanceCounts, DistanceTable
from meta_eval.measures.base import Signature
from meta_eval.ratings.rating import Rating

READERS = ("r1", "r2")


def correlated_normals(rng: np.random.Generator, matrix: list[list[float]], n: int) -> FloatArray:
    """(variables, n) standard normal with this correlation matrix."""
    return np.linalg.cholesky(np.array(matrix)) @ rng.standard_normal((len(matrix), n))


@dataclass(frozen=True)
class Survey:
    """Raters' ratings of reader pairs, and what else the human scores are made of."""

    corpus: Corpus
    surrogates: DistanceTable
    ratings: list[Rating]


def simulate_survey(
    rng: np.random.Generator,
    *,
    personalisation: FloatArray,
    documents: int = 60,
    raters: int = 2,
    noise: float = 0.8,
    people: int | None = None,
    gold: FloatArray | None = None,
) -> Survey:
    """One questionnaire a document, of two readers and the gold pair; a system's pair differs as much as the
    gold pair does times its `personalisation` (S,).

    A rater gives the true similarity plus a severity of the questionnaire and an error of each pair, rounded
    to 1 to 6. With `people` the raters come from a pool of that size, each with one severity. `gold` (D,)
    fixes how much the gold pairs differ, so that only the raters are new.
    """
    systems = [f"s{number}" for number in range(len(personalisation))]
    gold = rng.uniform(0.4, 1.0, documents) if gold is None else gold
    apart = np.concatenate([np.ones(1), personalisation])[:, None] * gold  # (1 + S, D)
    ratings = []
    severities = rng.normal(0.0, noise / 2, people or documents * raters)
    for index in range(documents):
        chosen = rng.choice(people, raters, replace=False) if people else index * raters + np.arange(raters)
        for rater, (row, system) in product(chosen.tolist(), enumerate((GOLD, *systems))):
            level = 6.0 - 5.0 * apart[row, index] + severities[rater] + rng.normal(0.0, noise)
            value = int(np.clip(np.rint(level), 1, 6))
            ratings.append(Rating(f"d{index}", system, *READERS, f"p{rater}", value))
    return Survey(corpus_of(documents, systems), surrogates_of(rng, documents, systems), ratings)


def corpus_of(documents: int, systems: list[str]) -> Corpus:
    texts = dict.fromkeys(READERS, "text")
    return Corpus(
        tuple(
            Document(f"d{index}", "title", "body", texts, dict.fromkeys(systems, texts))
            for index in range(documents)
        )
    )


def surrogates_of(rng: np.random.Generator, documents: int, systems: list[str]) -> DistanceTable:
    """A surrogate's distances, accurate enough for the penalty to leave something."""

    def distances(*shape: int) -> FloatArray:
        return rng.uniform(0.1, 0.4, shape)

    n, s = len(READERS), len(systems)
    block = DistanceBlock(
        documents=np.arange(documents),
        gold=distances(documents, n, n),
        gold_document=distances(documents, n),
        systems=distances(s, documents, n, n),
        systems_document=distances(s, documents, n),
        systems_gold=distances(s, documents, n),
    )
    names = tuple(f"d{index}" for index in range(documents))
    return DistanceTable(names, tuple(systems), "document", Signature("made-up"), (block,), DistanceCounts())
