"""The studies of Vansh's EGISES thesis (chapter 6) over pairs of readers, for any two measures.

`reader_pairs` gathers what each pair of readers has over its documents; `deviation` sets the deviation by one
measure beside that by another; `penalties` sets ROUGE beside P-ROUGE; `samples` draws shares of the pairs;
`insensitivity` counts where a system treats readers alike who differ.
"""

from meta_eval.studies.thesis.deviation import (
    FORMS,
    Form,
    PairDeviations,
    Weight,
    deviations_by_pair,
    study_deviations,
)
from meta_eval.studies.thesis.insensitivity import Thresholds, count_insensitive
from meta_eval.studies.thesis.penalties import PairPenalties, penalties_by_pair, study_penalties
from meta_eval.studies.thesis.reader_pairs import CoReaders
from meta_eval.studies.thesis.samples import Sampling

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
