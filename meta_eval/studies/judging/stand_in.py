"""May a model stand in for raters? What a report says of it, without the rest of a report."""

from collections.abc import Iterable, Mapping, Sequence

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.measures import Measure
from meta_eval.ratings.divergences import human_divergences
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import SIX_POINTS, Ends, Rating, Scale
from meta_eval.report.inference.inputs import InferenceInputs
from meta_eval.report.inference.model_scores import gather_models, infer_models
from meta_eval.report.inference.stand_in import StandInOptions, look_at_models
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import StandIn
from meta_eval.scores.human import score_humans


def compare_with_people(
    people: Sequence[Rating],
    models: Iterable[ModelTable],
    corpus: Corpus,
    *,
    scale: Scale,
    surrogates: Mapping[str, Measure] | None = None,
    ends: Ends = SIX_POINTS,
    stand_in: StandInOptions | None = None,
    inference: InferenceOptions | None = None,
    store: DistanceStore | None = None,
) -> tuple[StandIn, ...]:
    """What is known of each model beside people, as a report with these ratings says it.

    Parameters
    ----------
    people : sequence of Rating
        Of people alone.
    models : iterable of ModelTable
        What models said, from `read_model_tables`.
    corpus : Corpus
        What the ratings are of.
    scale : {"similarity", "dissimilarity"}
        What the highest rating means.
    surrogates : mapping of str to Measure, optional
        By name; human scores take from them the distances that nobody rates. Without any, nothing is said of
        scores of systems, nor of a mixed survey.
    ends : Ends, optional
        Of the scale.
    stand_in : StandInOptions, optional
        Of the alternative annotator test, and whether a mixed survey is asked about.
    inference : InferenceOptions, optional
        Seed, resamples and what is resampled.
    store : DistanceStore, optional
        Keeps the surrogates' distances.

    Returns
    -------
    tuple of StandIn
        One a model.

    Raises
    ------
    InputError
        Where models stand among people, and for ratings of which no pair counts.

    Examples
    --------
    >>> compare_with_people([], [], Corpus(()), scale="similarity")
    ()
    """
    tables, options = tuple(models), inference or InferenceOptions()
    if not surrogates:
        return look_at_models(
            people,
            tables,
            corpus=corpus,
            scale=scale,
            ends=ends,
            options=stand_in or StandInOptions(),
            seed=options.seed,
            resamples=options.agreement_resamples,
        )
    divergences = human_divergences(people, scale=scale, ends=ends)
    human = {
        name: score_humans(corpus, divergences, measure, store=store) for name, measure in surrogates.items()
    }
    inputs = InferenceInputs(
        automatic={},
        matched={},
        human=human,
        corpus=divergences.select_rated(corpus),
        ratings=people,
        models=lambda: gather_models(corpus, tables, divergences, surrogates, stand_in=stand_in, store=store),
    )
    return infer_models(inputs, options)
