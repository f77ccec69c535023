"""What the tests of the inference infer from: scores, and raters who mostly agree."""

from dataclasses import replace

from meta_eval.distances.computing import compute_distances
from meta_eval.measures import make_measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.inference.table import restrict_to_rated
from meta_eval.report.options import InferenceOptions
from meta_eval.scores.automatic import score_systems
from meta_eval.scores.human import score_humans
from meta_eval.scores.lengths import mean_words
from tests.meta_eval.stats.resampling.test_rescoring import GENTLE

MEASURES = ("jsd", "bleu")


QUICK = InferenceOptions(resamples=60, splits=10, simulations=10, agreement_resamples=60, shuffles=40, seed=3)


def agree(ratings):
    """The ratings of raters who mostly give a pair what its first rater gave it."""
    first = {}
    for number, rating in enumerate(ratings):
        value = first.setdefault(rating.pair, rating.rating)
        yield rating if number % 3 == 0 else replace(rating, rating=value)


def make_inputs(corpus, ratings, *, surrogates=("rouge-l", "jsd")):
    found = human_divergences(ratings, scale="similarity")
    rated = found.select_rated(corpus)
    return InferenceInputs(
        automatic={
            name: score_systems(corpus, make_measure(name), options=GENTLE).contributions for name in MEASURES
        },
        matched={
            name: restrict_to_rated(compute_distances(rated, make_measure(name)), rated, found)
            for name in MEASURES
        },
        human={name: score_humans(corpus, found, make_measure(name), options=GENTLE) for name in surrogates},
        corpus=rated,
        ratings=ratings,
        words=mean_words(corpus),
    )
