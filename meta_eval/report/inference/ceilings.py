"""How far the raters' own disagreement lets any metric agree with them, beside each coefficient."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import product
from typing import TypeVar

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.ratings.rating import Rating
from meta_eval.report.schema import CeilingRow, LimitedRow
from meta_eval.scores.human import HumanScores
from meta_eval.scores.names import HUMAN_SCORES
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.raters import RaterPanel, build_panel
from meta_eval.stats.resampling.shuffling import RatersPartScorer
from meta_eval.stats.table.ceiling import Ceiling, Scope, corpus_ceilings, split_half_ceilings
from meta_eval.stats.table.simulated_ceiling import simulated_ceilings

CHANCE = (
    "two raters of a pair may agree no more than by chance, so their agreement sets no bound to that of a "
    "measure"
)
"""Why there is no ceiling of raters who press buttons."""
CeilingKey = tuple[str, str, str]
_Row = TypeVar("_Row", bound=LimitedRow)


@dataclass(frozen=True, slots=True)
class Ceilings:
    """How far the raters' own disagreement lets any metric agree with them, by two methods in two scopes.

    `reason` says why there are none.
    """

    measured: dict[CeilingKey, list[Ceiling]] = field(default_factory=dict)
    reason: str = "no ceiling was computed"

    @classmethod
    def measure(
        cls,
        human: Mapping[str, HumanScores],
        ratings: Sequence[Rating],
        corpus: Corpus,
        *,
        rng: np.random.Generator,
        splits: int,
        simulations: int,
        coefficients: Sequence[Coefficient] = COEFFICIENTS,
        documents: int,
    ) -> "Ceilings":
        """Of each human score; `documents` are those of the automatic scores over the corpus.

        That of PerSEval-HJ counts what raters add to its penalty: with the penalty it would be near 1 even
        for raters who do not agree at all.
        """
        ceilings = cls()
        panels = _panels(human, ratings)
        for (surrogate, scores), panel, own in zip(human.items(), panels, rng.spawn(len(human)), strict=True):
            scorer = RatersPartScorer.of_scores(scores, panel, corpus)
            of_documents = own.spawn(1)[0]
            split = split_half_ceilings(scorer, coefficients, rng=own, splits=splits)
            simulated = simulated_ceilings(scorer, coefficients, rng=own, simulations=simulations)
            corpus_wide = corpus_ceilings(scorer, split, rng=of_documents, splits=splits, documents=documents)
            for coefficient, score in product(coefficients, HUMAN_SCORES):
                found = [part[coefficient][score] for part in (split, simulated, corpus_wide)]
                if documents <= len(scorer.documents):  # all were rated, so the scopes are one
                    found.append(replace(found[1], scope="corpus"))
                ceilings.measured[score, surrogate, coefficient] = found
        return ceilings

    @property
    def rows(self) -> tuple[CeilingRow, ...]:
        return tuple(
            CeilingRow(human=human, surrogate=surrogate, **asdict(ceiling))
            for (human, surrogate, _), both in self.measured.items()
            for ceiling in both
        )

    def beside(self, rows: Iterable[_Row], scope: Scope) -> tuple[_Row, ...]:
        """The rows with the ceiling of their scope: by split halves, or simulated where these give none."""
        return tuple(self._with_ceiling(row, scope) for row in rows)

    def _with_ceiling(self, row: _Row, scope: Scope) -> _Row:
        measured = self.measured.get((row.human, row.surrogate or "", row.coefficient), ())
        found = [ceiling for ceiling in measured if ceiling.scope == scope]
        if not found:
            return replace(row, ceiling_reason=self.reason)
        best = next((ceiling for ceiling in found if ceiling.ceiling is not None), found[0])
        return replace(row, ceiling=best.ceiling, ceiling_method=best.method, ceiling_reason=best.reason)


def _panels(human: Mapping[str, HumanScores], ratings: Sequence[Rating]) -> Iterator[RaterPanel]:
    """The panel of each human score's ratings: surrogates of the same ratings share one."""
    made: list[tuple[HumanDivergences, RaterPanel]] = []
    for scores in human.values():
        if not made or made[-1][0] != scores.divergences:
            made = [(scores.divergences, build_panel(ratings, scores.divergences))]
        yield made[-1][1]
