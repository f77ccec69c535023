"""Scores of systems as a model judges them: beside people's, and joined with them to a mixed survey."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import comb
from statistics import fmean
from typing import Any

import numpy as np

from meta_eval.arrays import FloatArray
from meta_eval.corpus.documents import GOLD, Corpus
from meta_eval.errors import InputError
from meta_eval.ratings.divergences import HumanDivergences, human_divergences
from meta_eval.ratings.of_models import ModelTable
from meta_eval.ratings.rating import RatedPair, Rating
from meta_eval.report.inference.stand_in import ModelInputs
from meta_eval.report.schema import LimitedRow
from meta_eval.report.schema.stand_in import MIXED, MixedSurveyRow
from meta_eval.scores.contributions import Contributions, score_contributions
from meta_eval.scores.human import HumanScores, replace_by_ratings
from meta_eval.scores.names import OWN_KINDS, ScoreKind
from meta_eval.stats.raters.leanings import mean_over_clusters
from meta_eval.stats.raters.prediction_powered import (
    LEAST_UNITS,
    expected_width,
    prediction_powered_mean,
    shrunk_correlation,
)
from meta_eval.stats.table.joint import align_contributions

Correlate = Callable[
    [Mapping[str, Contributions], Mapping[str, HumanScores], Sequence[Rating]], Sequence[LimitedRow]
]
"""Correlates automatic scores with human ones that rest on the ratings, as the report's tables do."""
NOTHING_BEYOND = "the model rated no document beyond those that people rated"
UNLIKE = 0.1
"""By how much shares of rated pairs may differ before documents count as rated in different ways."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelScores:
    """One model's ratings turned into scores by each surrogate of the human ones.

    `human` are people's scores over the rated documents, which `rated` holds; `ratings` are theirs.
    """

    human: Mapping[str, HumanScores]
    ratings: Sequence[Rating]
    rated: Corpus
    models: ModelInputs

    def parts(self, table: ModelTable, correlate: Correlate) -> dict[str, Any]:
        """What a row on a model says of scores of systems. Raises `InputError` where that cannot be told."""
        people = next(iter(self.human.values())).divergences
        ours = _divergences(table, people)
        shared = people.divergences.keys() & ours.divergences.keys()
        if not any(pair.system != GOLD for pair in shared):
            raise InputError("the model rated none of the pairs of which human scores are made")
        return {
            "scored_pairs": len(shared),
            "all_pairs": len(people.divergences),
            "systems": tuple(self._systems(table.rater, ours, shared, correlate)),
            MIXED: tuple(self._mixed(table.rater, ours)) if self.models.options.mixed else (),
        }

    def _systems(
        self,
        rater: str,
        ours: HumanDivergences,
        shared: set[RatedPair],
        correlate: Correlate,
    ) -> Iterator[LimitedRow]:
        """Both sides over the pairs that both rated; they share the surrogate's distances."""
        ratings = [rating for rating in self.ratings if rating.pair in shared]
        for name, scores in self.human.items():
            people = self._judged(scores, _only(scores.divergences, shared))
            model = self._judged(scores, _only(ours, shared)).contributions
            for row in correlate({rater: model}, {name: people}, ratings):
                yield replace(row, shared_input=True)

    def _judged(self, scores: HumanScores, divergences: HumanDivergences) -> HumanScores:
        """The scores of these divergences, with the distances that are there."""
        table = replace_by_ratings(scores.surrogate, self.rated, divergences)
        contributions = score_contributions(table, scores.options)
        return replace(scores, contributions=contributions, divergences=divergences, table=table)

    def _mixed(self, rater: str, ours: HumanDivergences) -> Iterator[MixedSurveyRow]:
        alone = self.models.alone.get(rater, {})
        without = self.models.without.get(rater, {})
        unlike = self._unlike(ours)
        planned = sum(document.is_scored for document in self.models.corpus.documents)
        for name, scores in self.human.items():
            both = self._judged(scores, ours).contributions
            beyond = alone[name].contributions if name in alone else None
            for kind in OWN_KINDS:
                matrices = _Matrices.of(kind, scores.contributions, both, beyond)
                for row, system in enumerate(scores.contributions.systems):
                    yield _mixed_row(
                        kind,
                        name,
                        system,
                        matrices.of_system(row),
                        scored=planned,
                        unlike=unlike,
                        without=without.get(name, NOTHING_BEYOND),
                    )

    def _unlike(self, ours: HumanDivergences) -> str | None:
        """Why the model's ratings of the two kinds of documents are not of one kind; None where they are."""
        by_document: dict[str, int] = {}
        for pair in ours.divergences:
            if pair.system != GOLD:
                by_document[pair.doc_id] = by_document.get(pair.doc_id, 0) + 1
        rated = {document.id for document in self.rated.documents}
        shares: dict[bool, list[float]] = {True: [], False: []}
        for document in self.models.corpus.documents:
            if document.id in by_document:
                there = comb(len(document.references), 2) * max(len(document.summaries), 1)
                shares[document.id in rated].append(by_document[document.id] / there)
        if not all(shares.values()):
            return None
        first, second = fmean(shares[True]), fmean(shares[False])
        if abs(first - second) <= UNLIKE:
            return None
        return (
            f"the model rated {100 * first:.0f} % of the pairs of documents that people rated and "
            f"{100 * second:.0f} % of others; let it rate the same share of both"
        )


