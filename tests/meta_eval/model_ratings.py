"""A study that people and language models rated, small enough to be made in a moment."""

from collections import defaultdict

import numpy as np

from meta_eval.corpus.documents import GOLD, Corpus, Document
from meta_eval.ratings.of_models import ModelAnswer, ModelTable
from meta_eval.ratings.rating import Rating, rated_pair
from meta_eval.report.options import InferenceOptions

READERS = ("a", "b")
SYSTEMS = ("S0", "S1", "S2", "S3")
RATED, ALL = 12, 36
FEW = InferenceOptions(resamples=60, agreement_resamples=60, shuffles=40, splits=10, simulations=10)
WORDS = "rain storm river bridge bakery bread street cellar winter harbour ferry council dam road news"


def make_corpus():
    rng = np.random.default_rng(4)

    def text():
        return " ".join(rng.choice(WORDS.split(), 5, replace=False))

    return Corpus(
        tuple(
            Document(
                f"d{number:02}",
                "News of the day",
                WORDS,
                {reader: text() for reader in READERS},
                {
                    "S0": dict.fromkeys(READERS, text()),
                    **{system: {reader: text() for reader in READERS} for system in SYSTEMS[1:]},
                },
            )
            for number in range(ALL)
        )
    )


def noisy(rng, truth, spread):
    return {
        pair: int(np.clip(round(value + spread * rng.standard_normal()), 1, 6))
        for pair, value in truth.items()
    }


def ratings(rater, values):
    return [
        Rating(pair.doc_id, pair.system, pair.reader_a, pair.reader_b, rater, value)
        for pair, value in values.items()
    ]


def make_study():
    """Corpus, and ratings of people and models: four people rate 12 documents, the model `good` all 36.

    The model `idle` says 3 of everything that people rated.
    """
    corpus, rng = make_corpus(), np.random.default_rng(0)
    likely = dict(zip(SYSTEMS, (5.4, 4.2, 3.0, 1.8), strict=True)) | {GOLD: 3.0}
    truth = {
        rated_pair(document.id, system, *READERS): likely[system] + rng.normal(0, 1)
        for document in corpus.documents
        for system in (GOLD, *SYSTEMS)
    }
    rated = {pair: value for pair, value in truth.items() if pair.doc_id < f"d{RATED:02}"}
    people = [rating for name in ("p1", "p2", "p3", "p4") for rating in ratings(name, noisy(rng, rated, 0.8))]
    models = ratings("model:good", noisy(rng, truth, 0.3)) + ratings("model:idle", dict.fromkeys(rated, 3))
    return corpus, people, models


def tables_of_ratings(ratings):
    """A table for each model of which only the ratings are known."""
    by_model = defaultdict(list)
    for rating in ratings:
        by_model[rating.rater].append(ModelAnswer(rating.pair, rating.rating))
    return tuple(ModelTable(name, tuple(answers)) for name, answers in by_model.items())
