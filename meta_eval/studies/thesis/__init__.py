"""The studies of Vansh's EGISES thesis (chapter 6) over pairs of readers, for any two measures.

`penalties` sets ROUGE beside P-ROUGE; `insensitivity` counts where a system treats readers alike who differ.
Whether two measures deviate alike is asked in reports, too: `meta_eval.stats.reader_pairs`.
"""

from meta_eval.stats.reader_pairs.deviation import (
    FORMS,
    Form,
    PairDeviations,
    Weight,
    deviations_by_pair,
    study_deviations,
)
from meta_eval.stats.reader_pairs.pairs import CoReaders
from meta_eval.stats.reader_pairs.samples import Sampling
from meta_eval.studies.thesis.insensitivity import Thresholds, count_insensitive
from meta_eval.studies.thesis.penalties import PairPenalties, penalties_by_pair, study_penalties

__all__ = [
    "FORMS",
    "CoReaders",
    "Form",
    "PairDeviations",
    "PairPenalties",
    "Sampling",
    "Thresholds",
    "Weight",
    "count_insensitive",
    "deviations_by_pair",
    "penalties_by_pair",
    "study_deviations",
    "study_penalties",
]
