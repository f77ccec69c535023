"""The part of an inference on language models: what their ratings give, asked once they are given."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from meta_eval.corpus.documents import Corpus
from meta_eval.distances.computing import Normalise
from meta_eval.distances.store.distance_store import DistanceStore
from meta_eval.errors import InputError
from meta_eval.measures import Measure
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import Rating
from meta_eval.report.inference.ceilings import Ceilings
from meta_eval.report.inference.inputs import InferenceInputs, Tables
from meta_eval.report.inference.stand_in import ModelInputs, StandInOptions, look_at_models
from meta_eval.report.inference.stand_in_scores import ModelScores
from meta_eval.report.options import InferenceOptions
from meta_eval.report.schema import LimitedRow, StandIn
from meta_eval.scores.contributions import Contributions, ScoreOptions
from meta_eval.scores.human import HumanScores, score_humans

PART_OF_PAIRS = "a ceiling is that of all rated pairs, of which the model rated only some"
BEYOND = "the model's ratings of documents that no person rated give no score"


def gather_models(
    corpus: Corpus,
    tables: Sequence[ModelTable],
    people: HumanDivergences,
    surrogates: Mapping[str, Measure],
    *,
    stand_in: StandInOptions | None = None,
    normalise: Normalise = "document",
    options: ScoreOptions | None = None,
    store: DistanceStore | None = None,
) -> ModelInputs:
    """The ratings of models, and the scores that they give to documents that no person rated.

    `people` are the divergences of people's ratings, `surrogates` the measures by the names of human scores.
    Where ratings of such documents give no score, the reason stands in its place. Only a mixed survey needs
    these scores, so there are none where `stand_in` does not ask for it.
    """
    chosen = stand_in or StandInOptions()
    alone: dict[str, dict[str, HumanScores]] = {}
    without: dict[str, dict[str, str]] = {}
    for table in tables if chosen.mixed else ():
        beyond = [rating for rating in table.ratings if rating.doc_id not in people.documents]
        for name, measure in surrogates.items() if beyond else ():
            try:
                divergences = human_divergences(beyond, scale=people.scale, full=1, ends=people.ends)
                alone.setdefault(table.rater, {})[name] = score_humans(
                    corpus, divergences, measure, normalise=normalise, options=options, store=store
                )
            except InputError as error:
                without.setdefault(table.rater, {})[name] = f"{BEYOND}: {error}"
    return ModelInputs(tables=tables, corpus=corpus, options=chosen, alone=alone, without=without)


def infer_models(
    inputs: InferenceInputs, options: InferenceOptions, ceilings: Ceilings | None = None
) -> tuple[StandIn, ...]:
    """What is asked of each model whose ratings are given; nothing where there are none."""
    if inputs.models is None:
        return ()
    models = inputs.models()

    def correlate(
        automatic: Mapping[str, Contributions], human: Mapping[str, HumanScores], ratings: Sequence[Rating]
    ) -> Sequence[LimitedRow]:
        tables = Tables(replace(inputs, ratings=ratings), options)
        rows = tables.resample("stand_in", automatic, human).rows(LimitedRow)
        whole = ceilings if ceilings and len(ratings) == counted else Ceilings(reason=PART_OF_PAIRS)
        return whole.beside(rows, "matched")

    people = next(iter(inputs.human.values())).divergences
    counted = sum(rating.pair in people.divergences for rating in inputs.ratings)
    scores = ModelScores(human=inputs.human, ratings=inputs.ratings, rated=inputs.corpus, models=models)
    return look_at_models(
        inputs.ratings,
        models.tables,
        corpus=models.corpus,
        scale=people.scale,
        ends=people.ends,
        options=models.options,
        scored=lambda table: scores.parts(table, correlate),
        seed=options.seed,
        resamples=options.agreement_resamples,
    )