def _divergences(table: ModelTable, people: HumanDivergences) -> HumanDivergences:
    return human_divergences(table.ratings, scale=people.scale, full=1, ends=people.ends)


def _only(divergences: HumanDivergences, pairs: set[RatedPair]) -> HumanDivergences:
    kept = {pair: value for pair, value in divergences.divergences.items() if pair in pairs}
    return replace(divergences, divergences=kept)


@dataclass(frozen=True, slots=True)
class _Matrices:
    """(S, D) of people and model over the documents that people rated, (S, N) of the model over others."""

    people: FloatArray
    model: FloatArray
    alone: FloatArray

    @classmethod
    def of(
        cls, kind: ScoreKind, people: Contributions, both: Contributions, beyond: Contributions | None
    ) -> "_Matrices":
        name = kind.automatic
        model = align_contributions(
            both.matrix(name),
            systems=both.systems,
            documents=both.documents,
            to_systems=people.systems,
            to_documents=people.documents,
        )
        if beyond is None:
            alone = np.zeros((len(people.systems), 0))
        else:
            alone = align_contributions(
                beyond.matrix(name),
                systems=beyond.systems,
                documents=beyond.documents,
                to_systems=people.systems,
                to_documents=beyond.documents,
            )
        return cls(people.matrix(name), model, alone)

    def of_system(self, row: int) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Of documents that have what they need."""
        people, model, alone = self.people[row], self.model[row], self.alone[row]
        both = np.isfinite(people) & np.isfinite(model)
        return people[both], model[both], alone[np.isfinite(alone)]


def _mixed_row(
    kind: ScoreKind,
    surrogate: str,
    system: str,
    values: tuple[FloatArray, FloatArray, FloatArray],
    *,
    scored: int,
    unlike: str | None,
    without: str,
) -> MixedSurveyRow:
    """One row; `without` says why there may be no ratings of other documents."""
    people, model, alone = values
    n = len(people)
    base = MixedSurveyRow(
        human=kind.human,
        surrogate=surrogate,
        system=system,
        people_documents=n,
        model_documents=len(alone),
        correlation=None,
        people_estimate=None,
        people_low=None,
        people_high=None,
        planned_documents=max(scored - n, 0),
    )
    if n < LEAST_UNITS:
        return replace(
            base, reason=f"people and the model rated {n} documents both; {LEAST_UNITS} are needed"
        )
    alone_by_people = mean_over_clusters(people, range(n))
    varies = min(np.ptp(people), np.ptp(model)) > 0
    correlation = float(np.corrcoef(people, model)[0, 1]) if varies else 0.0
    width = expected_width(shrunk_correlation(correlation, n), n, base.planned_documents)
    base = replace(
        base,
        correlation=correlation,
        people_estimate=alone_by_people.estimate,
        people_low=alone_by_people.low,
        people_high=alone_by_people.high,
        planned_saved=1.0 - width**2,
    )
    if alone_by_people.reason:
        return replace(base, reason=f"people's scores of documents: {alone_by_people.reason}")
    if len(alone) == 0 or unlike:
        return replace(base, reason=unlike if len(alone) else without)
    try:
        found = prediction_powered_mean(people, model, alone)
    except InputError as error:
        return replace(base, reason=str(error))
    return replace(
        base,
        mixed_estimate=found.mixed.estimate,
        mixed_low=found.mixed.low,
        mixed_high=found.mixed.high,
        weight=found.weight,
        equal_documents=found.equal_units if np.isfinite(found.equal_units) else None,
        saved=found.saved if np.isfinite(found.saved) else None,
    )
