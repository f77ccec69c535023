"""What richer prompts do to a model, by measures and by people, where systems are named MODEL: STYLE.

Both sides are over the rated pairs of readers that both styles of an order have, so that they say the same or
not of the same cases.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from meta_eval.distances.computing import DistanceTable
from meta_eval.report.schema import FurtherQuestions, PromptOrderRow
from meta_eval.scores.human import HumanScores
from meta_eval.scores.prompt_styles import PAIRS
from meta_eval.stats.significance.prompt_orders import compare_styles


def ask_prompts(
    asked: FurtherQuestions,
    matched: Mapping[str, DistanceTable],
    human: Mapping[str, HumanScores],
    *,
    seed: int,
) -> FurtherQuestions:
    """The questions with the nine orders of iCOPERNICUS' section 3; nothing without systems of prompts.

    p is adjusted over models and orders, by itself for each measure and surrogate.
    """
    tables = [
        *(("automatic", name, table) for name, table in matched.items()),
        *(("human", name, scores.table) for name, scores in human.items()),
    ]
    rows = [row for side, name, table in tables for row in _rows(side, name, table, seed)]
    return replace(asked, prompt_orders=tuple(rows))


def _rows(side: str, measure: str, table: DistanceTable, seed: int) -> Iterator[PromptOrderRow]:
    for (model, order), found in compare_styles(table, pairs="all", seed=seed).items():
        poorer, richer = PAIRS["all"][order]
        yield PromptOrderRow(
            side=side,
            measure=measure,
            model=model,
            order=order,
            poorer=poorer,
            richer=richer,
            documents=found.documents,
            poorer_egises=found.poorer,
            richer_egises=found.richer,
            egises_change=found.difference,
            ci_low=found.low,
            ci_high=found.high,
            p=found.p,
            p_adjusted=found.p_adjusted,
            is_paradox=None if found.difference is None else found.difference >= 0,
            verdict=found.verdict,
        )
