"""How far the raters' own disagreement lets any metric agree with them, beside each coefficient."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace

import numpy as np

from meta_eval.corpus.documents import Corpus
from meta_eval.ratings.divergences import HumanDivergences
from meta_eval.ratings.rating import Rating
from meta_eval.report.schema import CeilingRow, CorrelationRow
from meta_eval.scores.human import HumanScores
from meta_eval.stats.coefficients.registry import COEFFICIENTS, Coefficient
from meta_eval.stats.resampling.raters import RaterPanel, build_panel
from meta_eval.stats.resampling.rescoring import PanelScorer
from meta_eval.stats.table.ceiling import Ceiling, simulated_ceilings, split_half_ceilings

CeilingKey = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Ceilings:
    """How far the raters' own disagreement lets any metric agree with them, by two methods."""

    measured: dict[CeilingKey, list[Ceiling]] = field(default_factory=dict)

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
    ) -> "Ceilings":
        ceilings = cls()
        panels = _panels(human, ratings)
        for (surrogate, scores), panel, own in zip(human.items(), panels, rng.spawn(len(human)), strict=True):
            scorer = PanelScorer(panel, corpus=corpus, surrogates=scores.surrogate, options=scores.options)
            for coefficient in coefficients:
                split = split_half_ceilings(scorer, coefficient, rng=own, splits=splits)
                simulated = simulated_ceilings(scorer, coefficient, rng=own, simulations=simulations)
                for score in split:
                    ceilings.measured[score, surrogate, coefficient] = [split[score], simulated[score]]
        return ceilings

    @property
    def rows(self) -> tuple[CeilingRow, ...]:
        return tuple(
            CeilingRow(human=human, surrogate=surrogate, **asdict(ceiling))
            for (human, surrogate, _), both in self.measured.items()
            for ceiling in both
        )

    def beside(self, rows: Iterable[CorrelationRow]) -> tuple[CorrelationRow, ...]:
        """The rows with their ceiling: by split halves, or simulated where the halves give none."""
        return tuple(self._with_ceiling(row) for row in rows)

    def _with_ceiling(self, row: CorrelationRow) -> CorrelationRow:
        both = self.measured[row.human, row.surrogate or "", row.coefficient]
        best = next((ceiling for ceiling in both if ceiling.ceiling is not None), both[0])
        return replace(row, ceiling=best.ceiling, ceiling_method=best.method, ceiling_reason=best.reason)


def _panels(human: Mapping[str, HumanScores], ratings: Sequence[Rating]) -> Iterator[RaterPanel]:
    """The panel of each human score's ratings: surrogates of the same ratings share one."""
    made: list[tuple[HumanDivergences, RaterPanel]] = []
    for scores in human.values():
        if not made or made[-1][0] != scores.divergences:
            made = [(scores.divergences, build_panel(ratings, scores.divergences))]
        yield made[-1][1]
