"""What the statistics of a report need, gathered from its scores."""

from collections.abc import Mapping, Sequence

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import Normalise, compute_distances
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError
from meta_eval.measures import Measure
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.inference.table import restrict_to_rated
from meta_eval.report.same_texts import SameTexts, counted_with_others
from meta_eval.scores.contributions import Contributions
from meta_eval.scores.human import HumanScores
from meta_eval.scores.lengths import mean_words


def gather_inputs(
    corpus: Corpus,
    *,
    automatic: Mapping[str, Contributions],
    human: Mapping[str, HumanScores],
    measures: Mapping[str, Measure],
    ratings: Sequence[Rating],
    normalise: Normalise,
    store: DistanceStore | None = None,
    same_texts: Sequence[SameTexts] = (),
) -> InferenceInputs:
    """What the statistics need: the scores, and each measure's distances over the rated pairs alone.

    Of systems with the `same_texts` one is left.
    """
    if not human:
        raise InputError("There are no human scores, so there is nothing to infer.")
    if gone := counted_with_others(same_texts):
        automatic = {name: scores.leave_out(gone) for name, scores in automatic.items()}
        human = {name: scores.leave_out(gone) for name, scores in human.items()}
    divergences = next(iter(human.values())).divergences
    rated = divergences.select_rated(corpus)
    compared = {
        name: compute_distances(
            rated,
            measure.settle(corpus),
            systems=divergences.systems,
            normalise=normalise,
            store=store,
        )
        for name, measure in measures.items()
    }
    matched = divergences.leave_out(counted_with_others(same_texts, rated=True))
    return InferenceInputs(
        automatic=automatic,
        matched={name: restrict_to_rated(table, rated, matched) for name, table in compared.items()},
        human=human,
        corpus=rated,
        ratings=ratings,
        words=mean_words(corpus),
        compared=compared,
    )
