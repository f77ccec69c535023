"""DEGRESS, EGISES, PerSEval and what is kept beside them for comparison (protocol 3 to 5)."""

from meta_eval.scores.automatic import AutomaticScores, score_systems
from meta_eval.scores.contributions import Contributions, ScoreOptions, SystemScore, score_contributions
from meta_eval.scores.degress import degress_by_pair, degress_by_reader, deviation
from meta_eval.scores.egises import egises_of
from meta_eval.scores.human import HumanScores, replace_by_ratings, score_humans
from meta_eval.scores.names import SCORES, ScoreKind, ScoreName
from meta_eval.scores.pairs import PairContributions, score_pairs
from meta_eval.scores.penalties import penalised_accuracy, penalised_rouge
from meta_eval.scores.perseval import EDP_READERS, EdpReaders, PenaltyOptions, effective_penalty

__all__ = [
    "EDP_READERS",
    "SCORES",
    "AutomaticScores",
    "Contributions",
    "EdpReaders",
    "HumanScores",
    "PairContributions",
    "PenaltyOptions",
    "ScoreKind",
    "ScoreName",
    "ScoreOptions",
    "SystemScore",
    "degress_by_pair",
    "degress_by_reader",
    "deviation",
    "effective_penalty",
    "egises_of",
    "penalised_accuracy",
    "penalised_rouge",
    "replace_by_ratings",
    "score_contributions",
    "score_humans",
    "score_pairs",
    "score_systems",
]
