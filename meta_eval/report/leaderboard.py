"""The leaderboard of a report: every score of every system, ranked."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from meta_eval.report.reliability import Record
from meta_eval.report.schema import JudgedStudy, ScoreRow
from meta_eval.scores.names import ACCURACY, SCORE_KINDS
from meta_eval.scores.penalties import P_ACC, penalised_rouge
from meta_eval.stats.coefficients.ties import snap_ties


@dataclass(frozen=True, slots=True)
class LeaderboardScore:
    """One score of the leaderboard: its name in the records, which side it is on, its direction."""

    name: str
    side: str
    higher_is_better: bool


EGISES_OF = {"jsd-oov": "p_rouge_jsd_oov", "jsd": "p_rouge_jsd"}
"""P-ROUGE by the EGISES of another measure: the thesis' word distributions, or else plain ones."""

LEADERBOARD_SCORES = (
    *(LeaderboardScore(kind.human, "human", kind.higher_is_better) for kind in reversed(SCORE_KINDS)),
    *(LeaderboardScore(kind.automatic, "automatic", kind.higher_is_better) for kind in reversed(SCORE_KINDS)),
    LeaderboardScore("accuracy", "automatic", higher_is_better=True),
    LeaderboardScore("p_acc", "automatic", higher_is_better=True),
    LeaderboardScore("p_rouge", "automatic", higher_is_better=True),
    *(LeaderboardScore(score, "automatic", higher_is_better=True) for score in EGISES_OF.values()),
)
"""Every score that is ranked, with its direction declared once."""


def penalise_rouge(automatic: Sequence[Record]) -> list[Record]:
    """The records, those of a ROUGE with P-ROUGE (protocol 5), kept for comparison with PerSEval.

    By its own EGISES, and by that of word distributions, as the thesis has it, where these were measured:
    `EGISES_OF` names the measure, and the score says which it is. Alpha and beta are those of P-Acc.
    """
    egises = {(record["measure"], record["system"]): record["egises"] for record in automatic}
    other = next((name for name in EGISES_OF if any(record["measure"] == name for record in automatic)), None)
    return [{**record, **_penalised(record, egises, other)} for record in automatic]


def _penalised(
    record: Record, egises: Mapping[tuple[str, str], float | None], other: str | None
) -> dict[str, float | None]:
    if not record["measure"].startswith("rouge"):
        return {}
    shape = {
        "alpha": record.get("p_acc_alpha", P_ACC.alpha),
        "beta": record.get("p_acc_beta", P_ACC.beta),
    }
    found = {"p_rouge": penalised_rouge(record["accuracy"], record["egises"], **shape)}
    if other is not None:
        theirs = egises.get((other, record["system"]))
        found[EGISES_OF[other]] = penalised_rouge(record["accuracy"], theirs, **shape)
    return found


def rank_scores(
    automatic: Sequence[Record], human: Sequence[Record], surveyed: Sequence[str]
) -> Iterator[ScoreRow]:
    """One row per score, measure and system, best first in each group; systems without the score last.

    `surveyed` are the systems of the survey: a row says which others have no human score for that reason.
    """
    systems = list(dict.fromkeys([*surveyed, *(record["system"] for record in (*human, *automatic))]))
    for score in LEADERBOARD_SCORES:
        records, key = (human, "surrogate") if score.side == "human" else (automatic, "measure")
        for measure in dict.fromkeys(record[key] for record in records if score.name in record):
            by_system = {record["system"]: record for record in records if record[key] == measure}
            yield from _ranked_rows(score, measure, by_system, systems, surveyed)


def _ranked_rows(
    score: LeaderboardScore,
    measure: str,
    by_system: Mapping[str, Record],
    systems: Sequence[str],
    surveyed: Sequence[str],
) -> Iterator[ScoreRow]:
    values = {system: by_system.get(system, {}).get(score.name) for system in systems}
    ranks = rank_systems(values, higher_is_better=score.higher_is_better)
    for system in sorted(systems, key=lambda name: (ranks.get(name) is None, ranks.get(name) or 0)):
        record, value = by_system.get(system, {}), values[system]
        yield ScoreRow(
            system,
            score.side,
            measure,
            score.name,
            value,
            ranks.get(system),
            len(ranks),
            record.get("documents", 0),
            record.get("pairs", 0),
            score.higher_is_better,
            None if value is not None else _why_missing(system, score.side, record, surveyed),
        )


def judged_board(study: JudgedStudy | None) -> Iterator[ScoreRow]:
    """What a judge of single summaries gives each system: accuracy without any distance, so of no pairs."""
    for row in study.systems if study else ():
        yield ScoreRow(
            row.system,
            "judged",
            row.measure,
            ACCURACY,
            row.estimate,
            row.rank,
            row.ranked,
            row.documents,
            0,
            higher_is_better=True,
            reason=row.reason,
        )


def rank_systems(values: Mapping[str, float | None], *, higher_is_better: bool) -> dict[str, int]:
    """Ranks from 1, best first; equal scores share the better rank; systems without a score have none.

    Scores that only rounding tells apart are equal, as they are to the coefficients.
    """
    present = {system: value for system, value in values.items() if value is not None}
    oriented = np.array([-value if higher_is_better else value for value in present.values()])
    ranks = scipy.stats.rankdata(snap_ties(oriented), method="min")
    return {system: int(rank) for system, rank in zip(present, ranks, strict=True)}


def _why_missing(system: str, side: str, record: Record, surveyed: Sequence[str]) -> str:
    if side == "human" and system not in surveyed:
        return "not in this survey"
    if side == "human":
        return "none of its pairs has enough ratings" if not record else "no rated pair gives a score"
    return (
        "the corpus has no summaries of it"
        if not record
        else "no document with two readers has its summaries"
    )
