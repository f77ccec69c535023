"""The indirect method (PerSEval 6.1, 8.1; protocol 9): ratings of summaries in place of reader profiles."""

from meta_eval.studies.indirect.feedback import FeedbackRatings, read_feedback
from meta_eval.studies.indirect.reading import RatedDocument, read_rated_summaries
from meta_eval.studies.indirect.scoring import score_annotators
from meta_eval.studies.indirect.study import FORMS, Form, IndirectOptions, IndirectStudy, prepare_study

__all__ = [
    "FORMS",
    "FeedbackRatings",
    "Form",
    "IndirectOptions",
    "IndirectStudy",
    "RatedDocument",
    "prepare_study",
    "read_feedback",
    "read_rated_summaries",
    "score_annotators",
]
